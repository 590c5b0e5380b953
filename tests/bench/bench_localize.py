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
from pathlib import Path
from time import perf_counter

from avionics.settings import Settings
from avionics.tools.unified.search_code import search_code
from avionics.workspace import Workspace

CASE_FILES = ("mined_dev.jsonl", "issues_dev.jsonl")
COLUMNS = ["n", "file_acc1", "file_acc5", "file_acc10", "sym_acc1", "sym_acc5", "sym_acc10", "sym_mrr", "tok8k", "ms"]


def read_cases(directory: Path, repositories: list[str]) -> list[dict]:
    cases = [json.loads(line) for name in CASE_FILES for line in (directory / name).open()]
    quick = bool(os.environ.get("LOC_QUICK"))
    return [case for case in cases if case["repo"] in repositories and (case["quick"] or not quick)]


def answer(workspace: Workspace, case: dict) -> dict:
    started = perf_counter()
    results = search_code(workspace, case["query"], limit=100).results
    found = [
        {"file": item.file, "start_line": item.start_line, "end_line": item.end_line, "symbol": item.symbol}
        for item in results
    ]
    return {"id": case["id"], "ms": (perf_counter() - started) * 1000, "results": found}


def main(directory: Path, repositories: list[str]) -> None:
    sys.path.insert(0, str(directory))
    import loclib
    import score

    cache = Path(os.environ["LOC_CACHE"])
    (cache / "trees").mkdir(parents=True, exist_ok=True)
    settings = Settings(cache_directory=cache / "avionics")
    cases = read_cases(directory, repositories)
    rows: dict[tuple[str, str], list[dict]] = {}
    scorer = score.Repos()
    workspaces: dict[tuple[str, str], Workspace] = {}
    for case in cases:
        tree = (case["repo"], case["eval_commit"])
        if tree not in workspaces:
            workspaces[tree] = Workspace.open(loclib.checkout(*tree), settings)
            workspaces[tree].index()
        row = score.score_case(scorer, case, answer(workspaces[tree], case))
        rows.setdefault((case["set"], case["repo"]), []).append(row)
    print("| cases | " + " | ".join(COLUMNS) + " |\n|" + "---|" * (len(COLUMNS) + 1))
    for kind in dict.fromkeys(kind for kind, _ in rows):
        means = {repo: score.mean_rows(found) for (of, repo), found in rows.items() if of == kind}
        for repo, mean in means.items():
            print(f"| {kind} {repo} | " + " | ".join(score.fmt(mean, COLUMNS)) + " |")
        overall = {**score.mean_rows(list(means.values())), "n": sum(mean["n"] for mean in means.values())}
        print(f"| {kind} mean | " + " | ".join(score.fmt(overall, COLUMNS)) + " |")
    print(f"median {statistics.median(row['ms'] for found in rows.values() for row in found):.1f} ms a query")
    for workspace in workspaces.values():
        workspace.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
