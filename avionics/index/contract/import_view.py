"""The imports that a rule looks at, and searches among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property

from avionics.index.architecture.dependencies import Dependencies
from avionics.index.contract.findings import ImportStep
from avionics.index.contract.rules import CountedImports


class ImportView:
    """The arcs between some files that take effect in some way, without those that exceptions take out.

    Args:
        dependencies: All arcs.
        files: The files whose arcs count.
        counted: Which imports count.
        is_excepted: Tells of a file and its target whether the arc is taken out.
    """

    def __init__(
        self,
        dependencies: Dependencies,
        files: Collection[str],
        counted: CountedImports,
        is_excepted: Callable[[str, str], bool] | None = None,
    ) -> None:
        self._dependencies = dependencies
        self._counted = counted
        self.targets: dict[str, tuple[str, ...]] = {}
        for file in dependencies.files:
            if file in files:
                found = tuple(
                    arc.target
                    for arc in dependencies.arcs(file)
                    if counted.counts(arc.kind)
                    and arc.target in files
                    and not (is_excepted is not None and is_excepted(file, arc.target))
                )
                if found:
                    self.targets[file] = found

    def iter_arcs(self, sources: Iterable[str], targets: Collection[str]) -> Iterator[tuple[str, str]]:
        """Yield the arcs from some files to others, ordered by path."""
        for file in sorted(sources):
            yield from ((file, target) for target in self.targets.get(file, ()) if target in targets)

    def search_back(self, goals: Collection[str], through: Callable[[str], bool] | None = None) -> Mapping[str, str]:
        """Return file → the next file on a shortest chain to one of the goals, for all files that have one.

        Args:
            goals: Where chains end.
            through: Tells of a file whether a chain may lead through it; None for all. A chain may begin anywhere.
        """
        following: dict[str, str] = {}
        front = sorted(goals)
        seen = set(front)
        while front:
            reached = []
            for goal in front:
                for file in self._sources.get(goal, ()):
                    if file not in seen:
                        seen.add(file)
                        following[file] = goal
                        if through is None or through(file):
                            reached.append(file)
            front = sorted(reached)
        return following

    def cite_chain(self, file: str, following: Mapping[str, str], goals: Collection[str]) -> tuple[ImportStep, ...]:
        """Return the chain from a file to a goal, each import with its line."""
        steps: list[ImportStep] = []
        while file not in goals or not steps:
            target = following[file]
            steps.append(self.cite(file, target))
            file = target
        return tuple(steps)

    def cite(self, file: str, target: str) -> ImportStep:
        """Return an arc with the line of its first import that counts."""
        edges = self._dependencies.cite(file, target)
        counted = [edge for edge in edges if self._counted.counts(self._dependencies.kind_of(edge))]
        line = min((edge.line for edge in counted or edges), default=1)
        return ImportStep(file, line, target)

    @cached_property
    def _sources(self) -> Mapping[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        for file, targets in self.targets.items():
            for target in targets:
                found[target].append(file)
        return found
