"""The memory that nonsense takes in each grammar's parser, bare and in our workers: python tests/bench/bench_parsers.py

For every grammar some tokens are repeated to 4 KB and to 24 KB. Each such file is parsed in a process of its own, once
as tree-sitter does it, with 3 GB at the most, and once by a worker. Printed are the worst of each, and what a worker
costs: its start, and the handing over of a small file against reading it here.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.index.facts.worker_process import Worker
from avionics.index.facts.worker_protocol import Task, perform
from avionics.syntax.engine.grammars import has_grammar
from avionics.syntax.registry import LANGUAGES, require_rules

TOKENS = ("x=>", "=<a", "<a", "x<", "where >x=<", "x:", "f(", "*(x)", ")", "[", "/*", "</", "..", ";[", "!#xx=>", "f'{")
"""The worst that a search among 400 combinations of one to four words found, for any grammar."""

BARE = """
import resource, sys
from tree_sitter import Parser
from avionics.syntax.engine.grammars import load_grammar
from avionics.syntax.registry import require_rules
resource.setrlimit(resource.RLIMIT_DATA, (3_000_000_000,) * 2)
content = sys.stdin.buffer.read()
tree = Parser(load_grammar(require_rules(sys.argv[1]).grammar)).parse(content)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
SIZES = (4_000, 24_000)


def main() -> None:
    names = sys.argv[1:] or [name for name in sorted(LANGUAGES) if has_grammar(require_rules(name).grammar)]
    print(f"{'language':12} {'bytes':>6}  {'worst token':14} {'bare MB':>8}  {'worker MB':>9}  {'said':>8}")
    for name in names:
        for size in SIZES:
            worst = max(TOKENS, key=lambda token: measure_bare(name, token, size))
            bare, (ours, said) = measure_bare(name, worst, size), measure_worker(name, worst, size)
            print(f"{name:12} {size:6}  {worst!r:14} {bare if bare < LOST else '> 3000':>8}  {ours:9}  {said:>8}")
    measure_cost()


LOST = 1 << 30


def to_content(token: str, size: int) -> bytes:
    return (token * (size // len(token))).encode()


def measure_bare(language: str, token: str, size: int) -> int:
    """Megabytes at the peak; more than anything where the process ended."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", BARE, language], input=to_content(token, size), env=environment,
                          capture_output=True, check=False, timeout=120)  # fmt: skip
    return int(done.stdout) if done.returncode == 0 else LOST


def measure_worker(language: str, token: str, size: int) -> tuple[int, str]:
    """The same of a worker, and whether it told what is in the file."""
    worker = Worker()
    worker.perform([Task(b"", language)])
    assert worker._process is not None
    watcher = Path(f"/proc/{worker._process.pid}/status").open()  # noqa: SIM115
    task = Task(to_content(token, size), language)
    from threading import Thread

    thread = Thread(target=worker.perform, args=([task],))
    thread.start()
    peak, pid = 0, worker._process.pid
    while thread.is_alive():
        try:
            watcher.seek(0)
            peak = max(peak, *(int(line.split()[1]) for line in watcher if line.startswith("VmHWM")), 0)
        except OSError:
            pass
        time.sleep(0.002)
    watcher.close()
    is_whole = worker._process is not None and worker._process.pid == pid
    worker.stop()
    return peak // 1024, "facts" if is_whole else "unread"


def measure_cost() -> None:
    """What the detour costs, in the processor's time of both processes."""
    tasks = [Task(b"def f(x):\n    return g(x)\n" * 40, "python")]
    worker, before = Worker(), spent()
    worker.perform([Task(b"", "python")])
    worker.stop()
    start = spent() - before
    before = spent()
    for _ in range(TIMES):
        worker.perform(tasks)
    worker.stop()
    there, before = (spent() - before - start) / TIMES, spent()
    for _ in range(TIMES):
        perform(tasks[0])
    here = (spent() - before) / TIMES
    print(f"start {start * 1e3:.0f} ms; a file of 1 KB {there * 1e3:.2f} ms there, {here * 1e3:.2f} ms here (CPU)")


TIMES = 500


def spent() -> float:
    """Processor seconds of this process and of those that ended."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main()
