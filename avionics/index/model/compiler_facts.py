"""Facts that compilers proved, by content: which definition each name of a file means.

The facts come from indexes that `avionics import` read. They are files of the cache, one for each content, so they hold
for every branch and worktree that has the content, and for no other bytes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from msgspec import Struct

from avionics.model.errors import IndexStateError
from avionics.model.mappings import group_pairs
from avionics.store.payload import from_payload, to_payload

_DIRECTORY = "compiler"
_MODULE_COLUMN = -1
"""The column of a definition that is a whole module."""


class CompiledTarget(Struct, frozen=True):
    """A definition by the place of its name.

    Attributes:
        path: Its file when the index was read.
        oid: The git blob id of that file.
        column: The column of the name; -1 if the definition is the whole module.
    """

    path: str
    oid: str
    line: int
    column: int

    @property
    def is_module(self) -> bool:
        """Return whether the definition is a whole module."""
        return self.column == _MODULE_COLUMN


class CompiledName(Struct, frozen=True):
    """A name of a file that means a definition, and whether it is written or imported there."""

    line: int
    column: int
    target: CompiledTarget
    is_written: bool = False
    is_import: bool = False


class CompilerFacts:
    """The names of one file by place."""

    def __init__(self, names: tuple[CompiledName, ...]) -> None:
        self.names = names
        self._places = group_pairs(((each.line, each.column), each.target) for each in names)

    def find_targets(self, line: int, column: int) -> tuple[CompiledTarget, ...]:
        """Return the compiler's targets for the name at a location; () if it recorded none."""
        return tuple(self._places.get((line, column), ()))


class CompilerFactStore:
    """The facts of compilers by content. A missing or damaged file counts as no facts."""

    def __init__(self, cache_directory: Path) -> None:
        self._directory = cache_directory / _DIRECTORY
        self._known: dict[str, CompilerFacts | None] = {}

    def is_empty(self) -> bool:
        """Return whether no index was ever imported."""
        # Unlike Path.is_dir, this does not raise for invalid names.
        return not os.path.isdir(self._directory)

    def get(self, oid: str) -> CompilerFacts | None:
        """Return the facts of a content, None if no imported index describes it."""
        if oid not in self._known:
            self._known[oid] = self._read(oid)
        return self._known[oid]

    def put(self, oid: str, names: tuple[CompiledName, ...]) -> None:
        """Store the facts of a content in place of earlier ones. Raise `OSError` if the cache cannot be written."""
        targets = {each.target: None for each in names}
        numbers = {target: number for number, target in enumerate(targets)}
        value = (
            [(each.path, each.oid, each.line, each.column) for each in targets],
            [(each.line, each.column, numbers[each.target], each.is_written, each.is_import) for each in names],
        )
        path = self._path(oid)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        from avionics.scratch import replacing

        with replacing(path) as file:
            file.write(to_payload(value))
        self._known.pop(oid, None)

    def _path(self, oid: str) -> Path:
        return self._directory / oid[:2] / oid[2:]

    def _read(self, oid: str) -> CompilerFacts | None:
        try:
            targets, names = from_payload(self._path(oid).read_bytes(), tuple[list[Any], list[Any]])
            known = [CompiledTarget(*each) for each in targets]
            return CompilerFacts(
                tuple(CompiledName(row, column, known[at], *flags) for row, column, at, *flags in names)
            )
        except (OSError, IndexStateError, TypeError, IndexError):
            return None
