"""What names lead to, and what expressions give: the resolver's values.

Knows: variables, modules, classes, functions, instances.
Does not know: how they are found.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Variable:
    """A name in a scope of a file: for a member, the scope of its class."""

    file: str
    scope: int
    name: str


@attrs.frozen
class Module:
    """A module of the workspace.

    Attributes:
        file: Its file; "" for one of several files or of none.
        directory: For a package without a file of its own, its directory.
        name: For a namespace, its dotted name.
        inner: Names still to be followed within it: the class, say, whose member is imported.
        system: The module system that knows its files, if it has no single file.
        seen_from: Where it is what one file sees of others, that file.
    """

    file: str
    directory: str = ""
    name: str = ""
    inner: tuple[str, ...] = ()
    system: str = "python_packages"
    seen_from: str = ""


@attrs.frozen
class External:
    """Something the workspace does not contain.

    Attributes:
        name: Its dotted name; "" when even that is not known.
        is_result: Whether it is what calling the function of that name gives, rather than what has the name.
    """

    name: str
    is_result: bool = False

    @property
    def text(self) -> str:
        """The name as code has it."""
        return f"{self.name}()" if self.is_result else self.name


@attrs.frozen(cache_hash=True)
class ClassType:
    """A class itself, with the arguments it was given.

    Attributes:
        file: The file that declares it.
        symbol: The index of its symbol in that file; -1 for a class without a name (an object literal, an anonymous
            class).
        arguments: What its type parameters stand for.
        scope: The index of the scope of a class without a name; -1 for every other class.
    """

    file: str
    symbol: int
    arguments: tuple[Types, ...] = ()
    scope: int = -1

    @property
    def plain(self) -> ClassType:
        """The class without arguments."""
        return self.applied(()) if self.arguments else self

    def applied(self, arguments: tuple[Types, ...]) -> ClassType:
        """Return the class with these arguments."""
        return ClassType(self.file, self.symbol, arguments, self.scope)


@attrs.frozen(cache_hash=True)
class InstanceType:
    """An object of a class; for containers, `arguments` are the types of what it holds."""

    of: ClassType | External
    arguments: tuple[Types, ...] = ()


@attrs.frozen
class FunctionType:
    """A function: the symbol of a file.

    Attributes:
        receiver: The object it was taken from.
        arguments: What its type parameters are said to stand for where it is used.
    """

    file: str
    symbol: int
    receiver: ClassType | InstanceType | None = None
    arguments: tuple[Types, ...] = ()


@attrs.frozen
class SuperType:
    """What `super()` gives in a method of a class."""

    of: ClassType


@attrs.frozen(cache_hash=True)
class CallableType:
    """Something of which only the result of a call, and perhaps what it is passed, is known."""

    result: Types
    parameters: tuple[Types, ...] = ()


@attrs.frozen(cache_hash=True)
class TypeVariable:
    """A type parameter, by the place that declares it.

    Attributes:
        variable: The place.
        bound: What it may stand for.
        is_class: Whether the class itself is meant, as in `type[T]`.
    """

    variable: Variable
    bound: Types = ()
    is_class: bool = False


@attrs.frozen
class UnknownType:
    """Nothing is known."""


UNKNOWN_TYPE = UnknownType()

Target = Variable | Module | External
Type = (
    Module | External | ClassType | InstanceType | FunctionType | SuperType | CallableType | TypeVariable | UnknownType
)
Types = tuple[Type, ...]
"""Alternatives: an expression may be any of them. Empty means it has no type at all (`None`, an endless recursion)."""

NOTHING_KNOWN: Types = (UNKNOWN_TYPE,)


def union(*alternatives: Types) -> Types:
    """All alternatives, in order, once each."""
    return tuple(dict.fromkeys(kind for types in alternatives for kind in types))
