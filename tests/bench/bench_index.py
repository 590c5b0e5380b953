"""Cold index against the bare parse of the same files: python tests/bench/bench_index.py [DIRECTORY]

Prints ratios; the budgets are CPU at most 2.5 times the bare parse, and on two idle cores wall at most 0.6 of CPU.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from processor_time import cpu_seconds

from avionics.settings import Settings
from avionics.syntax.engine import grammars
from avionics.syntax.registry import get_language, require_rules
from avionics.workspace import Workspace


def write_tree(root: Path, files: int) -> Path:
    """Makes a source tree of so many files of some 150 lines."""
    for number in range(files):
        path = root / f"package_{number // 50}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        functions = "".join(
            f"    def method_{n}(self, first: int, second: str = 'x') -> list[int]:\n"
            f'        """Return what {n} makes of first and second."""\n'
            f"        values = [self.attribute_{n} + first for _ in range({n})]\n"
            f"        return helper_{number % 97}(values, key=second).finish_{n}()\n\n"
            for n in range(30)
        )
        path.write_text(
            f"import os\nfrom package_0 import module_0\n\n\nclass Thing{number}(module_0.Thing0):\n{functions}"
        )
    return root


def measure(root: Path) -> None:
    """Prints the ratios for one directory."""
    with (
        tempfile.TemporaryDirectory() as cache,
        Workspace.open(root, Settings(cache_directory=Path(cache))) as workspace,
    ):
        paths = [file.path for file in workspace.source.walk().files if get_language(file.path)]
        found = workspace.source.iter_contents(paths)
        contents = {(content.data, require_rules(get_language(content.path) or "").grammar) for content in found}
        for grammar in {grammar for _, grammar in contents}:
            grammars.parse(b"", grammar)
        started = cpu_seconds()
        for content, grammar in contents:
            grammars.parse(content, grammar)
        bare = cpu_seconds() - started
        started, wall = cpu_seconds(), time.perf_counter()
        report = workspace.index()
        cpu, wall = cpu_seconds() - started, time.perf_counter() - wall
        size = sum(len(content) for content, _ in contents)
        stored = workspace.store.get_size_bytes()
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"{report.files} files, {report.parsed} contents, {size / 1e6:.1f} MB; bare parse {bare:.2f} s")
    print(f"index CPU {cpu:.2f} s = {cpu / bare:.2f} x bare parse (budget 2.5)")
    print(
        f"index wall {wall:.2f} s = {wall / cpu:.2f} x its CPU on {os.cpu_count()} cores (budget 0.6 on 2 idle cores)"
    )
    print(
        f"store {stored / 1e6:.1f} MB = {stored / size:.2f} x the sources; peak memory of a process {peak / 1e3:.0f} MB"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as made:
            measure(write_tree(Path(made), 1_500))
