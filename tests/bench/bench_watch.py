"""How long commands take with `avionics watch` and without, against a bare Python.

    python tests/bench/bench_watch.py [DIR]

DIR is the repository that is asked about, this one unless given. The processor time is that of the client and of the
warm process together; the best time of many is printed beside the median, because other work on the machine only adds.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from processor_time import cpu_seconds

ROUNDS = 25
HERE = Path(__file__).resolve().parents[2]
BUDGET_RATIO, BUDGET_MS = 5.0, 60.0


def measure(command: list[str], environment: dict[str, str], root: str) -> tuple[float, float, float]:
    """Return the best and the median wall time and the mean processor time of a command, in milliseconds."""
    times = []
    before = cpu_seconds()
    for _ in range(ROUNDS):
        started = time.perf_counter()
        subprocess.run(
            command, env=environment, cwd=root, check=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        times.append((time.perf_counter() - started) * 1000)
    return min(times), statistics.median(times), (cpu_seconds() - before) / ROUNDS * 1000


def main() -> None:
    """Print one line a command: wall times and processor time with and without the warm process."""
    root = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else HERE)
    program = [sys.executable, "-m", "avionics"]
    questions = (
        ["ask", "who uses main?"], ["ask", "main"], ["refs", "main"], ["def", "main"], ["grep", "def main"], ["status"],
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "AVIONICS_CACHE_DIR": cache, "PYTHONPATH": str(HERE), "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([*program, "index"], env=environment, cwd=root, check=True, stdout=subprocess.DEVNULL)
        cold = [measure([*program, *question], environment, root) for question in questions]
        with subprocess.Popen(
            [*program, "watch"], env=environment, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
        ) as running:
            assert running.stdout is not None
            running.stdout.readline()
            for question in questions:
                subprocess.run([*program, *question], env=environment, cwd=root, check=True, capture_output=True)
            floor = measure([sys.executable, "-c", "pass"], environment, root)
            show("python -c pass", floor, floor)
            for question, alone in zip(questions, cold, strict=True):
                warm = measure([*program, *question], environment, root)
                show(f"{' '.join(question)}, warm process", warm, floor, is_budgeted=True)
                show("  without", alone, floor)
            running.terminate()


def show(
    name: str, taken: tuple[float, float, float], floor: tuple[float, float, float], *, is_budgeted: bool = False
) -> None:
    """Print a line."""
    best, median, processor = taken
    goal = f"   goal {BUDGET_RATIO:.0f} ×, {BUDGET_MS:.0f} ms" if is_budgeted else ""
    print(
        f"{name:34} best {best:6.1f} ms {best / floor[0]:5.1f} ×  median {median:6.1f} ms  "
        f"processor {processor:6.1f} ms {processor / floor[2]:5.1f} ×{goal}"
    )


if __name__ == "__main__":
    main()
