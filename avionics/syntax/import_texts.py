"""How a language writes imports, for moving a definition from one file to another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from msgspec import Struct

from avionics.syntax.engine.grammars import Node


class Sharing(Enum):
    """Which files see a top-level definition without an import."""

    NONE = "none"
    DIRECTORY = "directory"
    LINKER = "linker"


def never(_node: Node) -> bool:
    """Return False."""
    return False


class ImportTexts(Struct, frozen=True):
    """How a language writes imports.

    Attributes:
        is_import: Returns whether a node at the top level of a file is an import.
        is_header: Returns whether a node comes before imports, such as a package clause.
        sharing: Which files see a definition without an import.
        write: Returns the statement that imports a name from a module: (module, name, alias).
        split: Returns the statements after one name of a statement comes from another module, or "" if it cannot be
            split: (statement, name, module).
        specifier: Returns how a file names a module: (file, module file, its dotted name, a specifier of the file).
        copy: Returns a statement equivalent to an import on a line, which may be part of a group.
        join: Returns one statement for the imports of a statement, "" for none, and of others: (statement, others); ""
            if they cannot be joined. None where each import is a statement of its own.
        is_switch: Returns whether a statement changes how the rest of its file is read.
        needs_export: Whether other files can import only exported names.
        drops_unused: Whether an unused import must be removed.
        implicit_names: Imported names that code may need without writing them, such as `React` for JSX.
    """

    is_import: Callable[[Node], bool]
    sharing: Sharing
    is_header: Callable[[Node], bool] = never
    write: Callable[[str, str, str], str] | None = None
    split: Callable[[str, str, str], str] | None = None
    specifier: Callable[[str, str, str, str], str] | None = None
    copy: Callable[[str], str] | None = None
    join: Callable[[str, Sequence[str]], str] | None = None
    is_switch: Callable[[str], bool] | None = None
    needs_export: bool = False
    drops_unused: bool = False
    implicit_names: frozenset[str] = frozenset()
