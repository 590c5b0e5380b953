"""Type parameters: what they stand for, from the receiver's arguments and from the arguments of a call.

Knows: generic classes and functions.
Does not know: what expressions give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from avionics.index.model import python_builtins as names
from avionics.index.model.values import (
    NOTHING_KNOWN,
    CallableType,
    ClassType,
    External,
    FunctionType,
    InstanceType,
    Type,
    Types,
    TypeVariable,
    UnknownType,
    Variable,
    union,
)
from avionics.index.types.arguments import Arguments
from avionics.model.enums import ExpressionKind
from avionics.model.facts import UNKNOWN, Binding, Expression

if TYPE_CHECKING:
    from avionics.index.types.inference import Inference

Given = dict[Variable, Types]
"""Type parameter → what it stands for."""


class Generics:
    """Replaces type parameters by what they stand for."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._scopes = inference.scopes

    def member(self, types: Types, receiver: Type, declared_in: ClassType) -> Types:
        """The types of a member, as seen from a receiver of a generic class."""
        of = receiver.of if isinstance(receiver, InstanceType) else receiver
        if not isinstance(of, ClassType) or not any(mentions_variable(kind) for kind in types):
            return types
        given = self._arguments_for(of, declared_in)
        return union(*(_replace(kind, given) for kind in types))

    def result(self, types: Types, function: FunctionType, arguments: Arguments) -> Types:
        """The declared result of a call; type parameters that nothing tells stand for their bounds."""
        if not any(mentions_variable(kind) or _is_self(kind) for kind in types):
            return types
        own = function.receiver
        given: Given = {}
        if own is not None:
            given |= self._class_arguments(own, function)
            if self._inference.parameters.has_own_object(function):
                self._solve(self._inference.parameters.find(function)[0], function.file, (own,), given)
        self._learn(function, arguments, given)
        if function.arguments:
            given |= dict(zip(self._inference.parameters.type_parameters(function), function.arguments, strict=False))
        result: list[Types] = []
        for kind in types:
            if _is_self(kind):
                result.append((_instance(own),) if own is not None else NOTHING_KNOWN)
            else:
                result.extend(_erase(replaced, kind) for replaced in _replace(kind, given))
        return union(*result)

    def seen_by(self, types: Types, function: FunctionType) -> Types:
        """The types in a function's header, as its receiver sees them."""
        own = function.receiver
        if own is None or not any(mentions_variable(kind) for kind in types):
            return types
        given = self._class_arguments(own, function)
        return union(*(_replace(kind, given) for kind in types))

    def constructed(self, of: ClassType, arguments: Arguments) -> InstanceType:
        """The object that calling a class gives; its own constructor's arguments tell its type arguments."""
        parameters = () if of.arguments else self._class_parameters(of)
        found = self._inference.members.find(of, "__init__") if parameters else None
        if found is None or found.owner.plain != of.plain:
            return InstanceType(of, of.arguments)
        given: Given = {}
        plain = InstanceType(of)
        for binding in self._scopes.bindings(found.variable):
            if binding.symbol >= 0:
                self._learn(FunctionType(of.file, binding.symbol, plain), arguments, given)
        told = tuple(given.get(parameter, NOTHING_KNOWN) for parameter in parameters)
        return InstanceType(of.applied(told), told)

    def _learn(self, function: FunctionType, arguments: Arguments, given: Given) -> None:
        """Learn from all arguments of a call what type parameters stand for."""
        for argument, types in arguments.iter_types(self._inference):
            parameter = self._inference.parameters.get(function, argument)
            if parameter is not None:
                self._solve(parameter, function.file, types, given)

    def _solve(self, parameter: Binding, file: str, argument: Types, given: Given) -> None:
        """Learn from an argument what the type parameters in its declaration stand for."""
        if parameter.annotation == UNKNOWN:
            return
        declared = self._inference.annotations.read(parameter.annotation, file, parameter.within)
        for kind in declared:
            self._match(kind, argument, given)

    def _match(self, declared: Type, argument: Types, given: Given) -> None:
        known = tuple(kind for kind in argument if not isinstance(kind, UnknownType))
        if not known:
            return
        if isinstance(declared, TypeVariable):
            if declared.is_class:
                known = tuple(InstanceType(kind) for kind in known if isinstance(kind, ClassType))
            given[declared.variable] = union(given.get(declared.variable, ()), known)
        elif isinstance(declared, CallableType):
            called = union(*(self._inference.calls.called(kind) for kind in known))
            for kind in declared.result:
                self._match(kind, called, given)
        elif isinstance(declared, InstanceType) and declared.arguments:
            function = self._inference.calls.as_function(declared) if any(map(_is_function, known)) else declared
            if isinstance(function, CallableType):
                self._match(function, tuple(filter(_is_function, known)), given)
                return
            seen = [self._seen_as(kind, declared) for kind in known]
            for position, inner in enumerate(declared.arguments):
                held = union(*(_argument(kind, position) for kind in seen))
                for kind in inner:
                    if mentions_variable(kind):
                        self._match(kind, held or self._elements(known, position), given)

    def _seen_as(self, kind: Type, declared: InstanceType) -> Type:
        """An object as one of the class it is declared to be, an ancestor of its own."""
        of = kind.of if isinstance(kind, InstanceType) else None
        if not isinstance(of, ClassType) or not isinstance(declared.of, ClassType):
            return kind
        if of.plain == declared.of.plain:
            return kind
        given = self._arguments_for(of, declared.of)
        told = tuple(given.get(parameter, ()) for parameter in self._class_parameters(declared.of)) if given else ()
        return InstanceType(declared.of, told) if told else kind

    def _elements(self, types: Types, position: int) -> Types:
        """What iterating gives, for declarations that only ask for something to iterate."""
        return self._inference.calls.elements(types) if position == 0 else ()

    def _class_arguments(self, own: ClassType | InstanceType, function: FunctionType) -> Given:
        """What the receiver's class gives for the parameters of the class that declares the function."""
        of = own.of if isinstance(own, InstanceType) else own
        scope = self._scopes.class_scope(function.file, function.symbol)
        parent = self._scopes.source.uses(function.file).scopes[scope].parent if scope >= 0 else -1
        declared_in = self._inference.members.class_at(function.file, parent) if parent >= 0 else None
        if not isinstance(of, ClassType) or declared_in is None:
            return {}
        return self._arguments_for(of, declared_in)

    def _arguments_for(self, of: ClassType, declared_in: ClassType) -> Given:
        """What the type parameters of `declared_in` stand for, as seen from `of`, one of its descendants."""
        pending: list[tuple[ClassType, Given]] = [(of, {})]
        seen: set[ClassType] = set()
        while pending:
            current, known = pending.pop()
            if current.plain in seen:
                continue
            seen.add(current.plain)
            arguments = [union(*(_replace(kind, known) for kind in types)) for types in current.arguments]
            here = dict(zip(self._class_parameters(current), arguments, strict=False))
            here |= self._renamed(current, here)
            if current.plain == declared_in.plain:
                return here
            pending.extend((base, here) for base in self._declared_bases(current))
        return {}

    def _renamed(self, of: ClassType, given: Given) -> Given:
        """The class's type parameters under the names that scopes adding members to it have for them."""
        found: Given = {}
        parameters = self._class_parameters(of) if given else ()
        for file, scope in self._inference.members.additions(of) if given else ():
            added_to = self._scopes.source.uses(file).scopes[scope].of
            for parameter, part in zip(parameters, added_to.parts[1:], strict=False):
                own = Variable(file, scope, part.name)
                if part.kind is ExpressionKind.NAME and parameter in given and self._scopes.bindings(own):
                    found[own] = given[parameter]
        return found

    def _declared_bases(self, of: ClassType) -> list[ClassType]:
        """The bases of a class with the arguments it gives them."""
        return [base for base in self._inference.members.bases(of) if isinstance(base, ClassType)]

    def _class_parameters(self, of: ClassType) -> tuple[Variable, ...]:
        """The type parameters of a class, in order: those it declares, those of `Generic[…]`, else of all bases."""
        uses = self._scopes.source.uses(of.file)
        scope = self._scopes.scope_of_class(of)
        declared = self._inference.parameters.declared_at(of.file, scope)
        if declared:
            return declared
        found: list[Variable] = []
        for base in uses.bases.get(scope, ()):
            if base.kind is not ExpressionKind.SUBSCRIPT:
                continue
            mentioned = [
                v for part in base.parts[1:] for v in self._mentioned(part, of.file, uses.scopes[scope].parent)
            ]
            if base.parts[0].name in names.GENERIC_MARKERS:
                return tuple(mentioned)
            found.extend(mentioned)
        return tuple(dict.fromkeys(found))

    def _mentioned(self, part: Expression, file: str, scope: int) -> list[Variable]:
        """The type parameters in the arguments of a base, in order."""
        if part.kind is ExpressionKind.CONTAINER:
            return [variable for inner in part.parts for variable in self._mentioned(inner, file, scope)]
        types = self._inference.annotations.read(part, file, scope)
        return [kind.variable for kind in types if isinstance(kind, TypeVariable)]


