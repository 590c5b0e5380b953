"""How long the command line takes from a cold process, against a bare Python.

    python tests/bench/bench_cli.py [DIR]

DIR is the repository that is asked about, this one unless given; it is indexed first. Edits are made to a copy.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 11
HERE = Path(__file__).resolve().parents[2]


def milliseconds(command: list[str], environment: dict[str, str], edited: Path | None = None) -> float:
    """The median time of a process, started cold every time; each time after a file got one more line."""
    times = []
    for number in range(ROUNDS):
        if edited is not None:
            edited.write_bytes(edited.read_bytes() + b"\n# %d\n" % number)
        started = time.perf_counter()
        subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def main() -> None:
    """Prints one line a command: what it takes, over what floor, and its budget."""
    repo = sys.argv[1] if len(sys.argv) > 1 else str(HERE)
    avionics = [sys.executable, "-m", "avionics.cli"]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "AVIONICS_CACHE_DIR": cache, "PYTHONPATH": str(HERE), "PYTHONPYCACHEPREFIX": cache}
        # An installed package is compiled; a checkout may not be.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([*avionics, "index", "--repo", repo], env=environment, check=True)
        floor = milliseconds([sys.executable, "-c", "pass"], environment)
        print(f"{'python -c pass':34} {floor:6.0f} ms   1.0 ×")
        for name, budget, arguments in (
            ("avionics --version", floor + 60, ["--version"]),
            ("avionics run locate, warm index", 250, ["run", "locate", "--param", "symbol=main", "--repo", repo]),
            ("avionics ask, warm index", 250, ["ask", "main", "--repo", repo]),
        ):
            show(name, milliseconds([*avionics, *arguments], environment), floor, budget)
        copy = Path(cache, "copy")
        shutil.copytree(HERE / "avionics", copy, ignore=shutil.ignore_patterns("__pycache__"))
        subprocess.run([*avionics, "index", "--repo", str(copy)], env=environment, check=True)
        for name, arguments in (
            ("avionics run locate, one edit", ["run", "locate", "--param", "symbol=main"]),
            ("avionics ask, one edit", ["ask", "main"]),
        ):
            command = [*avionics, *arguments, "--repo", str(copy)]
            show(name, milliseconds(command, environment, copy / "cli" / "main.py"), floor, 250)


def show(name: str, taken: float, floor: float, budget: float) -> None:
    """Prints a line."""
    print(f"{name:34} {taken:6.0f} ms {taken / floor:5.1f} ×   budget {budget:.0f} ms")


if __name__ == "__main__":
    main()
