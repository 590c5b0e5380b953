"""Facts that the text of a file shows before it is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from avionics.late_pattern import late_pattern
from avionics.model.facts import FileFacts, FileUses, Symbol
from avionics.syntax.engine.free_names import FreeName

Places = Sequence[tuple[int, int]]
"""Start and end of each occurrence of a word in a text."""

_LIKELY = late_pattern(
    rb"[^\s/*].*|(?:\s*(?:#\s*define|class|struct|enum|union|(?:async\s+)?def|func|fn|interface|type)\s+)?", re.DOTALL
)
"""Matches the text before a name on a line that defines it at the top level of a file."""


class TokenContext(Struct, frozen=True):
    """What a word may be in a text, judged by the characters around it.

    It never excludes what a parser would find: a word may be defined or used unless its surroundings rule that out.

    Attributes:
        is_defined: Whether the text may define it.
        is_likely: Whether it looks like a definition at the top level.
        is_used: Whether it may mean something other than what is defined there.
        is_renamed: Whether an import may give it another name.
    """

    is_defined: bool = True
    is_likely: bool = True
    is_used: bool = True
    is_renamed: bool = True


class TextualScanner:
    """Reads facts that are certain from a text without parsing it; languages override its methods."""

    def classify_token(self, path: str, data: bytes, places: Places) -> TokenContext:
        """Return the possible roles of the word at these places in the text of a file."""
        return TokenContext(is_likely=any(is_likely_definition(data, start) for start, _ in places))

    def scan_includes(self, content: bytes) -> tuple[tuple[str, int], ...] | None:
        """Return the names and levels of the includes, as the outline would have them; None if parsing is needed."""
        return None

    def scan_free_names(self, content: bytes, places: Iterable[tuple[int, int]]) -> FreeName | None:
        """Return the uses of a name, given all places where it occurs; None if parsing is needed."""
        return None

    def pack_free_names(self, facts: FileFacts, uses: FileUses) -> dict[str, bytes]:
        """Return name → its packed uses in a file, for the files whose free names are kept."""
        return {}

    def is_outermost(self, symbol: Symbol) -> bool:
        """Return whether a symbol looks as if it bound its name at the outermost level of its file."""
        return symbol.parent < 0


def is_likely_definition(data: bytes, start: int) -> bool:
    """Return whether the line before a word looks as it does before a definition at the outermost level."""
    return _LIKELY.fullmatch(data, data.rfind(b"\n", 0, start) + 1, start) is not None
