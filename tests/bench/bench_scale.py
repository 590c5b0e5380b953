"""A very large tree: python tests/bench/bench_scale.py DIRECTORY CACHE NAME...

Indexes the directory into CACHE (a second run goes on with what is there); asks for the definition and the usages of
each name; searches rare texts, prefiltered and in every file; asks each name of a process that has read nothing; and
indexes a copy of which some 2,000 files differ, as a tag one release away does. The budgets are those of the Linux
kernel on two idle cores: 12 minutes, 2 GiB for all processes together, a store of at most 0.6 of the sources; then
5 ms, 1 s, 50 ms, 6 s and what the difference costs.
"""

from __future__ import annotations

import random
import shutil
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from processor_time import cpu_seconds

from avionics.index.code_index import CodeIndex
from avionics.settings import Settings
from avionics.tools.answers.reasons import describe_reasons
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
            report = code.usages(found[0]) if found else None
            took = time.perf_counter() - began
            if report is not None:
                shown = f"{len(report.usages)} usages, {len(report.unresolved)} open, {report.certainty.value}"
                print(f"{name}: definition {spent[-1] * 1e3:.1f} ms; usages {again} {took * 1e3:.0f} ms: {shown}")
                print("   ", "; ".join(describe_reasons(report.reasons))[:200], flush=True)
    if spent:
        print(f"definition: median {statistics.median(spent) * 1e3:.1f} ms, worst {max(spent) * 1e3:.1f} ms (budget 5)")


def search(workspace: Workspace, count: int = 20) -> None:
    """Searches texts that few files hold, and says how long that took with and without the prefilter."""
    code, drawn = workspace.code, random.Random(8)
    lines = [
        line.strip()
        for path in drawn.sample(code.files, count)
        for line in drawn.sample(workspace.source.lines(path) or ("",), 1)
    ]
    names = [
        s.name for path in drawn.sample(code.files, 5 * count) for s in code.facts(path).symbols if len(s.name) > 12
    ]
    texts = ["no_such_name_at_all", *drawn.sample(names, count), *(line for line in lines if len(line) > 20)]
    spent = {text: find(workspace, code, text, is_narrowed=True) for text in ("first_text", *texts)}
    print(f"the first search of a process: {spent.pop('first_text')[0] * 1e3:.0f} ms")
    took = sorted(each for each, _ in spent.values())
    p90 = took[int(0.9 * (len(took) - 1))]
    print(f"{len(took)} rare texts: median {statistics.median(took) * 1e3:.0f} ms, p90 {p90 * 1e3:.0f} ms (budget 50)")
    for text in texts[:: len(texts) // 3]:
        whole, matches = find(workspace, code, text, is_narrowed=False)
        same = "the same lines" if matches == spent[text][1] else "OTHER LINES"
        print(f"{text[:40]!r}: {spent[text][0] * 1e3:.0f} ms, in every file {whole * 1e3:.0f} ms, {same}", flush=True)


def find(workspace: Workspace, code: CodeIndex, text: str, *, is_narrowed: bool) -> tuple[float, object]:
    """Seconds, and the lines that hold a text."""
    began = time.perf_counter()
    narrow = code.narrow if is_narrowed else None
    found = workspace.source.search(text, paths=code.paths, literal=True, limit=50, narrow=narrow)
    return time.perf_counter() - began, found.matches


def ask_cold(root: Path, names: list[str]) -> None:
    """Asks processes that have read nothing, and says how long each answer took and what it left out."""
    for name in names:
        with (
            tempfile.TemporaryDirectory() as cache,
            Workspace.open(root, Settings(cache_directory=Path(cache))) as cold,
        ):
            began, cpu = time.perf_counter(), cpu_seconds()
            with cold.pinned_index():
                found = cold.code.find_definitions(name)
                defined = time.perf_counter() - began
                report = cold.code.usages(found[0]) if found else None
                took, unread = time.perf_counter() - began, cold.count_unread()
            said = f"{len(report.usages)} usages, {report.certainty.value}" if report else "not found"
            print(f"cold {name}: definition {defined:.1f} s, usages {took:.1f} s (budget 6)", end="")
            print(f", CPU {cpu_seconds() - cpu:.1f} s")
            print(f"    {said}; {unread} files not read in time", flush=True)


def differ(root: Path, cache: Path, count: int = 2_000) -> None:
    """Indexes a copy of which so many files differ, and says what that took."""
    with tempfile.TemporaryDirectory(dir=cache.parent) as made:
        copy = Path(made) / root.name
        shutil.copytree(root, copy, symlinks=True)
        with Workspace.open(copy, Settings(cache_directory=cache)) as workspace:
            before, began, cpu = workspace.store.get_size_bytes(), time.perf_counter(), cpu_seconds()
            files = [file.path for file in workspace.source.walk().files if file.path.endswith((".c", ".h"))]
            changed = random.Random(8).sample(files, min(count, len(files)))
            for number, path in enumerate(changed):
                with (copy / path).open("a") as file:
                    file.write(f"\nint added_{number}(void) {{ return {number}; }}\n")
            report = workspace.index()
            took, grown = time.perf_counter() - began, workspace.store.get_size_bytes() - before
            print(f"a copy with {len(changed)} other files: {report.parsed} read", end="")
            print(f", wall {took:.0f} s, CPU {cpu_seconds() - cpu:.0f} s")
            print(
                f"    the store grew by {grown / 1e6:.0f} MB, {grown / max(1, before):.3f} of what it was", flush=True
            )


if __name__ == "__main__":
    directory, stored, asked = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    with Workspace.open(directory, Settings(cache_directory=stored)) as opened:
        build(opened)
        ask(opened, asked)
        search(opened)
    ask_cold(directory, asked)
    differ(directory, stored)
