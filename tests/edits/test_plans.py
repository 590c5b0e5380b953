"""Runs the Markdown cases: what `avionics plan` edits, what it leaves open, and what it refuses.

A heading is a case. A fenced block `LANGUAGE before PATH` is a file; `LANGUAGE after PATH` is what the patch makes of
it. The block `plan` is the command, and `says` what it says: `complete`, or the open places, one line each as
`open: …`, or `refused: …`. A part of each line is enough. A file without an `after` block stays as it is.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path

import attrs
import pytest

from avionics.cli.main import main

_FENCE = re.compile(r"^```(\w+)(?: (before|after) (\S+))?\n(.*?)^```$", re.M | re.S)


@attrs.frozen
class Case:
    name: str
    before: dict[str, str]
    after: dict[str, str]
    command: str
    says: tuple[str, ...]


def read_cases() -> list[Case]:
    return [case for suite in sorted(Path(__file__).parent.glob("*.md")) for case in _cases_of(suite)]


def _cases_of(suite: Path) -> list[Case]:
    found = []
    for section in re.split(r"^## ", suite.read_text("utf-8"), flags=re.M)[1:]:
        before, after, plain = {}, {}, {}
        for language, side, path, text in _FENCE.findall(section):
            if side:
                (before if side == "before" else after)[path] = text
            else:
                plain[language] = text
        name = f"{suite.stem}: {section.partition(chr(10))[0].strip()}"
        found.append(Case(name, before, after, plain["plan"].strip(), tuple(plain["says"].splitlines())))
    return found


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_a_plan_edits_and_says_what_the_case_does(case, directory, capsysbinary, tmp_path, monkeypatch):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))
    root = directory(case.before)
    code = main(["plan", *shlex.split(case.command), "--repo", str(root), "--json"])
    printed = capsysbinary.readouterr()
    plan = json.loads(printed.out)
    if case.says[0].startswith("refused:"):
        assert code == 2
        assert case.says[0].removeprefix("refused:").strip() in plan["error"]
        return
    said = [f"open: {each['file']}:{each['line']} {each['reason']}" for each in plan["open"]]
    said = [*said, *(f"open: {each}" for each in plan["reasons"])] or ["complete"]
    assert code == (0 if plan["complete"] else 1)
    assert len(said) == len(case.says), said
    for expected in case.says:
        assert any(expected in line for line in said), said
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    if plan["patch"]:
        subprocess.run(["git", "apply", "-"], cwd=root, input=plan["patch"].encode(), check=True)
    expected_files = {**case.before, **case.after}
    found = {path: (root / path).read_text("utf-8") for path in expected_files if (root / path).exists()}
    assert found == {path: text for path, text in expected_files.items() if text.strip() != "(deleted)"}


def test_at_least_a_third_of_the_cases_leave_something_open_or_refuse():
    cases = read_cases()
    assert sum(case.says != ("complete",) for case in cases) >= len(cases) / 3
