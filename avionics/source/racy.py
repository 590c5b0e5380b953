"""The racy rule: when a file's status cannot prove that the file is unchanged.

A file that is written twice within one tick of the clock keeps its times. As in git, a file that changed too shortly
before the last check is checked again: 50 ms covers the coarse clocks with which kernels stamp files (at most 16 ms),
two seconds cover file systems that store whole seconds.
"""

from __future__ import annotations

_STEP_NS = 50_000_000
COARSE_STEP_NS = 2_000_000_000
"""If a file last changed longer than this before it was examined, its status shows every later change."""
_SECOND_NS = 1_000_000_000


def is_racy(changed_ns: int, looked_ns: int) -> bool:
    """Return whether a file changed at `changed_ns` may have changed unnoticed since a look at `looked_ns`."""
    age = looked_ns - changed_ns
    return age < _STEP_NS or (age < COARSE_STEP_NS and changed_ns % _SECOND_NS == 0)
