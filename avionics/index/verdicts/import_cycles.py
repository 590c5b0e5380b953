"""Import cycles that a change closes: modules that now import one another while they load."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from avionics.cancellation import check_cancelled
from avionics.index.code_index import CodeIndex
from avionics.index.references.import_graph import Edge, TypeChecking
from avionics.index.verdicts.comparison import VersionPair

_MAX_FILES = 2_000
"""Files that are walked from one new import; a longer way back is nobody's mistake."""


class NewCycle(Struct, frozen=True):
    """A cycle: its files in the order of the imports, and the new import that closes it."""

    edge: Edge
    files: tuple[str, ...]


def iter_new_cycles(pair: VersionPair) -> Iterator[NewCycle]:
    """Yield the shortest cycle through each new import that closes one, once for each set of files."""
    after = _Loads(pair.after)
    before = _Loads(pair.before)
    seen: set[frozenset[str]] = set()
    for each in pair.files:
        if not each.after or not pair.after.has_file(each.after) or not _is_executed(pair.after, each.after):
            continue
        had = {pair.path_after(edge.target) for edge in before.of(each.before)} if each.before else set()
        for edge in after.of(each.after):
            check_cancelled()
            if edge.target in had:
                continue
            way = after.find_way(edge.target, each.after)
            if way and frozenset(way) not in seen and not _had_cycle(pair, before, way):
                seen.add(frozenset(way))
                yield NewCycle(edge, (each.after, *way))


def _is_executed(code: CodeIndex, file: str) -> bool:
    """Return whether importing a file of this language executes it, so that an import cycle can fail."""
    return code.resolver.scopes.spec(file).executed_classes


def _had_cycle(pair: VersionPair, before: _Loads, way: tuple[str, ...]) -> bool:
    """Return whether the files of a cycle imported one another before the change."""
    files = [pair.path_before(file) for file in way]
    if not all(file and pair.before.has_file(file) for file in files):
        return False
    return bool(before.find_way(files[0], files[-1]) and before.find_way(files[-1], files[0]))


class _Loads:
    """The imports of one version that take effect when a file is loaded."""

    def __init__(self, code: CodeIndex) -> None:
        self._code = code
        self._checking = TypeChecking(code.source, code.read_text)
        self._known: dict[str, tuple[Edge, ...]] = {}

    def of(self, file: str) -> tuple[Edge, ...]:
        """Return the first import of each file that a file imports."""
        if file not in self._known:
            found: dict[str, Edge] = {}
            for edge in self._code.graph.edges.of(file) if self._code.has_file(file) else ():
                is_other = edge.target not in {"", file} and edge.target not in found
                if is_other and not edge.is_lazy and not self._checking.covers(edge):
                    found[edge.target] = edge
            self._known[file] = tuple(found.values())
        return self._known[file]

    def find_way(self, start: str, goal: str) -> tuple[str, ...]:
        """Return the files of the shortest chain of imports, both ends included; () if there is none."""
        previous = {start: ""}
        pending = deque([start])
        while pending and len(previous) < _MAX_FILES:
            file = pending.popleft()
            if file == goal:
                way = [file]
                while previous[way[-1]]:
                    way.append(previous[way[-1]])
                return tuple(reversed(way))
            for edge in self.of(file):
                if edge.target not in previous:
                    previous[edge.target] = file
                    pending.append(edge.target)
        return ()
