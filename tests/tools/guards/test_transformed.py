"""Arguments become what the caller may ask, or the call is rejected with a reason."""

from __future__ import annotations

import asyncio

import pytest

from avionics.model import Caller, ToolCall, ToolContext
from avionics.tools.guards import ToolRejection, transformed
from avionics.tools.registry import ToolRegistry


def call(executor, caller="ada", **arguments):
    result = executor.run(ToolCall("act", arguments), ToolContext(Caller(caller)))
    return result.to_dict() | {"execution_time_ms": 0}


def for_user(tool, args, user, context):
    if user.id == "eve":
        return ToolRejection("eve may not act")
    return {**args, "y": f"{tool.name} of {user.id} in {context.thread_id or 'no thread'}"}


def test_the_arguments_are_those_of_the_user_who_asks(pipeline, ran):
    assert call(pipeline(transformed(for_user)), x=1)["status"] == "success"
    assert ran == [{"x": 1, "y": "act of ada in no thread"}]


def test_a_rejection_passes_its_reason_on_and_nothing_runs(pipeline, ran):
    assert call(pipeline(transformed(for_user)), "eve", x=1) == {
        "status": "error",
        "error": "eve may not act",
        "error_type": "rejected",
        "execution_time_ms": 0,
    }
    assert ran == []


def test_a_registry_may_be_subclassed_to_transform(pipeline, ran):
    class Mine(ToolRegistry):
        def transform_args(self, tool, args, user, context):
            return for_user(tool, args, user, context)

    registry = Mine()
    executor = pipeline(registry=registry)
    assert call(executor, "eve", x=1)["error_type"] == "rejected"
    assert call(executor, x=1)["status"] == "success"
    assert ran == [{"x": 1, "y": "act of ada in no thread"}]


def test_a_registrys_transform_takes_part_once_also_when_it_is_given_as_a_guard(pipeline, ran):
    class Mine(ToolRegistry):
        def transform_args(self, tool, args, user, context):
            return {**args, "x": args["x"] + 1}

    registry = Mine()
    call(pipeline(transformed(registry.transform_args), registry=registry), x=1)
    assert ran == [{"x": 2}]


def test_a_transform_may_take_its_time(pipeline, ran):
    async def slowly(tool, args, user, context):
        await asyncio.sleep(0)
        return {"x": 7}

    call(pipeline(transformed(slowly)), x=1)
    assert ran == [{"x": 7}]


def test_what_a_transform_makes_is_validated(pipeline, ran):
    result = call(pipeline(transformed(lambda *_: {"x": "seven"})), x=1)
    assert result["validation_errors"] == ["x: expected integer, got string 'seven'"]
    assert ran == []


def test_a_transform_is_given_well_formed_arguments_only(pipeline):
    seen = []
    executor = pipeline(transformed(lambda tool, args, user, context: seen.append(dict(args)) or args))
    call(executor, x="no")
    call(executor, x=1, y=None)
    assert seen == [{"x": 1}]


@pytest.mark.parametrize("nonsense", [None, 3, [1]])
def test_a_transform_that_gives_nonsense_lets_nothing_through(pipeline, ran, nonsense):
    result = call(pipeline(transformed(lambda *_: nonsense)), x=1)
    assert (result["error_type"], ran) == ("config_error", [])
