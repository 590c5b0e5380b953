"""The names in types that are no classes but modify their type arguments."""

from __future__ import annotations

from msgspec import Struct


class TypeForms(Struct, frozen=True):
    """The special names of a language's types, with those of Python as examples.

    Attributes:
        modules: The modules that declare them, including that of unbound names.
        transparent: Those that mean their first argument: `Annotated[T, …]`.
        unions: Those that mean any of their arguments: `Union`, `Optional`.
        classes: Those that mean the class that their argument names, `type[T]`; calling one returns an object's class.
        functions: Those that mean functions that return their last argument: `Callable[[…], T]`.
        texts: Those that mean text: `LiteralString`.
        own: Those that mean the class around: `Self`.
        anything: Those that mean any type: `Any`.
        guards: Those that mean a truth value that narrows the type of an argument: `TypeGuard[T]`.
        undeclared: Those that, without arguments, leave the type to the value: `Final`.
        markers: Those whose arguments are the type parameters of a class: `Generic[T]`.
        protocols: Bases of the classes that objects satisfy by their members: `Protocol`.
        gathered: Those whose argument is the type of all arguments that a variadic parameter collects: `Unpack[T]`.
        parameters: Functions that make a type parameter: `TypeVar`.
        renaming: Functions that make a new type of another one, their second argument: `NewType`.
        casts: Functions whose first argument is the type of their result: `cast`.
    """

    modules: frozenset[str] = frozenset()
    transparent: frozenset[str] = frozenset()
    unions: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    anything: frozenset[str] = frozenset()
    guards: frozenset[str] = frozenset()
    undeclared: frozenset[str] = frozenset()
    markers: frozenset[str] = frozenset()
    protocols: frozenset[str] = frozenset()
    gathered: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    renaming: frozenset[str] = frozenset()
    casts: frozenset[str] = frozenset()

    def get_name(self, dotted: str) -> str:
        """Return the last part of a dotted name in one of the modules; "" for a name from elsewhere."""
        module, _, name = dotted.rpartition(".")
        return name if module in self.modules else ""
