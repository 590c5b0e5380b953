"""Open untrusted files one component at a time: never through a link, regular files only."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def open_beneath(root: Path, path: str) -> int | None:
    """Return a descriptor of a regular file; None if there is none without following a link."""
    directory = _open_directory(root, path)
    if directory is None:
        return None
    try:
        descriptor = os.open(path.rpartition("/")[2], _FLAGS, dir_fd=directory)
    except (OSError, ValueError):
        return None
    finally:
        os.close(directory)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None


def read_link_beneath(root: Path, path: str) -> bytes | None:
    """Return the target of the link at `path` under `root`, None if it is not a link."""
    directory = _open_directory(root, path)
    if directory is None:
        return None
    try:
        return os.fsencode(os.readlink(path.rpartition("/")[2], dir_fd=directory))
    except (OSError, ValueError):
        return None
    finally:
        os.close(directory)


def _open_directory(root: Path, path: str) -> int | None:
    """Return a descriptor of the directory of `path`, opened without following a link."""
    parts = path.split("/")
    if not all(part and part not in (".", "..") for part in parts):
        return None
    try:
        descriptor = os.open(root, _FLAGS | os.O_DIRECTORY)
    except OSError:
        return None
    for part in parts[:-1]:
        try:
            inner = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=descriptor)
        except (OSError, ValueError):
            return None
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def read_beneath(root: Path, path: str, limit_bytes: int) -> bytes | None:
    """Return the bytes of the file; None if it is missing, not a regular file, or longer than the limit."""
    descriptor = open_beneath(root, path)
    if descriptor is None:
        return None
    with open(descriptor, "rb") as file:
        content = file.read(limit_bytes + 1)
    return content if len(content) <= limit_bytes else None


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
