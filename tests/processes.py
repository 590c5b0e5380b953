"""Look at other processes of this machine through /proc."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def children_of(pid: int) -> list[int]:
    """Return the processes that a process started."""
    found: list[int] = []
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # A thread may end meanwhile.
            found += map(int, listing.read_text().split())
    return found
