"""Files that are large, change often and have many authors: where faults are most often found.

The measure is that of Nagappan and Ball ("Use of relative code churn measures to predict system defect density", 2005)
and Tornhill ("Your Code as a Crime Scene", 2015): size times recent changes, here times the logarithm of authors too.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import attrs

from avionics.history.commits import Commit

RECENT_SECONDS = 90 * 86_400
"""Recent commits are those of the 90 days before the newest: the clock of the machine changes nothing."""

_MAX_TOUCHED = 100
"""Commits that touch more files, such as reformattings, say nothing about single files."""


@attrs.frozen
class Hotspot:
    """A file, and how it changes.

    Attributes:
        file: Its path.
        lines: Its length.
        commits: How many recent commits touched it.
        authors: How many people made them.
    """

    file: str
    lines: int
    commits: int
    authors: int

    @property
    def score(self) -> float:
        """How hot it is; 0 for a file without recent commits."""
        return self.lines * self.commits * (1 + math.log2(self.authors)) if self.authors else 0.0


@attrs.frozen
class RecentChanges:
    """The recent commits of a workspace.

    Attributes:
        commits: How many there are.
        files: File → how many of them touched it.
        authors: File → the authors' addresses.
    """

    commits: int
    files: Mapping[str, int]
    authors: Mapping[str, frozenset[str]]


def read_recent_changes(commits: Iterable[Commit]) -> RecentChanges:
    """Return which files recent commits touched; the commits are newest first, with their files."""
    listed = tuple(commits)
    newest = max((commit.epoch for commit in listed), default=0)
    files: Counter[str] = Counter()
    authors: defaultdict[str, set[str]] = defaultdict(set)
    count = 0
    for commit in listed:
        if newest - commit.epoch > RECENT_SECONDS:
            continue
        count += 1
        if len(commit.files) <= _MAX_TOUCHED:
            for touch in commit.files:
                files[touch.path] += 1
                authors[touch.path].add(commit.email or commit.author)
    return RecentChanges(count, files, {file: frozenset(names) for file, names in authors.items()})


def rank_hotspots(lines: Mapping[str, int], recent: RecentChanges) -> tuple[Hotspot, ...]:
    """Return all files, the hottest first."""
    found = [
        Hotspot(file, count, recent.files.get(file, 0), len(recent.authors.get(file, ())))
        for file, count in lines.items()
    ]
    return tuple(sorted(found, key=lambda spot: (-spot.score, -spot.lines, spot.file)))
