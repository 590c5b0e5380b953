"""Relate words of past commit messages to the definitions that the commits touched.

The words of a message count for each definition that its commit touches, divided by the square root of the number of
definitions. The counts expected by chance are subtracted: a frequently touched definition would have some words even
with random messages. The names of files are followed through renames.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from avionics.index.search.chunks import FileCut
from avionics.model.facts import FileFacts
from avionics.store.commits import CommitRow

_MAX_FREQUENCY = 2
"""The most occurrences of a word that count in one message."""
_WEIGHT = 1.5
"""The frequency of a word of a message; a word of the code counts 1."""
_USUAL_TERMS = 15
"""In a longer query the words of messages count proportionally less, because it describes more than one commit."""

Place = tuple[str, str]
"""The current path and the unqualified name of a definition."""


class CommitWords:
    """The words of commits by definition.

    The rows are newest first; commits that touch too many definitions to be evidence about each have none.
    """

    def __init__(self, rows: Iterable[CommitRow]) -> None:
        self._touched: list[int] = []
        self._commits: defaultdict[Place, list[int]] = defaultdict(list)
        self._saying: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        current: dict[str, str] = {}
        for row in rows:
            places = dict.fromkeys((current.get(path, path), name) for path, name in row.touched)
            for old, new in row.renames:
                current.setdefault(old, current.get(new, new))
            if places:
                self._add(row.stems, places)

    def _add(self, stems: Sequence[str], places: Collection[Place]) -> None:
        number = len(self._touched)
        self._touched.append(len(places))
        for place in places:
            self._commits[place].append(number)
        for stem, count in Counter(stems).items():
            self._saying[stem].append((number, min(count, _MAX_FREQUENCY)))

    def __len__(self) -> int:
        """Return the number of commits with words and definitions."""
        return len(self._touched)

    def get_commits(self, place: Place) -> Mapping[int, float]:
        """Return the commits that touched a definition, by number, each with its weight."""
        return {number: 1 / self._touched[number] for number in self._commits.get(place, ())}

    def ask(self, stems: Collection[str]) -> MatchingCommits:
        """Return the commits whose messages contain some stems."""
        saying: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
        usual: dict[str, float] = {}
        for stem in stems:
            found = self._saying.get(stem, ())
            usual[stem] = sum(count for _, count in found) / max(1, len(self._touched))
            for number, count in found:
                saying[number].append((stem, count))
        weight = _WEIGHT * min(1.0, _USUAL_TERMS / max(1, len(usual)))
        return MatchingCommits(self._touched, self._commits, saying, usual, weight)


class MatchingCommits:
    """The commits whose messages contain stems of one query.

    Args:
        touched: Commit → the number of definitions it touches.
        commits: Definition → the commits that touched it.
        saying: Commit → its stems with their counts.
        usual: Stem → its mean count in a commit.
        weight: The frequency of a word of a message.
    """

    def __init__(
        self,
        touched: Sequence[int],
        commits: Mapping[Place, Sequence[int]],
        saying: Mapping[int, Sequence[tuple[str, int]]],
        usual: Mapping[str, float],
        weight: float,
    ) -> None:
        self._touched = touched
        self._commits = commits
        self._saying = saying
        self._usual = usual
        self._weight = weight

    def count_by_chunk(self, path: str, facts: FileFacts, cut: FileCut) -> dict[int, Mapping[str, float]]:
        """Return chunk number → stem → number of commits that mention it, above chance.

        Commits record definitions without their containers, so that those of one name in a file share their words.
        """
        names = {
            number: facts.symbols[chunk.symbol].name for number, chunk in enumerate(cut.chunks) if chunk.symbol >= 0
        }
        sharing = Counter(names.values())
        touched = (name for name in sharing if (path, name) in self._commits)
        counts = {name: self._count((path, name), 1 / sharing[name]) for name in touched}
        return {number: counts[name] for number, name in names.items() if counts.get(name)}

    def _count(self, place: Place, share: float) -> dict[str, float]:
        """Return how often the commits of a definition mention each stem, above chance."""
        counts: defaultdict[str, float] = defaultdict(float)
        total = 0.0
        for number in self._commits[place]:
            part = 1 / math.sqrt(self._touched[number])
            total += part
            for stem, count in self._saying.get(number, ()):
                counts[stem] += part * count
        factor = self._weight * share
        beyond = {stem: factor * (count - total * self._usual[stem]) for stem, count in counts.items()}
        return {stem: count for stem, count in beyond.items() if count > 0}
