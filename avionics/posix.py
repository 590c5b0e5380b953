"""The modules that only POSIX systems have, and what is done without them.

Without `resource` nothing is limited and no memory is measured; without `fcntl` the directory of a killed process is
kept. Nothing else in avionics imports these modules, but a worker that runs on its own.
"""

from __future__ import annotations

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


def _get(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None
