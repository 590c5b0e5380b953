"""Restrict this process, then replace it with an untrusted program.

Run by `avionics.sandbox.confinement` in an isolated interpreter, so it imports the standard library and its sibling
modules only. It ends with the system's message when a limit cannot be set.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from typing import NoReturn

from avionics.sandbox.landlock import get_landlock_version, require_success, restrict
from avionics.sandbox.limits import set_limits
from avionics.sandbox.mounts import drop_capabilities, protect_mounts
from avionics.sandbox.seccomp import forbid_calls, has_seccomp

_SET_PARENT_DEATH_SIGNAL = 1
_SIGNALS_FROM = 128
"""The exit code of a program that a signal ended is this and the number of the signal, as in a shell."""


def main(arguments: list[str]) -> None:
    """Restrict this process and become the program.

    Args:
        arguments: A JSON object with `limits` (name → number), `readable` and `writable` (paths), `network`, `mounts`
            and `seccomp`, or with `probe` to print what the system supports and exit; then the program and its
            arguments.
    """
    bounds = json.loads(arguments[0])
    if "probe" in bounds:
        found = {"landlock": get_landlock_version(), "seccomp": has_seccomp(), "mounts": protect_mounts(())}
        os.write(1, json.dumps(found).encode())
        return
    _end_with_parent()
    set_limits(bounds["limits"])
    if bounds["mounts"] and not protect_mounts(bounds["writable"]):
        os.write(2, b"the mounts cannot be made read-only\n")
        sys.exit(126)
    drop_capabilities()
    # The first process of a namespace ignores signals from within it, so a program in its place could neither abort nor
    # be killed by its children. Both processes are restricted, each with its own `/proc/self`.
    child = os.fork() if os.getpid() == 1 else 0
    restrict(bounds["readable"], bounds["writable"], network=bounds["network"], hides_private=True)
    if bounds["seccomp"]:
        forbid_calls(metadata=not bounds["mounts"])
    if child:
        _end_as(child)
    try:
        os.execvp(arguments[1], arguments[1:])  # noqa: S606  becoming the program is what the launcher is for
    except OSError as error:
        os.write(2, f"{arguments[1]}: {error.strerror}\n".encode())
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def _end_as(child: int) -> NoReturn:
    """Wait for a child process, and end with its status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ended, status = os.wait()
    while ended != child:
        ended, status = os.wait()
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else _SIGNALS_FROM - code)


def _end_with_parent() -> None:
    """Make the system kill this process when its parent ends."""
    if sys.platform == "linux":
        library = ctypes.CDLL(None, use_errno=True)
        require_success(library.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0))
