"""The values of resolution: targets of names, and types of expressions."""

from __future__ import annotations

import functools
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from avionics.model.knowledge import Definition


class Variable(Struct, frozen=True, cache_hash=True):
    """A name in a scope of a file: for a member, the scope of its class."""

    file: str
    scope: int
    name: str


class Module(Struct, frozen=True, cache_hash=True):
    """A module of the workspace.

    Attributes:
        file: Its file; "" if it has several or none.
        directory: For a package without its own file, its directory.
        name: For a namespace, its dotted name.
        inner: Names still to be followed within it, such as the class whose member is imported.
        system: The module system that knows its files, if it has no single file.
        seen_from: The file, for what that file can see of others.
    """

    file: str
    directory: str = ""
    name: str = ""
    inner: tuple[str, ...] = ()
    system: str = "python_packages"
    seen_from: str = ""


BUILTIN = "builtins."
"""The prefix of builtin names, which code does not bind and no stub declares."""


class External(Struct, frozen=True, cache_hash=True):
    """Something the workspace does not contain.

    Attributes:
        name: Its dotted name; "" when even that is not known.
        is_result: Whether it is the result of calling the function of that name, rather than the function.
    """

    name: str
    is_result: bool = False

    @property
    def text(self) -> str:
        """Return the name, with parentheses for the result of a call: `open()`."""
        return f"{self.name}()" if self.is_result else self.name

    @property
    def is_builtin(self) -> bool:
        """Return whether it is built in, so that code uses its name without an import."""
        return self.name.startswith(BUILTIN)


SEVERAL_RESULTS = External(f"{BUILTIN}typing.Tuple")
"""The type of the value of a Go function with several results."""


class ClassType(Struct, frozen=True, cache_hash=True):
    """A class itself, with its type arguments.

    Attributes:
        symbol: The index of its symbol in that file; -1 for a class without a name (an object literal, an anonymous
            class).
        scope: The index of the scope of a class without a name; -1 for every other class.
    """

    file: str
    symbol: int
    arguments: tuple[Types, ...] = ()
    scope: int = -1

    @classmethod
    def of(cls, definition: Definition) -> ClassType:
        """Return the class with a definition, without type arguments."""
        return cls(definition.file, definition.index)

    @property
    def plain(self) -> ClassType:
        """Return the class without arguments."""
        return self.applied(()) if self.arguments else self

    def applied(self, arguments: tuple[Types, ...]) -> ClassType:
        """Return the class with these arguments."""
        return ClassType(self.file, self.symbol, arguments, self.scope)


class InstanceType(Struct, frozen=True, cache_hash=True):
    """An object of a class; for containers, `arguments` are the element types."""

    of: ClassType | External
    arguments: tuple[Types, ...] = ()


class FunctionType(Struct, frozen=True, cache_hash=True):
    """A function, the symbol of a file, and the object that it was taken from."""

    file: str
    symbol: int
    receiver: ClassType | InstanceType | None = None
    arguments: tuple[Types, ...] = ()

    @classmethod
    def of(cls, definition: Definition) -> FunctionType:
        """Return the function with a definition, not taken from an object."""
        return cls(definition.file, definition.index)

    def applied(self, arguments: tuple[Types, ...]) -> FunctionType:
        """Return the function with type arguments."""
        return FunctionType(self.file, self.symbol, self.receiver, arguments)


class SuperType(Struct, frozen=True):
    """The result of `super()` in a method of a class."""

    of: ClassType


class CallableType(Struct, frozen=True, cache_hash=True):
    """A callable of which only the result and perhaps the parameters are known.

    Attributes:
        result: The types of its result.
        parameters: The types of its parameters, by position.
        gathers: Whether the last parameter holds all further arguments: an array, or a tuple with one type for each.
    """

    result: Types
    parameters: tuple[Types, ...] = ()
    gathers: bool = False


class TypeVariable(Struct, frozen=True, cache_hash=True):
    """A type parameter, identified by its declaration.

    Attributes:
        is_class: Whether the class itself is meant, as in `type[T]`.
        path: The members that lead from what it stands for to the type meant: `a` and `b` of `T["a"]["b"]`.
    """

    variable: Variable
    bound: Types = ()
    is_class: bool = False
    path: tuple[str, ...] = ()


