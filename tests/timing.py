"""Time in tests: waits that end with the event, a clock that jumps, and costs in processor time against a floor.

A busy machine stretches wall time without limit, so no test compares the wall clock with a number. A test that
something is ended starts work that would take an hour: it needs no clock, since it hangs when nothing ends the work.
"""

from __future__ import annotations

import asyncio
import functools
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

PATIENCE_SECONDS = 300.0
"""How long to wait for what takes milliseconds on an idle machine."""

HOUR_SECONDS = 3_600.0
"""How long work takes that a test expects to be ended."""

GROWING_SECONDS = (0.5, 4.0, 32.0)
"""Limits to try in turn where a program must get somewhere before its time is up."""


def wait_until(condition: Callable[[], T], expected: str = "the condition holds") -> T:
    """Return the first true value of a condition; fail when there is none for `PATIENCE_SECONDS`."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not (value := condition()):
        assert time.monotonic() < end, f"waited {PATIENCE_SECONDS:.0f} s in vain until {expected}"
        time.sleep(0.005)
    return value


def within_cost(floors: float, work: Callable[..., T], /, *arguments: object, attempts: int = 3, **given: object) -> T:
    """Return what work returns; fail when it takes too much processor time each time it is tried.

    Args:
        floors: The budget, in floors (`measure_floor`); one takes about 20 ms.
        work: What is called with the arguments; the time of all threads of this process counts.
        attempts: How often it may be tried; 1 for work whose result is remembered.
    """
    costs = []
    for _ in range(attempts):
        # What is within the budget of an idle machine needs no floor of now, which takes longer than most work.
        seconds, result = _measure(work, *arguments, **given)
        if seconds <= floors * _least_floor():
            return result
        costs.append(seconds / measure_floor())
        if costs[-1] <= floors:
            return result
    raise AssertionError(f"cost {', '.join(f'{each:.1f}' for each in costs)} floors; at most {floors} are allowed")


def measure_floor() -> float:
    """Return the processor seconds that a loop of a million empty steps takes now."""
    # The thread's clock: that of the process moves in steps of 4 ms once a timer of it was set.
    return 10 * min(_measure_loop() for _ in range(3))


@functools.cache
def _least_floor() -> float:
    """Return the floor when first asked, quartered: below that of any moment of this process."""
    return measure_floor() / 4


def run_on_virtual_clock(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in an event loop whose clock jumps to the next timer whenever nothing else is to be done.

    Only for code without threads: a thread's work takes no virtual time.
    """
    with asyncio.Runner(loop_factory=_VirtualClockLoop) as runner:
        return runner.run(coroutine)


class _JumpingSelector(selectors.DefaultSelector):  # type: ignore[misc,valid-type]
    """Skips the time that a loop would wait."""

    skipped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(None if timeout is None else 0)
        if not ready and timeout:
            self.skipped += timeout
        return ready


class _VirtualClockLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumps = _JumpingSelector()
        super().__init__(self._jumps)

    def time(self) -> float:
        return self._jumps.skipped


def _measure_loop() -> float:
    started = time.thread_time()
    for _ in range(100_000):
        pass
    return time.thread_time() - started


def _measure(work: Callable[..., T], *arguments: object, **given: object) -> tuple[float, T]:
    started = time.process_time()
    result = work(*arguments, **given)
    return time.process_time() - started, result
