"""The Python engine of text search: the same results as ripgrep's, without ripgrep."""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator

from avionics.model.errors import DeadlineExceededError
from avionics.source.read import decode
from avionics.source.search.automaton import Automaton
from avionics.source.search.engines import Feed, SourceMatch
from avionics.source.search.pattern import Characters, Node, Repeat, Sequence


def iter_hits(pattern: Node, feed: Feed, deadline: float) -> Generator[SourceMatch]:
    """Yield the matching lines, using the automaton; skip lines without a text that the pattern requires."""
    automaton = Automaton(pattern, deadline)
    needed = _build_required_regex(pattern)
    for path, data in feed:
        if time.monotonic() > deadline:
            raise DeadlineExceededError("the text search ran out of time")
        number, counted = 1, 0
        text = decode(data)
        for start, end in _iter_candidates(text, needed):
            line = text[start:end]
            column = automaton.get_column(line)
            if column is not None:
                number += text.count("\n", counted, start)
                counted = start
                yield SourceMatch(path, number, column, line)


def _iter_candidates(text: str, needed: re.Pattern[str] | None) -> Iterator[tuple[int, int]]:
    """Yield start and end of the lines that contain the required text, or of all."""
    start = 0
    while start < len(text):
        if needed is not None:
            found = needed.search(text, start)
            if found is None:
                return
            start = text.rfind("\n", 0, found.start()) + 1
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        yield start, end
        start = end + 1


def _build_required_regex(pattern: Node) -> re.Pattern[str] | None:
    """Return the longest run of characters that every match contains, as an expression without choice or repetition."""
    runs: list[list[str]] = [[]]
    _collect_runs(pattern, runs)
    longest = max(runs, key=len)
    return re.compile("".join(longest)) if longest else None


def _collect_runs(node: Node, runs: list[list[str]]) -> None:
    """Add the characters that a node requires to the last run, and start another one after any other part."""
    match node:
        case Sequence(parts):
            for part in parts:
                _collect_runs(part, runs)
        case Characters(ranges, "", False) if ranges:
            runs[-1].append(_build_set_regex(ranges))
        case Repeat(part, low, high) if low > 0:
            _collect_runs(part, runs)
            if high != 1:
                runs.append([])
        case _:
            runs.append([])


def _build_set_regex(ranges: tuple[tuple[int, int], ...]) -> str:
    """Return an expression for one character out of ranges."""
    (low, high), *more = ranges
    if low == high and not more:
        return re.escape(chr(low))
    members = "".join(f"{re.escape(chr(low))}-{re.escape(chr(high))}" for low, high in ranges)
    return f"[{members}]"
