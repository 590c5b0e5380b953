"""The comment above a definition in C and C++, as its documentation.

It is read from the bytes: the syntax tree does not attach comments to definitions.
"""

from __future__ import annotations

import re

from avionics.syntax.engine.source_text import comment_opening, one_line

_FARTHEST = 6_000
"""Bytes; longer comments are licences and essays."""
_LINE_COMMENTS = re.compile(rb"(?:^|\n)((?:[ \t]*//[^\n]*\n)+)[ \t]*\Z")
_TOP_LINES = re.compile(rb"(?:[ \t]*//[^\n]*(?:\n|\Z))+")
_LICENCE = re.compile(rb"(?i)copyright|licen[cs]e|SPDX|all rights reserved|vim?:")
_MARKS = re.compile(r"^\s*(?:/\*+[<!]?|\*+/|\*(?!/)|//[/!]?)?[ \t]?|\s{0,100}\*{0,100}/\s{0,100}$")
_RULE = re.compile(r"^[\s\-=*_#~/]*$")
_COMMAND = re.compile(r"^[@\\](?:brief|short|details)\s+")


def doc_above(content: bytes, start: int) -> str:
    """Return the first paragraph of the comment that ends on the line above a byte, on one line; "" for none."""
    before = content[max(0, start - _FARTHEST) : start]
    bare = before.rstrip()
    if bare.endswith(b"*/"):
        if before[len(bare) :].count(b"\n") > 1:
            return ""
        opening = comment_opening(bare)
        line = bare[bare.rfind(b"\n", 0, max(opening, 0)) + 1 : opening]
        return first_paragraph(bare[opening:]) if opening >= 0 and not line.strip() else ""
    if b"//" not in bare[bare.rfind(b"\n") + 1 :]:
        return ""
    found = _LINE_COMMENTS.search(before)
    return first_paragraph(found[1]) if found is not None else ""


def doc_of_file(content: bytes) -> str:
    """Return the first paragraph of the first comment at the top of a file that is not a licence."""
    rest = content[:_FARTHEST].lstrip()
    while rest.startswith((b"/*", b"//")):
        if rest.startswith(b"/*"):
            end = rest.find(b"*/") + 2
            comment, rest = rest[:end], rest[end:].lstrip()
            if end < len(b"/**/"):
                break
        else:
            found = _TOP_LINES.match(rest)
            comment = found[0] if found is not None else rest
            rest = rest[len(comment) :].lstrip()
        if not _LICENCE.search(comment):
            return first_paragraph(comment)
    return ""


def first_paragraph(comment: bytes) -> str:
    """Return the first paragraph of a comment without its marks, on one line."""
    words: list[str] = []
    for line in comment.decode("utf-8", "replace").splitlines():
        text = _COMMAND.sub("", _MARKS.sub("", line)).strip()
        if _RULE.match(text):
            if words:
                break
        else:
            words.append(text)
    return one_line(" ".join(words))
