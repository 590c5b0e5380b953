"""TokenContext: as what a word may stand in a text, told by the characters around it, before anything is parsed.

What is said never leaves out what a parser would find: a word may be defined or used where it stands until what is
around it proves otherwise.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

import attrs

_LIKELY = re.compile(
    rb"[^\s/*].*|(?:\s*(?:#\s*define|class|struct|enum|union|(?:async\s+)?def|func|fn|interface|type)\s+)?", re.DOTALL
)
"""What stands before a name on its line where it is defined at the outermost level of a file."""

_PYTHON = (".py", ".pyi", ".pyw")
_NAMED = re.compile(rb"(?<!\w)(?:def|class)[ \t]+\Z")
"""What stands before the name of a definition in Python, and before nothing else."""
_NAMING = (b"def", b"class", b"type")
_ASSIGNED = re.compile(rb"(?>\s|\\|#[^\n]*+)*+(?:=(?!=)|[:,)\]])")
"""What stands after a name where a Python statement may assign it."""
_RENAMED = re.compile(rb"(?>\s|\\|#[^\n]*+)++as\b")
_BEFORE = 60
_PIECES = re.compile(
    rb"#[^\n]*+|(?:\b[A-Za-z]{1,2})?(?:"
    rb'"""(?:[^"\\]|\\.|"(?!""))*+"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*+\'\'\''
    rb'|"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\')',
    re.DOTALL,
)
"""The comments and strings of Python."""
_TYPED = re.compile(rb"#\s*type:")
_NAMED_IN_TEXT = re.compile(rb"\bimport\b|\{[{%]")
"""What stands in strings that may name something beside what is called in them."""
_KEYWORDS = (
    rb"(?:and|as|assert|async|await|case|class|def|del|elif|else|except|exec|for|from|global|if|import|in|is|lambda"
    rb"|match|nonlocal|not|or|print|raise|return|type|while|with|yield)\b"
)
_SENTENCE = re.compile(rb"\b(?!%b)[A-Za-z]\w*[ \t]++(?!%b)[A-Za-z]" % (_KEYWORDS, _KEYWORDS))
"""Two words in a row, which no code has: text that is none, nor a name."""
_SPLICED = re.compile(rb"[fFtT][rR]?[\"']|[rR][fFtT][\"']")

_HASH, _OPEN, _CLOSE = b"#()"

_C = (".c", ".h")
_BLANK = re.compile(rb"(?>\s|\\\n)*+")
_LAST_WORD = re.compile(rb"\w+\Z")
_USING_WORDS = frozenset(
    {b"return", b"goto", b"sizeof", b"case", b"ifdef", b"ifndef", b"undef", b"defined", b"if", b"elif"}
)
_OPERATORS = tuple(bytes((each,)) for each in b".=!+-%|?[^<")
"""What stands before a name that a C declaration does not declare."""
_MAX_CALL_LENGTH = 400

Places = Sequence[tuple[int, int]]
"""Where a word starts and ends in a text, each time."""


@attrs.frozen
class TokenContext:
    """What a word may be in a text.

    Attributes:
        is_defined: Whether it may be defined there.
        is_likely: Whether it looks as definitions at the outermost level do.
        is_used: Whether it may stand for more than what is defined where it stands.
        is_renamed: Whether an import may give it another name.
    """

    is_defined: bool = True
    is_likely: bool = True
    is_used: bool = True
    is_renamed: bool = True


def classify_token(path: str, data: bytes, places: Places) -> TokenContext:
    """What a word may be in the text of a file."""
    if path.endswith(_PYTHON):
        return _in_python(data, places)
    is_likely = any(_is_likely(data, start) for start, _ in places)
    if path.endswith(_C):
        is_plain = path.endswith(_C[0]) and b"class" not in data
        is_defined = any(_may_declare(data, start, end, is_plain) for start, end in places)
        return TokenContext(is_defined, is_likely and is_defined)
    return TokenContext(is_likely=is_likely)


