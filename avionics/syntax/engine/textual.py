"""Facts that the text of a file shows before it is parsed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

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
        is_defined: Whether the text may define the word.
        is_likely: Whether it looks like a definition at the top level.
        is_used: Whether it may mean something other than a definition in the text.
        is_renamed: Whether an import may give it another name.
    """

    is_defined: bool = True
    is_likely: bool = True
    is_used: bool = True
    is_renamed: bool = True


def is_likely_definition(data: bytes, start: int) -> bool:
    """Return whether the line before a word looks as it does before a definition at the outermost level."""
    return _LIKELY.fullmatch(data, data.rfind(b"\n", 0, start) + 1, start) is not None


def _classify_by_line(_path: str, data: bytes, places: Places) -> TokenContext:
    return TokenContext(is_likely=any(is_likely_definition(data, start) for start, _ in places))


class TextualScanner(Struct, frozen=True, kw_only=True):
    """Reads facts that are certain from a text without parsing it.

    Attributes:
        classify_token: Returns the possible roles of the word at these places in the text of a file.
        scan_includes: Returns the names and levels of the includes as the outline has them; None if parsing is needed.
        scan_free_names: Returns the uses of a name, given all places where it occurs; None if parsing is needed.
        pack_free_names: Returns name → its packed uses in a file, for the files whose free names are kept.
        may_be_code: Returns whether a place is neither in a comment nor in a string, as far as the text alone shows.
        is_outermost: Returns whether a symbol looks as if it bound its name at the outermost level of its file.
    """

    classify_token: Callable[[str, bytes, Places], TokenContext] = _classify_by_line
    scan_includes: Callable[[bytes], tuple[tuple[str, int], ...] | None] = lambda _: None
    scan_free_names: Callable[[bytes, Iterable[tuple[int, int]]], FreeName | None] = lambda *_: None
    pack_free_names: Callable[[FileFacts, FileUses], dict[str, bytes]] = lambda *_: {}
    may_be_code: Callable[[bytes, int], bool] = lambda *_: True
    is_outermost: Callable[[Symbol], bool] = lambda symbol: symbol.parent < 0
