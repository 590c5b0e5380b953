"""What client and server write: fields separated by NUL, with their length in front. Imports nothing heavy."""

from __future__ import annotations

import os
import socket
import struct

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
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return bool(user == os.getuid())