class UnknownType(Struct, frozen=True):
    """An unknown type."""


UNKNOWN_TYPE = UnknownType()

Target = Variable | Module | External
Type = (
    Module | External | ClassType | InstanceType | FunctionType | SuperType | CallableType | TypeVariable | UnknownType
)
Types = tuple[Type, ...]
"""Alternatives: an expression may have any of these types. Empty means no type at all (`None`, endless recursion)."""

NOTHING_KNOWN: Types = (UNKNOWN_TYPE,)


def as_class(kind: Type) -> Type:
    """Return the class of an object, and any other type as it is."""
    return kind.of if isinstance(kind, InstanceType) else kind


def get_pointed(pointer: Type) -> Types:
    """Return the types that `->` and `*` lead to from an object whose class in the workspace has no such operator.

    An object of an outside class template with one argument leads to that type, because only smart pointers and
    optional values are used so; anything else is a plain pointer.
    """
    if isinstance(pointer, InstanceType) and isinstance(pointer.of, External) and len(pointer.arguments) == 1:
        return pointer.arguments[0]
    return (pointer,)


def only_class(types: Types) -> ClassType | None:
    """Return the only class that a value is an object of, without its type arguments; None for any other value."""
    cls = types[0].of if len(types) == 1 and isinstance(types[0], InstanceType) else None
    return cls.plain if isinstance(cls, ClassType) else None


MAX_ALTERNATIVES = 200
"""A value with more possible types is unknown, because the members of their members would grow without end."""


def union(*alternatives: Types) -> Types:
    """Return all alternatives in order, each once; an unknown type in place of too many."""
    if len(alternatives) == 1 and len(alternatives[0]) < 2:
        return alternatives[0]
    nonempty = [types for types in alternatives if types]
    if len(nonempty) < 2 and not (nonempty and nonempty[0][1:]):
        return nonempty[0] if nonempty else ()
    found = tuple(dict.fromkeys(chain.from_iterable(nonempty)))
    return found if len(found) <= MAX_ALTERNATIVES else NOTHING_KNOWN


_COMPOSED = frozenset({CallableType, ClassType, InstanceType})
_MAX_PARTS = 2_000
_MAX_PARTS_IN_CIRCLE = 200
"""Types with more parts are cut off: lists of each other's items in a cycle double with each turn."""


def widen(types: Types) -> Types:
    """Return the types of a value that depends on itself, limited as by `limit_parts` but lower."""
    return limit_parts(types, _MAX_PARTS_IN_CIRCLE)


def limit_parts(types: Types, most: int = _MAX_PARTS) -> Types:
    """Return the alternatives; if they have too many parts, as containers of containers, their contents are unknown."""
    parts = 0
    for kind in types:
        if type(kind) in _COMPOSED and (isinstance(kind, CallableType) or kind.arguments):  # type: ignore[union-attr]
            parts += _count_parts(Same(kind))
    return types if parts <= most else union(tuple(map(_forget_contents, types)))


class Same:
    """A type equal only to itself. Comparing its parts would visit each of them once for every path to it."""

    __slots__ = ("kind",)

    def __init__(self, kind: Type) -> None:
        self.kind = kind

    def __hash__(self) -> int:
        return id(self.kind)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.kind is self.kind


@functools.lru_cache(maxsize=4_096)
def _count_parts(same: Same) -> int:
    kind = same.kind
    if isinstance(kind, CallableType):
        contents: tuple[Types, ...] = (kind.result, *kind.parameters)
    else:
        contents = kind.arguments if isinstance(kind, (InstanceType, ClassType)) else ()
    return 1 + sum(_count_parts(Same(each)) for types in contents for each in types)


def _forget_contents(kind: Type) -> Type:
    if isinstance(kind, CallableType):
        return CallableType(NOTHING_KNOWN, (NOTHING_KNOWN,) * len(kind.parameters), kind.gathers)
    if not isinstance(kind, (InstanceType, ClassType)) or not kind.arguments:
        return kind
    unknown = (NOTHING_KNOWN,) * len(kind.arguments)
    if isinstance(kind, ClassType):
        return kind.applied(unknown)
    return InstanceType(kind.of.applied(unknown) if isinstance(kind.of, ClassType) else kind.of, unknown)
