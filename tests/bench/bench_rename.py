"""Whether a complete rename plan, applied, leaves the language's own checker with nothing new to report.

    python tests/bench/bench_rename.py LANGUAGE=CHECKOUT … [--renames 50] [--seed 3] [--batch 10] [--go PROGRAM]

Definitions are drawn from product code and planned with `plan_rename` to a name that stands nowhere. Complete plans are
applied to a copy, a batch at a time (no two plans of a batch edit one file), and the checkers of bench_check.py judge
the whole: an error that names a file of one plan is charged to that plan. Refused and open plans are counted; their
patches are not applied.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import attrs
from bench_check import Error, list_seen, prepare, read_errors
from seeded_edits import find_anchors

from avionics.model.facts import Symbol
from avionics.settings import Settings
from avionics.tools.edits.edit_plan import EditRefusedError
from avionics.tools.edits.rename import plan_rename, prove_rename
from avionics.tools.edits.workspace_view import WorkspaceView
from avionics.workspace import Workspace

_STOPS = frozenset({"rust"})
"""Languages whose checker stops after a phase with errors: one rename at a time."""


@attrs.frozen
class Plan:
    """One complete rename: what was drawn, and the texts it leads to."""

    file: str
    symbol: Symbol
    new: str
    texts: dict[str, str]


@attrs.define
class Score:
    """What was counted for a repository."""

    drawn: int = 0
    complete: int = 0
    refused: int = 0
    silent: int = 0
    lost: list[str] = attrs.Factory(list)


def plan_renames(
    view: WorkspaceView, anchors: list[tuple[str, Symbol]], count: int, chance: random.Random, score: Score
) -> list[Plan]:
    """Return the complete plans of drawn definitions."""
    found = []
    for file, symbol in chance.sample(anchors, min(count, len(anchors))):
        new = f"{symbol.name}Zz" if symbol.name[0].isalpha() else f"{symbol.name}_zz"
        score.drawn += 1
        try:
            plan = plan_rename(view, file, symbol.line, symbol.column)
            texts = prove_rename(view, plan, new) if plan.is_complete else {}
        except EditRefusedError:
            score.refused += 1
            continue
        if plan.is_complete:
            score.complete += 1
            found.append(Plan(file, symbol, new, texts))
    return found


def make_batches(plans: list[Plan], size: int) -> list[list[Plan]]:
    """Return the plans in batches whose plans edit no file twice."""
    batches: list[tuple[list[Plan], set[str]]] = []
    for plan in plans:
        files = set(plan.texts)
        fitting = next((b for b in batches if len(b[0]) < size and not b[1] & files), None)
        if fitting is None:
            batches.append(([plan], files))
        else:
            fitting[0].append(plan)
            fitting[1].update(files)
    return [batch for batch, _ in batches]


def find_new_errors(known: list[Error], found: list[Error]) -> list[Error]:
    """Return the errors whose file and message were not there as often; a renamed name counts as what it was."""
    left = Counter((file, _plain(message)) for file, _, message in known)
    new = []
    for error in found:
        key = (error[0], _plain(error[2]))
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(error)
    return new


def _plain(message: str) -> str:
    return re.sub(r"^\s*\d+(?:[,)]\d*)?[:)]\s*", "", message).replace("Zz", "").replace("_zz", "")


def measure(language: str, checkout: Path, options: argparse.Namespace) -> Score:
    """Plan, apply and judge the renames of one repository."""
    score = Score()
    with tempfile.TemporaryDirectory() as directory:
        base, work = Path(directory) / "base" / "r", Path(directory) / "work" / "r"
        shutil.copytree(checkout, base, ignore=shutil.ignore_patterns(".git", "target"), symlinks=True)
        prepare(language, base)
        shutil.copytree(base, work, symlinks=True)
        known = read_errors(language, work, options.go)
        seen = list_seen(language, work)
        with Workspace.open(base, Settings(cache_directory=Path(directory) / "cache")) as workspace:
            workspace.index()
            view = WorkspaceView.of(workspace)
            anchors = [each for each in find_anchors(view.code, language) if seen is None or each[0] in seen]
            plans = plan_renames(view, anchors, options.renames, random.Random(options.seed), score)
        for batch in make_batches(plans, 1 if language in _STOPS else options.batch):
            shutil.rmtree(work)
            shutil.copytree(base, work, symlinks=True)
            for plan in batch:
                for file, text in plan.texts.items():
                    (work / file).write_bytes(text.encode("utf-8", "surrogateescape"))
            new = find_new_errors(known, read_errors(language, work, options.go))
            for plan in batch:
                word = re.compile(rf"\b{re.escape(plan.symbol.name)}(?:Zz|_zz)?\b")
                said = [e for e in new if e[0] in plan.texts or word.search(e[2])]
                score.silent += not said
                score.lost += [
                    f"{plan.file}:{plan.symbol.line} {plan.symbol.qualname}: {e[0]}:{e[1]} {e[2][:120]}"
                    for e in said[:2]
                ]
    return score


def main() -> None:
    """Print what complete plans led to, a repository a line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories", nargs="+", metavar="LANGUAGE=CHECKOUT")
    parser.add_argument("--renames", type=int, default=50)
    parser.add_argument("--batch", type=int, default=10)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--go", default="", help="A program that prints the errors of the packages of a directory.")
    options = parser.parse_args()
    for named in options.repositories:
        language, _, checkout = named.partition("=")
        score = measure(language, Path(checkout).resolve(), options)
        print(
            f"{language} {Path(checkout).name}: {score.drawn} drawn, {score.refused} refused, "
            f"{score.complete} complete; "
            f"nothing new after {score.silent} of {score.complete}",
            flush=True,
        )
        for line in score.lost[: options.show]:
            print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
