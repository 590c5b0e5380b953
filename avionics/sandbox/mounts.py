"""Make every file system except some paths read-only to this process, and give up the right to change that.

It needs a mount namespace and the capability to change it, which a user namespace of its own gives a process. Landlock
forbids writing to files; read-only mounts also forbid changes of their modes, owners, times and attributes.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable
from typing import Any, Final

from avionics.sandbox.landlock import require_success

_MOUNT_SETATTR: Final = 442
"""The system call's number, the same on every architecture."""

_CWD, _RECURSIVE, _READ_ONLY = -100, 0x8000, 1
_BIND_WITH_ALL_BELOW: Final = 4096 | 16384
_DROP_FROM_BOUNDS, _AMBIENT, _CLEAR_AMBIENT = 24, 47, 4
_MAX_CAPABILITY: Final = 63
_CAPABILITIES_VERSION: Final = 0x20080522


def protect_mounts(writable: Iterable[str]) -> bool:
    """Make everything but the writable paths read-only; return whether the system allowed it.

    The process changes to its working directory once more, which may now be below another mount. Raise `OSError` if the
    system allowed only a part of it.
    """
    if sys.platform != "linux":
        return False
    library: Any = ctypes.CDLL(None, use_errno=True)
    paths = [os.fsencode(path) for path in writable if os.path.exists(path)]
    try:
        for path in paths:
            require_success(library.mount(path, path, None, _BIND_WITH_ALL_BELOW, None))
        _set_read_only(library, b"/", is_set=True)
    except PermissionError:
        return False
    for path in paths:
        # A mount that was read-only before stays so, because the system does not allow us to change it.
        with contextlib.suppress(PermissionError):
            _set_read_only(library, path, is_set=False)
    os.chdir(os.getcwd())
    return True


def drop_capabilities() -> None:
    """Give up every capability, also those that root regains with a program. Raise `OSError` if the system refuses."""
    if sys.platform != "linux":
        return
    library: Any = ctypes.CDLL(None, use_errno=True)
    library.prctl(_AMBIENT, _CLEAR_AMBIENT, 0, 0, 0)
    for capability in range(_MAX_CAPABILITY + 1):
        if library.prctl(_DROP_FROM_BOUNDS, capability, 0, 0, 0) != 0 and ctypes.get_errno() == errno.EPERM:
            break  # A process that may not drop capabilities has none.
    require_success(library.capset(struct.pack("Ii", _CAPABILITIES_VERSION, 0), bytes(24)))


def _set_read_only(library: Any, path: bytes, *, is_set: bool) -> None:
    attributes = struct.pack("QQQQ", _READ_ONLY if is_set else 0, 0 if is_set else _READ_ONLY, 0, 0)
    size = ctypes.c_size_t(len(attributes))
    require_success(library.syscall(_MOUNT_SETATTR, _CWD, path, ctypes.c_uint(_RECURSIVE), attributes, size))
