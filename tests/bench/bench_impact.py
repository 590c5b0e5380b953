"""Whether the tests for a change are found, on real commits whose tests are known.

    python tests/bench/bench_impact.py CHECKOUT … [--commits 20] [--cache DIR]

Takes commits that touch product code and tests, evenly from the last 3,000. The truth is read by other means than the
product's: git's hunks and Python's own `ast` (for Go, lines that start with `func`). True are the tests whose lines
the commit touches, and those that call by name a function or class whose lines it touches, where the repository
defines that name once.

Two figures: *as used*, the whole commit is the change; *blind*, only its product code is, so that the tests it
touches have to be guessed. A commit counts when all its true tests are listed.

Knows: git, how tests look.
Does not know: how tests are chosen.
"""

from __future__ import annotations

import argparse
import ast
import re
import statistics
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from time import perf_counter

import attrs

from avionics.index.analysis.affected_tests import choose_tests, find_tests
from avionics.index.analysis.impact import trace_impact
from avionics.index.changes.symbol_diff import find_changes
from avionics.index.model.file_roles import FileRole, role_of
from avionics.settings import Settings
from avionics.tools.composite.tests_for_change import count_together, tests_for_change
from avionics.tools.resolution.revision_pair import open_revision_pair
from avionics.workspace import Workspace

CODE = (".py", ".go")
LAST_COMMITS = 3_000
MOST_FILES = 40
GO_FUNCTION = re.compile(r"^func (?:\([^)]*\) )?(\w+)[\[(]")
CALL = re.compile(r"\b(\w+)\(")
TEST_NAMES = {".py": re.compile("test"), ".go": re.compile("Test|Benchmark|Fuzz|Example")}


@attrs.frozen
class Span:
    """A function or class as the oracle sees it, with the names it calls."""

    file: str
    name: str
    start: int
    end: int
    is_function: bool
    calls: frozenset[str]


def is_test_file(path: str) -> bool:
    return role_of(path) is FileRole.TEST


def is_product(path: str) -> bool:
    return path.endswith(CODE) and role_of(path) is FileRole.PRODUCT


def pick_commits(root: Path, wanted: int) -> list[str]:
    log = git(root, "log", "--no-merges", "--format=commit %H", "--name-only", f"-n{LAST_COMMITS}")
    found = []
    for record in log.split("commit ")[1:]:
        oid, *files = record.split()
        has_both = any(map(is_product, files)) and any(is_test_file(f) and f.endswith(CODE) for f in files)
        if has_both and len(files) <= MOST_FILES:
            found.append(oid)
    step = max(1, len(found) // wanted)
    return found[::step][:wanted]


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True).stdout


def touched_lines(root: Path, commit: str) -> dict[str, list[tuple[int, int]]]:
    """File → the new side's lines (first, last) that the commit touches, white space apart.

    Where it only takes lines away they are those before and after: who holds both has lost something.
    """
    patch = git(root, "show", "--format=", "-M", "-w", "--ignore-blank-lines", "--unified=0", "--no-color", commit)
    found: dict[str, list[tuple[int, int]]] = {}
    file = ""
    for line in patch.split("\n"):
        if line.startswith("+++ "):
            file = line[6:]
        match = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if match:
            start, count = int(match[1]), int(match[2] or 1)
            found.setdefault(file, []).append((start, start + count - 1) if count else (start + 1, start))
    return found


def read_spans(file: str, text: str) -> list[Span]:
    if file.endswith(".go"):
        return read_go(file, text)
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        Span(file, each.name, each.lineno, each.end_lineno or 0, not isinstance(each, ast.ClassDef), calls(each))
        for each in ast.walk(tree)
        if isinstance(each, kinds)
    ]


def calls(node: ast.AST) -> frozenset[str]:
    names = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Call):
            names.add(getattr(each.func, "attr", getattr(each.func, "id", "")))
    return frozenset(names - {""})


def read_go(file: str, text: str) -> list[Span]:
    lines = text.split("\n")
    spans = []
    for at, line in enumerate(lines):
        match = GO_FUNCTION.match(line)
        if match:
            end = next((n for n in range(at, len(lines)) if lines[n].startswith("}")), at)
            body = "\n".join(lines[at + 1 : end])
            spans.append(Span(file, match[1], at + 1, end + 1, True, frozenset(CALL.findall(body))))
    return spans


