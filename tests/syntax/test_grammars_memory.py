"""Parsing keeps nothing of what it was given."""

from __future__ import annotations

import sys

from avionics.syntax.engine import grammars
from avionics.syntax.registry import require_rules

C = require_rules("c").grammar


def test_parsed_bytes_are_let_go():
    content = b"int a;\n" * 1_000
    before = sys.getrefcount(content)
    for _ in range(20):
        grammars.parse(content, C)
    assert sys.getrefcount(content) == before


def test_the_text_of_a_node_can_be_asked_for_after_parsing():
    root = grammars.parse(b"int " + b"a" * 300 + b";", C)
    assert root.children[0].text == b"int " + b"a" * 300 + b";"
