"""The collector of circles, and when it is in the way.

Knows: Python's garbage collector.
Does not know: what is made meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Nothing that extraction or decoding makes is garbage, and looking for it would take a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
