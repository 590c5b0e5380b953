"""Limit the time and memory that reading one file may take.

Parsers and tree walkers are linear in the length of code that people write, but hostile files can make them quadratic,
so both check their budget on the way. The budget counts processor time, so that a busy machine does not matter. Memory
is the growth of the process's peak; other threads never need enough memory to exceed the limit.
"""

from __future__ import annotations

import sys
import time

from avionics.model.errors import SourceError
from avionics.posix import get_resource

MAX_SECONDS = 10.0
"""Seconds; the costliest real file of the largest allowed size takes about three."""

MAX_BYTES = 250_000_000
"""Bytes; four times what the largest real files need."""

TOO_COSTLY = "parsing it takes more time or memory than a source file may"
"""The message for every limit: which one is met first depends on the machine."""

_STEPS_A_LOOK = 64


class TooCostlyError(SourceError):
    """Reading a file takes more time or memory than any real file needs."""


class ParseBudget:
    """The work that is left for one file."""

    def __init__(self, seconds: float = MAX_SECONDS, most_bytes: int = MAX_BYTES) -> None:
        self._end = time.thread_time() + seconds
        self._peak = get_peak_bytes() + most_bytes
        self._steps = 0
        self._next_look = _STEPS_A_LOOK

    def is_over(self) -> bool:
        """Return whether nothing is left."""
        return time.thread_time() > self._end or get_peak_bytes() > self._peak

    def charge(self, steps: int = 1) -> None:
        """Charge steps of the walk. Raise `TooCostlyError` if nothing is left."""
        self._steps += steps
        if self._steps >= self._next_look:
            self._next_look = self._steps + _STEPS_A_LOOK
            if self.is_over():
                raise TooCostlyError(TOO_COSTLY)


def get_peak_bytes() -> int:
    """Return the peak memory of this process in bytes, 0 where the system does not report it."""
    resource = get_resource()
    if resource is None:
        return 0
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)
