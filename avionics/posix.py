"""Wrap what only POSIX systems have, with fallbacks for others.

Without `resource` nothing is limited and no memory is measured; without `fcntl` the directory of a killed process is
kept; without glibc, freed memory stays with the process. Nothing else in avionics imports these modules, but a worker
that runs on its own.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
"""The numbers of these limits in glibc's `malloc.h`."""

_LARGE_BYTES = 262_144


@cache
def get_resource() -> Any:
    """Return the module `resource`, or None."""
    return _get("resource")


@cache
def get_fcntl() -> Any:
    """Return the module `fcntl`, or None."""
    return _get("fcntl")


def get_resident_bytes(process: int | str = "self") -> int:
    """Return how much memory a process has, shared pages included; 0 where the system does not say."""
    try:
        with open(f"/proc/{process}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def count_idle_cores(cores: int) -> int:
    """Return how many of some processors had nothing to do in the last minute; all but one where nothing says it."""
    try:
        return max(0, cores - round(os.getloadavg()[0]))
    except (AttributeError, OSError):
        return cores - 1


def share_heap() -> None:
    """Make all threads allocate from one heap, and return large blocks to the system as soon as they are freed.

    glibc gives a thread that meets another in the allocator a heap of its own, and takes ever larger blocks from heaps.
    A server with ten threads then keeps 60 MB that nothing uses. Call this before threads start.
    """
    _call_allocator("mallopt", _ARENA_MAX, 1)
    _call_allocator("mallopt", _MMAP_THRESHOLD, _LARGE_BYTES)


def trim_heap() -> None:
    """Return freed memory to the system. glibc keeps what was freed below memory that is still in use."""
    _call_allocator("malloc_trim", 0)


def _call_allocator(function: str, *arguments: int) -> None:
    """Call a function that only glibc has."""
    with suppress(AttributeError, OSError, TypeError):
        getattr(_load_c_library(), function)(*arguments)


@cache
def _load_c_library() -> Any:
    """Return the C library, or None. Each object of it is a reference cycle, so one is kept."""
    try:
        import ctypes
    except ImportError:
        return None
    return ctypes.CDLL(None)


def _get(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None
