"""Infer the types of `self`, `cls` and `super` from the class around the code."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING

from avionics.index.model.cached_method import cached_method
from avionics.index.model.values import (
    NOTHING_KNOWN,
    ClassType,
    External,
    InstanceType,
    SuperType,
    Type,
    Types,
    TypeVariable,
    Variable,
)
from avionics.model.enums import BindingKind, ExpressionKind, ScopeKind
from avionics.model.facts import UNKNOWN, iter_scopes_around
from avionics.syntax.engine.expressions import bare_name

if TYPE_CHECKING:
    from avionics.index.types.context import InferenceContext

_OWN_CLASS = ExpressionKind.OWN_CLASS
OWN_NAME = [bare_name("__name__")]
"""The index by which `sys.modules[__name__]` finds the module of its own file."""


class OwnObjects:
    """Infers the types of `self`, `cls` and `super` in a scope."""

    def __init__(self, context: InferenceContext) -> None:
        self._context = context

    def get_own_class(self, file: str, scope: int) -> ClassType | None:
        """Return the class whose method (or a function in it) the scope is in."""
        scopes = self._context.scopes.source.uses(file).scopes
        methods = (scopes[at] for at in iter_scopes_around(scopes, scope) if scopes[at].self_name)
        owners = (each.parent for each in methods if each.parent >= 0)
        own = next((at for at in owners if scopes[at].kind is ScopeKind.CLASS), -1)
        return self._context.members.class_at(file, own) if own >= 0 else None

    def infer(self, kind: ExpressionKind, file: str, scope: int) -> Types:
        """Return the types of `self`, `cls` or `super` in a scope."""
        own = self.get_class_around(file, scope)
        if own is None:
            return self._own_outside(kind, file, scope)
        if kind is ExpressionKind.SUPER:
            return (SuperType(own),)
        arguments = self._own_arguments(file, scope)
        seen = own.applied(arguments) if arguments else own
        others = self._list_others(file, scope, own)
        if kind is ExpressionKind.OWN_CLASS:
            return (seen, *others)
        return (InstanceType(seen, arguments), *map(InstanceType, others))

    def _list_others(self, file: str, scope: int, own: ClassType) -> tuple[ClassType, ...]:
        """Return the other classes that `self` may be an object of.

        The type that a scope adds members to may have several declarations under conditions, and a component (of Vue)
        has several parts.
        """
        scopes, around = self._context.scopes.source.uses(file).scopes, self.get_class_scope(file, scope)
        of = scopes[around].of if around >= 0 else UNKNOWN
        kinds = self._context.read_type(of, file, scopes[around].parent) if of != UNKNOWN else ()
        found = (each.of for each in kinds if isinstance(each, InstanceType))
        classes = [self._context.scopes.canonical(each.plain) for each in found if isinstance(each, ClassType)]
        classes += self._map_parts(file).get(around, ())
        return tuple(each for each in dict.fromkeys(classes) if each != own)

    @cached_method
    def _map_parts(self, file: str) -> dict[int, list[ClassType]]:
        """Return the scope of each object literal in a component → the classes of all parts of the component.

        In Vue's `{ methods: { … }, computed: { … } }`, `this` has the members of all these objects.
        """
        keys, uses = self._context.scopes.spec(file).component_keys, self._context.scopes.source.uses(file)
        whole: defaultdict[int, list[int]] = defaultdict(list)
        for key in keys:
            for each in uses.bindings.get(key, ()):
                if each.value.kind is ExpressionKind.OBJECT and uses.scopes[each.scope].kind is ScopeKind.CLASS:
                    whole[each.scope].append(each.value.index)
        inner: defaultdict[int, list[int]] = defaultdict(list)
        for each in chain.from_iterable(uses.bindings.values()) if whole else ():
            if each.value.kind is ExpressionKind.OBJECT:
                inner[each.scope].append(each.value.index)
        found: dict[int, list[ClassType]] = {}
        for scope, parts in whole.items():
            classes = (self._context.members.class_at(file, index) for index in (scope, *parts))
            known = [each for each in classes if each is not None]
            found |= dict.fromkeys((scope, *parts, *(index for part in parts for index in inner[part])), known)
        return found

    def _own_outside(self, kind: ExpressionKind, file: str, scope: int) -> Types:
        """Return the types of `self` or `Self` in members added to a type that is not a class: `impl A for &mut T`."""
        uses, scope = self._context.scopes.source.uses(file), self.get_class_scope(file, scope)
        of = uses.scopes[scope].of if scope >= 0 else UNKNOWN
        if of == UNKNOWN or kind is ExpressionKind.SUPER:
            return NOTHING_KNOWN
        bases = (each for base in uses.bases.get(scope, ()) for each in self._context.infer(base, file, scope))
        added = [InstanceType(each) for each in bases if isinstance(each, (ClassType, External))]
        found: list[Type] = []
        for each in self._context.read_type(of, file, scope):
            is_class = kind is ExpressionKind.OWN_CLASS
            if isinstance(each, TypeVariable):
                found.append(TypeVariable(each.variable, (*each.bound, *added), is_class))
            else:
                found.append(each.of if is_class and isinstance(each, InstanceType) else each)
        return tuple(found) or NOTHING_KNOWN

    def get_class_scope(self, file: str, scope: int) -> int:
        """Return the innermost class scope around a scope (or itself); -1 if there is none."""
        scopes = self._context.scopes.source.uses(file).scopes
        while scope >= 0 and scopes[scope].kind is not ScopeKind.CLASS:
            scope = scopes[scope].parent
        return scope

    def get_implemented(self, owner: ExpressionKind, name: str, file: str, scope: int) -> Variable | None:
        """Return the type that the surrounding `impl` declares for `Self::Name`."""
        if owner is not _OWN_CLASS:
            return None
        around = self.get_class_scope(file, scope)
        if around < 0 or self._context.scopes.source.uses(file).scopes[around].of == UNKNOWN:
            return None
        variable = Variable(file, around, name)
        bindings = self._context.scopes.bindings(variable)
        return variable if any(each.kind is BindingKind.ASSIGNMENT for each in bindings) else None

    def _own_arguments(self, file: str, scope: int) -> tuple[Types, ...]:
        """Return the type arguments that a scope adding members to a class writes for it: `T` in `impl<T> Box<T>`."""
        scopes, scope = self._context.scopes.source.uses(file).scopes, self.get_class_scope(file, scope)
        of = scopes[scope].of if scope >= 0 else UNKNOWN
        is_generic = of.kind is ExpressionKind.SUBSCRIPT
        return tuple(self._context.read_type(part, file, scope) for part in of.parts[1:]) if is_generic else ()

    def get_class_around(self, file: str, scope: int) -> ClassType | None:
        """Return the class around a scope, also outside of its methods, as in the initialisers of fields."""
        own = self.get_own_class(file, scope)
        if own is not None:
            return own
        scope = self.get_class_scope(file, scope)
        return self._context.members.class_at(file, scope) if scope >= 0 else None
