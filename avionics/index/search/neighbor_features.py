"""Company: what the likeliest matches of a query say for those that stand close to them.

A change seldom touches one function alone. A class speaks for its methods and they for it, a function for what it
calls and for what calls it; another of the same name, or a further one of the same file, is less likely than it looks.
How likely a match is, and so how much it has to say, follows from its score.

Knows: matches by score, what each defines and calls.
Does not know: words, queries, how much each relation says.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import attrs

_LIKELY = 25
"""So many matches have a say; what lies deeper would hardly be heard."""
_SHARPNESS = 6.0
"""How much likelier a better match is; scores are fitted to this."""
_NEAR_LINES = 20
"""Matches so many lines apart are near by 1/e."""


@attrs.frozen
class Neighbor:
    """A match: what it defines (no name for a part of a module), where, and the names it calls."""

    file: str
    start_line: int
    end_line: int
    qualname: str = ""
    is_type: bool = False
    calls: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """Its own name."""
        return self.qualname.rpartition(".")[2]

    @property
    def holder(self) -> str:
        """What it is defined in."""
        return self.qualname.rpartition(".")[0]


def neighbor_features(members: Sequence[Neighbor], scores: Sequence[float]) -> list[Mapping[str, float]]:
    """Relation → how likely those are to which a match stands in it, for each match.

    Args:
        members: The matches, best first.
        scores: What each came to.
    """
    odds = [math.exp(_SHARPNESS * (score - scores[0])) for score in scores]
    total = sum(odds)
    by_file, by_name, by_called = _group(members)
    company: list[defaultdict[str, float]] = [defaultdict(float) for _ in members]
    for index, (likely, odd) in enumerate(zip(members[:_LIKELY], odds, strict=False)):
        share = odd / total
        related = [(at, relation, how) for at in by_file[likely.file] for relation, how in _relate(members[at], likely)]
        if likely.name:
            related += [(at, "namesake", 1.0) for at in by_name[likely.name]]
            related += [(at, "calls", 1.0) for at in by_called[likely.name]]
        related += [(at, "called", 1.0) for name in likely.calls for at in by_name.get(name, ())]
        for at, relation, how in related:
            if at != index:
                company[at][relation] += share * how
    return list(company)


def _relate(member: Neighbor, likely: Neighbor) -> list[tuple[str, float]]:
    """How a match stands to a likely one of its file, and how closely."""
    apart = min(abs(member.start_line - likely.end_line), abs(likely.start_line - member.end_line))
    relations = [("same file", 1.0), ("near", math.exp(-apart / _NEAR_LINES))]
    if member.is_type and likely.holder == member.qualname:
        relations.append(("holds", 1.0))
    if likely.is_type and member.holder == likely.qualname:
        relations.append(("held", 1.0))
    return relations


_Places = Mapping[str, Sequence[int]]


def _group(members: Sequence[Neighbor]) -> tuple[_Places, _Places, _Places]:
    """The matches by file, by name and by what they call."""
    by_file, by_name, by_called = (defaultdict[str, list[int]](list) for _ in range(3))
    for at, member in enumerate(members):
        by_file[member.file].append(at)
        if member.name:
            by_name[member.name].append(at)
        for name in member.calls:
            by_called[name].append(at)
    return by_file, by_name, by_called
