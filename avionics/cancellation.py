"""Cancel work that runs in threads, and tell it how long it may take.

A thread cannot be killed. Whoever starts one gives it a `CancellationToken`, and sets the token when the caller is
cancelled or out of time. Work that holds a process ends that process (`on_cancel`); work that loops checks the token
(`check_cancelled`). Third-party code does neither and runs to its end.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Final

from avionics.model.errors import DeadlineExceededError


class CancellationToken:
    """A flag that tells threads to stop; safe to share between threads."""

    def __init__(self) -> None:
        self.is_set = False
        self._lock = Lock()
        self._callbacks: list[Callable[[], object]] = []

    def set(self) -> None:
        """Cancel the work and run every registered callback."""
        with self._lock:
            self.is_set = True
            callbacks, self._callbacks = self._callbacks, []
        for call in callbacks:
            call()

    def add(self, callback: Callable[[], object]) -> None:
        """Register a callback; run it now if the work is already cancelled."""
        with self._lock:
            if not self.is_set:
                self._callbacks.append(callback)
                return
        callback()

    def discard(self, callback: Callable[[], object]) -> None:
        """Unregister a callback."""
        with self._lock:
            if callback in self._callbacks:
                self._callbacks.remove(callback)


_CURRENT: Final[ContextVar[CancellationToken | None]] = ContextVar("avionics_stop", default=None)


def use_cancellation(stop: CancellationToken) -> None:
    """Attach the token to the current context."""
    _CURRENT.set(stop)


def is_wanted() -> bool:
    """Return whether the work of this context has not been cancelled."""
    stop = _CURRENT.get()
    return stop is None or not stop.is_set


_INTERRUPTION: Final[ContextVar[float]] = ContextVar("avionics_interruption", default=math.inf)


def check_cancelled() -> None:
    """Raise `DeadlineExceededError` if this context's work is cancelled; cheap enough for every file of a loop.

    Also raise it if the work is interrupted by now (`interrupt_at`).
    """
    stop = _CURRENT.get()
    if (stop is not None and stop.is_set) or time.monotonic() >= _INTERRUPTION.get():
        raise DeadlineExceededError("the call was cancelled or ran out of time")


@contextmanager
def interrupt_at(moment: float) -> Iterator[None]:
    """Let `check_cancelled` raise `DeadlineExceededError` inside the block from a moment on, by `time.monotonic`.

    Use it for a part of an answer that can be left out, and catch the error around the block.
    """
    token = _INTERRUPTION.set(min(moment, _INTERRUPTION.get()))
    try:
        yield
    finally:
        _INTERRUPTION.reset(token)


def get_interruption() -> float:
    """Return when the work of this context is interrupted, by `time.monotonic`; infinity if it is not."""
    return _INTERRUPTION.get()


@contextmanager
def on_cancel(callback: Callable[[], object]) -> Iterator[None]:
    """Run the callback, in another thread, if the work is cancelled inside the block; keep it brief."""
    stop = _CURRENT.get()
    if stop is None:
        yield
        return
    stop.add(callback)
    try:
        yield
    finally:
        stop.discard(callback)


class _AnswerTime:
    """When the work of a context should answer with what it has, and until when it can, by `time.monotonic`."""

    __slots__ = ("end", "last")

    def __init__(self, seconds: float, last_seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.last = time.monotonic() + last_seconds


_ANSWER_TIME: Final[ContextVar[_AnswerTime | None]] = ContextVar("avionics_answer_time", default=None)


@contextmanager
def limit_answer(seconds: float, last_seconds: float = math.inf) -> Iterator[None]:
    """Ask the work inside the block, in this context or a copy of it, to answer within a number of seconds.

    Unlike a cancellation it raises nothing: loops look at `seconds_left` and answer with what they have, as partial.
    Work that is `untimed` may take until `last_seconds`, after which there is no time to answer before a cancellation.
    """
    token = _ANSWER_TIME.set(_AnswerTime(seconds, min(last_seconds, get_last_moment() - time.monotonic())))
    try:
        yield
    finally:
        _ANSWER_TIME.reset(token)


@contextmanager
def untimed() -> Iterator[None]:
    """Do not count the time that the block takes: work that also serves later answers, such as building the index."""
    limit, started = _ANSWER_TIME.get(), time.monotonic()
    try:
        yield
    finally:
        if limit is not None:
            limit.end = min(limit.end + time.monotonic() - started, max(limit.end, limit.last))


class Cuts:
    """Whether work left something out because its time was up."""

    __slots__ = ("_around", "were_made")

    def __init__(self, around: Cuts | None) -> None:
        self._around = around
        self.were_made = False

    def note(self) -> None:
        """Record that something was left out, here and in the blocks around this one."""
        self.were_made = True
        if self._around is not None:
            self._around.note()


_CUTS: Final[ContextVar[Cuts | None]] = ContextVar("avionics_cuts", default=None)


@contextmanager
def watch_cuts() -> Iterator[Cuts]:
    """Tell whether anything in the block is left out for lack of time, in this context or a copy of it.

    Conclusions from results that were cut are incomplete, too, even if the results do not say so.
    """
    cuts = Cuts(_CUTS.get())
    token = _CUTS.set(cuts)
    try:
        yield cuts
    finally:
        _CUTS.reset(token)


def note_cut() -> None:
    """Record that something is left out because the time is up."""
    cuts = _CUTS.get()
    if cuts is not None:
        cuts.note()


def seconds_left() -> float:
    """Return how many seconds the work of this context has left to answer; infinity without a limit."""
    limit = _ANSWER_TIME.get()
    return math.inf if limit is None else limit.end - time.monotonic()


def get_last_moment() -> float:
    """Return until when `untimed` work may take, by `time.monotonic`; infinity without a limit."""
    limit = _ANSWER_TIME.get()
    return math.inf if limit is None else limit.last


def has_time() -> bool:
    """Return whether there is time left for the answer; if not, record that it is incomplete."""
    if seconds_left() > 0:
        return True
    note_cut()
    return False
