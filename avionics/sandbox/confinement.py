"""Run untrusted programs within limits that the operating system enforces.

These limits hold everywhere: an argument vector and never a shell, an environment made here, a directory for temporary
files that is removed, a time limit after which the whole process group is killed, bounded output, and resource limits.

These hold where Linux allows it: no network (a network namespace), no process that outlives the call (a process
namespace), files only where allowed (Landlock), no change of the metadata of other files (read-only mounts), no Unix
sockets, debugging, mounting or further namespaces (seccomp), no capabilities, and a bound on the number of processes.
`Outcome.not_confined` names those that do not hold on this system.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Final

import attrs

from avionics.cancellation import check_cancelled, on_cancel
from avionics.model.errors import DeadlineExceededError, MissingDependencyError
from avionics.scratch import ScratchDirectory

MAX_TIMEOUT_SECONDS: Final = 300
MAX_OUTPUT_BYTES: Final = 100_000
"""The limit for each stream. More output is read and dropped, so that the program does not block."""

MAX_PROCESSES: Final = 64
PROGRAM_LIMITS: Final[Mapping[str, int]] = MappingProxyType(
    {"AS": 4_000_000_000, "CORE": 0, "NOFILE": 256, "NPROC": MAX_PROCESSES}
)
"""Bytes of addressable memory and of a core dump; open files; processes at a time."""

_COUNTING_SECONDS: Final = 0.05
"""How often processes are counted."""

_ROOT: Final = str(Path(__file__).parents[2])
_NAMESPACES: Final = ("--user", "--map-current-user", "--ipc", "--pid", "--fork", "--kill-child")
_MOUNTS: Final = ("--keep-caps", "--mount")


@attrs.frozen
class ConfinedProgram:
    """A program to run, and the resources it may use.

    Attributes:
        command: The program and its arguments.
        directory: The working directory; None for the temporary directory, which is removed afterwards.
        files: The initial files of the temporary directory, by name.
        timeout_seconds: How long the program may run.
        readable: Files and directories it may read, besides the system's own.
        writable: Files and directories it may change, besides its temporary directory.
        environment: Its variables, besides PATH, HOME, TMPDIR and LANG.
        network: Whether it may use the network.
        file_bytes: The size of the largest file it may write.
    """

    command: tuple[str, ...]
    directory: Path | None = None
    files: Mapping[str, bytes] = attrs.field(factory=dict)
    timeout_seconds: float = 30.0
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    program_directories: tuple[Path, ...] = ()
    environment: Mapping[str, str] = attrs.field(factory=dict)
    network: bool = False
    file_bytes: int = 100_000_000


@attrs.frozen
class Outcome:
    """What a program printed, and how it ended.

    Attributes:
        exit_code: Negative for the signal that ended it.
        stdout: What it printed, as UTF-8 with other bytes replaced.
        stderr: The same for its standard error.
        is_truncated: Whether one of the two was cut at `MAX_OUTPUT_BYTES`.
        not_confined: What this system could not prevent, in words.
    """

    exit_code: int
    stdout: str
    stderr: str
    is_truncated: bool
    not_confined: tuple[str, ...]


class _End(Enum):
    """How a program ended."""

    OWN = ""
    LATE = "did not end within {:g} s"
    TOO_MANY = f"started more than {MAX_PROCESSES} processes"


@attrs.frozen
class Confinement:
    """How this system can confine a program.

    Attributes:
        namespaces: The beginning of a command that creates namespaces; empty where that is not allowed.
        landlock: The version of Landlock, 0 for none.
        seccomp: Whether system calls can be filtered.
        mounts: Whether file systems can be made read-only to a program.
    """

    namespaces: tuple[str, ...]
    landlock: int
    seccomp: bool = False
    mounts: bool = False

    @property
    def is_complete(self) -> bool:
        """Return whether a program is confined in all that this module can confine."""
        return bool(self.namespaces and self.landlock and self.seccomp)


def run_confined(task: ConfinedProgram) -> Outcome:
    """Run a program to its end.

    Raise `DeadlineExceededError`, after killing it and all it started, if it did not end in time or the call was
    cancelled; `MissingDependencyError` if it could not be started.
    """
    with ScratchDirectory("run") as scratch:
        for name, content in task.files.items():
            (scratch / name).write_bytes(content)
        return _run(task, scratch)


def list_unconfined(task: ConfinedProgram) -> tuple[str, ...]:
    """Return the restrictions that this system does not enforce on such a program, in words."""
    available = get_confinement()
    tcp_only = available.landlock >= 4
    holes = (
        (not task.network and not available.namespaces, "network beyond TCP" if tcp_only else "network"),
        (not available.landlock, "reading and writing files that our own user may"),
        (not available.namespaces, "processes that leave their process group outlive the call"),
        (not available.namespaces, "the number of processes"),
        (sys.platform != "linux", "memory"),
        (True, "memory and disk space of all its processes together"),
        (not available.seccomp, "Unix sockets that lie in the file system"),
        (not available.seccomp, "debugging its own processes, and namespaces of its own"),
        (
            not (available.mounts or available.seccomp),
            "modes, owners, times and attributes of files that our own user may change",
        ),
    )
    return tuple(words for is_open, words in holes if is_open)


@cache
def get_confinement() -> Confinement:
    """Return how this system can confine a program, which is probed once."""
    setpriv, unshare = (shutil.which(name, path=os.defpath) for name in ("setpriv", "unshare"))
    apart = (setpriv, "--pdeathsig", "KILL", "--", unshare, *_NAMESPACES) if setpriv and unshare else ()
    for prefix in ((*apart, *_MOUNTS), apart) if apart else ():
        found = _probe((*prefix, "--net"))
        if found is not None and (found["mounts"] or prefix is apart):
            return Confinement(prefix, found["landlock"], found["seccomp"], found["mounts"])
    alone = _probe(()) or {"landlock": 0, "seccomp": False}
    return Confinement((), alone["landlock"], alone["seccomp"])


def _probe(prefix: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the report of a process started with a prefix; None if it cannot be started."""
    command = (*prefix, *_launch({"probe": True}))
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env={}, check=False, timeout=30)
    return dict(json.loads(done.stdout)) if done.returncode == 0 and done.stdout else None


