"""Fits the weights of ranked search on cases whose change is known, and tests them on repositories left out.

    LOC_REPOS=<mirrors> LOC_CACHE=<scratch> python tests/bench/fit_search.py <directory of cases> FILE OWNER/NAME …

FILE has cases of other repositories, by `mine_commits.py`. Takes the evidence for every case once (kept in LOC_CACHE),
then fits the weights of files, of chunks and of what chunks say for one another by gradient descent so that what
was changed comes before what was not (a listwise softmax). Prints the scorer's numbers of the named repositories with
weights fitted on FILE alone, then with each repository left out of its own fit, and the weights fitted on all. Needs
numpy.

Knows: the cases, evidence, gradient descent.
Does not know: how evidence is taken.
"""

from __future__ import annotations

import functools
import os
import pickle
import sys
from collections import Counter
from pathlib import Path

import bench_localize as bench
import numpy as np

from avionics.index.search import ranking
from avionics.index.search.feature_weights import CHUNK_WEIGHTS, FILE_WEIGHTS, NEIGHBOR_WEIGHTS
from avionics.index.search.neighbor_features import neighbor_features
from avionics.index.search.query import read_query

STEPS = 120
SHARPNESS = 6.0
SHRINKING = 0.002
BY_HAND = {"said", "literal", "frame", "title name", "aside"}
"""What texts name outright is too rare, or too particular, in commits; tests are never what a case asks for."""


def take_evidence(code, case, read_text) -> dict:
    """The evidence of a case as arrays, and what of it is true."""
    found = ranking.gather_evidence(code, read_query(case["query"][:8000]), read_text)
    scored = [each for each in found.scored if each.candidate.file]
    symbols = []
    for each in scored:
        index = each.candidate.chunk.symbol
        symbols.append(code.facts(each.candidate.file).symbols[index].qualname if index >= 0 else "")
    files = [each.candidate.file for each in scored]
    return {
        "id": case["id"],
        "repo": case["repo"],
        "chunks": np.array([[each.own_features.get(name, 0.0) for name in CHUNK_WEIGHTS] for each in scored], float),
        "files": np.array([[each.file_features.get(name, 0.0) for name in FILE_WEIGHTS] for each in scored], float),
        "file": files,
        "symbol": symbols,
        "members": [ranking.build_neighbor(code, each.candidate, found.read_lines) for each in scored],
        "true": np.array(find_true(case, scored, symbols), bool),
        "true_file": np.array([file in case["truth_files"] for file in files], bool),
        "module": np.array([not name for name in symbols], bool),
    }


def find_true(case, scored, symbols) -> list[bool]:
    """Which candidates the scorer takes for changed symbols: it names some of them in another way than the outline."""
    import score

    truth: dict[str, set[str]] = {}
    for each in case["truth_symbols"]:
        truth.setdefault(each["file"], set()).add(each["symbol"])
    repositories = scorers()
    found = []
    for each, name in zip(scored, symbols, strict=True):
        file, span = each.candidate.file, each.candidate.chunk.span
        result = {"file": file, "start_line": span.start_line, "end_line": span.end_line, "symbol": name}
        credited = (
            score.credited(repositories, case["repo"], case["eval_commit"], result) if name and file in truth else ()
        )
        found.append(any(symbol in truth[file] for symbol in credited))
    return found


@functools.cache
def scorers():
    """The scorer's view of the repositories, parsed once."""
    import score

    return score.Repos()


