"""One edited file, until the index reflects it: python tests/bench/bench_edit.py [DIRECTORY]

Without a directory it makes one of 10,000 files; the budget is 100 ms there. A given directory is copied first. The
workspace is made ready as a server makes it.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench_warm_start import median_ms, scan

from avionics.settings import Settings
from avionics.workspace import Workspace

EDITS = 20


def write_small_tree(root: Path, files: int) -> Path:
    """Makes a source tree of so many short files."""
    for number in range(files):
        path = root / f"package_{number // 100}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"import os\n\n\ndef function_{number}(value: int) -> int:\n    return other_{number % 50}(value)\n"
        )
    return root


def measure(root: Path) -> None:
    """Prints the times for one directory, whose Python files it edits."""
    with (
        tempfile.TemporaryDirectory() as cache,
        Workspace.open(root, Settings(cache_directory=Path(cache))) as workspace,
    ):
        workspace.index()
        workspace.watch()
        workspace.prepare()
        time.sleep(1)
        bare = median_ms(lambda: scan(str(root)))
        paths = [file.path for file in workspace.source.walk().files if file.path.endswith(".py")]
        taken, busy = [], []
        for number, path in enumerate(paths[:: max(1, len(paths) // EDITS)][:EDITS]):
            with (root / path).open("a") as file:
                file.write(f"\ndef edited_{number}(): pass\n")
            started, busy_before = time.perf_counter(), time.process_time()
            code = workspace.code
            found = code.find_definitions(f"edited_{number}")
            taken.append((time.perf_counter() - started) * 1000)
            busy.append((time.process_time() - busy_before) * 1000)
            assert [definition.file for definition in found] == [path]
    print(f"{len(paths)} Python files; bare stat scan {bare:.1f} ms")
    print(f"edit to answer: median {statistics.median(taken):.1f} ms, worst {max(taken):.1f} ms")
    middle = statistics.median(busy)
    print(f"its CPU: median {middle:.1f} ms = {middle / bare:.2f} x the scan's, worst {max(busy):.1f} ms")
    print("budget: 100 ms at 10,000 files")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        if len(sys.argv) > 1:
            measure(Path(shutil.copytree(sys.argv[1], Path(made) / "copy", symlinks=True)))
        else:
            measure(write_small_tree(Path(made), 10_000))
