"""Cancel work that runs in threads.

A thread cannot be killed. Whoever starts one gives it a `CancellationToken`, and sets the token when the caller is
cancelled or out of time. Work that holds a process ends that process (`on_cancel`); work that loops checks the token
(`check_cancelled`). Third-party code does neither and runs to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Final

from avionics.model.errors import DeadlineExceededError


class CancellationToken:
    """Says once that work is no longer wanted; safe to share between threads."""

    def __init__(self) -> None:
        self.is_set = False
        self._lock = Lock()
        self._callbacks: list[Callable[[], object]] = []

    def set(self) -> None:
        """Say so, and call everyone who wants to know."""
        with self._lock:
            self.is_set = True
            callbacks, self._callbacks = self._callbacks, []
        for call in callbacks:
            call()

    def add(self, callback: Callable[[], object]) -> None:
        """Call it when the work is no longer wanted: now, if that has been said."""
        with self._lock:
            if not self.is_set:
                self._callbacks.append(callback)
                return
        callback()

    def discard(self, callback: Callable[[], object]) -> None:
        """Call it no more."""
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)


_CURRENT: Final[ContextVar[CancellationToken | None]] = ContextVar("avionics_stop", default=None)


def use_cancellation(stop: CancellationToken) -> None:
    """Let the work of this context heed the stop."""
    _CURRENT.set(stop)


def is_wanted() -> bool:
    """Whether somebody still waits for the work of this context."""
    stop = _CURRENT.get()
    return stop is None or not stop.is_set


def check_cancelled() -> None:
    """Go on only while somebody waits; cheap enough for every file of a loop.

    Raises:
        DeadlineExceededError: Nobody does.
    """
    if not is_wanted():
        raise DeadlineExceededError("nobody waits for this any more")


@contextmanager
def on_cancel(callback: Callable[[], object]) -> Iterator[None]:
    """In this block, call it as soon as the work is no longer wanted; from another thread, so it must be brief."""
    stop = _CURRENT.get()
    if stop is None:
        yield
        return
    stop.add(callback)
    try:
        yield
    finally:
        stop.discard(callback)
