"""Compare SCIP indexes with those of a compiler: usages of the same definitions, time, and the import.

    python tests/bench/bench_scip.py DIRECTORY INDEX [--indexer PROCESSOR_SECONDS WALL_SECONDS] [--import]

INDEX is what `scip-python index` or `scip-typescript index` wrote for DIRECTORY, in the seconds given. Ours is written
by `avionics export` with an empty cache; the time includes everything from the start of the process.
Compared are the references to every global definition of that index, as places, in the documents that both have: all,
and without the places where that index does not say what is meant (see `find_left_open`).
With `--import` the index is imported, and the usages that avionics then gives are compared with the index itself.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

from avionics.index.model.compiler_facts import CompilerFactStore
from avionics.index.scip.importing import import_index
from avionics.model.enums import Evidence
from avionics.scip.files import iter_documents
from avionics.scip.schema import SymbolRole
from avionics.scip.symbols import LOCAL, parse_symbol
from avionics.scip.values import ScipDocument
from avionics.settings import Settings
from avionics.workspace import Workspace

Place = tuple[str, int, int]


class Index:
    """The places of an index by symbol."""

    def __init__(self, path: Path, root: Path) -> None:
        self.definitions: defaultdict[str, set[Place]] = defaultdict(set)
        self.references: defaultdict[str, set[Place]] = defaultdict(set)
        self.paths: set[str] = set()
        self.unexplained: set[Place] = set()

        def read(name: str) -> str | None:
            file = root / name
            return file.read_text("utf-8", "surrogateescape") if file.is_file() else None

        with path.open("rb") as file:
            for document in iter_documents(file, read):
                self._add(document, (read(document.path) or "").split("\n"))

    def _add(self, document: ScipDocument, lines: list[str]) -> None:
        self.paths.add(document.path)
        defined = {each.symbol for each in document.occurrences if each.roles & SymbolRole.DEFINITION}
        for each in document.occurrences:
            line, column, *_ = each.range
            # One index begins a quoted name at the quote, the other behind it.
            is_quoted = lines[line - 1 : line] and lines[line - 1][column : column + 1] in {"'", '"'}
            place = (document.path, line, column + bool(is_quoted))
            is_definition = each.roles & SymbolRole.DEFINITION
            is_named = each.range[:2] != each.range[2:]
            if parse_symbol(each.symbol) is not None and (is_named or not is_definition):
                (self.definitions if is_definition else self.references)[each.symbol].add(place)
            elif each.symbol.startswith(LOCAL) and each.symbol not in defined:
                self.unexplained.add(place)


def find_left_open(theirs: Index) -> set[Place]:
    """Return where their index does not say what is meant.

    It has a definition alone there, as scip-typescript has for properties of an object that is given to an optional
    parameter, or a local symbol without a definition, as for what `export { x } from` passes on.
    """
    return theirs.unexplained.union(*theirs.definitions.values()).difference(*theirs.references.values())


def compare(theirs: Index, ours: Index, left_open: Collection[Place] = ()) -> tuple[int, int, int]:
    """Return how many references both have, only they have, and only we have, except at places that are left open."""
    paths = theirs.paths & ours.paths
    symbols: defaultdict[Place, set[str]] = defaultdict(set)
    for symbol, places in ours.definitions.items():
        for place in places:
            symbols[place].add(symbol)
    both = only_theirs = only_ours = 0
    for symbol, places in theirs.definitions.items():
        own = {each for place in places for each in symbols[place]}
        mine = {place for each in own for place in (*ours.references[each], *ours.definitions[each])}
        wanted = {each for each in theirs.references[symbol] if each[0] in paths} - places
        mine = {each for each in mine if each[0] in paths and each not in left_open} - places
        both, only_theirs = both + len(wanted & mine), only_theirs + len(wanted - mine)
        only_ours += len(mine - wanted)
    return both, only_theirs, only_ours


def score(both: int, missing: int, more: int) -> str:
    precision, recall = both / max(both + more, 1), both / max(both + missing, 1)
    f1 = 2 * both / max(2 * both + missing + more, 1)
    return f"precision {precision:.4f} recall {recall:.4f} F1 {f1:.4f} ({both} common, {missing} missing, {more} more)"


def processor_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measure_import(workspace: Workspace, index: Path, theirs: Index, cache: Path) -> str:
    """Return how the usages after an import agree with the imported index."""
    store = CompilerFactStore(cache)
    with index.open("rb") as file:
        report = import_index(file, workspace.code, store)
    workspace.code.source.compiler = store
    graph = workspace.code.graph
    both = missing = own = 0
    for places in theirs.definitions.values():
        found = {workspace.code.names.at(path, line, "") for path, line, _ in places}
        columns = {(path, line, column) for path, line, column in places}
        found = {each for each in found if each and (each.file, each.line, each.symbol.column) in columns}
        wanted = {each for symbol in [_symbol_of(theirs, places)] for each in theirs.references[symbol]} - places
        usages = {(use.file, use.line, use.column): use.evidence for each in found for use in graph.usages(each).usages}
        if found:
            both, missing = both + len(wanted & set(usages)), missing + len(wanted - set(usages))
            own += sum(evidence is Evidence.COMPILER for place, evidence in usages.items() if place not in wanted)
    return f"import: {report.files} files, {len(report.differing)} ignored; {score(both, missing, own)}"


def _symbol_of(index: Index, places: set[Place]) -> str:
    return next(symbol for symbol, those in index.definitions.items() if those is places)


def export(directory: Path, cache: Path, written: Path) -> tuple[float, float]:
    """Run `avionics export` and return the processor time and the wall time that it took."""
    started, before = time.perf_counter(), processor_seconds()
    command = [sys.executable, "-m", "avionics", "export", "--format", "scip", str(written), "--repo", str(directory)]
    subprocess.run(command, check=True, env=os.environ | {"AVIONICS_CACHE_DIR": str(cache)}, stdout=subprocess.DEVNULL)
    return processor_seconds() - before, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("--indexer", type=float, nargs=2, default=(0.0, 0.0))
    parser.add_argument("--import", action="store_true", dest="is_import")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        cache, written = Path(name), Path(name) / "ours.scip"
        spent = export(asked.directory, cache, written)
        theirs, ours = Index(asked.index, asked.directory), Index(written, asked.directory)
        print("export, all places:", score(*compare(theirs, ours)))
        print("without what their index leaves open:", score(*compare(theirs, ours, find_left_open(theirs))))
        for what, own, other in zip(("processor", "wall"), spent, asked.indexer, strict=True):
            ratio = f", {own / other:.2f} of the indexer's" if other else ""
            print(f"{what} time {own:.1f} s{ratio}")
        print("load", *os.getloadavg())
        if asked.is_import:
            with Workspace.open(asked.directory, Settings(cache_directory=cache)) as workspace:
                workspace.index()
                print(measure_import(workspace, asked.index, theirs, cache))


if __name__ == "__main__":
    main()
