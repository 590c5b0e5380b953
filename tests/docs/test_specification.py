"""The table of the specification names tests that there are, and every row of it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
BENCHMARK = re.compile(r"`(tests/bench/\w+\.py)`")
ROW = re.compile(r"^\| (\d+) \| [^|]+ \| (.+) \|$", re.MULTILINE)


def rows() -> dict[int, str]:
    return {int(number): shown for number, shown in ROW.findall((ROOT / "docs/specification.md").read_text("utf-8"))}


def is_there(path: str, name: str) -> bool:
    file = ROOT / path
    return file.is_file() and re.search(rf"^(async )?def {name}\(", file.read_text("utf-8"), re.MULTILINE) is not None


def test_every_row_of_the_specification_has_its_line():
    assert list(rows()) == list(range(1, 35))


def test_every_test_that_is_named_exists():
    named = NAMED.findall((ROOT / "docs/specification.md").read_text("utf-8"))
    assert len(named) > 150
    assert [f"{path}::{name}" for path, name in named if not is_there(path, name)] == []


def test_every_benchmark_that_is_named_exists():
    named = [path for shown in rows().values() for path in BENCHMARK.findall(shown)]
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_a_row_names_a_test_or_a_benchmark_or_says_not_yet():
    silent = [number for number, shown in rows().items() if not (NAMED.search(shown) or BENCHMARK.search(shown))]
    assert [number for number in silent if rows()[number] != "not yet"] == []
