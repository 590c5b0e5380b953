"""Data tools: JSON, CSV, YAML."""

from __future__ import annotations

import json

import pytest

from avionics.tools.builtin.data import FormatTool, ParseCsvTool, ParseJsonTool, TransformTool
from tests.timing import within_cost

PEOPLE = [
    {"name": "Ada", "age": 36},
    {"name": "Bob", "age": 7},
    {"name": "Cyd", "age": None},
    {"name": "Dan", "age": 50},
]


def names(**arguments):
    output = TransformTool().execute(data=json.dumps(PEOPLE), **arguments)
    assert output.success, output.error
    return [person["name"] for person in output.data]


def test_a_dot_path_leads_to_a_part():
    text = json.dumps({"users": [{"name": "Ada"}]})
    assert ParseJsonTool().execute(data=text, path="users.0.name").data == "Ada"
    assert ParseJsonTool().execute(data=text).data == {"users": [{"name": "Ada"}]}


def test_a_path_to_null_is_null():
    assert ParseJsonTool().execute(data='{"a": [null]}', path="a.0").model_dump()["success"]
    assert ParseJsonTool().execute(data='{"a": null}', path="a").data is None


@pytest.mark.parametrize(
    "path", ["users.1", "users.x", "users.0.name.first", "none", "users.-1", "users." + "9" * 5000]
)
def test_a_path_that_leads_nowhere_is_refused(path):
    output = ParseJsonTool().execute(data='{"users": [{"name": "Ada"}]}', path=path)
    assert not output.success
    assert output.error.startswith("no ")


@pytest.mark.parametrize("text", ["", "{", "NaN", "[1,]", "[" * 200_000, "9" * 10_000])
def test_what_is_no_json_is_refused(text):
    output = ParseJsonTool().execute(data=text)
    assert not output.success
    assert output.error.startswith("not JSON")


def test_csv_becomes_records():
    assert ParseCsvTool().execute(data='a;b\n1;"x;y"\n\n2', delimiter=";").data == [
        {"a": "1", "b": "x;y"},
        {"a": "2", "b": None},
    ]


def test_csv_without_a_header_becomes_lists():
    assert ParseCsvTool().execute(data="1,2\n3,4", has_header=False).data == [["1", "2"], ["3", "4"]]


def test_columns_without_a_name_of_their_own_get_one():
    assert ParseCsvTool().execute(data="a,a\n1,2,3").data == [{"a": "1", "a_2": "2", "column_3": "3"}]


@pytest.mark.parametrize(
    "arguments", [{"data": 'a\n"x'}, {"data": "a", "delimiter": "\n"}, {"data": "a" * 200_000 + ",b"}]
)
def test_what_is_no_csv_is_refused(arguments):
    output = ParseCsvTool().execute(**arguments)
    assert not output.success
    assert output.error.startswith("not CSV")


def test_a_delimiter_is_one_character():
    assert ParseCsvTool().execute(data="a", delimiter=",,").metadata["error_type"] == "ValidationError"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, ["Ada", "Bob", "Cyd", "Dan"]),
        ({"filter_key": "name", "filter_value": "Bob"}, ["Bob"]),
        ({"filter_key": "name", "filter_op": "ne", "filter_value": "Bob"}, ["Ada", "Cyd", "Dan"]),
        ({"filter_key": "age", "filter_op": "gt", "filter_value": 36}, ["Dan"]),
        ({"filter_key": "age", "filter_op": "gte", "filter_value": "36"}, ["Ada", "Dan"]),
        ({"filter_key": "age", "filter_op": "lt", "filter_value": 36}, ["Bob"]),
        ({"filter_key": "age", "filter_op": "lte", "filter_value": 36}, ["Ada", "Bob"]),
        ({"filter_key": "age", "filter_op": "gt", "filter_value": "old"}, []),
        ({"filter_key": "name", "filter_op": "contains", "filter_value": "d"}, ["Ada", "Cyd"]),
        ({"sort_key": "age"}, ["Cyd", "Bob", "Ada", "Dan"]),
        ({"sort_key": "age", "sort_reverse": True, "limit": 2}, ["Dan", "Ada"]),
    ],
)
def test_an_array_is_filtered_then_sorted_then_limited(arguments, expected):
    assert names(**arguments) == expected


def test_values_of_any_kind_can_be_sorted():
    data = json.dumps([{"k": "b"}, {"k": 2}, {}, {"k": [1]}, {"k": True}, 7])
    assert TransformTool().execute(data=data, sort_key="k").data == [
        {},
        7,
        {"k": True},
        {"k": 2},
        {"k": "b"},
        {"k": [1]},
    ]


def test_what_is_no_array_is_not_transformed():
    assert TransformTool().execute(data='{"a": 1}').error == "the data is not an array but an object with a"


def test_an_unknown_comparison_is_refused():
    assert TransformTool().execute(data="[]", filter_op="like").metadata["error_type"] == "ValidationError"


@pytest.mark.parametrize("through", ["json", "csv", "yaml"])
def test_a_table_comes_back_from_every_format(through):
    rows = [{"name": "Ada", "note": 'a, "b"\nc'}, {"name": "Bob", "note": "ü: - #"}]
    there = FormatTool().execute(data=json.dumps(rows), input_format="json", output_format=through)
    back = FormatTool().execute(data=there.data, input_format=through, output_format="json")
    assert json.loads(back.data) == rows


def test_nested_values_are_json_in_a_cell():
    output = FormatTool().execute(data='[{"a": [1], "b": true}, {"c": null}]', output_format="csv")
    assert output.data == "a,b,c\n[1],true,\n,,\n"


def test_only_rows_become_csv():
    assert not FormatTool().execute(data="[1]", output_format="csv").success


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)


@pytest.mark.parametrize("text", [BOMB, "!!python/object/apply:os.system ['true']", "a: [", "[" * 5_000])
def test_hostile_yaml_is_refused_at_once(text):
    output = within_cost(100, FormatTool().execute, data=text, input_format="yaml")
    assert not output.success
    assert "YAML" in output.error
