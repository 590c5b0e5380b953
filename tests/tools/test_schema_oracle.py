"""Schemas: four spellings are one, and an independent validator agrees with every judgement."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ConfigDict, Field

from avionics.model import ConfigError
from avionics.tools.declare import read_signature
from avionics.tools.schema.from_annotations import read_attrs_class
from avionics.tools.schema.from_json_schema import read_json_schema
from avionics.tools.schema.from_pydantic import read_model
from avionics.tools.schema.parameters import Bounds, read_parameters
from avionics.tools.schema.to_json_schema import build_json_schema

KINDS = ("string", "integer", "number", "boolean", "array", "object")


class Color(str, Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


@attrs.frozen
class Place:
    """Where.

    Attributes:
        city: Its name.
        floors: How high.
    """

    city: str
    floors: Annotated[int | None, Bounds(ge=0)] = None


class PlaceModel(BaseModel):
    city: str = Field(description="Its name.")
    floors: Annotated[int, Field(ge=0)] | None = Field(default=None, description="How high.")


def signature(
    query: str,
    limit: Annotated[int, Bounds(gt=0, le=100)] = 10,
    color: Color | None = None,
    mode: Literal["fast", "sure"] = "fast",
    tags: Annotated[list[str], Bounds(max_length=3)] = [],  # noqa: B006
    counts: Mapping[str, int] | None = None,
    places: list[Place] | None = None,
    code: Annotated[str | None, Bounds(pattern="^[a-z]+$", min_length=2)] = None,
    options: dict[str, Any] | None = None,
) -> None:
    """Search.

    Args:
        query: What to find.
        limit: How many.
        places: Where to look.
    """


@attrs.frozen
class Fields:
    """Search.

    Attributes:
        query: What to find.
        limit: How many.
        places: Where to look.
    """

    query: str
    limit: Annotated[int, Bounds(gt=0, le=100)] = 10
    color: Color | None = None
    mode: Literal["fast", "sure"] = "fast"
    tags: Annotated[list[str], Bounds(max_length=3)] = attrs.Factory(list)
    counts: Mapping[str, int] | None = None
    places: list[Place] | None = None
    code: Annotated[str | None, Bounds(pattern="^[a-z]+$", min_length=2)] = None
    options: dict[str, Any] | None = None


class Model(BaseModel):
    query: str = Field(description="What to find.")
    limit: int = Field(default=10, gt=0, le=100, description="How many.")
    color: Color | None = None
    mode: Literal["fast", "sure"] = "fast"
    tags: list[str] = Field(default_factory=list, max_length=3)
    counts: dict[str, int] | None = None
    places: list[PlaceModel] | None = Field(default=None, description="Where to look.")
    code: str | None = Field(default=None, pattern="^[a-z]+$", min_length=2)
    options: dict[str, Any] | None = None


SPELLINGS = {
    "signature": read_signature(signature),
    "attrs": read_attrs_class(Fields),
    "pydantic": read_model(Model),
}
PLACES = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Its name."},
        "floors": {"type": ["integer", "null"], "minimum": 0, "description": "How high."},
    },
    "required": ["city"],
    "additionalProperties": False,
}
WHOLE = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What to find."},
        "limit": {
            "type": "integer",
            "exclusiveMinimum": 0,
            "maximum": 100,
            "description": "How many.",
            "default": 10,
        },
        "color": {"type": "string", "enum": ["red", "blue"]},
        "mode": {"type": "string", "enum": ["fast", "sure"], "default": "fast"},
        "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "default": []},
        "counts": {"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}},
        "places": {"type": "array", "items": PLACES, "description": "Where to look."},
        "code": {"type": "string", "minLength": 2, "pattern": "^[a-z]+$"},
        "options": {"type": "object"},
    },
    "required": ["query"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_typed_spelling_gives_the_same_schema(spelling):
    assert build_json_schema(SPELLINGS[spelling]) == WHOLE
    Draft202012Validator.check_schema(WHOLE)


def test_strings_give_the_schema_of_the_same_model():
    class Plain(BaseModel):
        name: str
        count: int | None = None
        ratio: float | None = None
        tags: list[str] | None = None
        anything: Any = None

    strings = {"name": "string", "count": "integer?", "ratio": "number?", "tags": "array<string>?", "anything": "any?"}
    assert build_json_schema(read_parameters(strings)) == build_json_schema(read_model(Plain))
    assert read_model(Plain).to_strings() == strings


def test_a_schema_that_is_read_comes_out_as_it_went_in():
    assert build_json_schema(read_json_schema(WHOLE)) == WHOLE


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_finds_the_same_faults(spelling):
    wrong = {
        "limit": 0,
        "color": "green",
        "tags": ["a", 1, "b", "c"],
        "counts": {"a": "x"},
        "places": [{"floors": -1, "city": "Rome"}, {"cty": "Rome"}],
        "code": "A",
        "querry": "x",
    }
    assert list(SPELLINGS[spelling].find_faults(wrong)) == [
        "query: missing, expected string",
        "limit: expected more than 0, got integer 0",
        "color: expected one of 'red', 'blue', got string 'green'",
        "tags: expected at most 3 items, got array of 4",
        "tags[1]: expected string, got integer 1",
        "counts.a: expected integer, got string 'x'",
        "places[0].floors: expected at least 0, got integer -1",
        "places[1].city: missing, expected string",
        "places[1].cty: unknown parameter; did you mean city?",
        "code: expected at least 2 characters, got string 'A'",
        "code: expected text matching '^[a-z]+$', got string 'A'",
        "querry: unknown parameter; did you mean query?",
    ]


def test_a_tool_gets_its_attrs_classes():
    assert SPELLINGS["signature"].to_python({"query": "x", "color": "red", "places": [{"city": "Rome"}]}) == {
        "query": "x",
        "color": Color.RED,
        "places": [Place("Rome")],
    }
    assert SPELLINGS["signature"].find_faults({"query": "x", "places": [Place("Rome")]}) == ()


def test_no_reference_is_left_to_be_looked_up():
    class Node(BaseModel):
        value: int
        children: list[Node] = []

    class Tree(BaseModel):
        root: Node
        other: Node | None = None

    schema = build_json_schema(read_model(Tree))
    assert "$ref" not in str(schema)
    node = {
        "type": "object",
        "properties": {"value": {"type": "integer"}, "children": {"type": "array", "default": []}},
        "required": ["value"],
        "additionalProperties": False,
    }
    assert schema["properties"] == {"root": node, "other": node}


def test_alternatives_of_a_model_are_kept():
    class Either(BaseModel):
        model_config = ConfigDict(extra="allow")
        value: int | list[str] | None = None
        held: dict[str, int | None] = {}

    parameters = read_model(Either)
    assert build_json_schema(parameters)["properties"]["value"] == {
        "anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]
    }
    assert build_json_schema(parameters)["additionalProperties"] is True
    assert parameters.find_faults({"value": ["a", 1], "held": {"a": None}, "more": 1}) == (
        "value[1]: expected string, got integer 1",
    )
    assert parameters.find_faults({"value": "x"}) == ("value: expected integer or array<string>, got string 'x'",)


@pytest.mark.parametrize(
    ("schema", "named"),
    [
        ({"type": "array"}, "not that of an object"),
        ({"properties": {"a": {"not": {}}}}, "arguments.a: not is not supported"),
        ({"properties": {"a": {"type": "strnig"}}}, "arguments.a: 'strnig' is not a type"),
        ({"properties": {"a": {"$ref": "#/$defs/A"}}}, "'#/\\$defs/A' refers to nothing"),
        ({"properties": {"a": {"type": "string", "pattern": "("}}}, "'\\(' is not a regular expression"),
        ({"properties": {"a": False}}, "not a schema that any value can satisfy"),
        ({"properties": {"a": {"minimum": 3}}}, "arguments.a: minimum is not supported"),
        ({"properties": {"a": {"allOf": [{"type": "string"}, {"maxLength": 3}]}}}, "allOf is not supported"),
        ({"additionalProperties": False, "required": ["a"]}, "arguments.a: 'False' is not a schema"),
        ({"properties": {"a": {"type": "null", "enum": ["x"]}}}, "arguments.a: no choice is of the type 'null'"),
        ({"patternProperties": {"x": {}}}, "patternProperties is not supported"),
    ],
)
def test_a_schema_that_could_not_be_held_is_refused(schema, named):
    with pytest.raises(ConfigError, match=named):
        read_json_schema(schema)


def test_choices_and_null_go_together():
    choice = {"type": ["string", "null"], "enum": ["a", None]}
    schema = {"properties": {"value": choice, "held": {"type": "array", "items": choice}}}
    assert build_json_schema(read_json_schema(schema))["properties"] == {
        "value": {"type": "string", "enum": ["a"]},
        "held": {"type": "array", "items": {"type": ["string", "null"], "enum": ["a", None]}},
    }


@pytest.mark.parametrize(
    "arguments",
    [{"value": "a", "flag": 1}, {"value": True, "flag": True}, {"value": 1}, {"value": None, "flag": 0}],
)
def test_truth_values_are_no_numbers_among_choices(arguments):
    schema = {"properties": {"value": {"enum": ["a", 1]}, "flag": {"enum": [True]}}}
    present = {name: value for name, value in arguments.items() if value is not None}
    assert Draft202012Validator(schema).is_valid(present) == (not read_json_schema(schema).find_faults(arguments))


def limits(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Keywords that limit values of a kind, all of them possible."""
    small = st.integers(0, 3)
    optional = {
        "string": {"minLength": small, "maxLength": small, "pattern": st.sampled_from(["^a", "b$", "[0-9]"])},
        "integer": {"minimum": small, "exclusiveMaximum": small, "multipleOf": st.integers(1, 3)},
        "number": {
            "minimum": small,
            "exclusiveMinimum": small,
            "maximum": st.sampled_from([0.5, 2, 3.25]),
            "multipleOf": st.sampled_from([1, 2, 0.5, 0.25]),
        },
        "array": {"minItems": small, "maxItems": small, "uniqueItems": st.booleans()},
        "object": {"minProperties": small, "maxProperties": small},
    }
    return st.fixed_dictionaries({"type": st.just(kind)}, optional=optional.get(kind, {}))


