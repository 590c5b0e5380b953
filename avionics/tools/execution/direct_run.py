"""Run a coroutine of the pipeline without an event loop.

Importing asyncio and running a loop takes a tenth of the time of a short command. A process that runs one built-in tool
needs neither, because its coroutine waits only for the tool's thread.
"""

from __future__ import annotations

import math
from collections.abc import Coroutine, Generator
from contextvars import ContextVar
from threading import Lock
from time import monotonic
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

Outcome = tuple[Any, BaseException | None]
"""The value that a body returned, or the exception that it raised."""


_WAIT_SECONDS = 0.2
"""A signal that arrives just before a wait begins does not end the wait, and is handled after it."""

_IS_DIRECT: Final[ContextVar[bool]] = ContextVar("avionics_is_direct", default=False)
_IS_CLOSING: Final[ContextVar[bool]] = ContextVar("avionics_is_closing", default=False)


def is_direct() -> bool:
    """Return whether the coroutine of this context has no event loop."""
    return _IS_DIRECT.get()


def is_closing() -> bool:
    """Return whether the coroutine of this context is being closed, so that GeneratorExit is not a tool's error."""
    return _IS_CLOSING.get()


def leave_direct_run() -> None:
    """Allow code in this context to have its own event loop."""
    _IS_DIRECT.set(False)


class DirectWait:
    """Wait for the result of another thread, at most until a deadline, and then let the deadline decide."""

    __slots__ = ("_arrived", "_outcome", "limit")

    def __init__(self) -> None:
        self.limit = math.inf
        self._outcome: Outcome | None = None
        self._arrived = Lock()
        self._arrived.acquire()

    def deliver(self, value: Any, error: BaseException | None) -> None:
        """End the wait; called once, by the other thread."""
        self._outcome = (value, error)
        self._arrived.release()

    def wait(self) -> None:
        """Block this thread until there is an outcome or the limit is reached, but not for long."""
        left = self.limit - monotonic()
        self._arrived.acquire(timeout=min(max(0.0, left), _WAIT_SECONDS))

    def __await__(self) -> Generator[DirectWait, None, Outcome]:
        """Return the outcome."""
        while self._outcome is None:
            yield self
        return self._outcome


class DirectDeadline(Generic[T]):
    """A coroutine that is closed when its time is over; `Deadline` is the same in an event loop."""

    __slots__ = ("_when", "_work")

    def __init__(self, seconds: float, work: Coroutine[Any, Any, T]) -> None:
        self._when = monotonic() + seconds
        self._work = work

    def __await__(self) -> Generator[DirectWait, None, T | None]:
        """Return the result of the coroutine, or None if its time was over first."""
        try:
            while True:
                waited = self._work.send(None)
                waited.limit = min(waited.limit, self._when)
                yield waited
                if monotonic() >= self._when:
                    return None
        except StopIteration as end:
            value: T = end.value
            return None if monotonic() >= self._when else value
        finally:
            _close(self._work)


def run_directly(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that only waits for tool bodies in threads, and return its result."""
    token = _IS_DIRECT.set(True)
    try:
        while True:
            work.send(None).wait()
    except StopIteration as end:
        value: T = end.value
        return value
    finally:
        _close(work)
        _IS_DIRECT.reset(token)


def _close(work: Coroutine[Any, Any, object]) -> None:
    """Close a coroutine, which does nothing if it has ended."""
    token = _IS_CLOSING.set(True)
    try:
        work.close()
    finally:
        _IS_CLOSING.reset(token)
