"""Check answers about usages against each other and against a word search, without an oracle.

    python tests/bench/bench_consistency.py REPOSITORY [--symbols 200] [--seed 1]

For a random sample of symbols: the ledger adds up, and its mentions are what `rg --word-regexp` counts; callers are the
functions around the calls; a change reaches all users; "unused" is said where there is no usage and nothing possible;
asking again, in another order or in several threads, gives the same; in a copy in which long names are changed
everywhere no count changes, and in one with a comment more only that of text. For the files of the sample, those listed
as importers import them. Prints each contradiction, and the median time of an answer beside that of ripgrep for the
same names.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from msgspec import structs

sys.path.insert(0, str(Path(__file__).resolve().parent))

from relation_checks import (
    iter_caller_faults,
    iter_copy_faults,
    iter_impact_faults,
    iter_importer_faults,
    iter_thread_faults,
)

from avionics.index.analysis.unused_code import Unused, Use
from avionics.index.code_index import CodeIndex
from avionics.model.enums import Certainty
from avionics.model.knowledge import Definition
from avionics.settings import Settings
from avionics.workspace import Workspace


def count_words(root: Path, word: str) -> Counter[str]:
    """Return file → how often ripgrep finds the word in it; a word is what an identifier of most languages is."""
    # An identifier begins after the digits of a number: the index counts the `c1` of `5c1`, and of `ab5c1` the whole.
    pattern = rf"\b[0-9]*{word}\b"
    options = ["--only-matching", "--no-heading", "--no-line-number", "--hidden", "--with-filename"]
    # Files that git tracks belong to the workspace although `.gitignore` matches them; callers leave out the others.
    command = ["rg", *options, "--no-ignore-vcs", pattern, "."]
    lines = subprocess.run(
        command, cwd=root, capture_output=True, text=True, errors="replace", check=False
    ).stdout.splitlines()
    return Counter(line.rpartition(":")[0].removeprefix("./") for line in lines)


def sample(workspace: Workspace, count: int, seed: int) -> list[Definition]:
    """Return a random sample of the definitions of a repository."""
    code = workspace.code
    code.load_facts(code.files)
    found = [
        Definition(file, symbol, index)
        for file in code.files
        for index, symbol in enumerate(code.facts(file).symbols)
        if symbol.name.isidentifier() and len(symbol.name) > 1
    ]
    return random.Random(seed).sample(found, min(count, len(found)))


def main() -> None:
    """Run the checks, and exit with 1 if any failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("--symbols", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        settings = structs.replace(Settings.from_environment(), cache_directory=Path(cache))
        workspace = Workspace(options.repository.resolve(), settings)
        workspace.index()
        wrong = check(workspace, sample(workspace, options.symbols, options.seed), options.repository, options.seed)
    raise SystemExit(bool(wrong))


def check(workspace: Workspace, asked: list[Definition], root: Path, seed: int) -> int:
    """Print what contradicts, and the totals; return how many contradictions there are."""
    code, wrong, complete, seconds, rival = workspace.code, 0, 0, [], []
    skipped = {each.path for each in workspace.source.walk().skipped}
    totals: Counter[str] = Counter()
    for each in asked:
        started = time.perf_counter()
        report = code.usages(each)
        seconds.append(time.perf_counter() - started)
        complete += report.certainty is Certainty.EXACT
        ledger = report.ledger
        if ledger is None:
            continue
        totals.update(structs.asdict(ledger))
        title = f"{each.file}:{each.line} {each.symbol.qualname}"
        if not ledger.adds_up:
            wrong += 1
            print(f"does not add up: {title}: {ledger}")
        started = time.perf_counter()
        found = count_words(root, each.name)
        rival.append(time.perf_counter() - started)
        counts = dict(code.source.count_word(each.name))
        known = {file: count for file, count in found.items() if file not in skipped and file in code.snapshot.entries}
        if counts != known:
            wrong += 1
            differing = sorted(set(counts.items()) ^ set(known.items()))[:4]
            print(f"differs from ripgrep: {title}: {differing}")
    wrong += check_unused(code, asked)
    wrong += check_relations(workspace, asked, seed)
    again = code.__class__(code.source)
    for each in random.Random(seed + 1).sample(asked, len(asked)):
        first, second = code.usages(each), again.usages(each)
        if (first.usages, set(first.unresolved), first.certainty) != (
            second.usages,
            set(second.unresolved),
            second.certainty,
        ):
            wrong += 1
            print(f"depends on the order of questions: {each.file}:{each.line} {each.symbol.qualname}")
    print(f"{len(asked)} symbols, {complete} claimed complete, {wrong} contradictions; {dict(totals)}")
    print(f"median {statistics.median(seconds) * 1e3:.1f} ms an answer; rg {statistics.median(rival) * 1e3:.1f} ms")
    return wrong


def check_relations(workspace: Workspace, asked: list[Definition], seed: int) -> int:
    """Print what answers about the same things say differently."""
    wrong = 0
    files = sorted({each.file for each in asked})
    with tempfile.TemporaryDirectory() as scratch:
        for fault in (
            *iter_caller_faults(workspace, asked),
            *iter_importer_faults(workspace, files),
            *iter_impact_faults(workspace, asked),
            *iter_thread_faults(workspace.code, asked, seed),
            *iter_copy_faults(workspace, asked, Path(scratch)),
        ):
            wrong += 1
            print(fault)
    return wrong


def check_unused(code: CodeIndex, asked: list[Definition]) -> int:
    """Print the definitions of which one answer says that nothing uses them, and another that something may."""
    judge, wrong = Unused(code.source, code.graph, code.resolver, code.unseen), 0
    for each in asked:
        report, use = code.usages(each), judge.judge(each).use
        is_none = not report.usages and report.certainty is Certainty.EXACT
        if (use is Use.UNUSED and not is_none) or (is_none and use is Use.UNKNOWN):
            wrong += 1
            print(f"{use.value}, but {len(report.usages)} usages, {report.certainty.value}: {each.file}:{each.line}")
    return wrong


if __name__ == "__main__":
    main()
