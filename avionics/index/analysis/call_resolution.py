"""Resolve calls: the definition that a call runs, or why it is unknown, or its name outside the workspace."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import (
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Module,
    SuperType,
    Type,
    Variable,
    as_class,
)
from avionics.index.types.calls.overloads import Overloads
from avionics.model.enums import BODIES, ExpressionKind, SymbolKind, is_class
from avionics.model.facts import UNKNOWN, Reference
from avionics.model.knowledge import Definition
from avionics.model.reasons import Reason, ReasonKind
from avionics.syntax.conventions import is_decorated
from avionics.syntax.engine.expressions import value_of
from avionics.syntax.registry import conventions_of

_EMPTY_BASES = frozenset({"typing.Generic", "typing.Protocol", "typing_extensions.Protocol", "abc.ABC"})
"""Bases outside the workspace that provide no methods."""
_MAX_ACCEPTING = 3
"""The limit of overloads shown for one ambiguous call."""
ERROR_ENDINGS = ("Error", "Exception", "Warning", "KeyboardInterrupt", "SystemExit")


class ResolvedCall(Struct, frozen=True):
    """The result of resolving a call.

    Attributes:
        targets: The definitions it runs, each with the class of its object, if known; an object that may be of several
            classes has a target for each.
        reason: Why that is unknown; None if it is known.
        outside: Its name if it leads out of the workspace; "" for built-in functions.
    """

    targets: tuple[tuple[Definition, ClassType | None], ...] = ()
    reason: Reason | None = None
    outside: str = ""


class CallResolver:
    """Resolves the calls of one index."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._inference = code.resolver.inference

    def resolve_call(self, file: str, reference: Reference, owner: ClassType | None) -> ResolvedCall:
        """Resolve a call; `owner` is the class of the object whose method contains the call."""
        own = self._get_own_method(file, reference, owner)
        if own is not None:
            return ResolvedCall(((self.get_entered(own), owner),))
        resolution = self._code.resolver.resolve(file, reference)
        variables = [target for target in resolution.targets if isinstance(target, Variable)]
        defined = [d for v in variables for d in self._list_accepting(v, file, reference)]
        if reference.receiver is None and owner is not None:
            defined = [self._get_override(d, owner) for d in defined]
        runnable = dict.fromkeys(d for d in defined if d.kind in BODIES or is_class(d.kind))
        receivers = self._infer_receiver(file, reference)
        if runnable:
            is_own = reference.receiver is None or self._is_on_entered_object(receivers, owner)
            classes = (owner,) if is_own else (*_iter_classes(receivers),) or (None,)
            run = ((self.get_entered(d), self._get_object_class(d, each)) for d in runnable for each in classes)
            return ResolvedCall(tuple(dict.fromkeys(run)))
        kinds = self._inference.infer(value_of(reference), file, reference.scope, reference.line)
        values = dict.fromkeys(d for kind in kinds if (d := self._get_run_by_value(kind)) is not None)
        if values:
            return ResolvedCall(tuple((self.get_entered(d), self.get_class(d)) for d in values))
        external = self._name_outside(reference, receivers, kinds)
        if external is not None:
            return ResolvedCall(outside=external)
        return ResolvedCall(reason=resolution.unknown or Reason(ReasonKind.CALLED_VALUE_UNKNOWN))

    def get_called_back(self, file: str, reference: Reference) -> Definition | None:
        """Return the class of an object whose external base has the called method, which may call its methods back.

        With `class App(Base)` and a `Base` of a library, `App().run()` may call the methods of `App`.
        """
        receiver = reference.receiver
        self_name = self._code.uses(file).scopes[reference.scope].self_name
        if receiver is None or receiver.kind is not ExpressionKind.NAME or receiver.name in {self_name, "super"}:
            return None
        cls = next(_iter_classes(self._infer_receiver(file, reference)), None)
        found = self._code.resolver.scopes.get_class_definition(cls)
        return None if found is None or found.file.startswith(STUBS) or self.is_error(found) else found

    def get_implementation(self, variable: Variable) -> Definition | None:
        """Return the definition of a variable that has the body, skipping overloads and earlier definitions."""
        found = self._code.graph.find_all_definitions(variable)
        overloads = conventions_of(variable.file).decorators.overloads
        bodies = [d for d in found if not is_decorated(d.symbol.decorators, overloads)]
        is_property = any(d.kind is SymbolKind.PROPERTY for d in bodies)
        return next(map(self._code.graph.body_of, bodies if is_property else bodies[:1]), None)

    def _list_accepting(self, variable: Variable, file: str, reference: Reference) -> tuple[Definition, ...]:
        """Return the definitions of a variable that a call may run, without overloads that reject its arguments."""
        found = self._code.graph.find_all_definitions(variable)
        if len(found) > 1 and self._code.spec(variable.file).overloads:
            accepts = {
                d: Overloads(self._inference.overloads, _put_last(found, d)).select(file, reference) for d in found
            }
            accepting = [d for d in found if accepts[d] is True] or [d for d in found if accepts[d] is not False]
            return tuple(dict.fromkeys(self._get_running(d, variable) for d in accepting[:_MAX_ACCEPTING]))
        body = self.get_implementation(variable)
        return (body,) if body is not None else ()

    def _get_running(self, definition: Definition, variable: Variable) -> Definition:
        """Return the body that runs for one of several definitions of a variable: overloads share that of the last."""
        shared = None
        if is_decorated(definition.symbol.decorators, conventions_of(variable.file).decorators.overloads):
            shared = self.get_implementation(variable)
        return shared if shared is not None else self._code.graph.body_of(definition)

    def get_entered(self, definition: Definition) -> Definition:
        """Return the definition that runs when another one is called: for a class its `__init__`, if there is one."""
        if not is_class(definition.kind):
            return definition
        member = self._inference.members.find(ClassType.of(definition), "__init__")
        found = self.get_implementation(member.variable) if member is not None else None
        return found if found is not None and found.kind in BODIES else definition

    def get_class(self, definition: Definition) -> ClassType | None:
        """Return the class itself, for a class; the class around it, for a method."""
        if is_class(definition.kind):
            return ClassType.of(definition)
        return self._inference.members.class_of(definition)

    def _get_object_class(self, definition: Definition, receiver: ClassType | None) -> ClassType | None:
        """Return the class of the object on which a definition runs: the receiver's, if that inherits it."""
        around = self.get_class(definition)
        if receiver is None or around is None or is_class(definition.kind):
            return around
        return receiver if self._inference.members.is_subclass(receiver, around) else around

    def is_error(self, definition: Definition) -> bool:
        """Return whether the definition is an exception class or its constructor."""
        cls = self.get_class(definition)
        if cls is None or definition.name not in {"__init__", self.get_error_name(definition)}:
            return False
        externals = self._inference.members.lineage(cls).externals
        return any(name.endswith(ERROR_ENDINGS) for name in externals)

    def get_error_name(self, definition: Definition) -> str:
        """Return the name of the exception class."""
        cls = self.get_class(definition)
        symbol = self._code.resolver.scopes.get_class_symbol(cls)
        return symbol.name if symbol is not None else definition.name

    def _get_own_method(self, file: str, reference: Reference, owner: ClassType | None) -> Definition | None:
        """Return the method that a call on `self` runs if the object is known to be of a subclass."""
        receiver = reference.receiver
        scopes = self._code.uses(file).scopes
        if owner is None or receiver is None or receiver.kind is not ExpressionKind.NAME or reference.scope < 0:
            return None
        if not receiver.name or scopes[reference.scope].self_name != receiver.name:
            return None
        found = self._inference.get_member(owner, reference.name)
        definition = self.get_implementation(found.variable) if found is not None else None
        return definition if definition is not None and definition.kind in BODIES else None

    def _get_override(self, definition: Definition, owner: ClassType) -> Definition:
        """Return the method that runs when an object of a class calls one of its own: an override, or the same."""
        around = self.get_class(definition) if definition.kind is SymbolKind.METHOD else None
        if around is None or around == owner or not self._inference.members.is_subclass(owner, around):
            return definition
        found = self._inference.get_member(owner, definition.name)
        override = self.get_implementation(found.variable) if found is not None else None
        return override if override in self._code.graph.classes.overrides(definition) else definition

    def _infer_receiver(self, file: str, reference: Reference) -> tuple[Type, ...]:
        """Return the possible types of the receiver of a call."""
        receiver = reference.receiver
        if receiver is None or receiver == UNKNOWN:
            return ()
        return self._inference.infer(receiver, file, reference.scope, reference.line)

    def _is_on_entered_object(self, owners: tuple[Type, ...], owner: ClassType | None) -> bool:
        """Return whether the receiver is `super()` of the object whose method contains the call."""
        bases = [kind.of for kind in owners if isinstance(kind, SuperType)]
        return owner is not None and any(self._inference.members.is_subclass(owner, base) for base in bases)

    def _get_run_by_value(self, kind: Type) -> Definition | None:
        """Return the definition that runs when a value of a type is called."""
        if isinstance(kind, (FunctionType, ClassType)) and kind.symbol >= 0 and not kind.file.startswith(STUBS):
            return self._code.definition_at(kind.file, kind.symbol)
        if isinstance(kind, InstanceType) and isinstance(kind.of, ClassType):
            member = self._inference.get_member(kind, "__call__")
            return self.get_implementation(member.variable) if member is not None else None
        return None

    def _name_outside(self, reference: Reference, owners: tuple[Type, ...], kinds: tuple[Type, ...]) -> str | None:
        """Return the name of a function outside the workspace; "" if it is built in; None if it is inside."""
        for kind in kinds:
            if isinstance(kind, (FunctionType, ClassType)) and kind.file.startswith(STUBS):
                return self._name_in_stub(kind)
            if isinstance(kind, External):
                return "" if kind.is_builtin else kind.name
        for owner in owners:
            if isinstance(owner, InstanceType) and isinstance(owner.of, External):
                return "" if owner.of.is_builtin else f"{owner.of.text}.{reference.name}"
            cls = owner.of if isinstance(owner, (InstanceType, SuperType)) else owner
            if isinstance(cls, ClassType) and cls.file.startswith(STUBS):
                holder = self._name_in_stub(cls)
                return f"{holder}.{reference.name}" if holder else ""
            if isinstance(cls, ClassType):
                lineage = self._inference.members.lineage(cls)
                bases = [name for name in lineage.externals if name not in _EMPTY_BASES]
                if bases and not lineage.is_open:
                    return f"{bases[0]}.{reference.name}"
            if isinstance(owner, Module):
                return None
        return None

    def _name_in_stub(self, kind: FunctionType | ClassType) -> str:
        """Return the name of a definition in a stub; "" if it is built in."""
        scopes, symbol = self._inference.scopes, self._code.facts(kind.file).symbols[kind.symbol]
        is_modular = scopes.is_open_stub(ClassType(kind.file, kind.symbol))
        return scopes.name_outside(kind.file, symbol.qualname) if is_modular else ""


def _put_last(definitions: tuple[Definition, ...], asked: Definition) -> tuple[Definition, ...]:
    """Return overloads with the one that is asked about at the end."""
    return (*(each for each in definitions if each != asked), asked)


def _iter_classes(owners: tuple[Type, ...]) -> Iterator[ClassType]:
    """Yield the classes of the workspace that objects may have."""
    for owner in owners:
        cls = as_class(owner)
        if isinstance(cls, ClassType):
            yield cls
