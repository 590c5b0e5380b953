"""Choose the lines of long code that answer a question, and say how much of the question code covers."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from avionics.index.search.query import stems_of
from avionics.model.errors import SourceError
from avionics.tools.internal.files.read_file import read_text_lines

if TYPE_CHECKING:
    from avionics.model.knowledge import RankedSymbol
    from avionics.source.tree import SourceTree

_WORD = re.compile(r"[^\W\d]\w*")
_WINDOW = 22
"""Lines; what is shown of a longer function."""
_MAX_LINES = 2_000


def get_share(source: SourceTree, symbol: RankedSymbol, wanted: frozenset[str]) -> float:
    """Return the share of some stems that a symbol's code, name and path have."""
    said = set(_stems(f"{symbol.file} {symbol.symbol} {symbol.doc}"))
    for line in _read(source, symbol.file, symbol.start_line, symbol.end_line):
        said.update(_stems(line))
    return len(wanted & said) / len(wanted) if wanted else 1.0


def choose_lines(source: SourceTree, file: str, start: int, end: int, wanted: frozenset[str]) -> tuple[str, int, int]:
    """Return the window of a long function that has most of some stems; its first lines if none has more.

    A stem that few lines of the function have says more about where the answer is.
    """
    lines = _read(source, file, start, end)
    if len(lines) <= _WINDOW:
        return file, start, end
    found = [frozenset(_stems(line)) & wanted for line in lines]
    counts = Counter(stem for each in found for stem in each)
    best, at = -1.0, 0
    for first in range(len(lines) - _WINDOW + 1):
        window = found[first : first + _WINDOW]
        said = frozenset().union(*window)
        score = sum(0.5 + 1 / math.sqrt(counts[stem]) for stem in said) + 0.05 * sum(map(len, window))
        if score > best + 0.25:
            best, at = score, first
    return file, start + at, start + at + _WINDOW - 1


def _stems(text: str) -> list[str]:
    return [stem for word in _WORD.findall(text) for stem in stems_of(word)]


def _read(source: SourceTree, file: str, start: int, end: int) -> list[str]:
    """Return lines of a file, none if it cannot be read any more."""
    try:
        return list(read_text_lines(source, file)[start - 1 : min(end, start + _MAX_LINES)])
    except SourceError:
        return []
