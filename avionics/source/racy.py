"""The racy rule: when a status cannot vouch for what it describes.

What is written again within the clock's own step keeps its times. As git does, whatever changed too near to the moment
of the last look is looked at again; 50 ms covers the coarse clocks that kernels stamp files with (at most 16 ms), and
two seconds the file systems that keep whole seconds only.

Knows: clocks.
Does not know: what is looked at.
"""

from __future__ import annotations

_STEP_NS = 50_000_000
_COARSE_STEP_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000


def is_racy(changed_ns: int, looked_ns: int) -> bool:
    """Whether what changed at one moment may, after the look at another, have changed again without showing it."""
    age = looked_ns - changed_ns
    return age < _STEP_NS or (age < _COARSE_STEP_NS and changed_ns % _SECOND_NS == 0)
