"""TimeBudget: which of many files an answer has time to examine, the nearest first, and which are left.

What is read for one answer is kept, so the same question asked again gets further.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from avionics.model.reasons import Reason, ReasonKind

_AT_ONCE = 32
_FILES_THRESHOLD = 300
"""So few files are all looked at."""

_LARGE_TREE = 20_000
_SECONDS, _SECONDS_IN_LARGE_TREE = 20.0, 0.8
"""In a tree of the Linux kernel's size a common name stands in thousands of files: minutes of reading."""

_MAX_DIRECTORIES = 3


class TimeBudget:
    """The looks of one answer.

    Attributes:
        told: Files of which all was told without a look → whether they were read only in part.

    Args:
        home: The file that the answer is about.
        tree_files: How many files the tree has.
        seconds: How long many may be looked at; None where that goes by the tree.
    """

    def __init__(self, home: str, tree_files: int, seconds: float | None = None) -> None:
        self._home = home.split("/")
        by_tree = _SECONDS_IN_LARGE_TREE if tree_files > _LARGE_TREE else _SECONDS
        self._end = time.monotonic() + (by_tree if seconds is None else seconds)
        self._left: dict[str, None] = {}
        self.told: dict[str, bool] = {}

    def iter_files(self, candidates: Sequence[str], load: Callable[[Sequence[str]], None]) -> Iterator[str]:
        """The candidates there is time for, loaded some at a time."""
        if len(candidates) <= _FILES_THRESHOLD:
            load(candidates)
            yield from candidates
            return
        ordered = sorted(candidates, key=self._distance)
        for start in range(0, len(ordered), _AT_ONCE):
            some = ordered[start : start + _AT_ONCE]
            if start and time.monotonic() > self._end:
                self._left.update(dict.fromkeys(ordered[start:]))
                return
            load(some)
            yield from some

    def note_idle(self, files: Iterable[Sequence[str]], using: Iterable[Sequence[str]]) -> None:
        """Takes in which files use none of the names that stand in them: of these all is told."""
        idle = {path for each in files for path in each}.difference(*using)
        self.told |= dict.fromkeys(idle, False)

    def is_left(self, file: str) -> bool:
        """Whether there was no time for the file."""
        return file in self._left

    def list_left(self) -> tuple[Reason, ...]:
        """Return how many files there was no time for, and the directories with most of them; () for none."""
        if not self._left:
            return ()
        directories = Counter("/".join(file.split("/")[:-1][:2]) or "." for file in self._left)
        most = sorted(directories, key=lambda each: (-directories[each], each))
        named = [f"{each} ({directories[each]})" for each in most[:_MAX_DIRECTORIES]]
        more = ("…",) if len(most) > _MAX_DIRECTORIES else ()
        return (Reason(ReasonKind.FILES_NOT_EXAMINED, len(self._left), subject=", ".join((*named, *more))),)

    def _distance(self, file: str) -> int:
        """Less for files that share more leading directories with the home."""
        shared = 0
        for one, other in zip(self._home, file.split("/"), strict=False):
            if one != other:
                break
            shared += 1
        return -shared
