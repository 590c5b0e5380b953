"""Files that are large, change often and have many authors: where faults are most often found.

The measure is that of Nagappan and Ball ("Use of relative code churn measures to predict system defect density", 2005)
and Tornhill ("Your Code as a Crime Scene", 2015): size times recent changes, here also times the logarithm of the
number of authors.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from avionics.history.commits import Commit

RECENT_SECONDS = 90 * 86_400
"""Recent commits are those of the 90 days before the newest: the machine's clock does not matter."""

_MAX_TOUCHED = 100
"""Commits that touch more files, such as reformattings, say nothing about single files."""


class Hotspot(Struct, frozen=True):
    """A file, how many recent commits touched it, and who made most of them, "" if there are none."""

    file: str
    lines: int
    commits: int
    authors: int
    main_author: str = ""

    @property
    def score(self) -> float:
        """Return the score; 0 for a file without recent commits."""
        return self.lines * self.commits * (1 + math.log2(self.authors)) if self.authors else 0.0


class RecentChanges(Struct, frozen=True):
    """The recent commits of a workspace.

    Attributes:
        commits: How many there are.
        files: File → how many of them touched it.
        authors: File → address of an author → how many of these commits are theirs.
        names: Address → name.
    """

    commits: int = 0
    files: Mapping[str, int] = {}
    authors: Mapping[str, Counter[str]] = {}
    names: Mapping[str, str] = {}


def select_recent(commits: Iterable[Commit]) -> tuple[Commit, ...]:
    """Return the recent ones of some commits."""
    listed = tuple(commits)
    newest = max((commit.epoch for commit in listed), default=0)
    return tuple(commit for commit in listed if newest - commit.epoch <= RECENT_SECONDS)


def count_recent_changes(commits: Iterable[Commit], touched: Mapping[str, frozenset[str]]) -> RecentChanges:
    """Return how often, and by whom, recent commits changed each of the files that they touched."""
    files: Counter[str] = Counter()
    authors: defaultdict[str, Counter[str]] = defaultdict(Counter)
    names: dict[str, str] = {}
    count = 0
    for commit in commits:
        count += 1
        changed = touched.get(commit.oid, frozenset())
        if len(changed) <= _MAX_TOUCHED:
            address = commit.email or commit.author
            names.setdefault(address, commit.author)
            files.update(changed)
            for path in changed:
                authors[path][address] += 1
    return RecentChanges(count, files, authors, names)


def rank_hotspots(lines: Mapping[str, int], recent: RecentChanges) -> tuple[Hotspot, ...]:
    """Return all files, the hottest first."""
    found = [
        Hotspot(file, count, recent.files.get(file, 0), len(recent.authors.get(file, ())), _main_author(recent, file))
        for file, count in lines.items()
    ]
    return tuple(sorted(found, key=lambda spot: (-spot.score, -spot.lines, spot.file)))


def _main_author(recent: RecentChanges, file: str) -> str:
    """Return the name of the author of most recent commits to a file; of several, the first by address."""
    authors = recent.authors.get(file)
    if not authors:
        return ""
    address = min(authors, key=lambda each: (-authors[each], each))
    return recent.names.get(address, address)
