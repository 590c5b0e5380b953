"""The three programs of docs/side-by-side.md: ours say the same in fewer lines."""

from __future__ import annotations

import re

import pytest

from tests.docs.test_documents import ROOT

BLOCK = re.compile(r"^```python runnable ([\w-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = (ROOT / "docs" / "side-by-side.md").read_text("utf-8").split("\n## ")[1:]


@pytest.mark.parametrize("section", SECTIONS, ids=[section.partition("\n")[0] for section in SECTIONS])
def test_ours_is_the_shortest(section):
    lines = {name: len([line for line in block.splitlines() if line.strip()]) for name, block in BLOCK.findall(section)}
    assert sorted(lines) == ["avionics", "langchain", "pydantic-ai"]
    assert lines["avionics"] == min(lines.values()), lines


def test_the_quick_start_has_fifteen_lines():
    text = (ROOT / "docs" / "tool-system.md").read_text("utf-8")
    block = re.search(r"## Quick start\n\n```python runnable\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len([line for line in block[1].splitlines() if line.strip()]) <= 15
