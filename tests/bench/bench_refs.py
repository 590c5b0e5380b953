"""How precise and how quick the usages of a symbol are, against word grep, on a sampled truth.

    python tests/bench/bench_refs.py SAMPLES CHECKOUTS [REPOSITORY…]

SAMPLES holds `<repository>.jsonl` and `<repository>.files.json`, CHECKOUTS one checkout a repository. Lines count:
those of definitions and contested ones count neither way, files that the truth did not read are passed over.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.settings import Settings
from avionics.tools.composite.explore_symbol_usage import explore_symbol_usage
from avionics.workspace import Workspace

Lines = set[tuple[str, int]]
Answer = tuple[Lines, Lines, Lines]
"""Usages, callers, definitions."""


def ask_tool(workspace: Workspace, sample: dict[str, Any]) -> Answer:
    """What explore_symbol_usage answers."""
    file, line, _ = sample["def"]
    answer = explore_symbol_usage(workspace, sample["name"], file, line)
    return lines_of(answer.usages), lines_of(answer.callers), lines_of(answer.definitions)


def ask_grep(workspace: Workspace, sample: dict[str, Any]) -> Answer:
    """What a search for the word answers."""
    file, line, _ = sample["def"]
    found = workspace.source.search(rf"\b{sample['name']}\b", paths=workspace.code.files, limit=2_000)
    return lines_of(found.matches), set(), {(file, line)}


def lines_of(items: Iterable[Any]) -> Lines:
    """File and line of each."""
    return {(item.file, item.line) for item in items}


def f1(found: Lines, truth: Lines) -> tuple[float, float]:
    """F1 and precision."""
    right = len(found & truth)
    precision = right / len(found) if found else float(not truth)
    recall = right / len(truth) if truth else 1.0
    return (2 * precision * recall / (precision + recall) if precision + recall else 0.0), precision


def measure(name: str, samples: list[dict[str, Any]], known: set[str], ask: Callable[[dict[str, Any]], Answer]) -> None:
    """Prints one line: how well and how fast a way answers; each question is asked once before it is timed."""
    scores, precisions, times, defined = [], [], [], 0
    right = extra = lost = 0
    for sample in samples:
        ask(sample)
        started = time.perf_counter()
        usages, callers, definitions = ask(sample)
        times.append((time.perf_counter() - started) * 1000)
        neutral = {(file, line) for file, line, *_ in sample["neutral"]}
        defined += bool(definitions & neutral)
        neutral |= {(file, line) for file, line, *_ in sample.get("contested", ())}
        truth = {(file, line) for file, line, *_ in sample["refs"]} - neutral
        score, precision = f1({place for place in usages - neutral if place[0] in known}, truth)
        scores.append(score)
        precisions.append(precision)
        if sample.get("callers"):
            true_callers = {(c["file"], c["line"]) for c in sample["callers"] if c["name"] != "<module>"}
            callers = {place for place in callers if place[0] in known}
            right += len(callers & true_callers)
            extra += len(callers - true_callers)
            lost += len(true_callers - callers)
    times.sort()
    callers_f1 = f"{2 * right / (2 * right + extra + lost):.3f}" if right else "    –"
    print(
        f"{name:32} {len(samples):4} symbols  macro F1 {statistics.mean(scores):.3f}  "
        f"precision {statistics.mean(precisions):.3f}  callers F1 {callers_f1}  "
        f"definition {defined / len(samples):.2f}  median {statistics.median(times):6.1f} ms  "
        f"p95 {times[int(len(times) * 0.95)]:6.1f} ms"
    )


def main() -> None:
    """Prints two lines a repository: the tool and word grep."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    samples, checkouts, *only = (Path(argument) for argument in sys.argv[1:])
    measured = 0
    for path in sorted(samples.glob("*.jsonl")):
        repository = path.stem
        if (only and repository not in map(str, only)) or not (checkouts / repository).is_dir():
            continue
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        known = set(json.loads((samples / f"{repository}.files.json").read_text("utf-8"))["files"])
        with (
            tempfile.TemporaryDirectory() as cache,
            Workspace.open(checkouts / repository, Settings(cache_directory=Path(cache))) as workspace,
        ):
            workspace.index()
            label = f"{rows[0]['lang']:10} {repository}"
            measure(f"{label} avionics", rows, known, lambda row, at=workspace: ask_tool(at, row))  # type: ignore[misc]
            measure(f"{label} word grep", rows, known, lambda row, at=workspace: ask_grep(at, row))  # type: ignore[misc]
        measured += 1
    if not measured:
        print(f"skipped: no checkout below {checkouts} that {samples} has samples of")


if __name__ == "__main__":
    main()
