"""Parameters: every fault at once, exact types, and one schema whatever the spelling."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from avionics.tools.declare import read_signature
from avionics.tools.schema.parameters import Bounds, Parameter, Parameters, Shape, build_parameters, read_parameters
from avionics.tools.schema.to_json_schema import build_json_schema


class Kind(str, Enum):
    CLASS = "class"
    FUNCTION = "function"


def typed(
    name: str,
    kind: Kind | None = None,
    limit: Annotated[int, Bounds(ge=1, le=100)] = 10,
    ratio: float = 0.5,
    deep: bool = False,
    mode: Literal["fast", "sure"] = "fast",
    words: tuple[str, ...] = (),
    options: Mapping[str, Any] | None = None,
    pattern: Annotated[str | None, Bounds(min_length=2, max_length=4, pattern="^a")] = None,
) -> None:
    """Do it.

    Args:
        name: What it is called,
            on two lines.
        kind: What it is: a class or a function.
        limit: How many.

    Returns:
        deep: not a parameter's description.
    """


TYPED = read_signature(typed)


def faults_of(parameters: Parameters, **arguments: Any) -> list[str]:
    return list(parameters.find_faults(arguments))


def test_strings_and_a_signature_give_the_same_schema():
    def function(symbol: str, scope: str | None = None, count: int | None = None, tags: list[str] | None = None): ...

    strings = read_parameters({"symbol": "string", "scope": "string?", "count": "integer?", "tags": "array<string>?"})
    assert build_json_schema(strings) == build_json_schema(read_signature(function))
    assert strings.to_strings() == read_signature(function).to_strings()


def test_a_signature_gives_its_whole_schema():
    schema = build_json_schema(TYPED)
    Draft202012Validator.check_schema(schema)
    assert schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "What it is called, on two lines."},
            "kind": {
                "type": "string",
                "enum": ["class", "function"],
                "description": "What it is: a class or a function.",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many.", "default": 10},
            "ratio": {"type": "number", "default": 0.5},
            "deep": {"type": "boolean", "default": False},
            "mode": {"type": "string", "enum": ["fast", "sure"], "default": "fast"},
            "words": {"type": "array", "items": {"type": "string"}, "default": []},
            "options": {"type": "object"},
            "pattern": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^a"},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def test_no_parameters_give_empty_properties():
    assert build_json_schema(read_parameters({})) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_strings_are_spelled_back_as_they_were_given():
    given_strings = {"a": "string", "b": "string?", "c": "array<array<integer>>?", "d": "object", "e": "any?"}
    assert read_parameters(given_strings).to_strings() == given_strings


def test_all_faults_are_found_at_once_and_each_names_its_parameter():
    assert faults_of(TYPED, kind="module", limit=0, ratio="x", words=["a", 1, 2], option={}) == [
        "name: missing, expected string",
        "kind: expected one of 'class', 'function', got string 'module'",
        "limit: expected at least 1, got integer 0",
        "ratio: expected number, got string 'x'",
        "words[1]: expected string, got integer 1",
        "words[2]: expected string, got integer 2",
        "option: unknown parameter; did you mean options?",
    ]


def test_a_value_breaking_several_limits_is_told_all_of_them():
    assert faults_of(TYPED, name="x", pattern="b") == [
        "pattern: expected at least 2 characters, got string 'b'",
        "pattern: expected text matching '^a', got string 'b'",
    ]


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("integer", [0, -1, 10**400], ["3", 3.0, True, False, [], {}]),
        ("number", [0, 1.5, 10**400], ["3", True, float("nan"), float("inf")]),
        ("boolean", [True, False], [0, 1, "true"]),
        ("string", ["", "x"], [0, True, ["x"], b"x"]),
        ("array", [[], [1, "x"], (1,)], ["x", {}, 1]),
        ("object", [{}, {"a": 1}], [[], "x"]),
        ("any", ["", 0, [], {}, False], []),
    ],
)
def test_types_are_exact(kind, right, wrong):
    parameters = read_parameters({"value": kind})
    assert [value for value in right if faults_of(parameters, value=value)] == []
    assert [value for value in wrong if not faults_of(parameters, value=value)] == []


def test_none_is_not_given():
    parameters = read_parameters({"symbol": "string", "scope": "string?"})
    assert faults_of(parameters, symbol=None, scope=None) == ["symbol: missing, expected string"]


def test_an_unknown_parameter_without_a_near_name_is_told_what_there_is():
    assert faults_of(read_parameters({"symbol": "string?"}), zzz=1) == ["zzz: unknown parameter; known: symbol"]
    assert faults_of(read_parameters({}), zzz=1) == ["zzz: unknown parameter; known: none"]


@pytest.mark.parametrize("value", ["x" * 10**6, 10**4_000, [[]] * 10**5, {"a": 1}, object()])
def test_a_fault_stays_short_however_large_the_value(value):
    (fault,) = faults_of(read_parameters({"flag": "boolean"}), flag=value)
    assert len(fault) < 100


class Even:
    def validate_value(self, value):
        return isinstance(value, int) and value % 2 == 0, "not even"


class OptionalEven(Even):
    required = False


def test_somebody_elses_schema_judges_for_itself():
    parameters = read_parameters({"count": Even(), "more": OptionalEven()})
    assert faults_of(parameters, count=2, more=4) == []
    assert faults_of(parameters, count=3, more=5) == ["count: not even", "more: not even"]
    assert faults_of(parameters) == ["count: not even"]
    assert build_json_schema(parameters)["properties"] == {"count": {}, "more": {}}


def test_the_tool_gets_its_own_types():
    arguments = {"name": "x", "kind": "class", "words": ["a", "b"], "limit": 3}
    assert TYPED.to_python(arguments) == {"name": "x", "kind": Kind.CLASS, "words": ("a", "b"), "limit": 3}
    assert faults_of(TYPED, name="x", kind=Kind.CLASS) == []
    assert TYPED.to_python({"kind": Kind.CLASS}) == {"kind": Kind.CLASS}


def test_a_parameter_takes_the_name_it_is_listed_under():
    shape = Shape("integer", bounds=Bounds(gt=0, lt=9))
    parameters = read_parameters({"count": Parameter("other", shape, description="How many.")})
    assert parameters["count"].name == "count"
    assert faults_of(parameters, count=9) == ["count: expected less than 9, got integer 9"]
    assert build_json_schema(parameters)["properties"]["count"] == {
        "type": "integer",
        "exclusiveMinimum": 0,
        "exclusiveMaximum": 9,
        "description": "How many.",
    }


def test_bounds_of_an_array_count_its_items():
    parameters = build_parameters([Parameter("tags", Shape("array", bounds=Bounds(min_length=1)))])
    assert faults_of(parameters, tags=[]) == ["tags: expected at least 1 items, got array of 0"]
    assert build_json_schema(parameters)["properties"]["tags"] == {"type": "array", "minItems": 1}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*TYPED, "zzz"]), JSON))
def test_the_validator_and_the_schema_agree_on_every_json_value(arguments):
    """But for two: None counts as not given, and 3.0 is an integer to JSON Schema only."""
    present = {name: value for name, value in arguments.items() if value is not None and not isinstance(value, float)}
    valid = Draft202012Validator(build_json_schema(TYPED)).is_valid(present)
    assert valid == (not TYPED.find_faults(present))
