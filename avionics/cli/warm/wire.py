"""The protocol of client and server: fields separated by NUL, preceded by their length. Imports nothing heavy."""

from __future__ import annotations

import os
import stat
import zlib

from avionics import __version__

TYPE_CHECKING = False
"""True for type checkers; importing `typing` would take longer than the rest of this module."""
if TYPE_CHECKING:
    import socket

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


ACCEPTED = b"+"
"""The first byte of a reply: the server has begun to answer."""

MAX_REQUEST_BYTES = 1_000_000
_LENGTH = 8


def pack(fields: list[str]) -> bytes:
    """Return the message of some fields, none of which contains NUL."""
    body = b"\0".join(map(os.fsencode, fields))
    return len(body).to_bytes(_LENGTH, "big") + body


def read_fields(connection: socket.socket) -> list[str] | None:
    """Read the fields of a message; None if it is too long or the connection ends."""
    length = read_exactly(connection, _LENGTH)
    size = int.from_bytes(length or b"", "big")
    body = read_exactly(connection, size) if length and size <= MAX_REQUEST_BYTES else None
    return None if body is None else [os.fsdecode(field) for field in body.split(b"\0")]


def pack_reply(code: int, is_paged: bool, out: bytes, err: bytes) -> bytes:
    """Return a reply: exit code, whether the output is for the pager, and both streams."""
    numbers = (code, int(is_paged), len(out), len(err))
    return b"".join(number.to_bytes(_LENGTH, "big") for number in numbers) + out + err


def read_reply(connection: socket.socket) -> tuple[int, bool, bytes, bytes] | None:
    """Read a reply; None if the connection ends before it is complete."""
    head = read_exactly(connection, 4 * _LENGTH)
    if head is None:
        return None
    code, paged, size, err_size = (int.from_bytes(head[at : at + _LENGTH], "big") for at in range(0, 32, _LENGTH))
    out, err = read_exactly(connection, size), read_exactly(connection, err_size)
    return None if out is None or err is None else (code, bool(paged), out, err)


def read_exactly(connection: socket.socket, size: int) -> bytes | None:
    """Read that many bytes; None if the connection ends before."""
    chunks = []
    while size:
        chunk = connection.recv(min(size, 1 << 20))
        if not chunk:
            return None
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def is_same_user(connection: socket.socket) -> bool:
    """Return whether the process at the other end has our user id; systems that cannot tell rely on the directory."""
    import socket
    import struct

    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return bool(user == os.getuid())
