"""Many calls at once: one result each, in their order, whatever becomes of the others."""

from __future__ import annotations

import asyncio
import threading

import pytest

from avionics.model import ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.catalog import ToolDefinition
from avionics.tools.executor import ToolExecutor
from avionics.tools.observers.audit import MemorySink, audited
from avionics.tools.registry import ToolRegistry
from tests.logs import Silent
from tests.timing import HOUR_SECONDS, PATIENCE_SECONDS, run_on_virtual_clock


def executor_of(*observers, **functions):
    registry = ToolRegistry()
    for name, function in functions.items():
        limit = 0.05 if function is hang else None
        registry.register_tool(ToolDefinition(name, function, {"x": "integer?"}, "Act", timeout_seconds=limit))
    return ToolExecutor(registry, (), observers, Settings(), Silent())


def run(executor, calls, context=None, **limits):
    return asyncio.run(executor.execute_tools(calls, context, **limits))


async def double(x=0):
    await asyncio.sleep(0.001 * (5 - x))
    return {"doubled": 2 * x}


async def broken(x=0):
    raise KeyError("lost")


async def hang(x=0):
    await asyncio.sleep(HOUR_SECONDS)


def outcomes(results):
    return [(each.call_id, each.result.error_type or each.result.status.value) for each in results]


def test_results_come_in_the_order_of_the_calls_with_their_ids():
    calls = [ToolCall("double", {"x": x}, f"c{x}") for x in (1, 4, 2, 0)]
    results = run(executor_of(double=double), calls)
    assert [(each.call_id, each.tool_name, each.result.data) for each in results] == [
        (f"c{x}", "double", {"doubled": 2 * x}) for x in (1, 4, 2, 0)
    ]


def test_there_is_one_result_a_call_even_where_ids_repeat_or_there_are_none():
    calls = [ToolCall("double", {"x": 1}, "same"), ToolCall("double", {"x": 2}, "same"), ToolCall("double")]
    results = run(executor_of(double=double), calls)
    assert [(each.call_id, each.result.data["doubled"]) for each in results] == [("same", 2), ("same", 4), ("", 0)]
    assert run(executor_of(), []) == ()


def test_siblings_survive_whatever_one_of_them_does():
    async def stray(x=0):
        raise asyncio.CancelledError

    def leave(x=0):
        raise SystemExit(3)

    executor = executor_of(double=double, broken=broken, hang=hang, stray=stray, leave=leave)
    names = ["broken", "double", "hang", "nothing", "stray", "leave", "double"]
    calls = [ToolCall(name, {}, str(place)) for place, name in enumerate(names)]
    results = run(executor, [*calls, ToolCall("double", {"x": "1"}, "7")], max_concurrent=2)
    assert outcomes(results) == [
        ("0", "tool_error"),
        ("1", "success"),
        ("2", "deadline"),
        ("3", "tool_not_found"),
        ("4", "tool_error"),
        ("5", "tool_error"),
        ("6", "success"),
        ("7", "validation_error"),
    ]


@pytest.mark.parametrize("waits", [True, False])
def test_ten_tools_run_at_once(waits):
    tasks, threads = asyncio.Barrier(10), threading.Barrier(10)

    async def asynchronous(x=0):
        await tasks.wait()

    def synchronous(x=0):
        threads.wait(PATIENCE_SECONDS)

    executor = executor_of(act=asynchronous if waits else synchronous)
    results = run(executor, [ToolCall("act", {"x": x}, str(x)) for x in range(10)])
    assert outcomes(results) == [(str(x), "success") for x in range(10)]


@pytest.mark.parametrize("bound", [1, 3, 50])
def test_no_more_run_at_once_than_are_allowed(bound):
    running, most = [], []

    async def act(x=0):
        running.append(x)
        most.append(len(running))
        await asyncio.sleep(0.002)
        running.remove(x)

    run(executor_of(act=act), [ToolCall("act", {"x": x}) for x in range(12)], max_concurrent=bound)
    assert max(most) == min(bound, 12)


def test_each_call_has_its_own_deadline_from_when_it_begins():
    async def act(x=0):
        await asyncio.sleep(0.06)

    batch = executor_of(act=act).execute_tools(
        [ToolCall("act")] * 4, ToolContext(timeout_seconds=0.1), max_concurrent=1
    )
    results = run_on_virtual_clock(batch)
    assert [each.result.status.value for each in results] == ["success"] * 4


def test_the_whole_batch_has_a_deadline_and_what_ended_before_it_stays():
    begun = []

    async def wait(x=0):
        begun.append(x)
        await asyncio.sleep(HOUR_SECONDS)

    sink = MemorySink()
    executor = executor_of(audited(sink), double=double, wait=wait)
    calls = [ToolCall("double", {"x": 5}, "a"), *(ToolCall("wait", {"x": x}, str(x)) for x in range(4))]
    results = run_on_virtual_clock(executor.execute_tools(calls, max_concurrent=2, timeout_seconds=0.1))
    assert outcomes(results) == [("a", "success"), *((str(x), "deadline") for x in range(4))]
    assert begun == [0, 1]
    assert sorted(record["call_id"] for record in sink.find_records("tool_result")) == ["0", "1", "2", "3", "a"]


def test_cancelling_the_batch_cancels_what_runs_and_each_is_audited_once():
    sink, cleaned = MemorySink(), []

    async def wait(x=0):
        try:
            await asyncio.sleep(HOUR_SECONDS)
        finally:
            cleaned.append(x)

    executor = executor_of(audited(sink), wait=wait)

    async def cancel():
        calls = [ToolCall("wait", {"x": x}, str(x)) for x in range(3)]
        task = asyncio.create_task(executor.execute_tools(calls))
        while len(sink.find_records("tool_invocation")) < len(calls):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return len(asyncio.all_tasks())

    assert asyncio.run(cancel()) == 1
    assert sorted(cleaned) == [0, 1, 2]
    ends = sink.find_records("tool_result")
    assert sorted((end["call_id"], end["status"]) for end in ends) == [(str(x), "cancelled") for x in range(3)]


def test_a_result_is_written_as_an_agents_runtime_reads_it():
    results = run(
        executor_of(double=double, broken=broken), [ToolCall("double", {"x": 5}, "a"), ToolCall("broken", {}, "b")]
    )
    plain = [each.to_dict() for each in results]
    assert all(each.pop("metadata")["duration"] >= 0 for each in plain)
    assert plain == [
        {"callId": "a", "toolName": "double", "status": "success", "output": {"doubled": 10}},
        {
            "callId": "b",
            "toolName": "broken",
            "status": "error",
            "error": "KeyError: 'lost'",
            "errorType": "tool_error",
        },
    ]