def is_test(span: Span) -> bool:
    is_named = TEST_NAMES[Path(span.file).suffix].match(span.name)
    return span.is_function and is_test_file(span.file) and bool(is_named)


def is_touched(span: Span, lines: list[tuple[int, int]]) -> bool:
    return any(
        (first <= span.end and last >= span.start) if first <= last else (span.start <= last and first <= span.end)
        for first, last in lines
    )


def read_truth(root: Path, commit: str, head: Workspace) -> tuple[set[tuple[str, int]], set[tuple[str, int]]]:
    """The places (file, line) of the tests that the commit touches, and of those that call what it touches."""
    files = [path for path in head.source.walk().paths if path.endswith(CODE)]
    spans = [span for path in files for span in read_spans(path, head.source.text(path))]
    defined = Counter(span.name for span in spans)
    lines = touched_lines(root, commit)
    touched = [span for span in spans if is_touched(span, lines.get(span.file, []))]
    names = {
        span.name
        for span in touched
        if is_product(span.file) and span.is_function and defined[span.name] == 1 and not span.name.startswith("__")
    }
    edited = {(span.file, span.start) for span in touched if is_test(span)}
    callers = {(span.file, span.start) for span in spans if is_test(span) and span.calls & names}
    return edited, callers


@attrs.frozen
class Row:
    commit: str
    suite: int
    truth: int
    listed: int
    hits: int
    blind_listed: int
    blind_hits: int
    seconds: float
    missed: tuple[str, ...]


def measure(root: Path, workspace: Workspace, commit: str) -> Row | None:
    head = workspace.at(commit)
    suite = {(test.file, test.line) for test in find_tests(head.code)}
    edited, callers = read_truth(root, commit, head)
    truth = (edited | callers) & suite
    if not truth:
        return None
    started = perf_counter()
    answer = tests_for_change(workspace, f"{commit}~1", commit)
    seconds = perf_counter() - started
    listed = {(item.file, item.line) for item in (*answer.proven, *answer.likely)}
    blind = choose_blind(workspace, commit)
    missed = tuple(f"{file}:{line}" for file, line in sorted(truth - listed))
    sizes = len(suite), len(truth), len(listed), len(truth & listed), len(blind), len(truth & blind)
    return Row(commit, *sizes, seconds, missed)


def choose_blind(workspace: Workspace, commit: str) -> set[tuple[str, int]]:
    """The places of the tests chosen when only the product's part of a commit is known."""
    sides = open_revision_pair(workspace, f"{commit}~1", commit)
    files = [file for file in sides.files if not is_test_file(file.after or file.before)]
    changes = find_changes(sides.before, sides.after, files)
    impact = trace_impact(sides.after.code, sides.before.code, changes, depth=3, most=300)
    chosen, _ = choose_tests(sides.before, sides.after, changes, impact, count_together(sides))
    return {(each.definition.file, each.definition.line) for each in chosen}


def report(name: str, rows: list[Row]) -> None:
    truth = sum(row.truth for row in rows)
    for kind, listed, hits in (("as used", "listed", "hits"), ("blind", "blind_listed", "blind_hits")):
        whole = sum(getattr(row, hits) == row.truth for row in rows)
        found = sum(getattr(row, hits) for row in rows)
        share = statistics.median(getattr(row, listed) / row.suite for row in rows)
        seconds = statistics.median(row.seconds for row in rows)
        tests = f"{100 * found / truth:.1f} % of {truth}"
        print(f"| {name} | {kind} | {whole} of {len(rows)} | {tests} | {100 * share:.1f} % | {seconds:.2f} s |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=20)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    every: list[Row] = []
    with tempfile.TemporaryDirectory() as made:
        settings = Settings(cache_directory=given.cache or Path(made))
        print("| repository | change | commits | true tests | list / suite | median time |\n|---|---|---|---|---|---|")
        for root in given.checkouts:
            with Workspace.open(root, settings) as workspace:
                rows = [row for oid in pick_commits(root, given.commits) if (row := measure(root, workspace, oid))]
            report(root.name, rows)
            every += rows
    report("all", every)
    for row in every:
        if row.hits < row.truth or row.blind_hits < row.truth:
            print(
                f"{row.commit[:10]}: {row.hits} of {row.truth} in {row.listed} of {row.suite}; "
                f"blind {row.blind_hits} in {row.blind_listed}; {', '.join(row.missed[:3])}"
            )


if __name__ == "__main__":
    main()
