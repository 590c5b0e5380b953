"""Compressed data that is far larger than it looks, made without compressing all of it."""

from __future__ import annotations

import zlib

_PART = 1_000_000


def build_bomb(megabytes: int) -> bytes:
    """Return zlib data of this many megabytes of zeros; its checksum, behind all of them, is wrong."""
    packer = zlib.compressobj(9)
    first, part = (packer.compress(b"\0" * _PART) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + part * (megabytes - 1) + packer.flush()
