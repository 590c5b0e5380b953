"""Run a coroutine under a deadline that costs little when it is not reached."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from avionics.tools.execution.direct_run import DirectDeadline, is_direct

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task, TimerHandle


GRACE_SECONDS: Final = 0.05
"""How long a cancelled coroutine may take to clean up before it is abandoned."""


T = TypeVar("T")


class Deadline(Generic[T]):
    """A coroutine and the time at which it is cancelled.

    Awaiting it runs the coroutine in the task that awaits, step by step. Like `asyncio.timeout`, but it cannot be
    moved, raises nothing, and also ends a coroutine that swallows its cancellation: that one is closed at the next
    exception thrown into the task.
    """

    __slots__ = ("_cancelled_before", "_task", "_watch", "_work", "expired", "is_abandoned", "when")

    def __init__(self, watch: _Watch, task: Task[object], when: float, work: Coroutine[Any, Any, T]) -> None:
        self.expired = False
        self.is_abandoned = False
        self.when = when
        self._watch = watch
        self._task = task
        self._work = work
        self._cancelled_before = task.cancelling()

    def __await__(self) -> Generator[Any, Any, T | None]:
        """Return the result of the coroutine, or None if its time was over first."""
        watch, work, error = self._watch, self._work, None
        watch.add(self)
        try:
            while True:
                waited = work.send(None) if error is None else work.throw(error)
                error = None
                try:
                    yield waited
                except BaseException as thrown:
                    if isinstance(thrown, GeneratorExit) or self.is_abandoned:
                        self._close()
                        raise
                    error = thrown
        except StopIteration as end:
            watch.running.discard(self)
            if self.expired:
                self._uncancel()
                return None
            # The event loop may have been blocked past the deadline, so that its timer has not fired yet.
            return None if watch.loop.time() >= self.when else end.value
        except BaseException as thrown:
            watch.running.discard(self)
            if not self.expired:
                raise
            import asyncio

            if self._uncancel() and isinstance(thrown, asyncio.CancelledError):
                return None
            raise

    def expire(self) -> None:
        """Cancel the coroutine; abandon it if it was cancelled before."""
        self.is_abandoned = self.expired
        self.expired = True
        self._task.cancel()

    def _uncancel(self) -> bool:
        """Undo the cancellations of this deadline; return whether the task was not cancelled by others."""
        if self.is_abandoned:
            self._task.uncancel()
        return self._task.uncancel() <= self._cancelled_before

    def _close(self) -> None:
        """Close the coroutine; errors raised while closing are ignored."""
        try:
            self._work.close()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise


class Deadlines:
    """Creates deadlines that share one timer of the event loop; separate timers would be a sixth of a call's cost."""

    def __init__(self) -> None:
        self._watch: _Watch | None = None

    def within(self, seconds: float, work: Coroutine[Any, Any, T]) -> Deadline[T] | DirectDeadline[T]:
        """Return a coroutine with a deadline, to be awaited. Raise `RuntimeError` if there is no current task."""
        if is_direct():
            return DirectDeadline(seconds, work)
        import asyncio

        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline needs a task")
        loop, watch = task.get_loop(), self._watch
        if watch is None or watch.loop is not loop:
            self._watch = watch = _Watch(loop)
        return Deadline(watch, task, loop.time() + seconds, work)


class _Watch:
    """The deadlines of one event loop. Its timer is set to the earliest, and stays when that one is met."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self.loop = loop
        self.running: set[Deadline[Any]] = set()
        self._timer: TimerHandle | None = None
        self._next = float("inf")

    def add(self, deadline: Deadline[Any]) -> None:
        """Watch a deadline until it is removed from `running`."""
        self.running.add(deadline)
        if deadline.when < self._next:
            self._set_timer(deadline.when)

    def _set_timer(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._next = when
        self._timer = self.loop.call_at(when, self._look)

    def _look(self) -> None:
        """Expire the deadlines that are due, and wait for the next."""
        self._timer, self._next = None, float("inf")
        now = self.loop.time()
        over = [deadline for deadline in self.running if deadline.when <= now]
        self.running.difference_update(over)
        for deadline in over:
            deadline.expire()
            if not deadline.is_abandoned:
                deadline.when = now + GRACE_SECONDS
                self.running.add(deadline)
        if self.running:
            self._set_timer(min(deadline.when for deadline in self.running))
