"""The time budget of an answer: which of many files it examines, likeliest and nearest first, and which are left.

Facts that one answer extracts are stored, so asking the same question again gets further.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from avionics.cancellation import note_cut, seconds_left
from avionics.model.naming import count_shared
from avionics.model.reasons import Reason, ReasonKind

_AT_ONCE = 32
_FILES_THRESHOLD = 300
"""Fewer files are all examined, unless the call itself has a time limit."""

_LARGE_TREE = 20_000
_SECONDS, _SECONDS_IN_LARGE_TREE = 20.0, 0.8
"""In a tree of the Linux kernel's size, thousands of files contain a common name: minutes of reading."""

_MAX_DIRECTORIES = 3


class TimeBudget:
    """The time budget of one answer about a file.

    Without a limit in seconds for many files, it depends on the size of the tree. Files are loaded `at_once`, the
    `likely` ones first, then by nearness; 0 loads few files together.

    Attributes:
        settled: Files that need no examination → whether they were parsed only in part.
    """

    def __init__(
        self,
        home: str,
        tree_files: int,
        seconds: float | None = None,
        at_once: int = 0,
        likely: Collection[str] = frozenset(),
    ) -> None:
        self._home = home.split("/")
        by_tree = _SECONDS_IN_LARGE_TREE if tree_files > _LARGE_TREE else _SECONDS
        self._end = time.monotonic() + min(by_tree if seconds is None else seconds, seconds_left())
        self._is_limited = seconds_left() < math.inf
        self._skipped: dict[str, None] = {}
        self._at_once = at_once
        self._likely = likely
        self.settled: dict[str, bool] = {}

    def iter_files(self, candidates: Sequence[str], load: Callable[[Sequence[str]], None]) -> Iterator[str]:
        """Yield the candidates that there is time for, loading some at a time."""
        is_limited = len(candidates) > _FILES_THRESHOLD or self._at_once > 0 or self._is_limited
        ordered = sorted(candidates, key=self._rank) if is_limited else candidates
        at_once = self._at_once or _AT_ONCE
        for start in range(0, len(ordered), at_once):
            some = ordered[start : start + at_once]
            if start and is_limited and time.monotonic() > self._end:
                self._skip(ordered[start:])
                return
            load(some)
            yield from some

    def _skip(self, files: Sequence[str]) -> None:
        """Record files for which there was no time."""
        self._skipped.update(dict.fromkeys(files))
        note_cut()

    def note_idle(self, files: Iterable[Sequence[str]], using: Iterable[Sequence[str]]) -> None:
        """Record files that use none of the names in them, so that they need not be read."""
        idle = {path for each in files for path in each}.difference(*using)
        self.settled |= dict.fromkeys(idle, False)

    def is_skipped(self, file: str) -> bool:
        """Return whether there was no time for the file."""
        return file in self._skipped

    def list_reasons(self) -> tuple[Reason, ...]:
        """Return the number of files left out for lack of time, and the directories with most of them; else ()."""
        if not self._skipped:
            return ()
        directories = Counter("/".join(file.split("/")[:-1][:2]) or "." for file in self._skipped)
        most = sorted(directories, key=lambda each: (-directories[each], each))
        named = [f"{each} ({directories[each]})" for each in most[:_MAX_DIRECTORIES]]
        more = ("…",) if len(most) > _MAX_DIRECTORIES else ()
        return (Reason(ReasonKind.FILES_NOT_EXAMINED, len(self._skipped), subject=", ".join((*named, *more))),)

    def _rank(self, file: str) -> tuple[bool, int]:
        """Return the sort key of a file: likely ones first, then those that share more directories with the home."""
        return file not in self._likely, -count_shared(self._home, file.split("/"))
