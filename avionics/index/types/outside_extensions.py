"""Find the members that extensions and traits add to outside types (`impl Trait for Vec<A>`) and to all types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from avionics.index.model.memo import FinalValues, Memo
from avionics.index.model.values import (
    BUILTIN,
    ClassType,
    External,
    InstanceType,
    Target,
    Type,
    Types,
    TypeVariable,
    Variable,
)
from avionics.index.scopes.name_resolver import NameResolver
from avionics.index.types.substitution import class_of, is_foreign
from avionics.model.enums import SymbolKind
from avionics.model.facts import UNKNOWN, Expression
from avionics.model.naming import fold_name
from avionics.syntax.engine.expressions import bare_name, last_name
from avionics.syntax.spec import LanguageSpec

Extended = External | ClassType | TypeVariable
"""A type that extensions may add members to: an outside type, a class, or a type parameter with its bounds."""

_HIDDEN, _NOT_IMPORTED, _SEEN = range(3)

_Found = tuple[tuple[Variable, ...], bool]
"""Members that extend a type, and whether others may too."""


class _Extension(Struct, frozen=True):
    """A member that a scope adds to a type.

    Attributes:
        variable: The member, which is that of the trait if the scope does not define it.
        file, scope: The scope.
        types: The types that the member is added to.
        open_types: The type parameters among these.
        is_foreign: Whether one of these has no part that the workspace declares.
    """

    variable: Variable
    file: str
    scope: int
    types: tuple[Type, ...]
    open_types: tuple[TypeVariable, ...]
    is_foreign: bool


class OutsideExtensions:
    """The extensions of one snapshot by the types that they extend.

    The types that a scope extends are inferred once: a workspace may have a thousand members called `new`, which are
    looked up in hundreds of outside types.
    """

    def __init__(
        self,
        scopes: NameResolver,
        infer: Callable[[Expression, str, int], Types],
        list_bases: Callable[[str, int], list[Types]],
        is_subclass: Callable[[ClassType, ClassType], bool],
    ) -> None:
        self._scopes = scopes
        self._infer = infer
        self._list_bases = list_bases
        self._is_subclass = is_subclass
        self._found: Memo[tuple[str, Extended, str], _Found] = Memo(self._find, ((), False), scopes.computation)
        self._extended: FinalValues[tuple[str, int], Types] = FinalValues(self._infer_extended, scopes.computation)
        self._within: FinalValues[tuple[str, str], tuple[_Extension | Variable, ...]] = FinalValues(
            self._list_extensions, scopes.computation
        )

    def find(self, file: str, of: Extended, name: str) -> _Found:
        """Return the members of a name that extend a type which declares none, and whether others may extend it."""
        if not self._scopes.modules.system_of(file).extends_any_type:
            return (), False
        return self._found((file, of, name))

    def _find(self, wanted: tuple[str, Extended, str]) -> _Found:
        file, of, name = wanted
        outside = of if isinstance(of, External) else External("")
        spec = self._scopes.spec(file)
        extensions = tuple(self._iter_extensions(file, outside, name))
        found = tuple(each.variable for each in extensions if outside in each.types)
        if found:
            imported = (each for each in extensions if each.variable in found and self._is_base_named(file, each))
            named = {each.variable for each in imported}
            found = tuple(variable for variable in found if variable in named) or found
        is_standard_name = any(name in each for each in spec.outside_members.values())
        if not found and not is_standard_name and _is_standard(outside, spec):
            fitting = (each for each in extensions if any(self._is_within(of, kind.bound) for kind in each.open_types))
            general = tuple(each.variable for each in fitting if self._is_base_named(file, each))
            found = general if len(general) == 1 else ()
        # An extension of a type parameter or of a foreign class also applies to everything that inherits from it.
        return found, any(each.open_types or (spec.overloads and each.is_foreign) for each in extensions)

    def _iter_extensions(self, file: str, of: External, name: str) -> Iterator[_Extension]:
        """Yield the members of a name that extension scopes add to any type, and traits to the types implementing them.

        The name of the outside type limits the files that are searched for implementations.
        """
        source, additions = self._scopes.source, self._scopes.modules.additions
        for other in dict.fromkeys((file, *additions(file, name))):
            for found in self._within((other, name)):
                if isinstance(found, _Extension):
                    yield found
                    continue
                trait = source.facts(other).symbols[source.uses(other).scopes[found.scope].symbol].name
                written = of.name.rpartition(".")[2]
                for each in dict.fromkeys((other, *additions(other, written))):
                    for scope in self._iter_implementing(each, trait, name):
                        yield self._make(found, each, scope)

    def _list_extensions(self, place: tuple[str, str]) -> tuple[_Extension | Variable, ...]:
        """Return the members of a name that the scopes of a file add to types, and the variables of its traits."""
        file, name = place
        uses, symbols = self._scopes.source.uses(file), self._scopes.source.facts(file).symbols
        found: list[_Extension | Variable] = []
        for binding in uses.bindings.get(name, ()):
            scope, variable = uses.scopes[binding.scope], Variable(file, binding.scope, name)
            if scope.of != UNKNOWN:
                found.append(self._make(variable, file, binding.scope))
            elif scope.symbol >= 0 and symbols[scope.symbol].kind is SymbolKind.INTERFACE:
                found.append(variable)
        return tuple(found)

    def _make(self, variable: Variable, file: str, scope: int) -> _Extension:
        kinds = self._extended((file, scope))
        types = tuple(kind.of if isinstance(kind, InstanceType) else kind for kind in kinds)
        open_types = tuple(kind for kind in kinds if isinstance(kind, TypeVariable))
        return _Extension(variable, file, scope, types, open_types, any(map(is_foreign, kinds)))

    def _infer_extended(self, place: tuple[str, int]) -> Types:
        file, scope = place
        return self._infer(self._scopes.source.uses(file).scopes[scope].of, file, scope)

    def _iter_implementing(self, file: str, trait: str, name: str) -> Iterator[int]:
        """Yield the scopes that implement a trait of that name for a type without defining the member."""
        uses = self._scopes.source.uses(file)
        own = {binding.scope for binding in uses.bindings.get(name, ())}
        for index, scope in enumerate(uses.scopes):
            is_adding = scope.of != UNKNOWN and index not in own
            if is_adding and any(last_name(base) == trait for base in uses.bases.get(index, ())):
                yield index

    def _is_base_named(self, file: str, extension: _Extension) -> bool:
        """Return whether a file names the trait of an extension; if both resolve, they must be the same class."""
        bound = self._scopes.source.uses(file).bindings
        bases = [self._scopes.canonical(each.plain) for types in self._list_bases(extension.file, extension.scope)
                 for each in types if isinstance(each, ClassType)]  # fmt: skip
        written = self._scopes.source.uses(extension.file).bases.get(extension.scope, ())
        for base in map(last_name, written):
            is_outer = bool(self._scopes.find_targets(file, 0, base))
            places = (0,) if is_outer else dict.fromkeys(binding.scope for binding in bound.get(base, ()))
            name = bare_name(base)
            kinds = [each for place in places for each in self._infer(name, file, place)]
            classes = [self._scopes.canonical(each.plain) for each in kinds if isinstance(each, ClassType)]
            if any(each in bases for each in classes) if classes and bases else is_outer or base in bound:
                return True
        return False

    def _is_within(self, of: Extended, bounds: Types) -> bool:
        """Return whether a type inherits from all bounds that the workspace declares; outside types do not."""
        known = map(class_of, of.bound) if isinstance(of, TypeVariable) else (of,)
        classes = [each for each in known if isinstance(each, ClassType)]
        for bound in (class_of(each) for each in bounds if not is_foreign(each)):
            if not isinstance(bound, ClassType) or not any(self._is_subclass(each, bound) for each in classes):
                return False
        return True


def keep_seen(scopes: NameResolver, file: str, found: tuple[Target, ...]) -> tuple[Target, ...]:
    """Return the members that a file sees: without private extensions of other files, and only imported ones if any."""
    if not scopes.spec(file).receiving_lambdas:
        return found
    sights = [_get_sight(scopes, file, each) for each in found]
    best = max(sights, default=_HIDDEN)
    return tuple(each for each, sight in zip(found, sights, strict=True) if sight == best > _HIDDEN)


def find_infix(scopes: NameResolver, file: str, name: str) -> tuple[Variable, ...]:
    """Return the extensions that a file sees that `a name b` calls, whatever `a` is; () if it may mean a member.

    A member precedes an extension, so that none of the workspace may have the name.
    """
    pattern = scopes.spec(file).infix_functions
    found = scopes.find_targets(file, 0, name) if pattern else ()
    targets = [each for each in found if isinstance(each, Variable)]
    declared = [each for target in targets for each in scopes.list_definitions(target)]
    if not declared or not all(re.match(pattern, each.symbol.signature) for each in declared):
        return ()
    for other in scopes.source.files_defining(fold_name(name)):
        named = (each for each in scopes.source.facts(other).symbols if each.name == name and each.parent >= 0)
        if any(re.match(pattern, each.signature) for each in named):
            return ()
    return tuple(targets)


def _get_sight(scopes: NameResolver, file: str, target: Target) -> int:
    """Return whether a file sees a member: _HIDDEN, _NOT_IMPORTED or _SEEN."""
    if not isinstance(target, Variable) or target.file == file:
        return _SEEN
    facts, uses = scopes.source.facts(target.file), scopes.source.uses(target.file)
    scope, declared = uses.scopes[target.scope], (each.symbol for each in scopes.bindings(target))
    symbols = [facts.symbols[index] for index in declared if index >= 0]
    if scope.of == UNKNOWN or scope.parent != 0 or not symbols:
        return _SEEN
    if not any(each.exported for each in symbols):
        return _HIDDEN
    is_seen = scopes.modules.system_of(file).sees_addition(file, target.file, target.name)
    return _SEEN if is_seen else _NOT_IMPORTED


def _is_standard(of: External, spec: LanguageSpec) -> bool:
    """Return whether a type's members are known: it is of the standard library or, without a name, of the workspace."""
    name = of.name.removeprefix(BUILTIN)
    is_builtin = name != of.name and "." not in name
    return not name or is_builtin or (spec.distribution is not None and not spec.distribution(name))
