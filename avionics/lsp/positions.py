"""Positions: from the protocol's lines and units to lines and characters of facts, and back.

The protocol counts lines from 0, ends them at CR LF, LF or CR, and measures columns in units of an encoding that both
sides agree on. Facts count lines from 1, end them at LF alone, and measure columns in characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from enum import Enum
from functools import cached_property

from avionics.lsp.types import ContentChange, Position, Range
from avionics.tools.edits.source_text import LineText

_LINE_END = re.compile(r"\r\n|\n|\r")
_ONE_UNIT = 0xFFFF
"""The last code point that UTF-16 writes as one unit."""


class Encoding(Enum):
    """The unit of columns."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    UTF_32 = "utf-32"

    @classmethod
    def choose(cls, offered: Iterable[str]) -> Encoding:
        """Return the first of a client's units that this server knows; UTF-16 if there is none."""
        known = {each.value: each for each in cls}
        return next((known[each] for each in offered if each in known), cls.UTF_16)

    def count(self, text: str) -> int:
        """Return how many units a text has; a byte that is not UTF-8 is one, as editors show it as one character."""
        if self is Encoding.UTF_32 or text.isascii():
            return len(text)
        if self is Encoding.UTF_16:
            return len(text) + sum(ord(character) > _ONE_UNIT for character in text)
        return len(text.encode("utf-8", "surrogateescape"))

    def offset_of(self, text: str, units: int) -> int:
        """Return the number of characters in a number of units; a unit within a character counts as its start."""
        if self is Encoding.UTF_32 or text.isascii():
            return min(units, len(text))
        at = 0
        for offset, character in enumerate(text):
            at += self.count(character)
            if at > units:
                return offset
        return len(text)


class DocumentText(LineText):
    """A text with both ways of counting its lines."""

    def __init__(self, content: str, encoding: Encoding) -> None:
        super().__init__(content)
        self._encoding = encoding

    @cached_property
    def _starts(self) -> list[int]:
        """Return the offsets at which the protocol's lines start."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.content))]

    def offset_at(self, position: Position) -> int:
        """Return the offset of a position, limited to the end of its line and of the text."""
        if position.line >= len(self._starts):
            return len(self.content)
        start = self._starts[position.line]
        return start + self._encoding.offset_of(self._line_at(start, position.line), position.character)

    def position_at(self, offset: int) -> Position:
        """Return the position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        return Position(line, self._encoding.count(self.content[self._starts[line] : offset]))

    def place_of(self, position: Position) -> tuple[int, int]:
        """Return the line and column, as facts count them, of a position."""
        offset = self.offset_at(position)
        line = bisect_right(self._fact_starts, offset)
        return line, offset - self._fact_starts[line - 1]

    def range_of(self, line: int, column: int, length: int) -> Range:
        """Return the range of a number of characters at a line and column of facts."""
        start = self.offset_of(line, column)
        return Range(self.position_at(start), self.position_at(min(start + length, len(self.content))))

    def lines_range(self, first: int, last: int) -> Range:
        """Return the range of whole lines of facts, both included, without the last line's end."""
        start, end = self.offset_of(first, 0), self.offset_of(last + 1, 0)
        while end > start and self.content[end - 1] in "\r\n":
            end -= 1
        return Range(self.position_at(start), self.position_at(end))

    def stripped_line_range(self, line: int) -> Range:
        """Return the range of a line from its first to its last character that is not white space."""
        content = self.line(line)
        start = len(content) - len(content.lstrip())
        return self.range_of(line, start, max(len(content.rstrip()) - start, 0))

    def edited(self, change: ContentChange) -> DocumentText:
        """Return the text after a change of a part or of all of it."""
        if change.range is not None:
            start, end = self.offset_at(change.range.start), self.offset_at(change.range.end)
            return DocumentText(
                self.content[: min(start, end)] + change.text + self.content[max(start, end) :], self._encoding
            )
        return DocumentText(change.text, self._encoding)

    def _line_at(self, start: int, line: int) -> str:
        """Return one of the protocol's lines without its end."""
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self.content)
        return self.content[start:end].rstrip("\r\n")
