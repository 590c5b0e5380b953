"""Whatever a tool returns becomes data, or an error that says why not."""

from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import json
import math
import pickle
import uuid

import attrs
import msgspec
import pytest
from msgspec import structs
from pydantic import BaseModel

from avionics.model import RegistrationError, Status, ToolCall
from avionics.settings import Settings
from avionics.tools import ToolCatalog, ToolCatalogEntry, ToolCategory, ToolDefinition, ToolId
from avionics.tools.executor import ToolExecutor
from avionics.tools.registry import ToolRegistry
from tests.logs import Silent


@dataclasses.dataclass
class Data:
    x: int


@attrs.frozen
class Attrs:
    x: int


class Struct(msgspec.Struct):
    x: int


class Model(BaseModel):
    x: int


def run(function, **more):
    registry = ToolRegistry()
    registry.register_tool(ToolDefinition("act", function, {}, "Test", **more))

    return ToolExecutor(registry, settings=Settings(), logger=Silent()).run(ToolCall("act"))


async def later(value):
    return value


async def stream():
    for number in range(3):
        yield number


VALUES = {
    "dataclass": (lambda: Data(1), {"x": 1}),
    "attrs": (lambda: Attrs(1), {"x": 1}),
    "msgspec": (lambda: Struct(1), {"x": 1}),
    "pydantic": (lambda: Model(x=1), {"x": 1}),
    "inside": (lambda: {"all": [Data(1), Model(x=2)]}, {"all": [{"x": 1}, {"x": 2}]}),
    "generator": (lambda: (n for n in range(3)), {"result": [0, 1, 2]}),
    "iterator": (lambda: iter([Data(1)]), {"result": [{"x": 1}]}),
    "map inside": (lambda: {"rows": map(str, [1, 2])}, {"rows": ["1", "2"]}),
    "awaitable": (lambda: later(later({"x": 1})), {"x": 1}),
    "asynchronous generator": (stream, {"result": [0, 1, 2]}),
    "not numbers": (lambda: {"a": math.nan, "b": [math.inf, -math.inf]}, {"a": "NaN", "b": ["Infinity", "-Infinity"]}),
    "date": (lambda: {"at": dt.datetime(2026, 1, 2, 3)}, {"at": "2026-01-02T03:00:00"}),
    "uuid": (lambda: {"id": uuid.UUID(int=1)}, {"id": str(uuid.UUID(int=1))}),
    "bytes": (lambda: {"text": b"abc", "other": b"\xff"}, {"text": "abc", "other": {"base64": "/w=="}}),
    "set of many kinds": (lambda: {"s": {1, "a"}}, {"s": [1, "a"]}),
}  # fmt: skip


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_becomes_data(kind):
    function, expected = VALUES[kind]
    result = run(function)
    assert (result.status, result.data) == (Status.SUCCESS, expected)
    json.dumps(result.to_dict(), allow_nan=False)


def test_what_nobody_awaited_within_the_data_is_an_error():
    waiting = later(1)
    result = run(lambda: {"nested": [waiting]})
    waiting.close()
    assert result.error == "TypeError: the data contains a coroutine that was never awaited"


def test_keys_that_become_one_are_an_error():
    result = run(lambda: {"counts": {1: "a", "1": "b"}})
    assert (result.error_type, "two keys" in result.error) == ("tool_error", True)


SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}


@pytest.mark.parametrize(("value", "holds"), [({"x": 1}, True), (Data(1), True), ({"x": "1"}, False), ({}, False)])
def test_an_output_schema_is_enforced(value, holds):
    result = run(lambda: value, output_schema=SCHEMA)
    assert (result.error_type, result.success) == (("", True) if holds else ("output_error", False))


def test_an_output_schema_may_be_of_a_bare_value():
    assert run(lambda: 3, output_schema={"type": "integer"}).data == {"result": 3}
    assert run(lambda: "3", output_schema={"type": "integer"}).error_type == "output_error"
    assert run(lambda: {"result": 3}, output_schema={"type": "integer"}).error_type == "output_error"


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy, lambda each: pickle.loads(pickle.dumps(each))])
def test_entries_and_definitions_can_be_copied_and_pickled(copied):
    entry = ToolCatalogEntry(ToolId.LOCATE, "Find", {"symbol": "string"}, ToolCategory.COMPOSITE)
    assert copied(entry) == entry
    assert structs.asdict(entry)["parameters"] == {"symbol": "string"}
    definition = ToolDefinition("dump", json.dumps, {"obj": "any"}, "Dump")
    definition.parameter_schemas.find_faults({})
    again = copied(definition)
    assert again == definition
    assert again.parameter_schemas.find_faults({}) == ("obj: missing, expected any",)
    assert structs.asdict(definition)["parameters"] == {"obj": "any"}
    for held in (entry, again):
        with pytest.raises(TypeError):
            held.parameters["x"] = 1


@pytest.mark.parametrize(
    "wrong", [{"category": "gardening"}, {"risk_level": "extreme"}, {"required_permissions": "fly"}]
)
def test_a_word_nobody_knows_is_refused_at_registration(wrong):
    with (
        pytest.raises(ValueError, match=str(next(iter(wrong.values()))))
        if "required_permissions" not in wrong
        else (pytest.raises(Exception, match="unknown permission 'fly'"))
    ):
        ToolRegistry().register_tool(ToolDefinition("act", dict, {}, "Test", **wrong))
    if "category" in wrong:
        with pytest.raises(RegistrationError, match="gardening"):
            ToolCatalog().register_function(ToolId.LOCATE, dict, "", {}, "gardening")
