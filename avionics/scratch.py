"""Temporary files and directories that are removed, however this process ends.

A directory is removed when its owner closes it; when this process ends first, at its exit; and when this process was
killed, by the next process that creates such a directory.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import stat
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from avionics.posix import get_fcntl

_PREFIX: Final = "avionics-scratch-"
_DIRECTORY: Final = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW"))

_ATTEMPTS: Final = 200
_SECONDS_BETWEEN: Final = 0.01
"""How often to try, with a pause: processes that were killed may still write for a moment, on a busy machine longer."""

_SECONDS_UNTIL_LOCKED: Final = 60.0
"""A younger directory may not have been locked yet by its owner."""


class _OwnDirectories:
    """The directories of this process that are not removed, or not entirely. Its exit removes them."""

    def __init__(self) -> None:
        self._paths: set[Path] = set()
        self.creating = threading.RLock()
        """Held while a directory is created, and from the exit on, when other threads may still run."""
        # An exit runs no function that is registered during it, so this is done before there is any directory.
        atexit.register(self._remove_all)

    def note(self, path: Path) -> None:
        """Remember a directory until it is removed."""
        self._paths.add(path)

    def delete(self, path: Path) -> None:
        """Remove a directory."""
        remove_tree(path)
        self._paths.discard(path)

    def _remove_all(self) -> None:
        """Remove all directories, also those that other threads are creating or removing; let none be created."""
        self.creating.acquire()
        for path in tuple(self._paths):
            remove_tree(path)


_OWN: Final = _OwnDirectories()


class ScratchDirectory:
    """A new directory that is removed by `close()`, at the end of a `with` block, or at exit.

    Its owner holds a lock on it, so that other processes can tell whether it is still in use. The purpose is a word
    that is part of its name; the parent is the system's temporary directory unless given.
    """

    def __init__(self, purpose: str, parent: str | None = None) -> None:
        parent = parent or tempfile.gettempdir()
        _remove_abandoned(parent)
        with _OWN.creating:
            self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-", dir=parent)).resolve()
            held = os.open(self.path, _DIRECTORY) if get_fcntl() is not None else None
            if held is not None:
                _lock(held)
            _OWN.note(self.path)
            self._remove = weakref.finalize(self, _remove, self.path, held)
            self._remove.atexit = False

    def close(self) -> None:
        """Remove the directory; may be called twice."""
        self._remove()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file beside `path` and rename it to `path` at the end of the block, unless the block raises.

    So a concurrent reader sees the old contents or the new ones, never a part. Raise `OSError` if that fails.
    """
    with tempfile.NamedTemporaryFile(dir=path.absolute().parent, prefix=f".{path.name}.", delete=False) as made:
        try:
            yield made
            made.close()
            os.replace(made.name, path)
        finally:
            Path(made.name).unlink(missing_ok=True)


def _remove(path: Path, held: int | None) -> None:
    """Remove a directory and release its lock."""
    _OWN.delete(path)
    if held is not None:
        os.close(held)


def remove_tree(top: Path) -> None:
    """Remove a directory, however deep, unreadable or still written to; follow no link in it."""
    if os.open not in os.supports_dir_fd:
        shutil.rmtree(top, ignore_errors=True)
        return
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(OSError):
            _empty(top)
        try:
            os.rmdir(top)
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(_SECONDS_BETWEEN)
        else:
            return


def _empty(top: Path) -> None:
    """Remove the contents of a directory; deep directories are moved to its top first."""
    descriptor = os.open(top, _DIRECTORY)
    try:
        while names := os.listdir(descriptor):
            if not sum(_has_removed(descriptor, name) for name in names):
                return
    finally:
        os.close(descriptor)


def _has_removed(top: int, name: str) -> bool:
    """Remove an entry, moving its directories to the top; return whether that worked."""
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
    """Open a directory, giving this process every right to it first."""
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
    """Remove directories without a lock, whose processes were killed."""
    if get_fcntl() is None:
        return
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
    """Lock a directory until the descriptor is closed or this process ends; return whether that worked."""
    fcntl = get_fcntl()
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
