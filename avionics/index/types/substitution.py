"""Replace type parameters in types by their arguments."""

from __future__ import annotations

from collections.abc import Callable

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import (
    NOTHING_KNOWN,
    CallableType,
    ClassType,
    External,
    InstanceType,
    Type,
    Types,
    TypeVariable,
    Variable,
    union,
)

Given = dict[Variable, Types]
"""Type parameter → what it stands for."""
PathFollower = Callable[[Types, tuple[str, ...]], Types]
"""Returns the types of the members that a path of names leads to, as `T["a"]["b"]` needs them."""


def mentions_variable(kind: Type) -> bool:
    """Return whether a type parameter occurs in the type."""
    if isinstance(kind, TypeVariable):
        return True
    if isinstance(kind, CallableType):
        return any(mentions_variable(inner) for types in (kind.result, *kind.parameters) for inner in types)
    arguments = kind.arguments if isinstance(kind, (InstanceType, ClassType)) else ()
    return any(mentions_variable(inner) for types in arguments for inner in types)


def is_foreign(kind: Type) -> bool:
    """Return whether no type of the workspace is part of a type."""
    if isinstance(kind, External):
        return True
    if isinstance(kind, CallableType):
        return all(is_foreign(inner) for types in (kind.result, *kind.parameters) for inner in types)
    of = kind.of if isinstance(kind, InstanceType) else kind
    arguments = kind.arguments if isinstance(kind, (InstanceType, ClassType)) else ()
    return is_outside(of) and all(is_foreign(inner) for types in arguments for inner in types)


def is_outside(of: Type) -> bool:
    """Return whether a class is declared outside the workspace."""
    return isinstance(of, External) or (isinstance(of, ClassType) and of.file.startswith(STUBS))


def substitute(types: Types, given: Given, follow: PathFollower) -> Types:
    """Return the types with their type parameters replaced; parameters without an argument are left as they are."""
    return union(*(_replace(kind, given, follow) for kind in types)) if given else types


def erase(types: Types, declared: Type) -> Types:
    """Replace unsolved type parameters by their bounds, beside which an outside one leaves open what the value is.

    One that stands for the declared type, of a function around, is kept.
    """
    erased: list[Types] = []
    for kind in types:
        if isinstance(kind, TypeVariable):
            is_open = bool(kind.bound) and all(is_outside(class_of(each)) for each in kind.bound)
            bound = (*kind.bound, *NOTHING_KNOWN) if is_open else kind.bound
            erased.append(bound or (NOTHING_KNOWN if kind == declared else (kind,)))
        else:
            erased.append((kind,))
    return union(*erased)


def class_of(kind: Type) -> Type:
    """Return the class of the values of a declared type, as in `type[T]`."""
    if isinstance(kind, TypeVariable):
        return TypeVariable(kind.variable, kind.bound, is_class=True, path=kind.path)
    return kind.of if isinstance(kind, InstanceType) else kind


def _replace(kind: Type, given: Given, follow: PathFollower) -> Types:
    if isinstance(kind, TypeVariable):
        types = given.get(kind.variable)
        if types is None:
            bound = substitute(kind.bound, given, follow) if any(map(mentions_variable, kind.bound)) else kind.bound
            return (kind if bound == kind.bound else TypeVariable(kind.variable, bound, kind.is_class, kind.path),)
        types = follow(types, kind.path) if kind.path else types
        return tuple(map(class_of, types)) if kind.is_class else types
    if isinstance(kind, CallableType):
        parameters = tuple(substitute(types, given, follow) for types in kind.parameters)
        return (CallableType(substitute(kind.result, given, follow), parameters, kind.gathers),)
    if isinstance(kind, ClassType) and kind.arguments:
        return (kind.applied(tuple(substitute(types, given, follow) for types in kind.arguments)),)
    if isinstance(kind, InstanceType) and kind.arguments:
        arguments = tuple(substitute(types, given, follow) for types in kind.arguments)
        of = kind.of.applied(arguments) if isinstance(kind.of, ClassType) else kind.of
        return (InstanceType(of, arguments),)
    return (kind,)
