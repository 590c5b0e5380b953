"""How long the command line takes from a cold process, in multiples of a bare Python.

    python tests/bench/bench_cli.py [DIR]

DIR is the repository that is asked about, this one unless given; it is indexed first. Edits are made to a copy. Prints
the median of the wall times and, for machines that do something else besides, the least processor time.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from language_server import Server

ROUNDS = 11
HERE = Path(__file__).resolve().parents[2]
AVIONICS = [sys.executable, "-m", "avionics.cli"]
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
CALL = {"name": "locate", "arguments": {"symbol": "main"}}
MESSAGES = (
    {"id": 1, "method": "initialize", "params": HELLO},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/call", "params": CALL},
)

Times = tuple[float, float]
"""Wall and processor time, in milliseconds."""


def measure(run: Callable[[], Times]) -> Times:
    """The median wall time and the least processor time of several runs."""
    runs = [run() for _ in range(ROUNDS)]
    return statistics.median(wall for wall, _ in runs), min(cpu for _, cpu in runs)


def command(words: list[str], environment: dict[str, str], edited: Path | None = None) -> Times:
    """One process, started cold; after a file got one more line, if one is given."""
    if edited is not None:
        edited.write_bytes(edited.read_bytes() + b"\n# %d\n" % time.time_ns())
    started = time.perf_counter()
    process = subprocess.Popen(words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return ended(process, started)


def server(repo: str, environment: dict[str, str]) -> Times:
    """One MCP server, from its start to its first answer."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [*AVIONICS, "serve", "--repo", repo], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n" for each in MESSAGES))
    process.stdin.flush()
    while json.loads(process.stdout.readline()).get("id") != 2:
        pass
    wall = (time.perf_counter() - started) * 1000
    process.stdin.close()
    process.stdout.read()
    return wall, ended(process, started)[1]


def editor_server(repo: str, environment: dict[str, str]) -> Times:
    """One language server, from its start to its first answer with a place in it."""
    started = time.perf_counter()
    asked = Server([*AVIONICS, "lsp"], Path(repo), environment)
    while not asked.ask("workspace/symbol", query="main"):
        time.sleep(0.01)
    wall = (time.perf_counter() - started) * 1000
    return wall, ended(asked.leave(), started)[1]


def ended(process: subprocess.Popen[bytes], started: float) -> Times:
    """Wait for a process."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.args
    return (time.perf_counter() - started) * 1000, (used.ru_utime + used.ru_stime) * 1000


def main() -> None:
    """Prints one line a command: what it takes, over what floor, and its budget."""
    repo = sys.argv[1] if len(sys.argv) > 1 else str(HERE)
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "AVIONICS_CACHE_DIR": cache, "PYTHONPATH": str(HERE), "PYTHONPYCACHEPREFIX": cache}
        # An installed package is compiled; a checkout may not be.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([*AVIONICS, "index", "--repo", repo], env=environment, check=True)
        floor = measure(lambda: command([sys.executable, "-c", "pass"], environment))
        show("python -c pass", floor, floor, None)
        if program := shutil.which("rg"):
            show("rg -w main", measure(lambda: command([program, "-qw", "main", repo], environment)), floor, None)
        located = ["run", "locate", "--param", "symbol=main"]
        for name, budget, arguments in (
            ("avionics --version", None, ["--version"]),
            ("avionics run locate, warm index", 9, [*located, "--repo", repo]),
            ("avionics ask, warm index", 13, ["ask", "main", "--repo", repo]),
        ):
            words = [*AVIONICS, *arguments]
            show(name, measure(lambda words=words: command(words, environment)), floor, budget)
        show("avionics serve, first answer", measure(lambda: server(repo, environment)), floor, 32)
        show("avionics lsp, first answer", measure(lambda: editor_server(repo, environment)), floor, None)
        copy = Path(cache, "copy")
        shutil.copytree(HERE / "avionics", copy, ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([*AVIONICS, "index", "--repo", str(copy)], env=environment, check=True)
        edited = copy / "cli" / "main.py"
        for name, arguments in (
            ("avionics run locate, one edit", located),
            ("avionics ask, one edit", ["ask", "main"]),
        ):
            words = [*AVIONICS, *arguments, "--repo", str(copy)]
            show(name, measure(lambda words=words: command(words, environment, edited)), floor, None)


def show(name: str, taken: Times, floor: Times, budget: int | None) -> None:
    """Prints a line."""
    (wall, cpu), promised = taken, f"   budget {budget} ×" if budget else ""
    print(
        f"{name:34} wall {wall:6.0f} ms {wall / floor[0]:5.1f} ×   CPU {cpu:6.0f} ms {cpu / floor[1]:5.1f} ×{promised}"
    )


if __name__ == "__main__":
    main()
