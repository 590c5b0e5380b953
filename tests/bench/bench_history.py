"""What the words of past commits add to ranked search.

    LOC_REPOS=<mirrors> LOC_CACHE=<scratch> python tests/bench/bench_history.py <directory of cases> [FILE] OWNER/NAME …

Answers each case as of the parent of its commit: without history, with the commits before it, and, as a control, with
their messages dealt out at random. FILE has more cases, by `mine_commits.py`. Prints the scorer's numbers, and how many
cases were won and lost by having all changed symbols among the first ten. Needs numpy.

Knows: the cases, the scorer, git.
Does not know: how words are weighed.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import bench_localize as bench
from msgspec import structs

from avionics.index.changes.commit_reader import CommitReader
from avionics.index.search.commit_words import CommitWords
from avionics.index.search.query import read_query
from avionics.index.search.ranking import rank_symbols
from avionics.settings import Settings
from avionics.store.commits import CommitRow
from avionics.workspace import RevisionWorkspace, Workspace

COLUMNS = ["file_acc1", "file_acc5", "file_acc10", "sym_acc1", "sym_acc5", "sym_acc10", "sym_mrr", "tok8k"]
VARIANTS = ("without history", "with history", "messages at random")
ALL_COMMITS = 1_000_000


def iter_parent_cases(cases: list[dict], scorer) -> Iterator[dict]:
    """The cases as of the parents of their commits, where what they change has the same names."""
    import loclib

    for case in cases:
        parent = case.get("parent_commit") or loclib.git(case["repo"], "rev-parse", f"{case['commit']}^").strip()
        tree = scorer.tree(case["repo"], parent)
        truth = []
        for each in case["truth_symbols"]:
            outline = scorer.syms(case["repo"], parent, each["file"]) if each["file"] in tree else None
            symbols = outline["syms"] if outline else []
            at = [index for index, symbol in enumerate(symbols) if symbol[0] == each["symbol"]]
            if at:
                truth.append({**each, "ranges": [list(loclib.own_range(index, symbols)) for index in at]})
        if truth:
            files = [path for path in case["truth_files"] if path in tree]
            yield {**case, "eval_commit": parent, "truth_symbols": truth, "truth_files": files}


def clone(repo: str) -> Path:
    """A work tree without files, whose history can be read."""
    import loclib

    place = Path(os.environ["LOC_CACHE"]) / "clones" / repo.replace("/", "+")
    if not place.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", loclib.git_dir(repo), str(place)], check=True)
    return place


def deal_out(rows: list[CommitRow]) -> list[CommitRow]:
    """The same commits with each other's messages."""
    saying = [row.stems for row in rows if row.touched]
    random.Random(1).shuffle(saying)
    messages = iter(saying)
    return [structs.replace(row, stems=next(messages)) if row.touched else row for row in rows]


def answer(workspace: RevisionWorkspace, case: dict, past: CommitWords | None) -> dict:
    query = read_query(case["query"][: bench.LONGEST_QUERY])
    found = rank_symbols(workspace.code, query, workspace.source.text, limit=100, past=past).symbols
    places = [
        {"file": each.file, "start_line": each.start_line, "end_line": each.end_line, "symbol": each.symbol}
        for each in found
    ]
    return {"id": case["id"], "results": places}


def score_repository(repo: str, cases: list[dict], scorer) -> dict[str, list[dict]]:
    """The scorer's rows of each variant."""
    import score

    settings = Settings(cache_directory=Path(os.environ["LOC_CACHE"]) / "avionics")
    rows: dict[str, list[dict]] = defaultdict(list)
    with Workspace.open(clone(repo), settings) as base:
        CommitReader(lambda: base.history, base.store.commits, str(base.root), ALL_COMMITS).read()
        known = {row.oid: row for row in base.store.commits.find_rows(str(base.root))}
        for case in iter_parent_cases(cases, scorer):
            workspace = base.at(case["eval_commit"])
            workspace.index()
            order = workspace.history.list_commits(settings.max_searched_commits)
            before = [known[oid] for oid in order if oid in known]
            pasts = (None, CommitWords(before), CommitWords(deal_out(before)))
            for variant, past in zip(VARIANTS, pasts, strict=True):
                rows[variant].append(score.score_case(scorer, case, answer(workspace, case, past)))
    return rows


def print_table(found: dict[str, dict[str, list[dict]]]) -> None:
    """Prints means over repositories, and each repository's symbols among the first ten."""
    import score

    plain, *_ = VARIANTS
    print("| variant | cases | " + " | ".join(COLUMNS) + " | won/lost |\n|" + "---|" * (len(COLUMNS) + 3))
    for variant in VARIANTS:
        mean = score.mean_rows([score.mean_rows(rows[variant]) for rows in found.values()])
        pairs = [pair for rows in found.values() for pair in zip(rows[variant], rows[plain], strict=True)]
        won, lost = (
            sum(sign * (row["sym_acc10"] - before["sym_acc10"]) > 0 for row, before in pairs) for sign in (1, -1)
        )
        print(f"| {variant} | {len(pairs)} | " + " | ".join(score.fmt(mean, COLUMNS)) + f" | {won}/{lost} |")
    for repo, rows in found.items():
        means = (100 * score.mean_rows(rows[variant])["sym_acc10"] for variant in VARIANTS)
        print(f"{repo}: symbol Acc@10 " + " → ".join(f"{mean:.1f}" for mean in means))


def main(directory: Path, arguments: list[str]) -> None:
    sys.path.insert(0, str(directory))
    import score

    files = [Path(name) for name in arguments if name.endswith(".jsonl")]
    repositories = [name for name in arguments if not name.endswith(".jsonl")]
    cases = bench.read_cases(directory, repositories)
    cases += [case for file in files for case in bench.read_file(file) if case["repo"] in repositories]
    scorer = score.Repos()
    for kind in dict.fromkeys(case["set"] for case in cases):
        found = {}
        for repo in repositories:
            own = [case for case in cases if case["repo"] == repo and case["set"] == kind]
            if own:
                found[repo] = score_repository(repo, own, scorer)
                print(f"{kind} {repo}: {len(own)} cases", file=sys.stderr, flush=True)
        print(f"\n{kind}")
        print_table(found)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
