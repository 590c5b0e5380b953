"""Open untrusted files one component at a time: never through a link, regular files only."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_beneath(root: Path, path: str, limit_bytes: int) -> bytes | None:
    """Return the bytes of the file; None if it is missing, not a regular file, or longer than the limit."""
    try:
        with _opened_directory(root, path) as directory:
            descriptor = os.open(path.rpartition("/")[2], _FLAGS, dir_fd=directory)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return None
    with open(descriptor, "rb") as file:
        content = file.read(limit_bytes + 1)
    return content if len(content) <= limit_bytes else None


def read_link_beneath(root: Path, path: str) -> bytes | None:
    """Return the target of the link at `path` under `root`, None if it is not a link."""
    with suppress(OSError, ValueError), _opened_directory(root, path) as directory:
        return os.fsencode(os.readlink(path.rpartition("/")[2], dir_fd=directory))
    return None


@contextmanager
def _opened_directory(root: Path, path: str) -> Iterator[int]:
    """Open the directory of `path` for a block without following a link. Raise `OSError` if that cannot be done."""
    *above, name = path.split("/")
    if any(part in ("", ".", "..") for part in (*above, name)):
        raise NotADirectoryError(path)
    descriptor = os.open(root, _FLAGS | os.O_DIRECTORY)
    try:
        for part in above:
            inner = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        yield descriptor
    finally:
        os.close(descriptor)


def is_directory(path: str | Path) -> bool:
    """Return whether the path itself is a directory, not a link to one."""
    mode = get_mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def get_mode(path: str | Path) -> int | None:
    """Return the mode of the entry itself, None if it does not exist."""
    try:
        return os.lstat(path).st_mode
    except (OSError, ValueError):
        return None


def get_irregular(directory: Path) -> Path | None:
    """Return the first entry under a directory that is neither a regular file nor a directory.

    A pipe would block git, and a link would lead it out of the repository.
    """
    waiting = [str(directory)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif not entry.is_file(follow_symlinks=False):
                    return Path(entry.path)
    return None
