"""Read from git's index which files are tracked; git applies no ignore rules to them.

The form is that of `gitformat-index(5)`, versions 2 to 4 with SHA-1 names.
"""

from __future__ import annotations

import functools
import os
import struct
from pathlib import Path

from avionics.source.paths import SkipReason, list_to_top, opened_directory
from avionics.source.read import read_regular

_MAX_INDEX_BYTES = 64_000_000
_HEADER = struct.Struct(">4sII")
_MODE_AT, _FLAGS_AT, _NAME_AT = 26, 60, 62
_REGULAR, _IS_EXTENDED = 0x8, 0x40
_PREFIXES_FROM = 4
"""The version from which a name begins with part of the one before it."""


def read_tracked(root: Path) -> tuple[str, ...]:
    """Return the paths of the regular files below a directory that git tracks; () if there is no index.

    Work trees whose `.git` is a file have their index elsewhere, and it is not followed there.
    """
    above = list_to_top(root)
    if not above:
        return ()
    top = above[-1]
    with opened_directory(top, (".git",)) as directory:
        if isinstance(directory, SkipReason):
            return ()
        try:
            status = os.stat("index", dir_fd=directory, follow_symlinks=False)
        except OSError:
            return ()
    stamp = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    names = _read_index(top, stamp)
    if root == top:
        return names
    below = f"{root.relative_to(top).as_posix()}/"
    return tuple(name.removeprefix(below) for name in names if name.startswith(below))


@functools.lru_cache(maxsize=4)
def _read_index(top: Path, _stamp: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names in the index of a repository; the status of the index is part of the key of the cache."""
    with opened_directory(top, (".git",)) as directory:
        data = directory if isinstance(directory, SkipReason) else read_regular(directory, "index", _MAX_INDEX_BYTES)
    return () if isinstance(data, SkipReason) else _read_names(data)


def _read_names(data: bytes) -> tuple[str, ...]:
    """Return the names of the regular files in an index; () for bytes of another form."""
    found: list[str] = []
    try:
        mark, version, count = _HEADER.unpack_from(data)
        if mark != b"DIRC" or not 2 <= version <= _PREFIXES_FROM:
            return ()
        at, name = _HEADER.size, b""
        for _ in range(count):
            start = at + _NAME_AT + 2 * bool(data[at + _FLAGS_AT] & _IS_EXTENDED)
            is_regular = data[at + _MODE_AT] >> 4 == _REGULAR
            if version >= _PREFIXES_FROM:
                dropped, start = _read_length(data, start)
                end = data.index(b"\0", start)
                name, at = name[: len(name) - dropped] + data[start:end], end + 1
            else:
                end = data.index(b"\0", start)
                name = data[start:end]
                # Entries are padded with one to eight NULs to a multiple of eight bytes.
                at += (end - at + 8) // 8 * 8
            if is_regular:
                found.append(os.fsdecode(name))
    except (IndexError, ValueError, struct.error):
        return ()
    return tuple(found)


def _read_length(data: bytes, at: int) -> tuple[int, int]:
    """Return a length in git's variable form, and where it ends."""
    length = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        length = ((length + 1) << 7) | (data[at] & 0x7F)
    return length, at + 1
