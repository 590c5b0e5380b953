"""What files import, as arcs from file to file and from file to package.

Arcs say how many names are imported and how; the lines are looked up when they are asked for, because most never are.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from functools import cached_property
from typing import Any

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.references.import_graph import Edge, TypeChecking, get_distribution
from avionics.model.mappings import group_pairs
from avionics.store.store import Store

_FORMAT = 1
"""Part of the keys in the store; raise it when imports are resolved or stored in another way."""


class ImportKind(IntEnum):
    """When an import takes effect; for several imports of one target, the first kind in this order counts."""

    LOAD = 0
    """When the file is loaded."""
    CALL = 1
    """When a function that contains it is called."""
    TYPES = 2
    """Never: only type checkers follow it."""


class Arc(Struct, frozen=True):
    """A file's imports of another file: how many names, and how."""

    target: str
    imports: int
    kind: ImportKind


class PackageUse(Struct, frozen=True):
    """A file's imports of a module from outside the workspace.

    Attributes:
        package: The distribution that brings it, "" for the language's standard library.
        module: The module as written.
        imports: How many names are imported.
        kind: When.
    """

    package: str
    module: str
    imports: int
    kind: ImportKind


class Dependencies:
    """The imports of every file of one snapshot; a store keeps the arcs for the next process."""

    def __init__(self, code: CodeIndex, store: Store | None = None) -> None:
        self._code = code
        self._store = store
        self._checking = TypeChecking(code.source, code.read_text)

    @property
    def files(self) -> tuple[str, ...]:
        """Return the files in supported languages, sorted."""
        return self._code.files

    def dotted_name(self, file: str) -> str:
        return self._code.dotted_name(file)

    @property
    def lines(self) -> Mapping[str, int]:
        """Return file → number of lines."""
        return self._outlines[0]

    @property
    def unresolved(self) -> tuple[tuple[str, int], ...]:
        """Return the file and line of each relative import that resolves to no file and is left out."""
        return self._arcs[1]

    def arcs(self, file: str) -> tuple[Arc, ...]:
        """Return the files that a file imports, sorted by path."""
        return self._arcs[0].get(file, ())

    def packages(self, file: str) -> tuple[PackageUse, ...]:
        """Return the modules from outside the workspace that a file imports, in order of appearance."""
        return self._outlines[1].get(file, ())

    @cached_property
    def importers(self) -> Mapping[str, tuple[str, ...]]:
        """Return file → the files that import it, sorted; files without importers are left out."""
        found = group_pairs((arc.target, file) for file in self.files for arc in self.arcs(file))
        return {file: tuple(sources) for file, sources in found.items()}

    def cite(self, file: str, target: str) -> tuple[Edge, ...]:
        """Return the imports behind an existing arc, in order of appearance; never empty."""
        return tuple(edge for edge in self._edges(file) if edge.target == target)

    def cite_package(self, file: str, package: str, module: str) -> tuple[Edge, ...]:
        """Return the imports of a module from outside the workspace, in order of appearance."""
        return tuple(
            edge
            for edge in self._edges(file)
            if edge.is_outside and edge.module == module and get_distribution(edge) == package
        )

    def kind_of(self, edge: Edge) -> ImportKind:
        """Return when an import takes effect."""
        if self._checking.covers(edge):
            return ImportKind.TYPES
        return ImportKind.CALL if edge.is_lazy else ImportKind.LOAD

    def _edges(self, file: str) -> tuple[Edge, ...]:
        return self._code.graph.edges.of(file)

    @cached_property
    def _arcs(self) -> tuple[Mapping[str, tuple[Arc, ...]], tuple[tuple[str, int], ...]]:
        """Return the arcs of every file that has any, and the unresolved relative imports."""
        known = self._read("arcs")
        if known is None:
            known = self._store_derived("arcs", self._resolve_arcs())
        files = self.files
        kinds = tuple(ImportKind)
        arcs = {
            files[int(source)]: tuple(
                Arc(files[flat[at]], flat[at + 1], kinds[flat[at + 2]]) for at in range(0, len(flat), 3)
            )
            for source, flat in known[0].items()
        }
        return arcs, tuple((files[source], line) for source, line in known[1])

    def _resolve_arcs(self) -> list[Any]:
        """Return the arcs as numbers (file → target, imported names and kind), and the unresolved imports."""
        number_of = {file: index for index, file in enumerate(self.files)}
        including = {file: self._code.modules.system_of(file).included(file) for file in self.files}
        self._code.load_facts(file for file, included in including.items() if included is None)
        arcs: dict[str, list[int]] = {}
        lost: list[tuple[int, int]] = []
        for file, included in including.items():
            file_arcs = [arc for arc in self._iter_arcs(file, included) if arc.target in number_of]
            if file_arcs:
                arcs[str(number_of[file])] = [
                    value for arc in file_arcs for value in (number_of[arc.target], arc.imports, int(arc.kind))
                ]
            if included is None:
                lost += [(number_of[file], edge.line) for edge in self._edges(file) if self._is_lost(edge)]
        return [arcs, lost]

    def _is_lost(self, edge: Edge) -> bool:
        """Return whether an import is relative and resolves to no file of any language."""
        if not edge.is_outside or not edge.module.startswith("."):
            return False
        path = posixpath.normpath(posixpath.join(posixpath.dirname(edge.file), edge.module.partition("?")[0]))
        return not self._code.snapshot.entries.get(path)

    def _iter_arcs(self, file: str, included: Iterable[str] | None) -> Iterator[Arc]:
        if included is not None:
            yield from (Arc(target, 1, ImportKind.LOAD) for target in sorted(included) if target != file)
            return
        counts: Counter[str] = Counter()
        kinds: dict[str, ImportKind] = {}
        for edge in self._edges(file):
            if edge.target and edge.target != file:
                counts[edge.target] += 1
                kind = self.kind_of(edge)
                kinds[edge.target] = min(kind, kinds.get(edge.target, kind))
        yield from (Arc(target, counts[target], kinds[target]) for target in sorted(counts))

    @cached_property
    def _outlines(self) -> tuple[Mapping[str, int], Mapping[str, tuple[PackageUse, ...]]]:
        """Return how many lines each file has, and the modules from outside that it imports."""
        known = self._read("outlines")
        if known is None:
            self._code.load_facts(self.files)
            packages = {
                str(number): [(use.package, use.module, use.imports, int(use.kind)) for use in uses]
                for number, file in enumerate(self.files)
                if (uses := tuple(self._iter_packages(self._edges(file))))
            }
            known = self._store_derived("outlines", [[self._code.facts(file).lines for file in self.files], packages])
        kinds = tuple(ImportKind)
        packages_of = {
            self.files[int(number)]: tuple(
                PackageUse(package, module, count, kinds[kind]) for package, module, count, kind in uses_of_file
            )
            for number, uses_of_file in known[1].items()
        }
        return dict(zip(self.files, known[0], strict=True)), packages_of

    def _iter_packages(self, edges: Iterable[Edge]) -> Iterator[PackageUse]:
        counts: Counter[tuple[str, str]] = Counter()
        kinds: dict[tuple[str, str], ImportKind] = {}
        for edge in edges:
            if edge.is_outside and not edge.module.startswith("."):
                key = (get_distribution(edge), edge.module)
                counts[key] += 1
                kind = self.kind_of(edge)
                kinds[key] = min(kind, kinds.get(key, kind))
        yield from (PackageUse(*key, count, kinds[key]) for key, count in counts.items())

    def _read(self, what: str) -> Any:
        """Return what an earlier process stored for the same files, or None."""
        return self._store.reader.get_derived(self._key(what)) if self._store is not None else None

    def _store_derived(self, what: str, value: list[Any]) -> list[Any]:
        if self._store is not None:
            self._store.writer.put_derived(self._key(what), value)
        return value

    def _key(self, what: str) -> str:
        return f"{what} {_FORMAT} {self._code.snapshot.identity}"
