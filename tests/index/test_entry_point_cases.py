"""Every framework's entry points are found, and nothing that only looks like one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from avionics.index.entrypoints.discovery import find_entry_points

_FENCE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.M | re.S)
SECTIONS = [
    section
    for path in sorted(Path(__file__).parent.glob("entry_points*.md"))
    for section in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.M)[1:]
]


def described(entry):
    runs = f"{entry.definition.file}:{entry.definition.line}" if entry.definition else "?"
    methods = f"{','.join(entry.methods)} " if entry.methods else ""
    return f"{entry.kind.value} {methods}{entry.name} {entry.file}:{entry.line} -> {runs}"


@pytest.mark.parametrize("section", SECTIONS, ids=[section.partition("\n")[0] for section in SECTIONS])
def test_the_entry_points_are_those_of_the_case(workspace, section):
    opened = workspace(dict(_FENCE.findall(section)))
    expected = [line for line in re.findall(r"^- (.*)$", section, re.M) if line != "none"]
    assert sorted(map(described, find_entry_points(opened.code))) == sorted(expected)
