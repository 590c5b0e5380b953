"""Compute features that raise or lower matches because of their relation to the most likely matches.

A change rarely touches one function alone. A class supports its methods and they support it; a function supports what
it calls, what calls it, and what past commits changed with it; another match with the same name, or a further one in
the same file, is less likely than its score suggests. The likelihood of a match, and so its weight, follows from its
score.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

_LIKELY = 25
"""The number of matches with a weight; further ones would have a negligible one."""
_SHARPNESS = 6.0
"""The factor from scores to likelihoods, to which the scores are fitted."""
_NEAR_LINES = 20
"""The distance in lines at which nearness falls to 1/e."""


class Neighbor(Struct, frozen=True):
    """A match: its definition (no name for a part of a module), its place, and the names it calls.

    `commits` are those that touched it, by number, with their weights.
    """

    file: str
    start_line: int
    end_line: int
    qualname: str = ""
    is_type: bool = False
    calls: frozenset[str] = frozenset()
    commits: Mapping[int, float] = {}

    @property
    def name(self) -> str:
        """Return its own name."""
        return self.qualname.rpartition(".")[2]

    @property
    def holder(self) -> str:
        """Return the name of its container."""
        return self.qualname.rpartition(".")[0]


def neighbor_features(members: Sequence[Neighbor], scores: Sequence[float]) -> list[Mapping[str, float]]:
    """Return for each match, best first: relation → likelihood of the matches that are so related to it."""
    odds = [math.exp(_SHARPNESS * (score - scores[0])) for score in scores]
    total = sum(odds)
    by_file, by_name, by_called = _group(members)
    together = _Together(members)
    company: list[defaultdict[str, float]] = [defaultdict(float) for _ in members]
    for index, (likely, odd) in enumerate(zip(members[:_LIKELY], odds, strict=False)):
        share = odd / total
        related = [(at, relation, how) for at in by_file[likely.file] for relation, how in _relate(members[at], likely)]
        if likely.name:
            related += [(at, "namesake", 1.0) for at in by_name[likely.name]]
            related += [(at, "calls", 1.0) for at in by_called[likely.name]]
        related += [(at, "called", 1.0) for name in likely.calls for at in by_name.get(name, ())]
        related += together.find_related(likely)
        for at, relation, how in related:
            if at != index:
                company[at][relation] += share * how
    return list(company)


def _relate(member: Neighbor, likely: Neighbor) -> list[tuple[str, float]]:
    """Return the relations of a match to a likely one of its file, and their strengths."""
    apart = min(abs(member.start_line - likely.end_line), abs(likely.start_line - member.end_line))
    relations = [("same file", 1.0), ("near", math.exp(-apart / _NEAR_LINES))]
    if member.is_type and likely.holder == member.qualname:
        relations.append(("holds", 1.0))
    if likely.is_type and member.holder == likely.qualname:
        relations.append(("held", 1.0))
    return relations


class _Together:
    """Which matches commits touched together: the cosine of their commits, each with its weight."""

    def __init__(self, members: Sequence[Neighbor]) -> None:
        self._members = members
        self._by_commit: defaultdict[int, list[int]] = defaultdict(list)
        for at, member in enumerate(members):
            for number in member.commits:
                self._by_commit[number].append(at)

    def find_related(self, likely: Neighbor) -> tuple[tuple[int, str, float], ...]:
        """Return the matches that commits touched together with one, and how often for their number."""
        common: defaultdict[int, float] = defaultdict(float)
        for number, weight in likely.commits.items():
            for at in self._by_commit[number]:
                common[at] += weight
        own = sum(likely.commits.values())
        return tuple(
            (at, "changed with", weight / math.sqrt(own * sum(self._members[at].commits.values())))
            for at, weight in common.items()
        )


_Places = Mapping[str, Sequence[int]]


def _group(members: Sequence[Neighbor]) -> tuple[_Places, _Places, _Places]:
    """Return the matches by file, by name and by the names they call."""
    by_file, by_name, by_called = (defaultdict[str, list[int]](list) for _ in range(3))
    for at, member in enumerate(members):
        by_file[member.file].append(at)
        if member.name:
            by_name[member.name].append(at)
        for name in member.calls:
            by_called[name].append(at)
    return by_file, by_name, by_called
