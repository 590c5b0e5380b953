"""Warm start with nothing changed against a bare stat scan: python tests/bench/bench_warm_start.py [DIRECTORY]

Prints ratios of processor times, which cores shared with other work change little; the budget is at most three times
the scan.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.settings import Settings
from avionics.workspace import Workspace


def scan(root: str) -> int:
    """A stat of every file below the root."""
    found = 0
    with os.scandir(root) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                found += scan(entry.path)
            else:
                entry.stat(follow_symlinks=False)
                found += 1
    return found


def median_ms(work: Callable[[], object], times: int = 9) -> float:
    """The median processor time of some work."""
    taken = []
    for _ in range(times):
        started = time.process_time()
        work()
        taken.append((time.process_time() - started) * 1000)
    return statistics.median(taken)


def measure(root: Path) -> None:
    """Prints the ratios for one directory."""
    with tempfile.TemporaryDirectory() as cache:
        settings = Settings(cache_directory=Path(cache))
        with Workspace.open(root, settings) as workspace:
            workspace.index()
            time.sleep(0.1)
            workspace.index()
            bare = median_ms(lambda: scan(str(root)))
            walk = median_ms(workspace.source.walk)
            again = median_ms(workspace.index)
        opened = median_ms(lambda: open_and_index(root, settings))
    print(f"{scan(str(root))} files; bare stat scan {bare:.1f} ms; walk with ignore rules {walk / bare:.2f} x")
    print(f"refresh, nothing changed {again:.1f} ms = {again / bare:.2f} x the scan (budget 3)")
    print(f"open and refresh {opened:.1f} ms = {opened / bare:.2f} x the scan (budget 3)")


def open_and_index(root: Path, settings: Settings) -> None:
    """What a new process does before its first answer."""
    with Workspace.open(root, settings) as workspace:
        workspace.index()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(Path(sys.argv[1]))
    else:
        from bench_index import write_tree

        with tempfile.TemporaryDirectory() as made:
            measure(write_tree(Path(made), 3_000))
