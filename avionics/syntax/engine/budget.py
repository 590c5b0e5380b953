"""ParseBudget: how much work, and how much memory, the reading of one file may be.

Parsers and walkers are linear in what people write. What strangers write on purpose can take them the square of its
length, so both look here on the way. It counts the processor's time, not the wall's: a busy machine makes no file
costly. Memory is the growth of the process's peak, which what other threads use can only reach by more than any of
their questions needs.
"""

from __future__ import annotations

import sys
import time

from avionics.model.errors import SourceError

MAX_SECONDS = 10.0
"""The costliest honest file of the largest size allowed takes about three seconds."""

MAX_BYTES = 250_000_000
"""What a file is read into: four times what the largest honest files become."""

TOO_COSTLY = "parsing it takes more time or memory than a source file may"
"""Said whichever limit is met first: which one depends on the machine."""

_STEPS_A_LOOK = 64


class TooCostlyError(SourceError):
    """A file is more work than any file needs."""


class ParseBudget:
    """The work that is left for one file."""

    def __init__(self, seconds: float = MAX_SECONDS, most_bytes: int = MAX_BYTES) -> None:
        self._end = time.thread_time() + seconds
        self._peak = get_peak_bytes() + most_bytes
        self._steps = 0

    def is_over(self) -> bool:
        """Return whether nothing is left."""
        return time.thread_time() > self._end or get_peak_bytes() > self._peak

    def charge(self) -> None:
        """Charge a step of the walk.

        Raises:
            TooCostlyError: Nothing is left.
        """
        self._steps += 1
        if self._steps % _STEPS_A_LOOK == 0 and self.is_over():
            raise TooCostlyError(TOO_COSTLY)


def get_peak_bytes() -> int:
    """Return the peak memory of this process in bytes, 0 where the system does not report it."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
