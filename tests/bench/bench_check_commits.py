"""Whether `avionics check` reports errors in merged commits, which their maintainers considered whole.

    python tests/bench/bench_check_commits.py CHECKOUT … [--commits 30] [--step 3]

Each commit is compared with its first parent; every error is printed, to be read: the commit may be broken, or the
report wrong. Merge commits are taken where there are enough of them, else every commit of the first-parent line.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

from avionics.index.verdicts.check import check_change
from avionics.model.errors import AvionicsError
from avionics.settings import Settings
from avionics.tools.resolution.revision_pair import open_revision_pair
from avionics.workspace import Workspace


def list_commits(root: Path, count: int, step: int) -> list[str]:
    """Return the latest commits of the first-parent line that touch files, every `step`th of them."""
    command = ["git", "log", "--first-parent", "--format=%H", f"--max-count={count * step}", "HEAD"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.split()[::step]


def measure(root: Path, count: int, step: int) -> tuple[int, int, int]:
    """Print the errors of one repository; return commits, errors, and commits with errors."""
    commits = errors = broken = 0
    slowest = 0.0
    with tempfile.TemporaryDirectory() as cache, Workspace.open(root, Settings(cache_directory=Path(cache))) as opened:
        for commit in list_commits(root, count, step):
            try:
                pair = open_revision_pair(opened, f"{commit}^", commit)
                before, after = pair.base.code, pair.head.code
                started = time.process_time()
                verdict = check_change(before, after, pair.files)
            except AvionicsError:
                continue
            slowest = max(slowest, time.process_time() - started)
            found = [each for each in verdict.findings if each.severity.value == "error"]
            commits, errors, broken = commits + 1, errors + len(found), broken + bool(found)
            for each in found:
                place = f"{each.broken[0]} and {len(each.broken) - 1} more" if each.broken[1:] else str(each.broken[0])
                line = after.read_text(each.broken[0].file).split("\n")[each.broken[0].line - 1].strip()
                what = f"{each.rule.value} {each.cause.value} {each.subject} {each.detail}"
                print(f"  {commit[:10]} {place} {what} | {line[:100]}", flush=True)
    print(f"{root.name}: {commits} commits, {broken} with {errors} errors; slowest {slowest:.1f} s CPU", flush=True)
    return commits, errors, broken


def main() -> None:
    """Print the errors of every repository, and their sum."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+", metavar="CHECKOUT")
    parser.add_argument("--commits", type=int, default=30)
    parser.add_argument("--step", type=int, default=3)
    options = parser.parse_args()
    sums = [measure(Path(each).resolve(), options.commits, options.step) for each in options.repositories]
    commits, errors, broken = map(sum, zip(*sums, strict=True))
    print(f"all: {commits} commits, {broken} with {errors} errors")


if __name__ == "__main__":
    main()
