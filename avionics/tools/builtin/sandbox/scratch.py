"""Scratch: a directory of one program's own that is gone when the program is, however we end.

It is removed afterwards; when our process ends before that, as it ends; and when our process was killed, by the next
program's.

Knows: temporary directories, and how they are emptied whatever a program left in them.
Does not know: programs.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

_PREFIX: Final = "avionics-run-"
_DIRECTORY: Final = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)

_SECONDS_TO_REMOVE: Final = 2.0
"""Processes that were killed may still write for a moment."""

_SECONDS_UNTIL_LOCKED: Final = 60.0
"""A younger directory may not have been locked yet by whoever made it."""


@contextlib.contextmanager
def scratch_directory() -> Iterator[Path]:
    """A new directory below the system's temporary one."""
    _remove_abandoned(tempfile.gettempdir())
    path = Path(tempfile.mkdtemp(prefix=_PREFIX)).resolve()
    remove = partial(remove_tree, path)
    with at_exit_too(remove):
        try:
            held = os.open(path, _DIRECTORY)
            try:
                _lock(held)
                yield path
            finally:
                os.close(held)
        finally:
            remove()


@contextlib.contextmanager
def at_exit_too(end: Callable[[], object]) -> Iterator[None]:
    """In this block, call it when the process ends: threads that nobody waits for are not told."""
    atexit.register(end)
    try:
        yield
    finally:
        atexit.unregister(end)


def remove_tree(top: Path) -> None:
    """Remove a directory, however deep, closed to us or still written to; no link in it is followed."""
    until = time.monotonic() + _SECONDS_TO_REMOVE
    while True:
        with contextlib.suppress(OSError):
            _empty(top)
        try:
            os.rmdir(top)
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > until:
                return
            time.sleep(0.01)
        else:
            return


def _empty(top: Path) -> None:
    """Remove what is in a directory. What lies deeper is first moved to the top, so that no depth is too deep."""
    descriptor = os.open(top, _DIRECTORY)
    try:
        while names := os.listdir(descriptor):
            if not sum(_has_removed(descriptor, name) for name in names):
                return
    finally:
        os.close(descriptor)


def _has_removed(top: int, name: str) -> bool:
    """Whether an entry could be removed; its own directories are in its place then."""
    try:
        if not _is_directory(top, name):
            os.unlink(name, dir_fd=top)
            return True
        inner = _open_directory(top, name)
        try:
            for child in os.listdir(inner):
                if _is_directory(inner, child):
                    os.rename(child, secrets.token_hex(8), src_dir_fd=inner, dst_dir_fd=top)
                else:
                    os.unlink(child, dir_fd=inner)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)
    except OSError:
        return False
    return True


def _open_directory(top: int, name: str) -> int:
    """A descriptor of a directory in which we may do everything, whatever its program forbade."""
    try:
        inner = os.open(name, _DIRECTORY, dir_fd=top)
    except PermissionError:
        os.chmod(name, 0o700, dir_fd=top)
        inner = os.open(name, _DIRECTORY, dir_fd=top)
    os.fchmod(inner, 0o700)
    return inner


def _is_directory(top: int, name: str) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=top, follow_symlinks=False).st_mode)


def _remove_abandoned(parent: str) -> None:
    """Remove what those left who were killed: directories of ours that nobody holds a lock on."""
    for path in Path(parent).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            held = os.open(path, _DIRECTORY)
            try:
                found = os.fstat(held)
                is_ours = found.st_uid == os.geteuid() and time.time() - found.st_mtime > _SECONDS_UNTIL_LOCKED
                if is_ours and _lock(held):
                    remove_tree(path)
            finally:
                os.close(held)


def _lock(descriptor: int) -> bool:
    """Whether the directory is ours alone until the descriptor is closed, or our process ends."""
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
