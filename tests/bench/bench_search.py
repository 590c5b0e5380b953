"""A warm ranked search: python tests/bench/bench_search.py DIRECTORY [CACHE]

Asks `search_code` forty questions, twice each, in one process over one index: what the first sentence of a definition's
documentation says, spread over the repository. Prints the median and the 95th percentile of the second asking, with a
watch on the files (as a server has it) and with a look at every one of them (as a command line has it). CACHE keeps the
index; without it one is made and dropped. Budgets: median 30 ms at 3,000 files, 150 ms at 60,000.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.settings import Settings
from avionics.tools.answers.items import first_sentence
from avionics.tools.unified.search_code import search_code
from avionics.workspace import Workspace

QUESTIONS = 40
LEAST_WORDS = 4


def iter_questions(workspace: Workspace) -> Iterator[str]:
    """What definitions of files far from one another are said to do."""
    files = workspace.code.files
    for number in range(0, len(files), max(1, len(files) // (QUESTIONS * 10))):
        said = (first_sentence(symbol.doc) for symbol in workspace.code.facts(files[number]).symbols)
        question = next((each for each in said if len(each.split()) >= LEAST_WORDS), "")
        if question:
            yield question.strip(" —")


def ask(workspace: Workspace, questions: list[str]) -> list[tuple[float, float]]:
    """Wall and processor time of each question, in milliseconds."""
    taken = []
    for question in questions:
        started, worked = time.perf_counter(), time.process_time()
        search_code(workspace, question)
        taken.append(((time.perf_counter() - started) * 1000, (time.process_time() - worked) * 1000))
    return taken


def report(what: str, taken: list[tuple[float, float]]) -> None:
    """Prints the median and the 95th percentile."""
    wall, work = (sorted(each) for each in zip(*taken, strict=True))
    last = int(len(wall) * 0.95)
    print(
        f"{what}: median {statistics.median(wall):.0f} ms, p95 {wall[last]:.0f} ms"
        f" (CPU {statistics.median(work):.0f} and {work[last]:.0f} ms)"
    )


def measure(root: Path, cache: Path) -> None:
    """Prints the figures for one directory."""
    with Workspace.open(root, Settings(cache_directory=cache)) as workspace:
        workspace.index()
        with workspace.pinned_index():
            questions = list(iter_questions(workspace))[:QUESTIONS]
        print(f"{len(workspace.code.files)} files, {len(questions)} questions")
        ask(workspace, questions)
        report("looking at every file", ask(workspace, questions))
        if workspace.watch():
            ask(workspace, questions[:1])
            report("with a watch on them", ask(workspace, questions))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        measure(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        with tempfile.TemporaryDirectory() as directory:
            measure(Path(sys.argv[1]), Path(directory))
