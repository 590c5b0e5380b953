"""TimeBudget: which of many files an answer has the time for, the nearest first; what it had not is listed.

What is read for one answer is kept, so that the same question asked again gets further.

Knows: paths, time.
Does not know: what is looked for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

_AT_ONCE = 32
_FILES_THRESHOLD = 300
"""So few files are all looked at."""

_LARGE_TREE = 20_000
_SECONDS, _SECONDS_IN_LARGE_TREE = 20.0, 0.8
"""In a tree of the Linux kernel's size a common name stands in thousands of files: minutes of reading."""

_LISTED = 3


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

    def describe_left(self) -> tuple[str, ...]:
        """What was not looked at, in words; () when everything was."""
        if not self._left:
            return ()
        directories: dict[str, int] = {}
        for file in self._left:
            top = "/".join(file.split("/")[:-1][:2]) or "."
            directories[top] = directories.get(top, 0) + 1
        most = sorted(directories, key=lambda each: (-directories[each], each))
        named = ", ".join(f"{each} ({directories[each]})" for each in most[:_LISTED])
        more = f" and {len(most) - _LISTED} more directories" if len(most) > _LISTED else ""
        return (f"{len(self._left)} files that mention it were not looked at in time: {named}{more}",)

    def _distance(self, file: str) -> int:
        """Less for files that share more leading directories with the home."""
        shared = 0
        for one, other in zip(self._home, file.split("/"), strict=False):
            if one != other:
                break
            shared += 1
        return -shared
