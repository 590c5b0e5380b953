from __future__ import annotations

import re

import pytest

from avionics.index.search.query import read_query
from avionics.tools.questions.literals import find_literals


def said(text, *names):
    return [each.text for each in find_literals(read_query(text), names.__contains__)]


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ('where does "admin endpoint disabled" come from', ["admin endpoint disabled"]),
        ("where is the --adapter flag defined", ["--adapter"]),
        ("what handles PUT /admin/load?", ["/admin/load"]),
        ("where is X-Forwarded-For set", ["X-Forwarded-For"]),
        ("where is grace_period read", ["grace_period"]),
        ("who reads `config.timeout`?", ["config.timeout"]),
        ("configure", ["configure"]),
        ("v-if", ["v-if"]),
        ("where is the load-balancing and/or retry logic", []),
        ("who calls known_name?", []),
        ("how does it work", []),
        ("where is the exit code 130 decided?", ["130"]),
        ("why did #1234 change line 12 of 1.200", []),
        ("src/app.py is broken", []),
    ],
)
def test_what_a_text_quotes_is_what_code_would_hold(text, literals):
    assert said(text, "known_name") == literals


def test_a_flag_is_also_the_name_its_parser_is_told_and_the_variable_it_is_kept_in():
    (flag,) = find_literals(read_query("where is --dry-run handled"), lambda _: False)
    pattern = re.compile(flag.patterns[0])
    for line in ("usage: x --dry-run", 'parser.add("dry-run")', "if args.dry_run:"):
        assert pattern.search(line)
    assert not pattern.search("a dry running")


def test_of_a_message_that_was_printed_the_parts_without_values_are_looked_for():
    message, *_ = find_literals(
        read_query('ValueError: cannot open "a.txt": no such thing as 12 apples'), lambda _: False
    )
    assert [pattern.replace("\\", "") for pattern in message.patterns[1:]] == ["no such thing as", "cannot open"]
