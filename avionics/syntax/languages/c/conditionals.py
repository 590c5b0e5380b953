"""Conditions of the preprocessor in the middle of a statement, which no grammar of whole branches can read.

Their directives are blanked before parsing. What they guard stays where the parts of a list are guarded, or where one
branch is all there is; of other alternatives the first stays.

Knows: directives, and what a statement or list ends with.
Does not know: which branch a build takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import attrs

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|else|endif)\b(?:[^\n\\]|\\(?:\r?\n|.))*", re.M)
_OPEN = frozenset(bytes((byte,)) for byte in b",(=+-|&?<*/%^!~[")
_WORDS_BEFORE_MORE = frozenset({b"class", b"struct", b"union", b"enum", b"return"})
_OPENED_LIST = re.compile(rb"[=(,]\s*\{$")
_LONGEST_LOOK_BACK = 2_000
_MOST = 5_000
"""More conditions in mid-statement than this are not read."""

Span = tuple[int, int]


@attrs.frozen
class Broken:
    """Spans of bytes: directives in mid-statement, and the alternatives after the first one that were left out."""

    directives: tuple[Span, ...] = ()
    alternatives: tuple[Span, ...] = ()


def broken_conditions(content: bytes) -> Broken:
    """The conditions that stand in the middle of a statement or a list."""
    directives: list[Span] = []
    alternatives: list[Span] = []
    for group in _iter_groups(content):
        first = group[0]
        if not _is_open(content, first[0]):
            continue
        directives.extend(group)
        branches = [(here[1], after[0]) for here, after in pairwise(group)]
        if not all(last_code(content[start:end], end - start).endswith(b",") for start, end in branches):
            alternatives.extend(branches[1:])
    return Broken(tuple(directives), tuple(alternatives)) if len(directives) <= _MOST else Broken()


def _iter_groups(content: bytes) -> Iterator[list[Span]]:
    """The directives of each condition, from its `#if` to its `#endif`."""
    if content.find(b"#") < 0:
        return
    pending: list[list[Span]] = []
    for found in _DIRECTIVE.finditer(content):
        if found[1].startswith(b"if"):
            pending.append([])
        if pending:
            pending[-1].append(found.span())
            if found[1] == b"endif":
                yield pending.pop()


def _is_open(content: bytes, at: int) -> bool:
    """Whether a statement or list goes on at the byte."""
    code = last_code(content, at)
    if code == b":" or code[-1:] in _OPEN or _OPENED_LIST.search(code):
        return True
    return code.rpartition(b" ")[2] in _WORDS_BEFORE_MORE


def last_code(content: bytes, at: int) -> bytes:
    """The last line of code before the byte, without comments; `#` for a directive, "" for none."""
    in_comment = False
    for line in reversed(content[max(0, at - _LONGEST_LOOK_BACK) : at].splitlines()):
        code = b"" if in_comment else line.partition(b"//")[0].strip()
        if in_comment:
            in_comment = b"/*" not in line
        elif code.endswith(b"*/"):
            in_comment = b"/*" not in code
            code = code[: max(0, code.rfind(b"/*"))].rstrip()
        if code.startswith(b"#"):
            return b"#"
        if code and not code.startswith(b"*"):
            return code
    return b""
