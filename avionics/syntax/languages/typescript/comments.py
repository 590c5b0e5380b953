"""Comments above definitions."""

from __future__ import annotations

import re

from avionics.syntax.engine.grammars import Node
from avionics.syntax.engine.source_text import SourceText, one_line

_MAX_LENGTH = 4_000
"""Bytes above a definition that are looked at for its comment."""
_BLANK = re.compile(r"\n[ \t*]*(?:\n|@)")
_STARS = re.compile(r"^[ \t]*\*? ?", re.M)
_QUOTE = re.compile("[\"'`]")
_MAX_SIGNATURE_CHARACTERS = 4_000
"""A signature is cut far below this; `_REMARK` may take the square of a text's length."""
_REMARK = re.compile(r"/\*.*?\*/|//.*")
_SLASHES = re.compile(r"^[ \t]*//[/!]* ?", re.M)


def doc_above(source: SourceText, node: Node) -> str:
    """The first paragraph of the comment that ends right above the node, as one line."""
    start = node.start_byte
    above = source.content[max(0, start - _MAX_LENGTH) : start].rstrip(b" \t")
    if not above.endswith(b"\n"):
        return ""
    above = above[:-1].rstrip(b" \t\r")
    if above.endswith(b"*/"):
        opening = above.rfind(b"/*")
        return _paragraph(_STARS.sub("", _decode(above[opening + 2 : -2]))) if opening >= 0 else ""
    if not above[above.rfind(b"\n") + 1 :].lstrip().startswith(b"//"):
        return ""
    lines: list[bytes] = []
    for line in reversed(above.split(b"\n")):
        if not line.lstrip().startswith(b"//"):
            break
        lines.insert(0, line)
    return _paragraph(_SLASHES.sub("", _decode(b"\n".join(lines))))


def without_comments(text: str) -> str:
    """Code without its comments; a line that also quotes something is left as it is."""
    text = text[:_MAX_SIGNATURE_CHARACTERS]
    if "/*" not in text and "//" not in text:
        return text
    plain = (line if _QUOTE.search(line) else _REMARK.sub("", line) for line in text.split("\n"))
    return "\n".join(plain)


def _paragraph(text: str) -> str:
    text = "\n" + text.strip("*! \t\r\n")
    found = _BLANK.search(text, 1)
    text = text[: found.start()] if found is not None else text
    return "" if text.lstrip().startswith("@") else one_line(text, 200)


def _decode(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
