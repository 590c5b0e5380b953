"""Whether the lines shown of a long function are those that a question is about, on real commits.

    python tests/bench/bench_excerpts.py CHECKOUT … [--commits 1500] [--functions 250]

The question is the message of a commit; the function, at its parent, is one of product code that the commit changes
and that is longer than its excerpt. An excerpt counts when it shows a changed line. Beside it stand the first lines
and the middle ones of the same size.

Knows: git, the outline of a file.
Does not know: how lines are chosen.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterator
from pathlib import Path

import attrs
from mine_commits import find_changed_lines, read_message

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.search.query import read_query
from avionics.model.enums import SymbolKind
from avionics.syntax.extract import extract_facts
from avionics.syntax.registry import get_language
from avionics.tools.answers.items import CodeItem
from avionics.tools.unified.code_excerpts import cut_excerpt

ROOMS = (100, 144, 240)
"""Tokens: of a second match, of a first one, of an only one, in an answer of the usual length."""
FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)
MOST_FILES, MOST_HUNK_LINES = 5, 30


@attrs.frozen
class Case:
    """A function before a commit changed it: its code, which of its lines were changed, what the commit says."""

    message: str
    code: CodeItem
    changed: frozenset[int]


def iter_cases(root: Path, commits: int) -> Iterator[Case]:
    for commit in git(root, "log", "--no-merges", f"-n{commits}", "--format=%H").split():
        message = read_message(git(root, "log", "-1", "--format=%B", commit))
        files = (
            git(root, "diff", "--name-only", "--diff-filter=M", f"{commit}^", commit).splitlines() if message else []
        )
        code = [each for each in files if get_language(each) and role_of(each) is FileRole.PRODUCT]
        if len(code) <= MOST_FILES:
            for file in code:
                yield from iter_functions(root, commit, file, message)


def iter_functions(root: Path, commit: str, file: str, message: str) -> Iterator[Case]:
    """Yield the innermost functions of a file that a commit changes."""
    text = git(root, "show", f"{commit}^:{file}")
    changed = find_changed_lines(git(root, "diff", "-U0", "-w", f"{commit}^", commit, "--", file))
    taken: set[int] = set()
    for symbol in reversed(extract_facts(text.encode(), get_language(file) or "").symbols):
        first, last = symbol.span.start_line, symbol.span.end_line
        inside = frozenset(each for each in changed if first <= each <= last) - taken
        taken |= inside
        if symbol.kind in FUNCTIONS and 0 < len(inside) <= MOST_HUNK_LINES:
            lines = text.split("\n")[first - 1 : last]
            yield Case(message, CodeItem(file, first, last, "\n".join(lines)), inside)


def shows(code: CodeItem | None, case: Case) -> bool:
    return code is not None and any(code.start_line <= each <= code.end_line for each in case.changed)


def cut_middle(code: CodeItem, room: int) -> CodeItem | None:
    head = code.cut(room)
    if head is None:
        return None
    start = (code.end_line - code.start_line - (head.end_line - head.start_line)) // 2
    lines = code.text.split("\n")[start:]
    return CodeItem(code.file, code.start_line + start, code.end_line, "\n".join(lines)).cut(room)


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", root, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True, errors="replace").stdout


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("checkouts", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=1_500)
    parser.add_argument("--functions", type=int, default=250)
    asked = parser.parse_args()
    print(f"{'repository':16} tokens  functions  chosen %  first lines %  middle %")
    for root in asked.checkouts:
        cases = list(iter_cases(root, asked.commits))
        for room in ROOMS:
            long = [each for each in cases if each.code.cut(room) not in (None, each.code)][: asked.functions]
            wanted = [frozenset(read_query(each.message).terms) for each in long]
            ours = sum(shows(cut_excerpt(each.code, room, said), each) for each, said in zip(long, wanted, strict=True))
            head = sum(shows(each.code.cut(room), each) for each in long)
            middle = sum(shows(cut_middle(each.code, room), each) for each in long)
            shares = (f"{100 * count / max(1, len(long)):.1f}" for count in (ours, head, middle))
            print(f"{root.name:16} {room:6} {len(long):10}  {'  '.join(f'{each:>8}' for each in shares)}")


if __name__ == "__main__":
    main()
