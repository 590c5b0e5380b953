"""Restrict which files and TCP ports a thread and the processes it starts may open, with Linux's Landlock.

Landlock binds a thread and what the thread starts. A trusted program is therefore started by a thread of its own that
binds itself first: nothing runs between fork and exec, and there is no launcher to start.

https://docs.kernel.org/userspace-api/landlock.html
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from avionics.sandbox.limits import forbid_writing

T = TypeVar("T")

SYSTEM_PATHS: Final = (
    "/bin", "/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero", "/etc", "/gnu", "/lib", "/lib64",
    "/nix", "/opt", "/sbin", "/snap", "/usr",
)  # fmt: skip
"""Where systems keep programs, libraries and their configuration; every restricted process may read these."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""The system calls' numbers, the same on every architecture."""

_SET_NO_NEW_PRIVILEGES = 38
_READ = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read a file, list a directory."""

_FILE_RIGHTS = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14
"""The rights that a rule about a single file may contain: execute, write, read, truncate."""

_ALL_TCP, _ALL_SCOPES = 3, 3


@cache
def get_landlock_version() -> int:
    """Return the version of Landlock that the kernel has, 0 for none."""
    if sys.platform != "linux":
        return 0
    version: int = _library().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, version)


def restrict(
    readable: Iterable[object], writable: Iterable[object] = (), *, network: bool = False, hides_private: bool = False
) -> None:
    """Permanently restrict this thread and every process that it starts; do nothing where the kernel has no Landlock.

    Args:
        readable: Paths that may be read and executed, with everything below them, besides `SYSTEM_PATHS`.
        writable: Paths that may be read and changed, with everything below them, besides `/dev/null`.
        network: Whether TCP ports may be used, which kernels restrict from version 4 on.
        hides_private: Whether to exclude files of `/etc` that only root may read, if this process is root.

    Raises:
        OSError: The kernel refused.
    """
    version = get_landlock_version()
    if not version:
        return
    library = _library()
    require_success(library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    everything = (1 << {1: 13, 2: 14}.get(version, 15)) - 1
    handled = [everything, *([0 if network else _ALL_TCP] if version >= 4 else []),
               *([_ALL_SCOPES] if version >= 6 else [])]  # fmt: skip
    attributes = (ctypes.c_uint64 * len(handled))(*handled)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    ruleset = library.syscall(_CREATE_RULESET, attributes, size, ctypes.c_uint32(0))
    require_success(ruleset)
    try:
        for path in (*_list_system_paths(hides_private=hides_private), *readable):
            _allow(library, ruleset, str(path), _READ)
        for path in ("/dev/null", *writable):
            _allow(library, ruleset, str(path), everything)
        require_success(library.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)))
    finally:
        os.close(ruleset)


def _list_system_paths(*, hides_private: bool) -> Iterator[str]:
    """Yield the system's paths; `/etc` in parts if some of it is readable only by root."""
    for path in SYSTEM_PATHS:
        if hides_private and path == "/etc" and os.geteuid() == 0:
            yield from _iter_public(path)
        else:
            yield path


def _iter_public(directory: str) -> Iterator[str]:
    """Yield the highest directories, and the files, below a directory that everyone may read as a whole."""
    try:
        entries = list(os.scandir(directory))
    except OSError:
        return
    for entry in entries:
        try:
            mode = entry.stat(follow_symlinks=False).st_mode
        except OSError:
            continue
        if stat.S_ISDIR(mode):
            if mode & 0o005 == 0o005:
                yield from [entry.path] if _is_public(entry.path) else _iter_public(entry.path)
        elif stat.S_ISREG(mode) and mode & 0o004:
            yield entry.path


def _is_public(directory: str) -> bool:
    """Return whether everyone may read everything below a directory."""
    for top, directories, files in os.walk(directory):
        for name in (*directories, *files):
            try:
                mode = os.lstat(os.path.join(top, name)).st_mode
            except OSError:
                return False
            if not stat.S_ISLNK(mode) and not mode & 0o004:
                return False
    return True


def start_sandboxed(start: Callable[[], T], readable: Iterable[object], writable: Iterable[object] = ()) -> T:
    """Return the result of `start`, called in a thread that may open only these paths, as in `restrict`.

    Raise what `start` raised, or `OSError` if the kernel refused.
    """
    if not get_landlock_version():
        return start()
    from threading import Thread

    results: list[T] = []
    errors: list[OSError] = []

    def work() -> None:
        try:
            restrict(readable, writable)
            results.append(start())
        except OSError as error:
            errors.append(error)

    thread = Thread(target=work, name="avionics-start")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def restrict_this_process(readable: Iterable[object]) -> None:
    """Permanently restrict this process: it may read these paths and write no file."""
    forbid_writing()
    restrict(readable)


def program_paths(program: str | Path) -> tuple[Path, ...]:
    """Return the paths that a program needs: its directory, or the parent of a `bin`, with links followed."""
    spellings = (Path(program), Path(os.path.realpath(program)))
    return tuple(dict.fromkeys(spelling.parent.parent if spelling.parent.name == "bin" else spelling.parent
                               for spelling in spellings))  # fmt: skip


def require_success(outcome: int) -> None:
    """Raise the error of the system when a call to the C library failed."""
    if outcome < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class _PathBeneath(ctypes.Structure):
    """The kernel's `landlock_path_beneath_attr`."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def _allow(library: Any, ruleset: int, path: str, rights: int) -> None:
    """Add a rule about a path and all below it; a path that does not exist needs none."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_directory = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        rule = _PathBeneath(rights if is_directory else rights & _FILE_RIGHTS, descriptor)
        require_success(library.syscall(_ADD_RULE, ruleset, ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint32(0)))
    finally:
        os.close(descriptor)


@cache
def _library() -> Any:
    return ctypes.CDLL(None, use_errno=True)
