"""The text of a file by the lines and columns of facts: lines count from 1 and end at LF, columns are characters."""

from __future__ import annotations

import re
from functools import cached_property

from msgspec import Struct

_LINE_END = re.compile(r"\n")
_WORD = re.compile(r"\w+")


class Place(Struct, frozen=True):
    """The place of a name: `length` characters at a line (from 1) and column (from 0, in characters) of a file."""

    file: str
    line: int
    column: int
    length: int

    @property
    def start(self) -> tuple[str, int, int]:
        """Return the file, line and column, by which places are ordered."""
        return self.file, self.line, self.column


class LineText:
    """A text with its lines."""

    def __init__(self, content: str) -> None:
        self.content = content

    @cached_property
    def _fact_starts(self) -> list[int]:
        """Return the offsets at which the lines of facts start."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.content))]

    def offset_of(self, line: int, column: int) -> int:
        """Return the offset of a line and column of facts, kept within the text."""
        if line > len(self._fact_starts):
            return len(self.content)
        return min(self._fact_starts[line - 1] + column, len(self.content))

    def line(self, line: int) -> str:
        """Return a line of facts without its end; "" past the last."""
        return self.content[self.offset_of(line, 0) : self.offset_of(line + 1, 0)].rstrip("\r\n")

    def find(self, word: str, line: int, column: int) -> int:
        """Return the column of a whole word on a line of facts, at or after a column; -1 if there is none."""
        match = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search(self.line(line), column)
        return match.start() if match is not None else -1

    def is_at(self, word: str, line: int, column: int) -> bool:
        """Return whether the text has the word at a line and column of facts."""
        return bool(word) and self.content.startswith(word, self.offset_of(line, column))

    def word_length(self, line: int, column: int) -> int:
        """Return how long the word at a line and column of facts is; 0 if there is none."""
        match = _WORD.match(self.content, self.offset_of(line, column))
        return len(match[0]) if match is not None else 0
