"""How long `avionics check` takes as a process, after edits of some files of a repository.

    python tests/bench/bench_check_process.py CHECKOUT [--files 1] [--runs 5] [--seed 3]

A clone is indexed first; every edited file has one function renamed, or given a parameter. The time of git and other
children counts. The first run, which parses what was edited, is apart. A large check uses a second core if one is
idle: wall time is printed beside processor time. CHECKOUT is only read.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_check_edit import _FUNCTION, edit


def run(root: Path, cache: Path, *command: str) -> tuple[float, float]:
    """Run a command of avionics in a directory; return its wall time and processor time, with children, in seconds."""
    started, before = time.perf_counter(), os.times()
    environment = {**os.environ, "AVIONICS_CACHE_DIR": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # Else every process compiles the sources.
    program = (sys.executable, "-m", "avionics", *command)
    subprocess.run(program, cwd=root, env=environment, stdout=subprocess.DEVNULL, check=False)
    wall, after = time.perf_counter() - started, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def change_files(root: Path, count: int, seed: int) -> int:
    """Edit some files; return how many."""
    chance, done = random.Random(seed), 0
    files = [path for path in sorted(root.rglob("*.py")) if "tests" not in path.parts]
    for path in chance.sample(files, len(files)):
        text = path.read_text("utf-8", "surrogateescape")
        matches = list(_FUNCTION.finditer(text))
        if matches and done < count:
            changed = edit(text, chance.choice(matches), renames=done % 2 == 1)
            path.write_text(changed, "utf-8", "surrogateescape")
            done += 1
    return done


def main() -> None:
    """Print the first run and the medians of the others."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        root, cache = Path(directory) / "r", Path(directory) / "cache"
        subprocess.run(["git", "clone", "-q", str(options.checkout.resolve()), str(root)], check=True)
        run(root, cache, "index")
        count = change_files(root, options.files, options.seed)
        first, first_cpu = run(root, cache, "check")
        later = [run(root, cache, "check") for _ in range(options.runs)]
    wall, cpu = (statistics.median(each) for each in zip(*later, strict=True))
    print(f"{options.checkout.name}: {count} files edited; seconds of wall time (processor time in parentheses):")
    print(f"first {first:.2f} ({first_cpu:.2f}), then {wall:.2f} ({cpu:.2f}), the median of {options.runs}")


if __name__ == "__main__":
    main()
