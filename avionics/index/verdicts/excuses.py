"""Find lines on which an unresolved name is not an error, because the code expects it."""

from __future__ import annotations

import re
from collections.abc import Sequence

_EXCUSES_BELOW = ("@ts-ignore", "@ts-expect-error")
"""What excuses the line after it, too."""
_EXCUSES = ("# noqa", "# type: ignore", "# pyright: ignore", *_EXCUSES_BELOW, "NOLINT", "noinspection")

_CONDITION = re.compile(r"\s*#\s*(?:el)?if")
"""A condition of a preprocessor, in which a name that nothing defines counts as false."""


def list_guarded_lines(text: str) -> frozenset[int]:
    """Return the lines inside a `try` that catches a failing import."""
    lines = text.split("\n")
    found: set[int] = set()
    for number, line in enumerate(lines):
        if line.strip() != "try:":
            continue
        end = _end_of_block(lines, number)
        if end < len(lines) and lines[end].lstrip().startswith("except"):
            found.update(range(number + 1, _end_of_block(lines, end) + 1))
    return frozenset(found)


def _end_of_block(lines: Sequence[str], head: int) -> int:
    """Return the index of the first line after a head that is not indented further."""
    margin = len(lines[head]) - len(lines[head].lstrip())
    end = head + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > margin):
        end += 1
    return end


def is_excused(lines: list[str], place: tuple[str, int, int], name: str) -> bool:
    """Return whether a comment of another checker excuses the line, or the text there is not the name itself."""
    _, number, column = place
    line = lines[number - 1] if number <= len(lines) else ""
    above = lines[number - 2] if number > 1 else ""
    if (
        _CONDITION.match(line)
        or any(each in line for each in _EXCUSES)
        or any(each in above for each in _EXCUSES_BELOW)
    ):
        return True
    return not line[column:].startswith(name)
