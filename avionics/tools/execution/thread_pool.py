"""Limit the threads that run synchronous tools.

A thread is started for a call and ends when no other call waits for one. A thread whose caller stopped waiting cannot
be killed; up to a second bound, such threads do not keep other calls waiting.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock, Thread
from typing import Final

MAX_WORKING_THREADS: Final = 32
MAX_ABANDONED_THREADS: Final = 24
"""Together they stay below 64 in a process."""


class Job:
    """One body to run in a thread."""

    __slots__ = ("body", "is_abandoned", "is_running")

    def __init__(self, body: Callable[[], object]) -> None:
        self.body = body
        self.is_running = False
        self.is_abandoned = False


class BoundedThreads:
    """Runs jobs in a limited number of daemon threads; the others wait in the order they came."""

    def __init__(self) -> None:
        self._working = self._abandoned = 0
        self._waiting: deque[Job] = deque()
        self._lock = Lock()

    def submit(self, body: Callable[[], object]) -> Job:
        """Run the body, which must not raise, in a free thread, or in the caller's if the system starts none."""
        job = Job(body)
        with self._lock:
            self._waiting.append(job)
        self._start_threads()
        return job

    def abandon(self, job: Job) -> None:
        """Mark a job as abandoned: it is not started, or its thread no longer counts as working."""
        with self._lock:
            if not job.is_running:
                if job in self._waiting:
                    self._waiting.remove(job)
                return
            if job.is_abandoned or self._abandoned >= MAX_ABANDONED_THREADS:
                return
            job.is_abandoned = True
            self._abandoned += 1
            self._working -= 1
        self._start_threads()

    def _start_threads(self) -> None:
        """Start a thread for every job that need not wait."""
        while (job := self._take(is_free=False)) is not None:
            try:
                Thread(target=self._work, args=(job,), daemon=True, name="avionics-tool").start()
            except RuntimeError:
                # No thread can be started for lack of memory. A busy thread takes the job when it is free.
                if self._is_left_waiting(job):
                    return
                self._work(job)

    def _is_left_waiting(self, job: Job) -> bool:
        """Return a job that could not be started to the front of the queue; False if no thread would ever take it."""
        with self._lock:
            if self._working <= 1:
                return False
            self._working -= 1
            job.is_running = False
            self._waiting.appendleft(job)
            return True

    def _work(self, job: Job | None) -> None:
        while job is not None:
            job.body()
            with self._lock:
                job.is_running = False
                if job.is_abandoned:
                    self._abandoned -= 1
                    return
            job = self._take(is_free=True)

    def _take(self, *, is_free: bool) -> Job | None:
        """Return the next job for a free or a new thread; None if there is none."""
        with self._lock:
            if is_free:
                self._working -= 1
            if not self._waiting or self._working >= MAX_WORKING_THREADS:
                return None
            self._working += 1
            job = self._waiting.popleft()
            job.is_running = True
            return job


threads: Final = BoundedThreads()
"""Those of this process."""