def _launch(bounds: Mapping[str, object]) -> tuple[str, ...]:
    program = f"import sys; sys.path.append({_ROOT!r}); from avionics.sandbox.launcher import main; main(sys.argv[1:])"
    return sys.executable, "-I", "-S", "-c", program, json.dumps(bounds)


def _python_places() -> tuple[Path, ...]:
    return tuple(dict.fromkeys(map(Path, (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix))))


def _build_command(task: ConfinedProgram, scratch: Path) -> tuple[str, ...]:
    """Return the command with everything that confines it in front, outermost first."""
    available = get_confinement()
    apart = (*available.namespaces, *(() if task.network else ("--net",)), "--") if available.namespaces else ()
    limits = {**PROGRAM_LIMITS, "CPU": int(task.timeout_seconds) + 1, "FSIZE": task.file_bytes}
    if not available.namespaces:
        # Without a process namespace the system counts all processes of the user, not only these.
        del limits["NPROC"]
    bounds = {
        "limits": limits,
        "network": task.network,
        "mounts": available.mounts,
        "seccomp": available.seccomp,
        "readable": [*map(str, (*_python_places(), *task.program_directories, *task.readable))],
        "writable": [str(scratch), *map(str, task.writable)],
    }
    return (*apart, *_launch(bounds), *task.command)


def _run(task: ConfinedProgram, scratch: Path) -> Outcome:
    environment = {
        "PATH": os.pathsep.join(map(str, task.program_directories)) or os.defpath,
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        **task.environment,
    }
    try:
        process = subprocess.Popen(
            _build_command(task, scratch),
            cwd=task.directory or scratch,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise MissingDependencyError(f"{task.command[0][:200]!r} could not be started: {error}") from error
    streams = (_Drain(process.stdout), _Drain(process.stderr))
    kill = partial(_signal_group, process)
    try:
        with on_cancel(kill), _at_exit_too(kill):
            end = _wait(process, time.monotonic() + task.timeout_seconds)
    finally:
        _kill_group(process)
        for stream in streams:
            stream.wait()
    check_cancelled()
    out, err = (stream.text for stream in streams)
    if end is not _End.OWN:
        last = (err or out)[-500:].strip()
        last_line = f"; it last said: {last}" if last else ""
        raise DeadlineExceededError(
            f"the program {end.value.format(task.timeout_seconds)} and was killed{last_line}",
            hint=f"allow more time, {MAX_TIMEOUT_SECONDS} s at the most, or ask for less",
        )
    cut = any(stream.is_truncated for stream in streams)
    return Outcome(process.returncode, out, err, cut, list_unconfined(task))


@contextlib.contextmanager
def _at_exit_too(end: Callable[[], object]) -> Iterator[None]:
    """Call a function also if the process ends inside the block, because daemon threads end without notice."""
    atexit.register(end)
    try:
        yield
    finally:
        atexit.unregister(end)


def _wait(process: subprocess.Popen[bytes], until: float) -> _End:
    """Wait for the end of a program, or until it exceeds a limit."""
    # The kernel does not limit the number of root's processes, so they are counted.
    step = _COUNTING_SECONDS if os.geteuid() == 0 and get_confinement().namespaces else math.inf
    while (left := until - time.monotonic()) > 0:
        try:
            process.wait(min(left, step))
        except subprocess.TimeoutExpired:
            if step < math.inf and _count_processes(process.pid) > MAX_PROCESSES:
                return _End.TOO_MANY
        else:
            return _End.OWN
    return _End.LATE


def _count_processes(pid: int) -> int:
    """Return how many processes are in the namespace that a process created for its children."""
    try:
        inside = os.readlink(f"/proc/{pid}/ns/pid_for_children")
    except OSError:
        return 0
    if inside == os.readlink("/proc/self/ns/pid"):
        return 0  # The process has not created its namespace yet: the processes in this one are the machine's.
    count = 0
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            count += name.isdigit() and os.readlink(f"/proc/{name}/ns/pid") == inside
    return count


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill everything in a program's process group, even if the program itself has ended."""
    _signal_group(process)
    process.wait()


def _signal_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


class _Drain:
    """Read a stream to its end in a thread, and keep its beginning."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        assert stream is not None
        self._stream = stream
        self._kept = bytearray()
        self.is_truncated = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        """Return the captured output, with bytes that are not UTF-8 replaced."""
        return bytes(self._kept).decode("utf-8", "replace")

    def wait(self) -> None:
        """Wait for the end of the stream, but not for long, because a process that escaped may keep it open."""
        self._thread.join(1.0)

    def _read(self) -> None:
        """Read the stream to its end and close it, which may be after the wait for it."""
        with self._stream:
            descriptor = self._stream.fileno()
            while chunk := os.read(descriptor, 65_536):
                room = MAX_OUTPUT_BYTES - len(self._kept)
                self._kept += chunk[:room]
                self.is_truncated = self.is_truncated or len(chunk) > room
