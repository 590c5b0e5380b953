"""The last step before a stranger's program: bounds are set on this process, then it becomes that program.

Run as a file, `python -I -S launcher.py <JSON> program arguments…`; the JSON holds `limits` (name → number),
`readable` and `writable` (paths), and `network`. It stands on the standard library alone, and it ends with the
system's message when a bound that was asked for cannot be set. Called with `probe` it says which it could set.

Knows: the system's calls for resource limits, no new privileges, and Landlock.
Does not know: what is run, why.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import stat
import sys
from collections.abc import Mapping
from typing import Any

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Landlock's calls have these numbers on every architecture."""

_SET_PARENT_DEATH_SIGNAL = 1
_SET_NO_NEW_PRIVILEGES = 38
_READING = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read a file, list a directory."""

_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14
"""The rights that a rule about a single file may hold: execute, write, read, truncate."""


def main(arguments: list[str]) -> None:
    """Set the bounds, then become the program."""
    bounds = json.loads(arguments[0])
    if "probe" in bounds:
        os.write(1, json.dumps({"landlock": get_landlock_version()}).encode())
        return
    end_with_parent()
    set_limits(bounds["limits"])
    restrict_files(bounds["readable"], bounds["writable"], network=bounds["network"])
    try:
        os.execvp(arguments[1], arguments[1:])  # noqa: S606  becoming the program is what it is for
    except OSError as error:
        os.write(2, f"{arguments[1]}: {error.strerror}\n".encode())
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def end_with_parent() -> None:
    """Be killed when whoever started this process ends, however it ends."""
    if sys.platform == "linux":
        _require(_library().prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0))


def set_limits(limits: Mapping[str, int]) -> None:
    """Set resource limits, never above the ones that hold already; those the system lacks are left out."""
    for name, wanted in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is None:
            continue
        hard = resource.getrlimit(kind)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):
            if name != "AS" or sys.platform == "linux":
                raise


def get_landlock_version() -> int:
    """The version of Landlock the kernel has, 0 for none."""
    if sys.platform != "linux":
        return 0
    version: int = _library().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, version)


def restrict_files(readable: list[str], writable: list[str], *, network: bool) -> None:
    """Allow this process and its children no file but those, if the kernel can; nor TCP, unless allowed."""
    version = get_landlock_version()
    if not version:
        return
    library = _library()
    _require(library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    everything = (1 << {1: 13, 2: 14}.get(version, 15)) - 1
    parts = [everything, *([0 if network else 3] if version >= 4 else []), *([3] if version >= 6 else [])]
    attributes = (ctypes.c_uint64 * len(parts))(*parts)
    ruleset = library.syscall(
        _CREATE_RULESET, attributes, ctypes.c_size_t(ctypes.sizeof(attributes)), ctypes.c_uint32(0)
    )
    _require(ruleset)
    for paths, rights in ((readable, _READING), (writable, everything)):
        for path in paths:
            _allow(library, ruleset, path, rights & everything)
    _require(library.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)))
    os.close(ruleset)


class _PathRule(ctypes.Structure):
    """The kernel's `landlock_path_beneath_attr`."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def _allow(library: Any, ruleset: int, path: str, rights: int) -> None:
    """Allow something at and below a path; a path that is not there needs no rule."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    is_directory = stat.S_ISDIR(os.fstat(descriptor).st_mode)
    rule = _PathRule(rights if is_directory else rights & _OF_FILES, descriptor)
    _require(library.syscall(_ADD_RULE, ruleset, ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint32(0)))
    os.close(descriptor)


def _library() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _require(outcome: int) -> None:
    """Raise the system's error when a call failed."""
    if outcome < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main(sys.argv[1:])
