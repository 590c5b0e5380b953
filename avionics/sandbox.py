"""Bounds on the processes we start: what the system itself holds a child to, whatever a stranger's bytes make of it.

A child may open no file but its own program, the system's libraries and what it is given; it reaches no TCP port; its
memory, time and output are limited. Landlock binds a thread and what the thread starts, so a thread of its own binds
itself and starts the child: nothing runs between fork and exec, and no launcher costs its start.

Knows: the system's calls for resource limits and Landlock.
Does not know: which program is started, or why.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from threading import Thread
from types import MappingProxyType
from typing import Any, Final, TypeVar

T = TypeVar("T")

LIMITS: Final[Mapping[str, int]] = MappingProxyType(
    {"DATA": 2_000_000_000, "FSIZE": 500_000_000, "CORE": 0, "NOFILE": 1_024}
)
"""Bytes of memory of its own (maps of packs do not count), of a file it writes and of a core dump; open files."""

_SYSTEM: Final = ("/bin", "/dev/null", "/dev/urandom", "/etc", "/gnu", "/lib", "/lib64", "/nix", "/opt", "/sbin",
"/snap",
                  "/usr")  # fmt: skip
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""Landlock's calls have these numbers on every architecture."""

_SET_NO_NEW_PRIVILEGES = 38
_READING = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read a file, list a directory."""

_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14
"""The rights that a rule about a single file may hold: execute, write, read, truncate."""


def start_sandboxed(start: Callable[[], T], readable: Iterable[Path], writable: Iterable[Path] = ()) -> T:
    """What `start` gives, run in a thread that may open only these places; the processes it starts may no more.

    Raises:
        OSError: What `start` raised.
    """
    if not get_landlock_version():
        return start()
    outcome: list[T] = []
    faults: list[OSError] = []

    def work() -> None:
        try:
            _restrict(readable, writable)
            outcome.append(start())
        except OSError as error:
            faults.append(error)

    thread = Thread(target=work, name="avionics-start")
    thread.start()
    thread.join()
    if faults:
        raise faults[0]
    return outcome[0]


def limit_process(pid: int, **more: int) -> None:
    """Set resource limits on a child that was just started; systems that cannot are left as they are."""
    if sys.platform == "linux":
        import resource

        for name, most in {**LIMITS, **more}.items():
            kind = getattr(resource, f"RLIMIT_{name}")
            hard = resource.prlimit(pid, kind)[1]
            bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(pid, kind, (bound, bound))


def restrict_this_process(readable: Iterable[Path]) -> None:
    """Bind this process for good: it may read these places, and write nothing."""
    limit_process(os.getpid(), FSIZE=0)
    if sys.platform == "linux":
        _open_own_memory()  # `/proc` cannot be opened any more afterwards
    if get_landlock_version():
        _restrict(readable, ())


def raise_limits(seconds: int, more_bytes: int) -> None:
    """Let this process, once it is bound, use so much more time and own so much more memory than now, or be ended."""
    if sys.platform == "linux":
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        wanted = {"CPU": int(used.ru_utime + used.ru_stime) + 1 + seconds, "DATA": _get_own_bytes() + more_bytes}
        for name, most in wanted.items():
            kind = getattr(resource, f"RLIMIT_{name}")
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _get_own_bytes() -> int:
    """The memory of its own that this process has."""
    return int(os.pread(_open_own_memory(), 200, 0).split()[5]) * os.sysconf("SC_PAGE_SIZE")


@cache
def _open_own_memory() -> int:
    """Where the system says how much memory this process has, kept open."""
    return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)


def program_places(program: str | Path) -> tuple[Path, ...]:
    """What a program needs to run that lies beside it: its directory and the one above, links followed too."""
    spellings = (Path(program), Path(os.path.realpath(program)))
    return tuple(dict.fromkeys(spelling.parent.parent if spelling.parent.name == "bin" else spelling.parent
                               for spelling in spellings))  # fmt: skip


@cache
def get_landlock_version() -> int:
    """The version of Landlock the kernel has, 0 for none."""
    if sys.platform != "linux":
        return 0
    version: int = _library().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(0, version)


class _PathBeneath(ctypes.Structure):
    """The kernel's `landlock_path_beneath_attr`."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def _restrict(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Bind this thread, and what it starts."""
    version, library = get_landlock_version(), _library()
    _require(library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    everything = (1 << {1: 13, 2: 14}.get(version, 15)) - 1
    parts = [everything, *([3] if version >= 4 else []), *([3] if version >= 6 else [])]
    attributes = (ctypes.c_uint64 * len(parts))(*parts)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    ruleset = library.syscall(_CREATE_RULESET, attributes, size, ctypes.c_uint32(0))
    _require(ruleset)
    try:
        for path in (*_SYSTEM, *map(str, readable)):
            _allow(library, ruleset, path, _READING)
        for path in ("/dev/null", *map(str, writable)):
            _allow(library, ruleset, path, everything)
        _require(library.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)))
    finally:
        os.close(ruleset)


def _allow(library: Any, ruleset: int, path: str, rights: int) -> None:
    """Allow something at and below a path; a path that is not there needs no rule."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_directory = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        rule = _PathBeneath(rights if is_directory else rights & _OF_FILES, descriptor)
        _require(library.syscall(_ADD_RULE, ruleset, ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint32(0)))
    finally:
        os.close(descriptor)


@cache
def _library() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _require(outcome: int) -> None:
    """Raise the system's error when a call failed."""
    if outcome < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
