"""Turn offsets within a text into lines, which count from 1, and columns in characters, which count from 0."""

from __future__ import annotations


def line_of(text: str, offset: int) -> int:
    r"""Return the line of an offset.

    >>> line_of("a = 1\nb = 2\n", 6)
    2
    """
    return text.count("\n", 0, offset) + 1


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    r"""Return the line and column of an offset.

    >>> line_and_column("a = 1\nb = 2\n", 10)
    (2, 4)
    """
    return line_of(text, offset), offset - text.rfind("\n", 0, offset) - 1