def _in_python(data: bytes, places: Places) -> TokenContext:
    prose = _Prose(data)
    is_defined = any(
        _is_named(data, start) or (_may_define(data, start, end) and not prose.holds(start, end))
        for start, end in places
    )
    is_used = any(_is_called(data, start, end) or prose.may_use(start, end) for start, end in places)
    return TokenContext(
        is_defined,
        is_defined and any(_is_likely(data, start) for start, _ in places),
        is_used,
        is_used and any(_RENAMED.match(data, end) for _, end in places),
    )


class _Prose:
    """The comments of a Python text, and those strings that are sentences: what they mention is not used."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def holds(self, start: int, end: int) -> bool:
        """Whether a word stands where it surely means nothing."""
        piece, data = self._get(start), self._data
        if piece is None or end > piece.end():
            return False
        if data[piece.start()] == _HASH:
            return _TYPED.match(data, piece.start()) is None
        if data[end : end + 1] == b"(" or _SPLICED.match(piece[0]) is not None:
            return False
        line = data.rfind(b"\n", 0, piece.start()) + 1
        return (
            _SENTENCE.search(piece[0]) is not None
            and _NAMED_IN_TEXT.search(piece[0]) is None
            and _SPLICED.search(data, line, piece.start()) is None
        )

    def may_use(self, start: int, end: int) -> bool:
        """Whether a word may stand for more than what is defined where it stands."""
        return not (self._get(start) is None if _is_named(self._data, start) else self.holds(start, end))

    def _get(self, start: int) -> re.Match[bytes] | None:
        """The comment or string around a place."""
        at = bisect_right(self._pieces, start, key=lambda piece: piece.start()) - 1
        return self._pieces[at] if at >= 0 and start < self._pieces[at].end() else None

    @cached_property
    def _pieces(self) -> list[re.Match[bytes]]:
        return list(_PIECES.finditer(self._data))


def _is_named(data: bytes, start: int) -> bool:
    """Whether a definition's name stands there."""
    return _NAMED.search(data, max(0, start - _BEFORE), start) is not None


def _is_called(data: bytes, start: int, end: int) -> bool:
    """Whether a word looks used, so that it need not be asked whether it stands in text."""
    return data[start - 1 : start] == b"." and data[end : end + 1] == b"("


def _is_likely(data: bytes, start: int) -> bool:
    return _LIKELY.fullmatch(data, data.rfind(b"\n", 0, start) + 1, start) is not None


def _may_define(data: bytes, start: int, end: int) -> bool:
    """Whether a Python file may define what stands at a place."""
    if _ASSIGNED.match(data, end):
        return True
    before = data[max(0, start - _BEFORE) : start]
    stripped = before.rstrip()
    return stripped.endswith((*_NAMING, b"\\")) or not (stripped or start <= _BEFORE)


def _may_declare(data: bytes, start: int, end: int, is_plain: bool) -> bool:
    """Whether a C file, or a header if it is not plain C, may declare what stands at a place."""
    before = data[max(0, start - 2 * _BEFORE) : start].rstrip()
    word = _LAST_WORD.search(before)
    if word is not None:
        return word[0] not in _USING_WORDS
    if before.endswith((*_OPERATORS, b"->", *((b"&",) if is_plain else ()))):
        return False
    at = skip_blank(data, end)
    after = data[at : at + 2]
    if after == b"->" or after[:1] == b".":
        return False
    is_statement = is_plain and before.endswith((b";", b"{", b"}", b":")) and data[start - 1 : start] in {b" ", b"\t"}
    return not (is_statement and after[:1] == b"(" and after_call(data, at, _MAX_CALL_LENGTH) == b";")


def after_call(data: bytes, opened: int, longest: int) -> bytes:
    """What follows the parenthesis that closes the one at a place; nothing where that is farther away than so many."""
    depth = 0
    for at in range(opened, min(len(data), opened + longest)):
        depth += (data[at] == _OPEN) - (data[at] == _CLOSE)
        if not depth:
            after = skip_blank(data, at + 1)
            return data[after : after + 1]
    return b""


def skip_blank(data: bytes, at: int) -> int:
    """The next place that is not blank."""
    found = _BLANK.match(data, at)
    return found.end() if found is not None else at
