"""What a word may be in a Python text: comments, strings and statements, read without parsing."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from avionics.late_pattern import late_pattern
from avionics.syntax.engine.textual import Places, TokenContext, is_likely_definition

_NAMED = late_pattern(rb"(?<!\w)(?:def|class)[ \t]+\Z")
"""Text that precedes only the names of definitions."""
_NAMING = (b"def", b"class", b"type")
_ASSIGNED = late_pattern(rb"(?>(?>\s|\\|#[^\n]*+)*)(?:=(?!=)|[:,)\]])")
"""Text after a name that a statement may assign."""
_RENAMED = late_pattern(rb"(?>(?>\s|\\|#[^\n]*+)+)as\b")
_LOOK_BACK = 60
_PIECES = late_pattern(
    rb"#[^\n]*+()|(?:\b[A-Za-z]{1,2})?(?:"
    rb'"""(?>(?:[^"\\]++|\\.|"(?!""))*)(?:"""())?|\'\'\'(?>(?:[^\'\\]++|\\.|\'(?!\'\'))*)(?:\'\'\'())?'
    rb'|"(?>(?:[^"\\\n]++|\\.)*)(?:"())?|\'(?>(?:[^\'\\\n]++|\\.)*)(?:\'())?)',
    re.DOTALL,
)
"""Comments and strings; an unclosed string has no end group, so that it is matched once and then left out."""
_TYPED = late_pattern(rb"#\s*type:")
_NAMED_IN_TEXT = late_pattern(rb"\bimport\b|\{[{%]|\{\w*(?:\[[^\[\]{}]*\])?\.\w")
"""Text in strings that may name something other than the functions they call."""
_KEYWORDS = (
    rb"(?:and|as|assert|async|await|case|class|def|del|elif|else|except|exec|for|from|global|if|import|in|is|lambda"
    rb"|match|nonlocal|not|or|print|raise|return|type|while|with|yield)\b"
)
SENTENCE = late_pattern(rb"\b(?!%b)[A-Za-z]\w*[ \t]++(?!%b)[A-Za-z]" % (_KEYWORDS, _KEYWORDS))
"""Two consecutive words that are not keywords, which only prose has."""
_SPLICED = late_pattern(rb"[fFtT][rR]?[\"']|[rR][fFtT][\"']")

_HASH = ord("#")


def classify_token(_path: str, data: bytes, places: Places) -> TokenContext:
    """Return the context of the word at these places in the text of a file."""
    prose = _Prose(data)
    is_defined = any(
        _is_named(data, start) or (_may_define(data, start, end) and not prose.holds(start, end))
        for start, end in places
    )
    is_used = any(_is_called(data, start, end) or prose.may_use(start, end) for start, end in places)
    return TokenContext(
        is_defined,
        is_defined and any(is_likely_definition(data, start) for start, _ in places),
        is_used,
        is_used and any(_RENAMED.match(data, end) for _, end in places),
    )


class _Prose:
    """The comments of a text, and the strings that are sentences: they mention names without using them."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def holds(self, start: int, end: int) -> bool:
        """Return whether the word is certainly in prose."""
        piece, data = self._get(start), self._data
        if piece is None or end > piece.end():
            return False
        if data[piece.start()] == _HASH:
            return _TYPED.match(data, piece.start()) is None
        if data[end : end + 1] == b"(" or _SPLICED.match(piece[0]) is not None:
            return False
        line = data.rfind(b"\n", 0, piece.start()) + 1
        return (
            SENTENCE.search(piece[0]) is not None
            and _NAMED_IN_TEXT.search(piece[0]) is None
            and _SPLICED.search(data, line, piece.start()) is None
        )

    def may_use(self, start: int, end: int) -> bool:
        """Return whether the word may refer to something other than the definition there."""
        return not (self._get(start) is None if _is_named(self._data, start) else self.holds(start, end))

    def _get(self, start: int) -> re.Match[bytes] | None:
        """Return the comment or string around a place."""
        at = bisect_right(self._pieces, start, key=lambda piece: piece.start()) - 1
        return self._pieces[at] if at >= 0 and start < self._pieces[at].end() else None

    @cached_property
    def _pieces(self) -> list[re.Match[bytes]]:
        return [piece for piece in _PIECES.finditer(self._data) if piece.lastindex]


def _is_named(data: bytes, start: int) -> bool:
    """Return whether the name of a definition starts there."""
    return _NAMED.search(data, max(0, start - _LOOK_BACK), start) is not None


def _is_called(data: bytes, start: int, end: int) -> bool:
    """Return whether the word is certainly code: a method called on something."""
    return data[start - 1 : start] == b"." and data[end : end + 1] == b"("


def _may_define(data: bytes, start: int, end: int) -> bool:
    """Return whether a file may define the word at a place."""
    if _ASSIGNED.match(data, end):
        return True
    before = data[max(0, start - _LOOK_BACK) : start]
    stripped = before.rstrip()
    return stripped.endswith((*_NAMING, b"\\")) or not (stripped or start <= _LOOK_BACK)
