"""How well ranked search finds the code that real changes touched.

    LOC_REPOS=<mirrors> LOC_CACHE=<scratch> python tests/bench/bench_localize.py <directory of cases> OWNER/NAME …

Runs the cases of the named repositories through `search_code` in one process and prints the scorer's numbers. The
directory holds the cases and `loclib.py` and `score.py`, which need numpy; `LOC_QUICK=1` keeps to a subset.

Knows: the case files, the scorer.
Does not know: how symbols are ranked.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import perf_counter

from avionics.index.search import ranking
from avionics.settings import Settings
from avionics.tools.unified.search_code import search_code
from avionics.workspace import Workspace

CASE_FILES = ("mined_dev.jsonl", "issues_dev.jsonl")
LONGEST_QUERY = 8000
"""What the adapter hands over of a text."""
COLUMNS = ["n", "file_acc1", "file_acc5", "file_acc10", "sym_acc1", "sym_acc5", "sym_acc10", "sym_mrr", "tok8k", "ms"]


def read_cases(directory: Path, repositories: list[str]) -> list[dict]:
    cases = [case for name in CASE_FILES for case in read_file(directory / name)]
    quick = bool(os.environ.get("LOC_QUICK"))
    return [case for case in cases if case["repo"] in repositories and (case["quick"] or not quick)]


def read_file(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.open()]


def answer(workspace: Workspace, case: dict) -> dict:
    started = perf_counter()
    results = search_code(workspace, case["query"][:LONGEST_QUERY], limit=100).results
    found = [
        {"file": item.file, "start_line": item.start_line, "end_line": item.end_line, "symbol": item.symbol}
        for item in results
    ]
    return {"id": case["id"], "ms": (perf_counter() - started) * 1000, "results": found}


def iter_workspaces(cases: list[dict]) -> Iterator[tuple[tuple[str, str], Workspace]]:
    """Each tree that cases are about, indexed, with its workspace."""
    import loclib

    cache = Path(os.environ["LOC_CACHE"])
    (cache / "trees").mkdir(parents=True, exist_ok=True)
    for tree in dict.fromkeys((case["repo"], case["eval_commit"]) for case in cases):
        with Workspace.open(loclib.checkout(*tree), Settings(cache_directory=cache / "avionics")) as workspace:
            workspace.index()
            yield tree, workspace


def report(cases: list[dict], tables: Mapping[str, tuple[Mapping, ...]] | None = None) -> None:
    """Answers the cases and prints the scorer's numbers; `tables` are weights to use instead, by repository."""
    import score

    rows: dict[tuple[str, str], list[dict]] = {}
    scorer = score.Repos()
    for tree, workspace in iter_workspaces(cases):
        if tables is not None:
            ranking.FILE_WEIGHTS, ranking.CHUNK_WEIGHTS, ranking.NEIGHBOR_WEIGHTS = tables[tree[0]]
        for case in cases:
            if (case["repo"], case["eval_commit"]) == tree:
                row = score.score_case(scorer, case, answer(workspace, case))
                rows.setdefault((case["set"], case["repo"]), []).append(row)
    print("| cases | " + " | ".join(COLUMNS) + " |\n|" + "---|" * (len(COLUMNS) + 1))
    for kind in dict.fromkeys(kind for kind, _ in rows):
        means = {repo: score.mean_rows(found) for (of, repo), found in rows.items() if of == kind}
        for repo, mean in means.items():
            print(f"| {kind} {repo} | " + " | ".join(score.fmt(mean, COLUMNS)) + " |")
        overall = {**score.mean_rows(list(means.values())), "n": sum(mean["n"] for mean in means.values())}
        print(f"| {kind} mean | " + " | ".join(score.fmt(overall, COLUMNS)) + " |")
    print(f"median {statistics.median(row['ms'] for found in rows.values() for row in found):.1f} ms a query")


def main(directory: Path, repositories: list[str]) -> None:
    sys.path.insert(0, str(directory))
    report(read_cases(directory, repositories))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
