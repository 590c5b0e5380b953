"""Cold answers against those of an index: python tests/bench/bench_cold.py DIRECTORY [HOW_MANY]

Takes symbols of the directory at random, asks each of a process that has never seen the tree, compares definition and
usages with those of the built index. The budget is 1.5 s an answer (Django), 6 s (the Linux kernel).
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.model.enums import SymbolKind
from avionics.model.knowledge import Definition, UsageReport
from avionics.settings import Settings
from avionics.workspace import Workspace

KINDS = {SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS}


def choose(workspace: Workspace, count: int) -> list[str]:
    """Names of definitions, each of its own file."""
    drawn = random.Random(8)
    files = [file for file in workspace.code.files if "test" not in file]
    names: list[str] = []
    while len(names) < count:
        symbols = [s for s in workspace.code.facts(drawn.choice(files)).symbols if s.kind in KINDS and len(s.name) > 3]
        if symbols:
            names.append(drawn.choice(symbols).qualname)
    return names


def told(definitions: tuple[Definition, ...], report: UsageReport | None) -> tuple[object, ...]:
    """What two answers must agree on."""
    places = tuple((u.file, u.line, u.column) for u in report.usages) if report else ()
    # Answers show them sorted, so their order is none of it.
    unresolved = tuple(sorted((u.file, u.line, u.column) for u in report.unresolved)) if report else ()
    return [(d.file, d.line) for d in definitions], places, unresolved, report.certainty if report else None


def ask(workspace: Workspace, name: str) -> tuple[tuple[object, ...], float, float, bool]:
    """Answer, seconds to the definition, seconds to the usages, and whether it says that files were not read."""
    started = time.perf_counter()
    with workspace.pinned_index():
        definitions = workspace.code.find_definitions(name)
        defined = time.perf_counter() - started
        report = workspace.code.usages(definitions[0]) if definitions else None
        spent = time.perf_counter() - started
        return told(definitions, report), defined, spent, bool(getattr(workspace.code, "unread", ()))


def measure(root: Path, count: int, kept: Path | None) -> None:
    """Prints how the cold answers compare."""
    with tempfile.TemporaryDirectory() as made:
        with Workspace.open(root, Settings(cache_directory=kept or Path(made) / "built")) as built:
            built.index()
            names = choose(built, count)
            expected = {name: ask(built, name)[0] for name in names}
        equal, honest, wrong, defined, spent = 0, 0, [], [], []
        for number, name in enumerate(names):
            with Workspace.open(root, Settings(cache_directory=Path(made) / str(number))) as cold:
                answer, to_definition, to_usages, is_partial = ask(cold, name)
            defined.append(to_definition)
            spent.append(to_usages)
            if answer == expected[name]:
                equal += 1
            elif is_partial:
                honest += 1
            else:
                wrong.append(name)
        print(f"{equal} of {count} equal, {honest} partial and said so, {len(wrong)} other: {wrong}")
        for what, values in (("definition", defined), ("definition and usages", spent)):
            ordered = sorted(values)
            p95 = ordered[int(0.95 * (len(ordered) - 1))]
            print(f"{what}: median {statistics.median(values):.2f} s, p95 {p95:.2f} s, worst {ordered[-1]:.2f} s")
        print(f"as a process: {whole_process(root, Path(made) / 'process', names[0]):.2f} s")


def whole_process(root: Path, cache: Path, name: str) -> float:
    """Seconds that the command line takes, cold."""
    started = time.perf_counter()
    command = [sys.executable, "-m", "avionics.cli", "run", "explore_symbol_usage", "--repo", str(root)]
    environment = {"AVIONICS_CACHE_DIR": str(cache), "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    subprocess.run([*command, "--param", f"symbol={name}"], env=environment, check=False, capture_output=True)
    return time.perf_counter() - started


if __name__ == "__main__":
    built_cache = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    measure(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50, built_cache)
