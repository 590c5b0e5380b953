"""Whatever a tool does, its call ends, its siblings go on, and threads stay few."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time

import pytest

from avionics.model import ConfigError, Fallback, Status, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools.catalog import ToolDefinition
from avionics.tools.executor import ToolExecutor
from avionics.tools.executor_core import ToolExecutionCore
from avionics.tools.registry import ToolRegistry
from tests.logs import Silent
from tests.timing import HOUR_SECONDS

SOON = ToolContext(timeout_seconds=0.05)


def executor_of(*, limits=None, fallbacks=None, **functions):
    registry = ToolRegistry()
    for name, function in functions.items():
        limit, others = (limits or {}).get(name), (fallbacks or {}).get(name, ())
        registry.register_tool(ToolDefinition(name, function, {}, "Test", timeout_seconds=limit, fallbacks=others))
    return ToolExecutor(registry, settings=Settings(), logger=Silent())


async def fine():
    return {"fine": True}


async def swallows():
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(HOUR_SECONDS)


async def swallows_everything():
    while True:
        with contextlib.suppress(BaseException):
            await asyncio.sleep(HOUR_SECONDS)


@pytest.mark.parametrize("tool", [swallows, swallows_everything])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_tool_that_swallows_its_cancellation_ends_at_the_deadline(tool):
    executor = executor_of(act=tool, fine=fine)
    assert executor.run(ToolCall("act"), SOON).error_type == "deadline"
    batch = asyncio.run(executor.execute_tools([ToolCall("act"), ToolCall("fine")], timeout_seconds=0.05))
    assert [each.result.error_type for each in batch] == ["deadline", ""]


def test_a_tool_with_a_limit_of_its_own_ends_there_too():
    executor = executor_of(act=swallows, limits={"act": 0.05})
    assert executor.run(ToolCall("act")).error_type == "deadline"


def test_what_was_cancelled_may_clean_up():
    cleaned = []

    async def act():
        try:
            await asyncio.sleep(HOUR_SECONDS)
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    assert executor_of(act=act).run(ToolCall("act"), SOON).error_type == "deadline"
    assert cleaned == [True]


def test_a_deadline_leaves_the_timeouts_of_a_tool_alone():
    async def act():
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(HOUR_SECONDS)
        except TimeoutError:
            return {"own": True}

    assert executor_of(act=act).run(ToolCall("act"), ToolContext(timeout_seconds=HOUR_SECONDS)).data == {"own": True}


def test_a_result_that_comes_after_the_deadline_is_no_success():
    async def blocks():
        time.sleep(0.06)
        return {}

    assert executor_of(act=blocks).run(ToolCall("act"), SOON).error_type == "deadline"


class Odd(BaseException):
    pass


@pytest.mark.parametrize("error", [Odd("x"), GeneratorExit(), SystemExit(3), asyncio.CancelledError()])
def test_whatever_a_tool_raises_is_a_result(error):
    async def asynchronous():
        raise error

    def synchronous():
        raise error

    for function in (asynchronous, synchronous):
        result = executor_of(act=function).run(ToolCall("act"))
        assert (result.status, result.error_type) == (Status.ERROR, "tool_error")
        plain = asyncio.run(ToolExecutionCore(Silent()).execute_tool(function, {}))
        assert plain["error_type"] == "tool_error"


def test_an_interrupt_that_a_tool_raises_in_its_thread_ends_no_batch():
    def interrupt():
        raise KeyboardInterrupt

    batch = asyncio.run(executor_of(act=interrupt, fine=fine).execute_tools([ToolCall("act"), ToolCall("fine")]))
    assert [each.result.error_type for each in batch] == ["tool_error", ""]


@pytest.mark.parametrize("item", [None, "fine", {"name": "fine"}, 3])
def test_a_malformed_item_of_a_batch_fails_alone(item):
    batch = asyncio.run(executor_of(fine=fine).execute_tools([ToolCall("fine", {}, "1"), item, ToolCall("fine")]))
    assert [(each.call_id, each.result.error_type) for each in batch] == [("1", ""), ("", "validation_error"), ("", "")]


def test_a_thousand_synchronous_calls_use_few_threads_and_lose_nothing():
    most, lock = [0], threading.Lock()

    def act():
        with lock:
            most[0] = max(most[0], sum(thread.name == "avionics-tool" for thread in threading.enumerate()))
        time.sleep(0.001)
        return {"done": True}

    executor = executor_of(act=act)

    async def run():
        return await asyncio.gather(*(executor.execute(ToolCall("act", {}, str(i))) for i in range(1000)))

    results = asyncio.run(run())
    assert [result.data for result in results] == [{"done": True}] * 1000
    assert 1 < most[0] <= 64


def test_threads_nobody_waits_for_keep_no_call_waiting():
    release = threading.Event()
    executor = executor_of(hang=release.wait, act=lambda: {"done": True})

    async def run():
        hung = [executor.execute(ToolCall("hang"), ToolContext(timeout_seconds=0.05)) for _ in range(40)]
        late = await asyncio.gather(*hung)
        return late, await executor.execute(ToolCall("act"))

    try:
        late, done = asyncio.run(run())
        assert {result.error_type for result in late} == {"deadline"}
        assert done.data == {"done": True}
    finally:
        release.set()


async def fails():
    raise ValueError("no")


async def hangs():
    await asyncio.sleep(HOUR_SECONDS)


async def nothing():
    return {"status": "not_found"}


@pytest.mark.parametrize(
    ("tool", "on", "falls_back"),
    [
        (nothing, "not_found", True),
        (fails, "not_found", False),
        (fails, "error", True),
        (hangs, "error", False),
        (hangs, ("error", "deadline"), True),
        (nothing, "deadline", False),
    ],
)
def test_a_fallback_is_asked_on_what_it_names(tool, on, falls_back):
    executor = executor_of(act=tool, fine=fine, limits={"act": 0.05}, fallbacks={"act": (Fallback("fine", on=on),)})
    result = executor.run(ToolCall("act"))
    assert ((result.data or {}).get("fine") is True) == falls_back
    if falls_back:
        assert [attempt["step"] for attempt in result.data["attempt_history"]] == ["act", "fine"]


def test_a_fallback_on_nothing_known_is_refused():
    with pytest.raises(ConfigError, match="cannot be tried on sometimes"):
        Fallback("fine", on="sometimes")
