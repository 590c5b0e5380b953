"""A coroutine of the pipeline that runs without an event loop keeps the promises of one that has one."""

from __future__ import annotations

import asyncio
import signal
import threading
import time

import pytest

from avionics.cancellation import is_wanted
from avionics.tools.execution.deadlines import Deadlines
from avionics.tools.execution.direct_run import is_direct, run_directly
from avionics.tools.executor_core import run_in_thread

LONG_SECONDS = 60.0


class Body:
    """Works until it is cancelled."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.ended = threading.Event()

    def __call__(self) -> None:
        self.started.set()
        while is_wanted():
            time.sleep(0.001)
        self.ended.set()


def test_what_a_thread_returns_or_raises_arrives():
    async def ask():
        with pytest.raises(ZeroDivisionError):
            await run_in_thread(lambda: 1 // 0)
        return [await run_in_thread(lambda each=each: each + 1) for each in range(3)]

    assert run_directly(ask()) == [1, 2, 3]
    assert not is_direct()


@pytest.mark.parametrize(("inner", "outer", "found"), [(0.05, LONG_SECONDS, [None]), (LONG_SECONDS, 0.05, None)])
def test_the_first_deadline_that_is_reached_ends_the_work(inner, outer, found):
    body, deadlines = Body(), Deadlines()

    async def ask():
        return [await deadlines.within(inner, run_in_thread(body))]

    async def ask_in_time():
        return await deadlines.within(outer, ask())

    started = time.monotonic()
    assert run_directly(ask_in_time()) == found
    assert time.monotonic() - started < LONG_SECONDS / 2
    assert body.ended.wait(LONG_SECONDS)


def test_a_result_that_comes_after_the_deadline_is_none():
    async def late():
        time.sleep(0.06)
        return "late"

    async def ask():
        return await Deadlines().within(0.05, late()), await Deadlines().within(LONG_SECONDS, late())

    assert run_directly(ask()) == (None, "late")


def test_a_body_may_run_an_event_loop_of_its_own():
    async def ask():
        return await Deadlines().within(LONG_SECONDS, run_in_thread(lambda: "inner"))

    assert run_directly(run_in_thread(lambda: asyncio.run(ask()))) == "inner"


def test_an_interrupt_cancels_the_body():
    body = Body()

    def interrupt():
        body.started.wait(LONG_SECONDS)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)

    def end(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGUSR1, end)
    sender = threading.Thread(target=interrupt)
    try:
        sender.start()
        with pytest.raises(KeyboardInterrupt):
            run_directly(run_in_thread(body))
    finally:
        sender.join()
        signal.signal(signal.SIGUSR1, before)
    assert body.ended.wait(LONG_SECONDS)
    assert not is_direct()
