"""What a word may be in a C text: declarations and calls, read without parsing."""

from __future__ import annotations

import re

from avionics.syntax.engine.textual import Places, TokenContext, is_likely_definition

_LOOK_BACK = 120
_OPEN, _CLOSE = b"()"
_BLANK = re.compile(rb"(?>(?>\s|\\\n)*)")
_LAST_WORD = re.compile(rb"\w+\Z")
_USING_WORDS = frozenset(
    {b"return", b"goto", b"sizeof", b"case", b"ifdef", b"ifndef", b"undef", b"defined", b"if", b"elif"}
)
_OPERATORS = tuple(bytes((each,)) for each in b".=!+-%|?[^<")
"""Text before a name that rules out a declaration."""
_MAX_CALL_LENGTH = 400


def classify_token(path: str, data: bytes, places: Places) -> TokenContext:
    """Return what the word at these places may be in the text of a file."""
    is_likely = any(is_likely_definition(data, start) for start, _ in places)
    is_plain = path.endswith(".c") and b"class" not in data
    is_defined = any(_may_declare(data, start, end, is_plain) for start, end in places)
    return TokenContext(is_defined, is_likely and is_defined)


def _may_declare(data: bytes, start: int, end: int, is_plain: bool) -> bool:
    """Return whether a C file, or a header if `is_plain` is false, may declare the word at a place."""
    before = data[max(0, start - _LOOK_BACK) : start].rstrip()
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
    """Return the byte after the parenthesis that closes the one at a place, blanks skipped; b"" beyond `longest`."""
    depth = 0
    for at in range(opened, min(len(data), opened + longest)):
        depth += (data[at] == _OPEN) - (data[at] == _CLOSE)
        if not depth:
            after = skip_blank(data, at + 1)
            return data[after : after + 1]
    return b""


def skip_blank(data: bytes, at: int) -> int:
    """Return the next place that is not blank."""
    found = _BLANK.match(data, at)
    return found.end() if found is not None else at
