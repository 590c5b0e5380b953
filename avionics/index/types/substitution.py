"""Replace type parameters in types by their arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from itertools import chain
from operator import is_

from avionics.index.facts.stdlib_stubs import STUBS
from avionics.index.model.values import (
    NOTHING_KNOWN,
    CallableType,
    ClassType,
    External,
    InstanceType,
    Same,
    Type,
    Types,
    TypeVariable,
    Variable,
    as_class,
    union,
)

Given = dict[Variable, Types]
"""Type parameter → its types."""
PathFollower = Callable[[Types, tuple[str, ...]], Types]
"""Returns the types of the members at the end of a path of names: `T["a"]["b"]`."""


def mentions_variable(*types: Type) -> bool:
    """Return whether a type parameter occurs in one of the types."""
    for kind in types:
        if isinstance(kind, TypeVariable):
            return True
        is_composed = isinstance(kind, CallableType) or (isinstance(kind, (InstanceType, ClassType)) and kind.arguments)
        if is_composed and _has_variable(Same(kind)):
            return True
    return False


@functools.lru_cache(maxsize=4_096)
def _has_variable(same: Same) -> bool:
    """Return whether a type parameter occurs in a type, which is mostly asked again."""
    return any(isinstance(each, TypeVariable) for each in _iter_parts(same.kind))


def is_foreign(kind: Type) -> bool:
    """Return whether a type and its type arguments are all known to come from outside the workspace."""
    for each in _iter_parts(kind):
        of = each.of if isinstance(each, InstanceType) else each
        if not (isinstance(each, (External, CallableType)) or is_outside(of)):
            return False
    return True


def _iter_parts(*types: Type) -> Iterator[Type]:
    """Yield types and, recursively, their type arguments, parameters and results.

    Types share parts, to which there may be a million paths, so each composed part is yielded once. Parts without parts
    of their own may be yielded more than once.
    """
    pending, seen = list(types), set[int]()
    while pending:
        each = pending.pop()
        if isinstance(each, CallableType):
            parts = chain(each.result, *each.parameters)
        elif isinstance(each, (InstanceType, ClassType)) and each.arguments:
            parts = chain.from_iterable(each.arguments)
        else:
            yield each
            continue
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            pending.extend(parts)


def is_outside(of: Type) -> bool:
    """Return whether a class is declared outside the workspace."""
    return isinstance(of, External) or (isinstance(of, ClassType) and of.file.startswith(STUBS))


def substitute(types: Types, given: Given, follow: PathFollower) -> Types:
    """Return the types with their type parameters replaced; parameters without an argument are left as they are."""
    return _Substitution(given, follow).apply(types) if given else types


def erase(types: Types, declared: Type) -> Types:
    """Replace unsolved type parameters by their bounds; one with only outside bounds may also be unknown.

    Without a bound, the declared type itself becomes unknown; a parameter of an enclosing function stays.
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
    return as_class(kind)


class _Substitution:
    """Replaces type parameters in types; a type that is part of several, such as a bound, is replaced once."""

    def __init__(self, given: Given, follow: PathFollower) -> None:
        self._given = given
        self._follow = follow
        # The caller keeps all of these types alive, so their identities are unique.
        self._replaced: dict[int, Types] = {}

    def apply(self, types: Types) -> Types:
        """Return the alternatives replaced: the same object if none of them changes."""
        found: list[Types] = []
        is_same = True
        for kind in types:
            replaced = self._replaced.get(id(kind))
            if replaced is None:
                replaced = self._replaced[id(kind)] = self._replace(kind)
            is_same = is_same and len(replaced) == 1 and replaced[0] is kind
            found.append(replaced)
        return types if is_same else union(*found)

    def _replace(self, kind: Type) -> Types:
        if isinstance(kind, TypeVariable):
            return self._replace_variable(kind)
        if isinstance(kind, CallableType):
            result, parameters = self.apply(kind.result), self._apply_each(kind.parameters)
            is_same = result is kind.result and parameters is kind.parameters
            return (kind if is_same else CallableType(result, parameters, kind.gathers),)
        if not isinstance(kind, (ClassType, InstanceType)) or not kind.arguments:
            return (kind,)
        arguments = self._apply_each(kind.arguments)
        if arguments is kind.arguments:
            return (kind,)
        if isinstance(kind, ClassType):
            return (kind.applied(arguments),)
        return (InstanceType(kind.of.applied(arguments) if isinstance(kind.of, ClassType) else kind.of, arguments),)

    def _replace_variable(self, kind: TypeVariable) -> Types:
        types = self._given.get(kind.variable)
        if types is None:
            bound = self.apply(kind.bound)
            return (kind if bound is kind.bound else TypeVariable(kind.variable, bound, kind.is_class, kind.path),)
        types = self._follow(types, kind.path) if kind.path else types
        return tuple(map(class_of, types)) if kind.is_class else types

    def _apply_each(self, each: tuple[Types, ...]) -> tuple[Types, ...]:
        replaced = tuple(map(self.apply, each))
        return each if all(map(is_, replaced, each)) else replaced