NAMES = st.sampled_from(["a", "b", "c"])
PLAIN = st.none() | st.booleans() | st.integers(-1, 4) | st.floats(-1, 4).filter(lambda number: number % 1 != 0)
PLAIN |= st.sampled_from([0.5, 1.25, -0.25, 10**6, -(2**53), 2**53])


def holding_values(plain: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Plain values, and lists and objects of them."""
    return st.recursive(
        plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
    )


VALUES = holding_values(PLAIN | st.text("ab0é😀", max_size=4))
LINES = holding_values(PLAIN | st.text("ab0\n", max_size=4))
"""Where lines end, only the second of the validators reads `$` as JSON Schema does."""
LEAVES = st.one_of(*(limits(kind) for kind in (*KINDS, "null")), st.just({}))
LEAVES |= st.lists(VALUES, min_size=1, max_size=3).map(lambda choices: {"enum": choices}) | VALUES.map(
    lambda value: {"const": value}
)


def holding(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of what holds other values."""
    return st.one_of(
        st.tuples(limits("array"), inner).map(lambda both: {**both[0], "items": both[1]}),
        objects(inner),
        st.lists(inner, min_size=1, max_size=3).map(lambda options: {"anyOf": options}),
        inner.filter(lambda schema: schema.get("type") in KINDS).map(
            lambda schema: {**schema, "type": [schema["type"], "null"]}
        ),
        st.lists(st.sampled_from((*KINDS, "null")), min_size=1, max_size=3, unique=True)
        .filter(lambda kinds: not {"integer", "number"} <= set(kinds))
        .map(lambda kinds: {"type": kinds}),
        inner.map(lambda schema: {"allOf": [schema]}),
    )


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of objects."""
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, inner, max_size=3)},
        optional={"required": st.lists(NAMES, unique=True), "additionalProperties": st.booleans() | inner},
    ).filter(
        lambda schema: (
            schema.get("additionalProperties") is not False
            or schema["properties"].keys() >= set(schema.get("required", ()))
        )
    )


SCHEMAS = st.recursive(LEAVES, holding, max_leaves=8)


@given(SCHEMAS, VALUES)
def test_an_independent_validator_agrees_on_every_schema_and_value(schema, value):
    parameters = read_json_schema({"properties": {"value": schema}})
    own = build_json_schema(parameters)
    Draft202012Validator.check_schema(own)
    if value is None:
        return
    valid = Draft202012Validator(schema).is_valid(value)
    assert Draft202012Validator(own["properties"]["value"]).is_valid(value) == valid
    assert (not parameters.find_faults({"value": value})) == valid


@given(objects(SCHEMAS), st.dictionaries(NAMES, VALUES))
def test_an_independent_validator_agrees_on_whole_calls(schema, arguments):
    """But for None, which counts as not given and is dropped before."""
    present = {name: value for name, value in arguments.items() if value is not None}
    parameters = read_json_schema(schema)
    valid = Draft202012Validator(schema).is_valid(present)
    assert (not parameters.find_faults(present)) == valid
    assert Draft202012Validator(build_json_schema(parameters)).is_valid(present) == valid


def judge(schema: Any, arguments: Any) -> bool:
    """What the second validator, which shares no code with Python, says of a call."""
    return pytest.importorskip("jsonschema_rs").validator_for(schema).is_valid(arguments)


@given(SCHEMAS, LINES)
def test_a_second_independent_validator_agrees(schema, value):
    if value is not None:
        whole = {"properties": {"value": schema}}
        assert (not read_json_schema(whole).find_faults({"value": value})) == judge(schema, value)


@given(SCHEMAS, LINES)
def test_it_agrees_on_what_is_referred_to(schema, value):
    whole = {
        "type": "object",
        "$defs": {"a~/b": schema, "more": {"$ref": "#/$defs/a~0~1b"}},
        "properties": {"value": {"$ref": "#/$defs/more"}, "all": {"type": "array", "items": {"$ref": "#/$defs/more"}}},
    }
    for arguments in ({"value": value}, {"all": [value, value]}):
        if arguments.get("value", 0) is not None:
            assert (not read_json_schema(whole).find_faults(arguments)) == judge(whole, arguments)


@given(objects(SCHEMAS), st.dictionaries(NAMES, LINES))
def test_it_agrees_on_whole_calls_and_on_the_schema_we_show(schema, arguments):
    present = {name: value for name, value in arguments.items() if value is not None}
    parameters = read_json_schema(schema)
    valid = judge(schema, present)
    assert (not parameters.find_faults(present)) == valid
    assert judge(build_json_schema(parameters), present) == valid


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("^[a-z]+$", "abc", True),
        ("^[a-z]+$", "abc\n", False),
        ("^[$]+$", "$$", True),
        (r"^\$$", "$", True),
        (r"^\$$", "$\n", False),
        (r"^[\]$]$", "$", True),
        ("a$|b", "a\nb", True),
    ],
)
def test_the_end_of_a_pattern_is_the_very_end(pattern, text, fits):
    schema = {"properties": {"code": {"type": "string", "pattern": pattern}}}
    assert (read_json_schema(schema).find_faults({"code": text}) == ()) is fits
    assert judge(schema, {"code": text}) is fits
