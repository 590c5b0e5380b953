"""A very large tree: python tests/bench/bench_scale.py DIRECTORY CACHE NAME...

Indexes the directory into CACHE (a second run goes on with what is there), then asks for the definition and the usages
of each name. The budgets are those of the Linux kernel on two idle cores: 12 minutes, 2 GiB for all processes together,
a store of at most 0.6 of the sources; then 5 ms and 1 s.
"""

from __future__ import annotations

import resource
import statistics
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.settings import Settings
from avionics.workspace import Workspace


class Memory:
    """The most that this process and its children held at a time, in bytes, each shared page counted once."""

    def __init__(self) -> None:
        self.most = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(1.0):
            own = Path("/proc/self/task").glob("*/children")
            pids = ["self", *{pid for file in own for pid in file.read_text().split()}]
            self.most = max(self.most, sum(map(held_by, pids)))


def held_by(pid: str) -> int:
    """The proportional memory of a process, 0 of one that is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def cpu_seconds() -> float:
    """CPU of this process and of its ended children."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def build(workspace: Workspace) -> None:
    """Indexes, and says what it took."""
    began, cpu, told = time.perf_counter(), cpu_seconds(), [0.0]

    def tell(done: int, total: int, done_bytes: int, all_bytes: int) -> None:
        now = time.perf_counter()
        if now - told[0] > 20:
            told[0] = now
            left = (now - began) * (all_bytes - done_bytes) / max(1, done_bytes)
            print(f"  {done}/{total} files, {done_bytes / 1e6:.0f} MB, {left:.0f} s left", flush=True)

    with Memory() as memory:
        report = workspace.index(tell)
    size = sum(entry.size for entry in workspace._snapshot.entries.values() if entry.language)  # type: ignore[union-attr]
    print(f"{report.files} files, {size / 1e6:.0f} MB, {report.parsed} read now, {report.failed} failed")
    print(f"wall {time.perf_counter() - began:.0f} s, CPU {cpu_seconds() - cpu:.0f} s (budget 720 s on two idle cores)")
    print(f"memory of all processes {memory.most / 2**20:.0f} MiB (budget 2048)")
    stored = workspace.store.get_size_bytes()
    print(f"store {stored / 1e6:.0f} MB = {stored / size:.2f} x the sources (budget 0.6)", flush=True)


def ask(workspace: Workspace, names: list[str]) -> None:
    """Asks, and says how long each answer took."""
    began = time.perf_counter()
    code = workspace.code
    print(f"look at all files: {time.perf_counter() - began:.2f} s")
    spent = []
    for name in names:
        began = time.perf_counter()
        found = code.find_definitions(name)
        spent.append(time.perf_counter() - began)
        for again in ("first", "then"):
            began = time.perf_counter()
            report = code.graph.usages(found[0]) if found else None
            took = time.perf_counter() - began
            if report is not None:
                shown = f"{len(report.usages)} usages, {len(report.unresolved)} open, {report.certainty.value}"
                print(f"{name}: definition {spent[-1] * 1e3:.1f} ms; usages {again} {took * 1e3:.0f} ms: {shown}")
                print("   ", "; ".join(report.because)[:200], flush=True)
    if spent:
        print(f"definition: median {statistics.median(spent) * 1e3:.1f} ms, worst {max(spent) * 1e3:.1f} ms (budget 5)")


if __name__ == "__main__":
    with Workspace.open(sys.argv[1], Settings(cache_directory=Path(sys.argv[2]))) as opened:
        build(opened)
        ask(opened, sys.argv[3:])
