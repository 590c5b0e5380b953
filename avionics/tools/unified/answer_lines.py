"""Find the lines of long code that answer a question, and how many of the question's words code contains."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from avionics.index.search.query import stems_of
from avionics.index.search.synonyms import meanings_of
from avionics.late_pattern import late_pattern
from avionics.model.errors import SourceError
from avionics.tools.internal.files.read_file import read_text_lines
from avionics.tools.unified.literal_matches import COMMENTS

if TYPE_CHECKING:
    from avionics.model.knowledge import RankedSymbol
    from avionics.source.tree import SourceTree

_WORD = late_pattern(r"[^\W\d]\w*")
_DOCSTRING = late_pattern(r"[a-zA-Z]?(\"\"\"|''')")
_MAX_LINES = 2_000
_PROSE = 0.3
"""The weight of a stem in a comment relative to one in code."""
_ANY, _AGAIN = 0.5, 0.6
"""The weight of a stem that is there at all, and of each line that has it, relative to how rare it is."""


def get_share(source: SourceTree, symbol: RankedSymbol, wanted: frozenset[str]) -> float:
    """Return the share of some stems that a symbol's code, name and path have, or words with the same meaning."""
    said = set(_stems(f"{symbol.file} {symbol.symbol} {symbol.doc}"))
    for line in _read(source, symbol.file, symbol.start_line, symbol.end_line):
        said.update(_stems(line))
    return sum(not said.isdisjoint(meanings_of(each)) for each in wanted) / len(wanted) if wanted else 1.0


def choose_start(lines: Sequence[str], wanted: frozenset[str], costs: Sequence[int], room: int) -> int:
    """Return the index of the first line of the window, as long as there is room for, that has most of some stems.

    A stem that few lines have says more about where the answer is, and code says more than comments. The first line
    has the name, which the list of matches shows as well.

    Args:
        lines: The lines of a function.
        wanted: The stems of a question.
        costs: What each line costs.
        room: What may be spent.
    """
    found = [frozenset(_stems(line)) & wanted for line in lines]
    weights = [_PROSE if is_prose else 1.0 for is_prose in _iter_prose(lines)]
    weights[:1] = [_PROSE]
    rarity = {stem: 1 / math.sqrt(count) for stem, count in Counter(chain.from_iterable(found)).items()}
    until = list(accumulate(costs, initial=0))
    best, at = 0.0, 0
    for first in range(len(lines)):
        last = bisect.bisect_right(until, until[first] + room) - 1
        said: dict[str, float] = {}
        score = 0.0
        for weight, stems in zip(weights[first:last], found[first:last], strict=True):
            for stem in stems:
                said[stem] = max(said.get(stem, 0.0), weight)
                score += _AGAIN * weight * rarity[stem]
        score += sum(weight * (_ANY + rarity[stem]) for stem, weight in said.items())
        if score > best:
            best, at = score, first
        if last == len(lines):
            break
    return at


def _iter_prose(lines: Iterable[str]) -> Iterator[bool]:
    """Yield for each line whether it is a comment or of a documentation string."""
    closing = ""
    for line in lines:
        text = line.strip()
        opened = None if closing else _DOCSTRING.match(text)
        yield bool(closing or opened) or (text.startswith(COMMENTS) and not text.startswith("#["))
        if closing:
            closing = "" if closing in text else closing
        elif opened and opened[1] not in text[opened.end() :]:
            closing = opened[1]


def _stems(text: str) -> list[str]:
    return [stem for word in _WORD.findall(text) for stem in stems_of(word)]


def _read(source: SourceTree, file: str, start: int, end: int) -> list[str]:
    """Return lines of a file; () if it can no longer be read."""
    try:
        return list(read_text_lines(source, file)[start - 1 : min(end, start + _MAX_LINES)])
    except SourceError:
        return []
