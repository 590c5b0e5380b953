"""The names in types that are no classes but modify their type arguments."""

from __future__ import annotations

from msgspec import Struct


class TypeForms(Struct, frozen=True):
    """The special names of a language's types.

    Attributes:
        modules: The modules that declare them, including that of unbound names.
        transparent: Those that stand for their first argument.
        unions: Those that stand for any of their arguments.
        classes: Those that stand for the class that their argument names; calling one returns the class of an object.
        functions: Those that stand for functions that return their last argument.
        texts: Those that stand for text.
        own: Those that stand for the class around.
        anything: Those that stand for any type.
        guards: Those that stand for a truth value that narrows the type of an argument.
        undeclared: Those that, without arguments, leave the type to the value.
        markers: Those whose arguments are the type parameters of a class.
        protocols: Bases of the classes that objects satisfy by their members.
        gathered: Those whose argument is a type with the arguments that a variadic parameter collects.
        parameters: Functions that make a type parameter.
        renaming: Functions that make a new type of another one, their second argument.
        casts: Functions whose first argument is the type of their result.
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
