"""Where the socket of a watched directory is, and whom it may belong to. Imported before anything else: os only."""

from __future__ import annotations

import os
import stat
import zlib

from avionics import __version__

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
"""The directory of this installation; a process of another one is never asked."""

IDENTITY = f"avionics watch 1\n{__version__}\n{PACKAGE}"
"""What client and server must have in common."""


def get_directory() -> str:
    """Return the directory of sockets: in the user's runtime directory if there is one."""
    user = os.getuid()
    runtime = f"/run/user/{user}"
    above = runtime if is_private(runtime, stat.S_ISDIR) else os.path.join(os.sep, "tmp")
    return f"{above}/avionics-{user}"


def get_socket(root: str) -> str:
    """Return the path of the socket for a real directory."""
    name = f"{zlib.crc32(os.fsencode(root)):08x}{zlib.crc32(IDENTITY.encode()):08x}"
    return f"{get_directory()}/{name}.sock"


def is_private(path: str, has_kind: object = stat.S_ISSOCK) -> bool:
    """Return whether a path is of a kind and belongs to this user alone; links are not followed."""
    try:
        found = os.lstat(path)
    except OSError:
        return False
    is_right = callable(has_kind) and has_kind(found.st_mode)
    return bool(is_right) and found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077


def is_trusted_socket(path: str) -> bool:
    """Return whether a socket and its directory belong to this user alone."""
    return is_private(os.path.dirname(path), stat.S_ISDIR) and is_private(path)
