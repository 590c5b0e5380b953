"""Pin one index for the duration of an answer, so that all its parts describe the same files."""

from __future__ import annotations

import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from avionics.cancellation import get_last_moment
from avionics.model.errors import IndexUnfinishedError

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex


class _Answer:
    """The index that one answer uses: the current one when the answer first needed it.

    A check of the files that began after `since`, a time of `time.monotonic`, is recent enough.
    """

    def __init__(self, since: float) -> None:
        self.code: CodeIndex | None = None
        self.since = since


_ANSWERS: ContextVar[Mapping[PinnedIndex, _Answer]] = ContextVar("avionics_answers", default=MappingProxyType({}))
"""The answers in progress in this context, by workspace."""


class PinnedIndex(ABC):
    """The base of objects with an index: the current one, or the one pinned by the answer in progress."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._answers_in_progress = 0
        self._count_lock = threading.Lock()

    @property
    def code(self) -> CodeIndex:
        """Return the current index; within `pinned_index()` the one that was current at the first use.

        Raise `IndexStateError` if facts can be kept neither on the disk nor in memory.
        """
        answer = _ANSWERS.get().get(self)
        if answer is None:
            return self._refreshed()
        if answer.code is None:
            answer.code = self._get_cold()
        with self._lock_in_time() if answer.code is None else nullcontext():
            if answer.code is None:
                answer.code = self._refreshed(answer.since)
            return answer.code

    @contextmanager
    def _lock_in_time(self) -> Iterator[None]:
        """Hold the lock. Raise `IndexUnfinishedError` if another thread still builds the index when the time is up."""
        last = get_last_moment()
        if not self._lock.acquire(timeout=-1 if last == math.inf else max(0.0, last - time.monotonic())):
            raise IndexUnfinishedError(0)
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def pinned_index(self, *, refresh: bool = False, since: float = math.inf) -> Iterator[Self]:
        """Use one index for everything this thread asks in the block, and refresh it at most once.

        Args:
            refresh: Whether an answer in progress continues with the current index.
            since: When the question was asked, as a time of `time.monotonic`: a look at the files that began later is
                not repeated. By default the answer refreshes the index itself.
        """
        answers = _ANSWERS.get()
        if self in answers:
            if refresh:
                answers[self].code, answers[self].since = None, math.inf
            yield self
            return
        answer = _Answer(since)
        token = _ANSWERS.set(MappingProxyType({**answers, self: answer}))
        self._count_answers(1)
        try:
            yield self
        finally:
            _ANSWERS.reset(token)
            # Threads started for the answer hold copies of the context, which would keep the index alive.
            answer.code = None
            self._count_answers(-1)
            self._save_memory()

    def _count_answers(self, change: int) -> None:
        with self._count_lock:
            self._answers_in_progress += change

    @abstractmethod
    def _save_memory(self) -> None:
        """Keep a process that serves many answers small; called after each of them."""

    def count_unread(self) -> int:
        """Return how many files the answer in progress needed but had no time to read."""
        answer = _ANSWERS.get().get(self)
        return len(answer.code.unread) if answer is not None and answer.code is not None else 0

    @abstractmethod
    def _get_cold(self) -> CodeIndex | None:
        """Return an index for this answer alone if building the whole one is not worth its time, else None."""

    @abstractmethod
    def _refreshed(self, since: float = math.inf) -> CodeIndex:
        """Return an index of the files as they were found after `since`; the same one while nothing changes."""
