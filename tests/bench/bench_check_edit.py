"""How long a check takes after an edit in a resident process, as a language server runs it.

    python tests/bench/bench_check_edit.py CHECKOUT [--edits 40] [--seed 5] [--cache DIRECTORY]

Each edit renames a function of a file in an open buffer or gives it a parameter; three more edits of the same file
follow. Times are processor time in milliseconds, the first edit of a file and the following ones apart. Garbage is
collected between the edits, as the server does in the pauses of typing; its time is printed apart. A cache directory
is used again by the next run; without one, the index is built first. CHECKOUT is only read.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from pathlib import Path

from avionics.index.verdicts.check import check_change, list_changed_files
from avionics.overlay import Overlays
from avionics.server_memory import collect_garbage, collect_rarely
from avionics.settings import Settings
from avionics.workspace import Workspace

_FUNCTION = re.compile(r"^ *def (\w+)\((self, )?", re.M)


def edit(text: str, match: re.Match[str], *, renames: bool) -> str:
    """Return the text with a function renamed, or with one more parameter."""
    if renames:
        return f"{text[: match.end(1)]}Zz{text[match.end(1) :]}"
    return f"{text[: match.end()]}extra, {text[match.end() :]}"


def main() -> None:
    """Print median and 95th percentile."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    first: list[float] = []
    again: list[float] = []
    pauses: list[float] = []
    collect_rarely()
    with (
        tempfile.TemporaryDirectory() as directory,
        Workspace.open(options.checkout, Settings(cache_directory=options.cache or Path(directory))) as workspace,
    ):
        workspace.index()
        before = workspace.at("HEAD").code
        workspace.watch()
        overlays = Overlays(workspace)
        files = [file for file in before.files if file.endswith(".py") and "/tests/" not in f"/{file}"]
        while len(first) < options.edits:
            file = chance.choice(files)
            text = (options.checkout / file).read_text("utf-8", "surrogateescape")
            matches = list(_FUNCTION.finditer(text))
            if not matches:
                continue
            edited = edit(text, chance.choice(matches), renames=len(first) % 2 == 0)
            for number in range(4):
                buffer = f"{edited}{'# more' * number}".encode("utf-8", "surrogateescape")
                started = time.process_time()
                after = overlays.at({file: buffer}).code
                check_change(before, after, list_changed_files(before, after))
                checked = time.process_time()
                (again if number else first).append(1000 * (checked - started))
                collect_garbage()
                pauses.append(1000 * (time.process_time() - checked))
    for name, times in (("first edit of a file", first), ("next edits", again), ("garbage collection", pauses)):
        times.sort()
        print(f"{name}: median {times[len(times) // 2]:.0f} ms, p95 {times[int(len(times) * 0.95)]:.0f} ms CPU")


if __name__ == "__main__":
    main()