def mentions_variable(kind: Type) -> bool:
    """Whether a type parameter occurs in the type."""
    if isinstance(kind, TypeVariable):
        return True
    if isinstance(kind, CallableType):
        return any(mentions_variable(inner) for types in (kind.result, *kind.parameters) for inner in types)
    arguments = kind.arguments if isinstance(kind, (InstanceType, ClassType)) else ()
    return any(mentions_variable(inner) for types in arguments for inner in types)


def _is_function(kind: Type) -> bool:
    """Whether it is a function, written or named."""
    return isinstance(kind, (CallableType, FunctionType, ClassType))


def replace_all(types: Types, given: Given) -> Types:
    """The types with their type parameters replaced."""
    return union(*(_replace(kind, given) for kind in types))


def _is_self(kind: Type) -> bool:
    """Whether it is `typing.Self`, still to be bound."""
    return isinstance(kind, InstanceType) and isinstance(kind.of, External) and names.last_part(kind.of.name) == "Self"


def _instance(own: ClassType | InstanceType) -> InstanceType:
    return own if isinstance(own, InstanceType) else InstanceType(own)


def _argument(kind: Type, position: int) -> Types:
    """An argument of a generic type, () where it has none."""
    arguments = kind.arguments if isinstance(kind, (InstanceType, ClassType)) else ()
    return arguments[position] if position < len(arguments) else ()


def _erase(kind: Type, declared: Type) -> Types:
    """A type parameter is what it is bound to; one of a function around, which stands for it, is itself."""
    if isinstance(kind, TypeVariable):
        return kind.bound or (NOTHING_KNOWN if kind == declared else (kind,))
    return (kind,)


def _replace(kind: Type, given: Given) -> Types:
    """The type with its type parameters replaced."""
    if isinstance(kind, TypeVariable):
        types = given.get(kind.variable)
        if types is None:
            return (kind,)
        return tuple(k.of if isinstance(k, InstanceType) else k for k in types) if kind.is_class else types
    if isinstance(kind, CallableType):
        parameters = tuple(union(*(_replace(inner, given) for inner in types)) for types in kind.parameters)
        return (CallableType(union(*(_replace(inner, given) for inner in kind.result)), parameters),)
    if isinstance(kind, InstanceType) and kind.arguments:
        arguments = tuple(union(*(_replace(inner, given) for inner in types)) for types in kind.arguments)
        of = kind.of.applied(arguments) if isinstance(kind.of, ClassType) else kind.of
        return (InstanceType(of, arguments),)
    return (kind,)
