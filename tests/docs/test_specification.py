"""Every row of the specification's table names files of tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs/specification.md").read_text("utf-8")
FILE = re.compile(r"`(tests/[\w/]+\.py)`")
ROW = re.compile(r"^\| (\d+) \| [^|]+ \| (.+) \|$", re.MULTILINE)


def test_every_row_of_the_specification_has_its_line():
    assert [int(number) for number, _ in ROW.findall(DOCUMENT)] == list(range(1, 35))


def test_every_file_that_is_named_exists():
    assert [path for path in FILE.findall(DOCUMENT) if not (ROOT / path).is_file()] == []


def test_a_row_names_a_file_or_says_not_yet():
    assert [number for number, shown in ROW.findall(DOCUMENT) if not FILE.search(shown) and shown != "not yet"] == []
