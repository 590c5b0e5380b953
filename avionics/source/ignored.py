"""Count the files that each ignore rule excludes, for rules that exclude most of a directory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from msgspec import Struct

from avionics.source.ignore import IgnoreRules, parse_rules
from avionics.source.paths import SkipReason, list_to_top, opened_directory
from avionics.source.read import decode, read_regular
from avionics.source.tree_status import IGNORE_FILES, MAX_IGNORE_BYTES

_MIN_HIDDEN, _MIN_RATIO = 50, 10
"""Rules that leave some files are reported if they ignore at least this many, and this many times those left."""

_MAX_COUNTED = 100_000
_MAX_DIRECTORIES = 2_000

_Line = tuple[str, int, str]
"""A line of an ignore file: the file, its number, its text."""


class IgnoredBy(Struct, frozen=True):
    """A rule, how many files it ignores (counting stops at 100,000), and whether these are left out."""

    file: str
    line: int
    rule: str
    count: int
    is_obeyed: bool = True


def find_ignored(root: Path, files_left: int, *, is_worktree: bool) -> tuple[IgnoredBy, ...]:
    """Return the rules that exclude most of a directory, strongest first; () if there are none.

    Rules that name a directory or file, as `node_modules/` does, are meant to exclude much; they count only if nothing
    is left. In a git work tree, git applies the rules as well.
    """
    counter = _Counter(root, lambda rule: not files_left or any(mark in rule for mark in "*?["))
    counter.visit((), _read_above(root))
    hidden = sum(counter.counts.values())
    if not hidden or (files_left and hidden < max(_MIN_HIDDEN, _MIN_RATIO * files_left)):
        return ()
    is_obeyed = bool(files_left) or is_worktree
    return tuple(IgnoredBy(*line, count, is_obeyed) for line, count in counter.counts.most_common(3))


class _RuleSource(Struct, frozen=True):
    """The rules of one directory's ignore files, and the line of each."""

    rules: IgnoreRules
    lines: tuple[_Line, ...]

    def enter(self, name: str) -> _RuleSource:
        return _RuleSource(self.rules.enter(name), self.lines)


class _Counter:
    """A count of files by the rule that excludes them; `is_counted` selects the rules."""

    def __init__(self, root: Path, is_counted: Callable[[str], bool]) -> None:
        self.counts: Counter[_Line] = Counter()
        self._root = root
        self._is_counted = is_counted
        self._directories = 0

    def visit(self, parts: tuple[str, ...], above: tuple[_RuleSource, ...]) -> None:
        """Count the ignored files below a directory; `above` has the rules of the directories above, nearest first."""
        self._directories += 1
        with opened_directory(self._root, parts) as directory:
            if isinstance(directory, SkipReason):
                return
            sources = (*_read_rules(directory, "/".join(parts)), *above)
            with os.scandir(directory) as listing:
                entries = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in listing)
            for name, is_directory in entries:
                line = None if name == ".git" else _get_rule(name, is_directory, sources)
                if line is not None and self._is_counted(line[2]):
                    self.counts[line] += _count_files(directory, name) if is_directory else 1
                elif line is None and is_directory and name != ".git" and self._directories < _MAX_DIRECTORIES:
                    self.visit((*parts, name), tuple(source.enter(name) for source in sources))


def _get_rule(name: str, is_directory: bool, sources: Iterable[_RuleSource]) -> _Line | None:
    """Return the line that ignores a name, or None."""
    for source in sources:
        rank = source.rules.get_rank(name, is_directory)
        if rank >= 0:
            return None if rank in source.rules.negated else source.lines[rank]
    return None


def _count_files(directory: int, name: str) -> int:
    """Return how many files a directory has, also in the directories below it."""
    count = 0
    for _, _, files, _ in os.fwalk(name, dir_fd=directory, follow_symlinks=False):
        count += len(files)
        if count >= _MAX_COUNTED:
            return _MAX_COUNTED
    return count


def _read_rules(directory: int, prefix: str) -> tuple[_RuleSource, ...]:
    """Return the rules of the ignore files in a directory, at most one value."""
    lines: list[_Line] = []
    for name in IGNORE_FILES:
        data = read_regular(directory, name, MAX_IGNORE_BYTES)
        if not isinstance(data, SkipReason):
            place = f"{prefix}/{name}" if prefix else name
            lines += [(place, number, text) for number, text in enumerate(decode(data).split("\n"), 1)]
    rules = parse_rules("\n".join(text for _, _, text in lines)) if lines else None
    return () if rules is None else (_RuleSource(rules, tuple(lines)),)


def _read_above(root: Path) -> tuple[_RuleSource, ...]:
    """Return the rules of the directories above, up to the top of the work tree, as they apply in the root."""
    above = list_to_top(root)
    sources: tuple[_RuleSource, ...] = ()
    for at in range(len(above) - 1, 0, -1):
        with opened_directory(above[at]) as directory:
            if isinstance(directory, SkipReason):
                return ()
            sources = (*_read_rules(directory, "/".join([".."] * at)), *sources)
        sources = tuple(source.enter(above[at - 1].name) for source in sources)
    return sources
