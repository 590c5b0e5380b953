"""Read the includes of a file without parsing it.

What a C file sees depends on the includes of thousands of headers, and parsing a header takes sixty times as long.
"""

from __future__ import annotations

import re

_INCLUDE = re.compile(rb'#[ \t]*include[ \t]*(?:<([^>\n]{0,400})>|"([^"\n]{0,400})")')
_LINKAGE = re.compile(rb'\bextern\s*"C(?:\+\+)?"\s*\{')


def scan_includes(content: bytes) -> tuple[tuple[str, int], ...] | None:
    """Return the included names as an outline has them, with level 1 if quoted, else 0.

    Return None where only the outline can tell: where an include may stand in a comment, or within braces other than
    those of a linkage specification.
    """
    found = [each for each in _INCLUDE.finditer(content) if _is_first(content, each.start())]
    if not all(_is_outermost(content, each.start()) for each in found):
        return None
    names = ((each[1] if each[2] is None else each[2], int(each[2] is not None)) for each in found)
    return tuple((name.decode("utf-8", "surrogateescape"), level) for name, level in names)


def _is_first(content: bytes, at: int) -> bool:
    """Return whether only blanks stand before a place on its line."""
    return not content[content.rfind(b"\n", 0, at) + 1 : at].strip(b" \t")


def _is_outermost(content: bytes, at: int) -> bool:
    """Return whether a place is outside comments and outside braces other than those of a linkage specification."""
    if content.rfind(b"/*", 0, at) > content.rfind(b"*/", 0, at):
        return False
    depth = content.count(b"{", 0, at) - content.count(b"}", 0, at)
    return depth == 0 or depth == len(_LINKAGE.findall(content, 0, at))
