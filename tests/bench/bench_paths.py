"""Whether `find_path` finds the ways that a reader of the code finds, and none where there is none.

    python tests/bench/bench_paths.py DIRECTORY [--cache DIRECTORY] [--seconds 30] [--only NAME]

DIRECTORY has the repositories of path_pairs.txt by their names. The pairs and what a path passes through were written
from the code, before any answer was seen. A pair is right if one of the shown paths passes through what is named, in
order, by steps of which none is only possible; where there is no way, if no path without possible steps is shown.
Pairs right by possible steps alone are counted apart.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from avionics.cancellation import limit_answer
from avionics.settings import Settings
from avionics.tools.composite.find_path import FindPathAnswer, find_path
from avionics.workspace import Workspace


class Pair(Struct, frozen=True):
    """A start, a goal, and the names between; None where there is no way."""

    repository: str
    start: str
    goal: str
    through: tuple[str, ...] | None


def read_pairs() -> list[Pair]:
    """Return the pairs."""
    pairs = []
    for line in Path(__file__).with_name("path_pairs.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            repository, start, goal, through = (part.strip() for part in line.split(" | "))
            names = () if through == "-" else tuple(name.strip() for name in through.split(","))
            pairs.append(Pair(repository, start, goal, None if through == "none" else names))
    return pairs


def judge(pair: Pair, answer: FindPathAnswer) -> str:
    """Return "right", "possible" (right by steps that are only possible) or "wrong"."""
    verdicts = set()
    for number in sorted({step.path for step in answer.steps}):
        steps = [step for step in answer.steps if step.path == number]
        kind = "possible" if any(step.reason for step in steps) else "right"
        if pair.through is None or _passes([step.target for step in steps], pair.through):
            verdicts.add(kind)
    if pair.through is None:
        return "wrong" if "right" in verdicts else "right"
    return next((kind for kind in ("right", "possible") if kind in verdicts), "wrong")


def _passes(targets: list[str], through: tuple[str, ...]) -> bool:
    remaining: Iterator[str] = iter(targets)
    return all(any(target == name for target in remaining) for name in through)


def main() -> None:
    """Judge the pairs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    pairs = [pair for pair in read_pairs() if given.only in pair.repository]
    counts = {"right": 0, "possible": 0, "wrong": 0}
    with tempfile.TemporaryDirectory() as scratch:
        settings = Settings(cache_directory=given.cache or Path(scratch))
        for repository in dict.fromkeys(pair.repository for pair in pairs):
            with Workspace.open(given.directory / repository, settings) as workspace:
                workspace.index()
                for pair in (each for each in pairs if each.repository == repository):
                    started = time.perf_counter()
                    with limit_answer(given.seconds):
                        answer = find_path(workspace, pair.start, pair.goal)
                    verdict = judge(pair, answer)
                    counts[verdict] += 1
                    seconds = time.perf_counter() - started
                    print(f"{verdict:8} {seconds:6.2f} s  {repository}: {pair.start} -> {pair.goal}", flush=True)
                    if verdict != "right":
                        for step in answer.steps:
                            print(f"      {step.path}: {step.file}:{step.line} {step.role} {step.target} {step.reason}")
                        print(f"      {answer.subject}")
    print(f"{counts['right']} of {len(pairs)} right, {counts['possible']} more by possible steps")


if __name__ == "__main__":
    main()
