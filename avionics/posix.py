"""What only POSIX systems have, and what is done without it.

Without `resource` nothing is limited and no memory is measured; without `fcntl` the directory of a killed process is
kept; without glibc, freed memory stays with the process. Nothing else in avionics imports these modules, but a worker
that runs on its own.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Any


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


def trim_heap() -> None:
    """Return freed memory to the system. glibc keeps what was freed below memory that is still in use."""
    try:
        import ctypes

        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, ImportError, OSError, TypeError):
        pass


def _get(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None
