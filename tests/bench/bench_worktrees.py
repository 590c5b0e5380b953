"""Many worktrees of one repository: python tests/bench/bench_worktrees.py REPOSITORY [HOW_MANY]

Adds worktrees of its HEAD beside a copy, each asked once by a new workspace: first so that one differs, then so that
each has a file of its own. The budgets are 1.5 times the store of one for 100 of them, and 1 s for the first answer in
a new one.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.settings import Settings
from avionics.workspace import Workspace


def measure(repository: Path, count: int, *, all_differ: bool) -> None:
    """Prints the ratio of the stores, and the times."""
    with tempfile.TemporaryDirectory() as made:
        base, settings = Path(made) / "base", Settings(cache_directory=Path(made) / "cache")
        subprocess.run(["git", "clone", "-q", "--local", str(repository), str(base)], check=True)
        with Workspace.open(base, settings) as workspace:
            report = workspace.index()
            symbols = workspace.code.facts(workspace.code.files[len(workspace.code.files) // 2]).symbols
            name = symbols[0].name if symbols else "main"
        one = size_of(settings)
        spent = []
        for number in range(count):
            place = Path(made) / f"tree{number}"
            command = ["git", "-C", str(base), "worktree", "add", "-q", "--detach", str(place)]
            subprocess.run(command, check=True, capture_output=True)
            differs = all_differ or number == count - 1
            if differs:
                (place / "only_here.py").write_text(f"def only_in_{number}():\n    return {name}\n")
            started = time.perf_counter()
            with Workspace.open(place, settings) as workspace:
                with workspace.pinned_index():
                    found = workspace.code.find_definitions(f"only_in_{number}")
                    assert len(found) == differs, found
                    assert workspace.code.find_definitions(name)
                spent.append(time.perf_counter() - started)
            command = ["git", "-C", str(base), "worktree", "remove", "--force", str(place)]
            subprocess.run(command, check=True, capture_output=True)
        many = size_of(settings)
    print("each has a file of its own" if all_differ else "one has a file of its own")
    print(f"{report.files} files; store of one {one / 1e6:.2f} MB, of {count + 1} {many / 1e6:.2f} MB")
    print(f"disk {many / one:.2f} x one (budget 1.5)")
    print(f"first answer: median {statistics.median(spent):.2f} s, worst {max(spent):.2f} s (budget 1)")


def size_of(settings: Settings) -> int:
    """What the store takes when nobody has it open."""
    with Workspace.open(".", settings) as workspace:
        return workspace.store.get_size_bytes()


if __name__ == "__main__":
    for each in (False, True):
        measure(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 100, all_differ=each)
