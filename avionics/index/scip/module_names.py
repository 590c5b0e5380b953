"""Find where files name modules in quotes, and where they declare more of one: `declare module "./box" { … }`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.values import Module
from avionics.model.facts import Import

_QUOTED = re.compile(
    r"(?<![\w$.])(?P<word>from|import|require|include|module)\s*+\(?\s*+(?P<quote>['\"])(?P<name>[^'\"\n]++)(?P=quote)"
)
_EXTENDING = "module"
_MAX_LINES = 60
"""How far after the first name of an import its module may be named."""


class ModuleMention(Struct, frozen=True):
    """A place that names a module of the snapshot.

    Attributes:
        column: The column of the name, after its quote.
        name: The name as written.
        file: The module.
        is_extension: Whether more of it is declared there.
    """

    line: int
    column: int
    name: str
    file: str
    is_extension: bool


class ModuleMentions:
    """The places of one snapshot that name modules."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code

    @cached_property
    def extensions(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """Return each module → the files that declare more of it, with its name there."""
        found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for file in self._code.files:
            lines = self._code.read_lines(file) if any(self._iter_extending(file)) else ()
            for each in self.iter_mentions(file, lines):
                if each.is_extension:
                    found[each.file].append((file, each.name))
        return {module: tuple(dict.fromkeys(those)) for module, those in found.items()}

    def iter_mentions(self, file: str, lines: list[str] | tuple[()]) -> Iterator[ModuleMention]:
        """Yield the places of a file with some lines that name modules."""
        more = {each.module: each for each in self._iter_extending(file)}
        named: dict[str, Import] = {each.module: each for each in self._code.facts(file).imports if not each.level}
        wanted = {each.line for each in self._code.facts(file).imports}
        until = 0
        for number, line in enumerate(lines, 1):
            until = number + _MAX_LINES if number in wanted else until
            for found in _QUOTED.finditer(line) if number <= until or more else ():
                each = (more if found["word"] == _EXTENDING else named).get(found["name"])
                module = self._code.modules.find(each, file) if each is not None else None
                if isinstance(module, Module) and self._code.has_file(module.file):
                    is_more = found["word"] == _EXTENDING
                    yield ModuleMention(number, found.start("name"), found["name"], module.file, is_more)
                    until = until if is_more else 0

    def _iter_extending(self, file: str) -> Iterator[Import]:
        """Yield an import for each definition that a file adds to a module."""
        facts = self._code.facts(file)
        places = {(each.line, each.column): each for each in facts.symbols if each.parent < 0}
        for each in facts.imports:
            added = places.get((each.line, each.column))
            if added is not None and each.module and added.qualname.startswith(f"{each.module}."):
                yield each
