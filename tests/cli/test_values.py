"""`--param key=value` becomes values of the declared types."""

from __future__ import annotations

from pathlib import Path

import pytest

from avionics.cli.input.values import build_call_writer, parse_parameters
from avionics.model import ToolCall, UsageError


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", "12", "12"),
        ("string?", "true", "true"),
        ("string", "", ""),
        ("string", "a=b", "a=b"),
        ("integer", "12", 12),
        ("integer?", "-3", -3),
        ("number", "1.5", 1.5),
        ("number", "2", 2),
        ("boolean?", "True", True),
        ("boolean", "false", False),
        ("array", "a", ["a"]),
        ("array<string>?", '["a", "b"]', ["a", "b"]),
        ("array<integer>", "3", [3]),
        ("array<string>", "[not json", ["[not json"]),
        ("object", '{"a": [1]}', {"a": [1]}),
        ("any", "12", "12"),
    ],
)
def test_a_value_is_read_as_its_declared_type(kind, text, value):
    assert parse_parameters([f"key={text}"], {"key": kind}) == {"key": value}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("integer", "1.5"),
        ("integer", "true"),
        ("integer", "9" * 5000),
        ("number", "many"),
        ("boolean", "1"),
        ("object", "[1]"),
        ("object", "[" * 100_000),
    ],
)
def test_a_value_of_another_type_stays_text_for_the_validation_to_judge(kind, text):
    assert parse_parameters([f"key={text}"], {"key": kind}) == {"key": text}


def test_an_array_is_given_by_repeating_the_parameter():
    assert parse_parameters(["x=1", "x=[2]"], {"x": "array<string>"}) == {"x": ["1", "[2]"]}
    assert parse_parameters(["x=1", "x=2"], {"x": "array<integer>?"}) == {"x": [1, 2]}


def test_an_unknown_parameter_is_passed_on_as_text():
    assert parse_parameters(["nope=1"], {}) == {"nope": "1"}


@pytest.mark.parametrize(
    ("text", "hint"), [("symbol", "write --param symbol=VALUE"), ("=x", "write --param KEY=VALUE")]
)
def test_a_parameter_without_key_or_value_is_refused_with_the_fix(text, hint):
    with pytest.raises(UsageError, match="is not KEY=VALUE") as refusal:
        parse_parameters([text], {})
    assert refusal.value.hint == hint


def test_a_second_value_is_refused():
    with pytest.raises(UsageError, match="path is given 2 times"):
        parse_parameters(["path=a", "path=b"], {"path": "string"})


def test_a_call_is_written_as_a_question_where_it_is_one_and_else_as_that_of_a_tool():
    write = build_call_writer(Path())
    assert write(ToolCall("analyze", {"query": "who uses a?", "rev": "v1"})) == "avionics ask 'who uses a?' --rev v1 #"
    for arguments in ({"query": "a", "scope": "shop"}, {"query": "--dry-run"}):
        assert write(ToolCall("analyze", arguments)).startswith("avionics run analyze --param query=")
