"""Runs the Markdown cases: what a change breaks, and what must not be claimed.

A heading is a case. A fenced block `LANGUAGE before PATH` is a file before the change, `LANGUAGE after PATH` one after
it; a file without an `after` block stays as it is, and one whose `after` block says `(deleted)` is removed. The block
`findings` lists what must be found, one line each: `severity rule path:line[,line…] subject`. An empty block is a
refusal. Notes (`info`) are listed only where the case expects one.
"""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from avionics.index.verdicts.check import Notes, check_change
from avionics.settings import Settings
from avionics.workspace import Workspace
from tests.conftest import write_files

_HERE = Path(__file__).parent
_FENCE = re.compile(r"^```(\w+)(?: (before|after) (\S+))?\n(.*?)^```$", re.M | re.S)


@attrs.frozen
class Case:
    name: str
    before: dict[str, str]
    after: dict[str, str]
    expected: tuple[str, ...]


def read_cases() -> list[Case]:
    return [case for suite in sorted(_HERE.glob("*.md")) for case in _cases_of(suite)]


def _cases_of(suite: Path) -> list[Case]:
    found = []
    for section in re.split(r"^## ", suite.read_text("utf-8"), flags=re.M)[1:]:
        before, after, expected = {}, {}, ()
        for language, side, path, text in _FENCE.findall(section):
            if language == "findings":
                expected = tuple(line for line in text.splitlines() if line.strip())
            else:
                (before if side == "before" else after)[path] = text
        found.append(Case(f"{suite.stem}: {section.partition(chr(10))[0].strip()}", before, after, expected))
    return found


def _write(root: Path, files: dict[str, str]) -> None:
    write_files(root, {path: text for path, text in files.items() if text.strip() != "(deleted)"})


def _describe(case: Case, tmp_path: Path) -> tuple[str, ...]:
    _write(tmp_path / "before", case.before)
    _write(tmp_path / "after", {**case.before, **case.after})
    settings = Settings(cache_directory=tmp_path / "cache")
    with (
        Workspace.open(tmp_path / "before", settings) as before,
        Workspace.open(tmp_path / "after", settings) as after,
    ):
        verdict = check_change(before.code, after.code, notes=Notes.ALL)
    notes = any(line.startswith("info") for line in case.expected)
    found = []
    for each in verdict.findings:
        if each.severity.value == "info" and not notes:
            continue
        places: dict[str, list[str]] = {}
        for site in each.broken:
            places.setdefault(site.file, []).append(str(site.line))
        listed = " ".join(f"{file}:{','.join(lines)}" for file, lines in places.items())
        found.append(f"{each.severity.value} {each.rule.value} {listed} {each.subject}")
    return tuple(found)


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_a_change_breaks_what_the_case_says(case: Case, tmp_path: Path) -> None:
    assert case.before or case.after, "a case without files proves nothing"
    assert sorted(_describe(case, tmp_path)) == sorted(case.expected)


def test_half_of_the_cases_are_refusals() -> None:
    cases = read_cases()
    assert 0.4 <= sum(not case.expected for case in cases) / len(cases) <= 0.65


def test_of_many_files_with_a_name_those_that_can_mean_it_are_examined(tmp_path: Path) -> None:
    before = {f"other{number}.py": "def run(it):\n    it.pay()\n" for number in range(80)} | {
        "app/__init__.py": "",
        "app/core/__init__.py": "",
        "app/core/cart.py": "class Cart:\n    def pay(self): ...\n",
        "app/core/beside.py": "from .cart import Cart\n\nCart().pay()\n",
        "app/shop.py": "from .core import cart\n\ndef open_cart():\n    return cart.Cart()\n",
        "named.py": "import app.core\n\napp.core.cart.Cart().pay()\n",
        "through.py": "from app.shop import open_cart\n\nopen_cart().pay()\n",
    }
    after = {"app/core/cart.py": "class Cart:\n    def settle(self): ...\n"}
    found = _describe(Case("many files", before, after, ()), tmp_path)
    assert found == ("error missing-member app/core/beside.py:3 named.py:3 through.py:3 pay",)
