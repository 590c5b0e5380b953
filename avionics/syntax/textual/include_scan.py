"""Skimming: what some bytes say without being parsed, where that is certain.

The include lines of thousands of headers decide what a C file sees; parsing a header takes sixty times as long.
"""

from __future__ import annotations

import re

_INCLUDING = frozenset({"c", "cpp"})
_INCLUDE = re.compile(rb'#[ \t]*include[ \t]*(?:<([^>\n]*)>|"([^"\n]*)")')
_LINKAGE = re.compile(rb'\bextern\s*"C(?:\+\+)?"\s*\{')


def skim_includes(content: bytes, language: str) -> tuple[tuple[str, int], ...] | None:
    """The included names as an outline has them, and 1 for quoted ones, 0 for others; None where only it can tell.

    That is where an include may stand in a comment, or within the braces of anything but a linkage.
    """
    if language not in _INCLUDING:
        return None
    found = [each for each in _INCLUDE.finditer(content) if _is_first(content, each.start())]
    if not all(_is_outermost(content, each.start()) for each in found):
        return None
    names = ((each[1] if each[2] is None else each[2], int(each[2] is not None)) for each in found)
    return tuple((name.decode("utf-8", "surrogateescape"), level) for name, level in names)


def _is_first(content: bytes, at: int) -> bool:
    """Whether nothing stands before a place on its line."""
    return not content[content.rfind(b"\n", 0, at) + 1 : at].strip(b" \t")


def _is_outermost(content: bytes, at: int) -> bool:
    """Whether a place is in no comment and within no braces but those of a linkage."""
    if content.rfind(b"/*", 0, at) > content.rfind(b"*/", 0, at):
        return False
    depth = content.count(b"{", 0, at) - content.count(b"}", 0, at)
    return depth == 0 or depth == len(_LINKAGE.findall(content, 0, at))
