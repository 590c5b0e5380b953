"""Answers: while one is made, everything it asks stands on one and the same index.

Knows: which answers are under way in this context, and the index of each.
Does not know: how an index is made, who asks.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from avionics.index.code_index import CodeIndex


class _Answer:
    """What one answer stands on: the index as it was when the answer first needed it."""

    def __init__(self) -> None:
        self.code: CodeIndex | None = None


_ANSWERS: ContextVar[Mapping[PinnedIndex, _Answer]] = ContextVar("avionics_answers", default=MappingProxyType({}))
"""The answers under way in this context, by workspace."""


class PinnedIndex(ABC):
    """What is answered from: an index as it is now, or as it was when an answer under way first asked for it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    @property
    def code(self) -> CodeIndex:
        """What is true of the code now; within `pinned_index()` what was true when it was first asked for.

        Raises:
            IndexStateError: Facts can be kept neither on the disk nor in memory.
        """
        answer = _ANSWERS.get().get(self)
        if answer is None:
            return self._refreshed()
        if answer.code is None:
            answer.code = self._get_cold()
        with self._lock if answer.code is None else nullcontext():
            if answer.code is None:
                answer.code = self._refreshed()
            return answer.code

    @contextmanager
    def pinned_index(self, *, refresh: bool = False) -> Iterator[Self]:
        """While it lasts this thread's `code` is one and the same index, refreshed at most once.

        Args:
            refresh: Whether an answer that is under way goes on with the index as it is now.
        """
        answers = _ANSWERS.get()
        if self in answers:
            if refresh:
                answers[self].code = None
            yield self
            return
        token = _ANSWERS.set(MappingProxyType({**answers, self: _Answer()}))
        try:
            yield self
        finally:
            _ANSWERS.reset(token)

    def count_unread(self) -> int:
        """How many files the answer under way would have needed, and had no time for."""
        answer = _ANSWERS.get().get(self)
        return len(answer.code.unread) if answer is not None and answer.code is not None else 0

    @abstractmethod
    def _get_cold(self) -> CodeIndex | None:
        """An index for one answer alone, where a whole one is not worth its time; else None."""

    @abstractmethod
    def _refreshed(self) -> CodeIndex:
        """The index of the files as they are now; the same one while nothing changes."""
