"""Keep a process that serves many answers small."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

_IDLE_SECONDS = 10.0
"""Workers that were idle for this long are stopped. Each takes up to 50 MB and restarts in 0.1 s."""

_TRIMMED_BYTES = 16_000_000
"""After a process has grown by this much, freed memory is returned to the system, which takes milliseconds."""

_RENEWED_ANSWERS, _RENEWED_BESIDE_OTHERS = 10, 50
"""A process that has grown too large drops its derived values at most once in this many answers; the second number
applies while other answers are in progress."""

_COLLECTED_AFTER = 500_000
"""New objects after which garbage is collected even while someone waits; a check of an edit makes half as many."""

_BYTES_AN_OBJECT = 150
"""The memory of a large process divided by its number of Python objects; an object itself takes half of that."""


class ServerMemory:
    """The memory of a process that serves one workspace.

    The objects of an index are spread over the heap, so little memory returns to the system when the index is dropped;
    the next index fills the same memory. The peak number of objects therefore determines the size of the process, and
    an old index should not exist beside a new one. `warm_up` starts a worker, unless one is running.
    """

    def __init__(self, max_bytes: int, warm_up: Callable[[], None]) -> None:
        self._max_bytes = max_bytes
        self._warm_up = warm_up
        self._answers = 0
        self._trimmed = 0.0
        self._resident_bytes = 0
        self._has_given_up = False

    def save(self, *, is_alone: bool, drop_conclusions: Callable[[], None], drop_facts: Callable[[], None]) -> None:
        """Drop what can be derived or read again if the process is too large; called after each answer.

        Args:
            is_alone: Whether no other answer is in progress, which would keep what is dropped until it ends.
            drop_conclusions: Gives up the index, but not the facts.
            drop_facts: Gives up the facts too.
        """
        from avionics.posix import get_resident_bytes

        self._answers += 1
        if is_alone and self._has_given_up:
            self._has_given_up = False
            _collect()
        if self._answers >= (_RENEWED_ANSWERS if is_alone else _RENEWED_BESIDE_OTHERS) and self._is_too_large():
            self._answers, self._has_given_up = 0, not is_alone
            drop_conclusions()
            _collect()
            if self._is_too_large():
                drop_facts()
                _collect()
        is_grown = get_resident_bytes() > self._resident_bytes + _TRIMMED_BYTES
        if is_grown or time.monotonic() > self._trimmed + _IDLE_SECONDS:
            self._trimmed = time.monotonic()
            # If no thread can be started, the next answer tries again.
            with suppress(RuntimeError):
                threading.Thread(target=self._trim, daemon=True, name="avionics-memory").start()

    def _trim(self) -> None:
        """Stop idle workers, and return freed memory to the system."""
        from avionics.index.facts.worker_pool import get_pool
        from avionics.posix import get_resident_bytes, trim_heap

        get_pool().stop_idle(_IDLE_SECONDS)
        self._warm_up()
        trim_heap()
        self._resident_bytes = get_resident_bytes()

    def _is_too_large(self) -> bool:
        """Return whether the process is so large, and has so many objects, that caches should be dropped."""
        from avionics.posix import get_resident_bytes

        objects = sys.getallocatedblocks()
        return get_resident_bytes() > self._max_bytes and not 0 < objects < self._max_bytes / _BYTES_AN_OBJECT


def collect_rarely() -> None:
    """Make Python collect garbage only when much has accumulated, because the caller collects it in pauses."""
    import gc

    gc.set_threshold(_COLLECTED_AFTER)


def collect_garbage() -> None:
    """Collect reference cycles: each edit leaves behind those of an index, and finding them takes 20 to 60 ms."""
    import gc

    gc.collect()


def _collect() -> None:
    """Collect reference cycles, which a process with a high collection threshold keeps for long."""
    import gc

    from avionics.posix import trim_heap

    gc.collect()
    trim_heap()
