"""The text of each symbol of a file, for comparing two versions of it.

A line belongs to the innermost independent symbol; symbols within a function belong to the function. White space at
line ends and blank lines are ignored; comments and documentation are compared separately.
"""

from __future__ import annotations

import re
from functools import cached_property

from msgspec import Struct

from avionics.late_pattern import late_pattern
from avionics.model.enums import SymbolKind
from avionics.model.facts import FileFacts
from avionics.syntax.registry import get_conventions

_HOLDERS = frozenset({SymbolKind.CLASS, SymbolKind.INTERFACE, SymbolKind.ENUM, SymbolKind.MODULE})
_BODIES = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY, SymbolKind.MACRO})

_IMPORTS = late_pattern(r"\s*(?:from|import|use|using|package|export \{|#\s*include|[)}\]];?,?\s*$)")
_TRAILING = late_pattern(r"(?<![ \t])[ \t]+$", re.MULTILINE)
_BLANK = late_pattern(r"\n{2,}")


class SymbolText(Struct, frozen=True, dict=True):
    """The text of a symbol; texts with equal lines, the usual case, are compared without normalizing them.

    Attributes:
        lines: Its lines as written, without those of other symbols.
    """

    lines: tuple[str, ...]
    language: str

    @cached_property
    def whole(self) -> str:
        """Return the lines without indentation and insignificant white space."""
        margin = min((len(line) - len(line.lstrip()) for line in self.lines if line.strip()), default=0)
        return _tidy("\n".join(line[margin:] for line in self.lines))

    @cached_property
    def code(self) -> str:
        """Return the text without comments and documentation."""
        bare = self.whole
        for pattern in get_conventions(self.language).comments:
            bare = pattern.sub("", bare)
        return _tidy(bare)


class FileTexts(Struct, frozen=True):
    """The independent symbols of a file, by their index in the outline, and the text outside of them."""

    symbols: dict[int, SymbolText]
    module: SymbolText


def read_texts(facts: FileFacts, text: str) -> FileTexts:
    """Return the text of every symbol of a file."""
    lines = text.split("\n")
    own = [index for index in range(len(facts.symbols)) if _stands_for_itself(facts, index)]
    owners = [-1] * (len(lines) + 1)
    for index in own:
        symbol = facts.symbols[index]
        for line in range(symbol.span.start_line, min(symbol.span.end_line, len(lines)) + 1):
            if symbol.kind in _HOLDERS | _BODIES or owners[line] == symbol.parent:
                owners[line] = index
    gathered: dict[int, list[str]] = {index: [] for index in (*own, -1)}
    imported = {each.line for each in facts.imports}
    for number, text_line in enumerate(lines, 1):
        if owners[number] >= 0 or not (number in imported or _IMPORTS.match(text_line)):
            gathered[owners[number]].append(text_line)
    texts = {index: SymbolText(tuple(found), facts.language) for index, found in gathered.items()}
    return FileTexts({index: texts[index] for index in own}, texts[-1])


def _stands_for_itself(facts: FileFacts, index: int) -> bool:
    """Return whether the symbol is not part of a function."""
    return all(each.kind not in _BODIES for each in facts.iter_around(facts.symbols[index]))


def _tidy(text: str) -> str:
    """Return the text without white space at line ends and without blank lines."""
    return _BLANK.sub("\n", _TRAILING.sub("", text.replace("\r\n", "\n"))).strip("\n")
