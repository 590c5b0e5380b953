"""Limit the resources of processes: memory, processor time, open files, and the size of files they write."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from avionics.posix import get_resource

CHILD_LIMITS: Final[Mapping[str, int]] = MappingProxyType(
    {"DATA": 2_000_000_000, "FSIZE": 500_000_000, "CORE": 0, "NOFILE": 1_024}
)
"""Bytes of private memory (mapped files do not count), of a file written and of a core dump; open files."""


def set_limits(limits: Mapping[str, int], pid: int = 0) -> None:
    """Set resource limits, never above those that hold already; skip those that the system lacks.

    Limits are named as `RLIMIT_` constants without the prefix. Process 0 is this one; systems other than Linux can
    limit only this one.

    Raises:
        OSError, ValueError: The system refused a limit that it should be able to set.
    """
    resource = get_resource()
    if resource is None or (pid and sys.platform != "linux"):
        return
    for name, wanted in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is None:
            continue
        hard = resource.prlimit(pid, kind)[1] if sys.platform == "linux" else resource.getrlimit(kind)[1]
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            if sys.platform == "linux":
                resource.prlimit(pid, kind, (limit, limit))
            else:
                resource.setrlimit(kind, (limit, limit))
        except (OSError, ValueError):
            if name != "AS" or sys.platform == "linux":
                raise


def limit_child(pid: int, **more: int) -> None:
    """Set `CHILD_LIMITS`, with some replaced, on a process that was just started."""
    set_limits({**CHILD_LIMITS, **more}, pid)


def forbid_writing() -> None:
    """Permanently set `CHILD_LIMITS` on this process, and forbid it to write files."""
    set_limits({**CHILD_LIMITS, "FSIZE": 0})
    if sys.platform == "linux":
        _open_own_memory()  # Landlock will not let it open `/proc` later.


def raise_limits(seconds: int, more_bytes: int) -> None:
    """Let this process use this much more processor time and private memory; beyond that, the system ends it."""
    resource = get_resource()
    if sys.platform == "linux" and resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        wanted = {"CPU": int(used.ru_utime + used.ru_stime) + 1 + seconds, "DATA": _get_own_bytes() + more_bytes}
        for name, limit in wanted.items():
            kind = getattr(resource, f"RLIMIT_{name}")
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _get_own_bytes() -> int:
    """Return how much private memory this process has."""
    return int(os.pread(_open_own_memory(), 200, 0).split()[5]) * os.sysconf("SC_PAGE_SIZE")


@cache
def _open_own_memory() -> int:
    """Return a descriptor, kept open, of the system's file about the memory of this process."""
    return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
