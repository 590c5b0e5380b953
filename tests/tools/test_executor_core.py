"""The pure core: every outcome in the documented format, and nothing raised for a tool's fault."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from contextvars import ContextVar
from functools import partial, wraps
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avionics.model import Attempt, Coverage, SourceError, Status, ToolResult, complete
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import PlaceItem
from avionics.tools.executor_core import ToolExecutionCore
from tests.timing import HOUR_SECONDS, PATIENCE_SECONDS


class Recorder:
    def __init__(self):
        self.errors = []

    def error(self, event, **fields):
        self.errors.append((event, fields))


def execute(function, params=None, schemas=None, core: ToolExecutionCore | None = None, name="unknown"):
    """The result without its time, which is checked."""
    core = core or ToolExecutionCore(Recorder())
    result = asyncio.run(core.execute_tool(function, params or {}, schemas, name))
    milliseconds = result.pop("execution_time_ms")
    assert type(milliseconds) is int
    assert milliseconds >= 0
    return result


def returning(value: Any):
    async def function():
        return value

    return execute(function)


@attrs.frozen
class Answer:
    coverage: Coverage
    places: tuple[PlaceItem, ...] = part("Places")
    attempts: tuple[Attempt, ...] = ()

    def headline(self) -> str:
        return f"{self.coverage.found} places"


@pytest.mark.parametrize(
    ("returned", "result"),
    [
        ({"status": "success", "matches": [1]}, {"status": "success", "data": {"matches": [1]}}),
        ({"status": "success", "data": {"a": 1}}, {"status": "success", "data": {"a": 1}}),
        ({"status": "success", "data": {"a": 1}, "b": 2}, {"status": "success", "data": {"a": 1, "b": 2}}),
        ({"status": "success", "data": [1]}, {"status": "success", "data": {"result": [1]}}),
        ({"status": "success"}, {"status": "success", "data": {}}),
        ({"matches": [1]}, {"status": "success", "data": {"matches": [1]}}),
        ({"status": 200, "body": "x"}, {"status": "success", "data": {"status": 200, "body": "x"}}),
        ({}, {"status": "success", "data": {}}),
        (None, {"status": "success", "data": {"result": None}}),
        ("text", {"status": "success", "data": {"result": "text"}}),
        ((1, {2}), {"status": "success", "data": {"result": [1, [2]]}}),
        (
            {"status": "not_found"},
            {"status": "not_found", "data": {}, "message": "Tool returned not_found"},
        ),
        (
            {"status": "not_found", "message": "no x", "near": ["y"]},
            {"status": "not_found", "data": {"near": ["y"]}, "message": "no x"},
        ),
        (
            {"status": "partial", "data": {"a": 1}},
            {"status": "partial", "data": {"a": 1}, "message": "Tool returned partial"},
        ),
        (
            {"status": "error", "error": "broken"},
            {"status": "error", "error": "broken", "error_type": "tool_error"},
        ),
        (
            {"status": "error", "message": "broken", "error_type": "mine", "hint": "mend it"},
            {"status": "error", "error": "broken", "error_type": "mine", "hint": "mend it"},
        ),
        ({"status": "error"}, {"status": "error", "error": "Tool returned error", "error_type": "tool_error"}),
        (
            {"status": "fine"},
            {
                "status": "error",
                "error": "Tool returned the status 'fine', none of success, partial, not_found, error",
                "error_type": "tool_error",
            },
        ),
        (
            ToolResult(Status.PARTIAL, data={"a": 1}, message="half"),
            {"status": "partial", "data": {"a": 1}, "message": "half"},
        ),
        (
            Answer(complete(1), (PlaceItem("a.py", 3, "x"),), (Attempt("exact", "found", 1),)),
            {
                "status": "success",
                "data": {
                    "coverage": {
                        "found": 1,
                        "shown": 1,
                        "certainty": "exact",
                        "unresolved": 0,
                        "because": [],
                        "next": "",
                    },
                    "places": [{"file": "a.py", "line": 3, "text": "x"}],
                    "attempt_history": [{"step": "exact", "outcome": "found", "found": 1, "milliseconds": 0}],
                    "citations": ["a.py:3"],
                },
            },
        ),
    ],
)
def test_whatever_a_tool_returns_has_the_documented_format(returned, result):
    assert returning(returned) == result


@given(
    st.dictionaries(st.sampled_from(["status", "data", "message", "error", "x"]), st.none() | st.text() | st.integers())
)
def test_normalizing_twice_changes_nothing(returned):
    core = ToolExecutionCore()
    once = core.normalize_result(returned, 7)
    assert core.normalize_result(once, 7) == once
    assert once["execution_time_ms"] == 7
    assert json.loads(json.dumps(once)) == once


def test_the_tools_own_dict_is_not_shared_with_the_result():
    mine = {"status": "success", "data": {"a": [1]}}
    result = returning(mine)
    result["data"]["a"].append(2)
    assert mine == {"status": "success", "data": {"a": [1]}}


def test_none_is_dropped_and_nothing_else_so_that_defaults_apply():
    assert ToolExecutionCore().filter_none_params({"a": None, "b": "", "c": 0, "d": False, "e": []}) == {
        "b": "",
        "c": 0,
        "d": False,
        "e": [],
    }

    async def function(a, b="default"):
        return {"a": a, "b": b}

    assert execute(function, {"a": "", "b": None}, {"a": "string", "b": "string?"})["data"] == {"a": "", "b": "default"}


def test_all_faults_come_back_and_the_tool_does_not_run():
    ran = []

    async def function(**params):
        ran.append(params)

    assert execute(function, {"limit": "3"}, {"symbol": "string", "limit": "integer?"}) == {
        "status": "error",
        "error": "Parameter validation failed: symbol: missing, expected string; "
        "limit: expected integer, got string '3'",
        "error_type": "validation_error",
        "validation_errors": ["symbol: missing, expected string", "limit: expected integer, got string '3'"],
    }
    assert ran == []


def test_validation_alone_gives_the_messages():
    core = ToolExecutionCore()
    assert core.validate_params(None, {"anything": 1}) == []
    assert core.validate_params({"symbol": "string"}, {"symbol": "x"}) == []
    assert core.validate_params({"symbol": "string"}, {}) == ["symbol: missing, expected string"]


@pytest.mark.parametrize("params", [{}, {"symbol": 1, "other": 2}, {"other": 2}])
def test_parameters_that_do_not_bind_are_a_parameter_error(params):
    async def function(symbol):
        raise AssertionError

    result = execute(function, params)
    assert (result["status"], result["error_type"]) == ("error", "parameter_error")
    assert result["error"].startswith("Parameter error: ")


@pytest.mark.parametrize("arguments", [[], "x", 3, None, True])
def test_arguments_that_are_no_object_are_a_validation_error(arguments):
    async def function():
        raise AssertionError

    result = asyncio.run(ToolExecutionCore().execute_tool(function, arguments))
    assert result["error_type"] == "validation_error"


def test_a_type_error_inside_the_tool_is_the_tools_own():
    async def function(symbol):
        return symbol + 1

    assert execute(function, {"symbol": "x"}) == {
        "status": "error",
        "error": 'TypeError: can only concatenate str (not "int") to str',
        "error_type": "tool_error",
    }


def test_a_bug_names_its_class_and_its_traceback_goes_to_the_log_only():
    log = Recorder()

    async def function():
        raise KeyError("lost")

    result = execute(function, core=ToolExecutionCore(log), name="locate")
    assert result == {"status": "error", "error": "KeyError: 'lost'", "error_type": "tool_error"}
    ((event, fields),) = log.errors
    assert event == "tool locate failed: KeyError: 'lost'"
    assert isinstance(fields["exc_info"], KeyError)


def test_without_a_logger_a_bug_goes_to_the_standard_log(caplog):
    async def function():
        raise KeyError("lost")

    execute(function, core=ToolExecutionCore(), name="locate")
    assert [record.message for record in caplog.records] == ["tool locate failed: KeyError: 'lost'"]
    assert "Traceback" in caplog.text


def test_a_deliberate_failure_travels_as_its_code_and_hint_and_is_no_bug():
    log = Recorder()

    async def function():
        raise SourceError("cannot read", hint="look at it")

    assert execute(function, core=ToolExecutionCore(log)) == {
        "status": "error",
        "error": "cannot read",
        "error_type": "source_error",
        "hint": "look at it",
    }
    assert log.errors == []


def test_bugs_are_raised_where_a_test_asks_for_it():
    async def bug():
        raise KeyError("lost")

    async def failure():
        raise SourceError("cannot read")

    core = ToolExecutionCore(reraise=True)
    with pytest.raises(KeyError):
        execute(bug, core=core)
    assert execute(failure, core=core)["error_type"] == "source_error"


@pytest.mark.parametrize("leave", [sys.exit, partial(next, iter(()))])
def test_a_tool_that_tries_to_leave_has_failed(leave):
    async def in_the_loop():
        leave()

    for function in (in_the_loop, leave):
        result = execute(function)
        assert (result["status"], result["error_type"]) == ("error", "tool_error")


def test_cancellation_is_never_swallowed():
    cleaned = []

    async def function():
        try:
            await asyncio.sleep(HOUR_SECONDS)
        finally:
            cleaned.append(True)

    async def cancel():
        task = asyncio.create_task(ToolExecutionCore().execute_tool(function, {}))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert cleaned == [True]


def test_a_synchronous_tool_runs_in_a_thread_of_its_own_with_the_callers_context_variables():
    variable = ContextVar("variable", default="")

    def function():
        return {"thread": threading.current_thread() is threading.main_thread(), "value": variable.get()}

    async def run():
        variable.set("mine")
        return await ToolExecutionCore().execute_tool(function, {})

    assert asyncio.run(run())["data"] == {"thread": False, "value": "mine"}


def test_a_synchronous_tool_does_not_hold_up_the_loop():
    started, release = threading.Event(), threading.Event()

    def function():
        started.set()
        return release.wait(PATIENCE_SECONDS)

    async def run():
        task = asyncio.create_task(ToolExecutionCore().execute_tool(function, {}))
        while not started.is_set():
            await asyncio.sleep(0.001)
        release.set()
        return await task

    assert asyncio.run(run())["data"] == {"result": True}


def test_what_can_be_called_and_awaited_is_a_tool():
    async def asynchronous(value):
        return value

    class Callable:
        async def __call__(self, value):
            return value

        def method(self, value):
            return value

    for function in (partial(asynchronous, 1), Callable(), lambda value=1: asynchronous(value), Callable().method, str):
        params = {} if isinstance(function, partial) or function is str else {"value": 1}
        assert execute(function, params)["status"] == "success"


def test_a_value_that_cannot_be_plain_data_is_an_error_and_not_a_crash():
    endless: list[Any] = []
    endless.append(endless)
    result = returning(endless)
    assert (result["status"], result["error_type"]) == ("error", "tool_error")


def test_values_of_our_own_become_plain_data():
    assert returning({"path": Path("a/b"), "status_word": Status.PARTIAL, "place": PlaceItem("a.py", 1, "x")}) == {
        "status": "success",
        "data": {"path": "a/b", "status_word": "partial", "place": {"file": "a.py", "line": 1, "text": "x"}},
    }


def test_a_wrapped_function_is_not_entered_with_what_the_function_it_wraps_does_not_take():
    entered = []

    async def inner(value):
        return value

    @wraps(inner)
    async def outer(*arguments, **more):
        entered.append(more)
        return await inner(*arguments, **more)

    assert execute(outer, {"valu": 1})["error"] == "Parameter error: missing a required argument: 'value'"
    assert entered == []
    assert execute(outer, {"value": 1})["data"] == {"result": 1}


@pytest.mark.parametrize("params", [{"value": 1}, {}], ids=["fits", "does not fit"])
def test_a_type_error_is_a_parameter_error_only_where_the_call_does_not_fit(params):
    async def asynchronous(value):
        return value + "x"

    def synchronous(value):
        return value + "x"

    for function in (asynchronous, synchronous):
        assert execute(function, params)["error_type"] == ("tool_error" if params else "parameter_error")