def descend(groups, start, fixed):
    """Weights by which the true rows of each group come before the others, what they have already counted in."""
    weights, moment, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    total = sum(group[3] for group in groups)
    for step in range(1, STEPS + 1):
        slope = np.zeros_like(start)
        for rows, already, true, weight in groups:
            scores = SHARPNESS * (already + rows @ weights)
            odds = np.exp(scores - scores.max())
            false = odds * ~true
            inverse = 1 / (false.sum() + odds[true])
            pull = false * inverse.sum()
            pull[true] += odds[true] * inverse - 1
            slope += SHARPNESS * weight / true.sum() * (rows.T @ pull)
        slope = (slope / total + SHRINKING * SHARPNESS**2 * weights) * ~fixed
        moment, square = 0.9 * moment + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        rate = 0.05 if step < STEPS * 0.7 else 0.01
        weights -= rate * (moment / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    return weights


def fit(cases, is_source):
    """The weights of files, of chunks given what their files come to, of company given what chunks come to."""
    share = Counter(case["repo"] for case in cases)
    by_file, by_chunk, by_company = [], [], []
    for case in cases:
        keep = np.array([is_source(file) for file in case["file"]], bool)
        first = {file: at for at, file in reversed(list(enumerate(case["file"]))) if keep[at]}
        rows = list(first.values())
        true = case["true_file"][rows]
        if rows and true.any() and not true.all():
            by_file.append((case["files"][rows], 0.0, true, 1 / share[case["repo"]]))
    fixed = np.array([name in BY_HAND for name in FILE_WEIGHTS], bool)
    start = np.array([FILE_WEIGHTS[name] if name in BY_HAND else 0.0 for name in FILE_WEIGHTS])
    start[list(FILE_WEIGHTS).index("best three")] = 0.25
    files = descend(by_file, start, fixed)
    for case in cases:
        keep, true = telling_chunks(case, is_source)
        if true.any() and not true.all():
            rows = with_file(case, files)[keep]
            by_chunk.append((rows, 0.0, true, 1 / share[case["repo"]]))
    names = list(CHUNK_WEIGHTS)
    fixed = np.array([name in BY_HAND for name in names], bool)
    start = np.array(
        [CHUNK_WEIGHTS[name] if name in BY_HAND else {"stems": 0.5, "file": 0.5}.get(name, 0.0) for name in names]
    )
    chunks = descend(by_chunk, start, fixed)
    chunks[names.index("file")] *= FILE_STRESS
    for case in cases:
        keep, true = telling_chunks(case, is_source)
        if true.any() and not true.all():
            scores = with_file(case, files) @ chunks
            by_company.append((with_company(case, scores)[keep], scores[keep], true, 1 / share[case["repo"]]))
    none = np.zeros(len(NEIGHBOR_WEIGHTS))
    company = descend(by_company, none, none.astype(bool))
    fitted = zip((FILE_WEIGHTS, CHUNK_WEIGHTS, NEIGHBOR_WEIGHTS), (files, chunks, company), strict=True)
    return tuple(dict(zip(names, weights.round(3), strict=True)) for names, weights in fitted)


def telling_chunks(case, is_source):
    """Which chunks of a case tell something, and which of those are true."""
    keep = np.array([is_source(file) for file in case["file"]], bool) & ~(case["true_file"] & case["module"])
    return keep, case["true"][keep]


FILE_STRESS = 1.5
"""The order of files gains when what files come to counts more than symbols alone would have it."""


def with_file(case, weights):
    """The evidence of chunks with what their files come to in its column."""
    rows = case["chunks"].copy()
    rows[:, list(CHUNK_WEIGHTS).index("file")] = case["files"] @ weights
    return rows


def with_company(case, scores):
    """What the likeliest chunks say for the best ones, given what chunks come to."""
    rows = np.zeros((len(scores), len(NEIGHBOR_WEIGHTS)))
    best = np.argsort(-scores, kind="stable")[: ranking.MAX_COMPARED]
    for at, company in zip(best, neighbor_features([case["members"][at] for at in best], scores[best]), strict=True):
        rows[at] = [company.get(name, 0.0) for name in NEIGHBOR_WEIGHTS]
    return rows


def take_all(cases: list[dict], kept: Path) -> list[dict]:
    """The evidence of all mined cases for which there is any, taken once."""
    if not kept.exists():
        taken = []
        for tree, workspace in bench.iter_workspaces(cases):
            code = workspace.code
            taken += [
                take_evidence(code, case, workspace.source.text)
                for case in cases
                if (case["repo"], case["eval_commit"]) == tree and case["set"] == "mined"
            ]
        kept.write_bytes(pickle.dumps(taken))
    return [each for each in pickle.loads(kept.read_bytes()) if len(each["file"])]


def main(directory: Path, others: Path, repositories: list[str]) -> None:
    sys.path.insert(0, str(directory))
    import loclib

    kept = Path(os.environ["LOC_CACHE"])
    kept.mkdir(parents=True, exist_ok=True)
    cases = bench.read_cases(directory, repositories)
    evidence = take_all(cases, kept / "evidence.pickle")
    more = take_all(bench.read_file(others), kept / "more.pickle")
    names = dict.fromkeys(case["repo"] for case in cases)
    print("fitted on other repositories only")
    bench.report(cases, dict.fromkeys(names, fit(more, loclib.is_source)))
    print("fitted on all but the repository itself")
    left_out = {repo: [each for each in evidence if each["repo"] != repo] for repo in names}
    bench.report(cases, {repo: fit([*rest, *more], loclib.is_source) for repo, rest in left_out.items()})
    fitted = fit([*evidence, *more], loclib.is_source)
    for table, weights in zip(("FILE_WEIGHTS", "CHUNK_WEIGHTS", "NEIGHBOR_WEIGHTS"), fitted, strict=True):
        print(table, "=", {name: float(value) for name, value in weights.items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
