"""Unnamed signatures after a member without a separator: the grammar reads `): A⏎<T>(b: B): C` as one type `A<T>`.

TypeScript ends a member where the next line cannot continue it, so a separator is written into the indentation.
"""

from __future__ import annotations

import re

# ⏎  <T>(   ⏎  <⏎    T extends A,
_BEGINNING = re.compile(rb"\n[ \t]{0,200}([ \t])<(?=\s{0,200}[A-Za-z_$])")
_MARK = re.compile(rb"=>|[<>();]")
_RESULT = re.compile(rb"\s{0,200}:")
_LIST = re.compile(rb"\s{0,200}\(")
_ENDS_TYPE = re.compile(rb"(?:[\])}>'\"`]|\b(\w{1,200}))\Z")
_WORDS = frozenset(b"return default else yield case await typeof in of extends export new void do throw".split())
_MAX_BEGINNINGS = 2_000
_MAX_LINES = 100
_MAX_MARKS = 400
_MAX_LINE_LENGTH = 1_000


def separate_signatures(content: bytes) -> bytes:
    """Return the bytes with a `;` before each such signature."""
    code = bytearray(content)
    for count, found in enumerate(_BEGINNING.finditer(content)):
        if count >= _MAX_BEGINNINGS:
            break
        if _is_signature(content, found.end() - 1) and _follows_type(content, found.start()):
            code[found.start(1)] = ord(";")
    return bytes(code)


def _is_signature(content: bytes, at: int) -> bool:
    """Return whether type parameters, parameters and a result begin at a byte."""
    end = _past(content, at, b"<", b">")
    opened = _LIST.match(content, end) if end >= 0 else None
    end = _past(content, opened.end() - 1, b"(", b")") if opened is not None else -1
    return end >= 0 and _RESULT.match(content, end) is not None


def _past(content: bytes, at: int, opening: bytes, closing: bytes) -> int:
    """Return where a bracket that opens at a byte is closed, -1 where it is not."""
    depth = 0
    for count, found in enumerate(_MARK.finditer(content, at)):
        if count >= _MAX_MARKS or (found[0] == b";" and opening == b"<"):
            break
        depth += (found[0] == opening) - (found[0] == closing)
        if not depth:
            return found.end()
    return -1


def _follows_type(content: bytes, end: int) -> bool:
    """Return whether the last line of code before a byte ends as a type may end."""
    for _ in range(_MAX_LINES):
        start = content.rfind(b"\n", max(0, end - _MAX_LINE_LENGTH), end) + 1
        line = content[start:end].strip()
        if line and not line.startswith((b"//", b"/*", b"*")):
            found = _ENDS_TYPE.search(line.partition(b" //")[0].rstrip())
            return found is not None and found[1] not in _WORDS
        if not start:
            break
        end = start - 1
    return False
