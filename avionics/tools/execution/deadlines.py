"""Deadlines that cost little when they are not reached."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task, TimerHandle


GRACE_SECONDS: Final = 0.05
"""How long what was cancelled may take to clean up before it is abandoned."""


class Deadline:
    """Cancels what its block awaits when time is up. The cancellation ends there, and `expired` is set.

    Like `asyncio.timeout`, but it cannot be moved and raises nothing.
    """

    __slots__ = ("_cancelled_before", "_task", "_watch", "expired", "is_abandoned", "when")

    def __init__(self, watch: _Watch, task: Task[object], when: float) -> None:
        self.expired = False
        self.is_abandoned = False
        self.when = when
        self._watch = watch
        self._task = task
        self._cancelled_before = task.cancelling()

    def __enter__(self) -> Deadline:
        self._watch.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._watch.running.discard(self)
        if not self.expired:
            return False
        import asyncio

        if self.is_abandoned:
            self._task.uncancel()
        is_only_ours = self._task.uncancel() <= self._cancelled_before
        return is_only_ours and kind is not None and issubclass(kind, asyncio.CancelledError)

    @property
    def has_passed(self) -> bool:
        """Whether its time is over, also where the event loop was blocked and could not say so."""
        return self.expired or self._watch.loop.time() >= self.when

    def expire(self) -> None:
        """Cancel the block; abandon it where that was done before."""
        self.is_abandoned = self.expired
        self.expired = True
        self._task.cancel()


class Deadlines:
    """Creates deadlines that share one timer of the event loop; separate timers would be a sixth of a call's cost."""

    def __init__(self) -> None:
        self._watch: _Watch | None = None

    def within(self, seconds: float) -> Deadline:
        """Return a deadline for the current task.

        Raises:
            RuntimeError: There is no current task.
        """
        import asyncio

        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline needs a task")
        loop, watch = task.get_loop(), self._watch
        if watch is None or watch.loop is not loop:
            self._watch = watch = _Watch(loop)
        return Deadline(watch, task, loop.time() + seconds)


class _Watch:
    """The deadlines of one event loop. Its timer is set to the earliest, and stays when that one is met."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self.loop = loop
        self.running: set[Deadline] = set()
        self._timer: TimerHandle | None = None
        self._next = float("inf")

    def add(self, deadline: Deadline) -> None:
        """Watch a deadline until it is removed from `running`."""
        self.running.add(deadline)
        if deadline.when < self._next:
            self._set_timer(deadline.when)

    def _set_timer(self, when: float) -> None:
        """Set the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._next = when
        self._timer = self.loop.call_at(when, self._look)

    def _look(self) -> None:
        """Expire what is due, and wait for the next."""
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
