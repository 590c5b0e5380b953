"""Where modules are loaded within expressions."""

from __future__ import annotations

import pytest

from avionics.syntax.extract import extract_facts
from avionics.syntax.languages.typescript.modules import iter_loaded
from tests.timing import within_cost


def test_comments_before_what_is_loaded_are_passed_over():
    content = b"import(/* a */ /* b */ './a'); require('./b'); import(/* c */ x, './d'); import(x /* */, './e')"
    assert [content[at : at + 5] for at in iter_loaded(content)] == [b"'./a'", b"'./b'", b"x, '.", b"x /* "]
    loaded = extract_facts(content, "javascript").imports
    assert [each.module for each in loaded] == ["./a", "./b"]


LIST_MODULES = [
    b"import(/*",
    b"import(/**/",
    b"import(/* */ /*",
    b"import(" + b" " * 50,
    b"import(/*" * 900 + b"*/" + b" " * 900,
]


@pytest.mark.parametrize("part", LIST_MODULES)
def test_looking_takes_a_time_that_grows_with_the_file(part):
    content = part * (500_000 // len(part))
    assert all(at < len(content) for at in within_cost(100, lambda: list(iter_loaded(content))))


@pytest.mark.parametrize("part", [b"require(join(x, ", b"require(`${", b"require(a + ", b"require(f()("])
def test_reading_nested_paths_takes_a_time_that_grows_with_the_file(part):
    content = part * (20_000 // len(part))
    assert within_cost(1000, lambda: extract_facts(content, "javascript")).imports is not None
