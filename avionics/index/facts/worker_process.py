"""A worker: a separate process that reads untrusted files, so that a crash affects only that file.

Workers are programs of their own, because forking is not safe in a program with threads. A worker that dies costs one
file, and it ends when its parent does. Starting one takes about 0.1 s, handing it a file a quarter of a millisecond.
"""

from __future__ import annotations

import atexit
import math
import threading
import time
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from avionics.index.facts.worker_protocol import CPU_SECONDS, READY, Extracted, Task, perform, receive, send
from avionics.model.errors import IndexStateError
from avionics.own_process import start_own_process
from avionics.posix import get_resident_bytes
from avionics.store.codec import ParseFailure
from avionics.store.payload import from_payload, to_payload
from avionics.syntax.engine.budget import TOO_COSTLY

if TYPE_CHECKING:
    from subprocess import Popen

_START_SECONDS = 30.0
"""A worker starts in about 0.1 s."""

_FILE_SECONDS = 600.0
"""The worker limits the processor time of a file itself; this ends one that waits forever, on a busy machine too."""

_ENDED = f"{TOO_COSTLY}, or it crashes the parser"


class Worker:
    """A process that extracts facts. It starts when needed, and again after it has died. Safe for several threads.

    The limit in seconds is the processor time that a small file may take.
    """

    def __init__(self, cpu_seconds: int = CPU_SECONDS) -> None:
        self._cpu_seconds = cpu_seconds
        self._process: Popen[bytes] | None = None
        self._can_start = True
        self._is_program_ending = False
        self._used = 0.0
        self._lock = threading.Lock()

    @property
    def is_running(self) -> bool:
        """Return whether the process was started and has not been found dead since."""
        return self._process is not None

    def perform(self, tasks: Sequence[Task], last: float = math.inf) -> list[Extracted]:
        """Perform tasks in order. A file that ends the process is a `ParseFailure`.

        After a process has ended, the tasks without results are tried one at a time, the first in a new process: any
        of them, or something else, may have ended it. Tasks that are not done at `last`, a value of `time.monotonic`,
        are given up and have no result.
        """
        results: list[Extracted] = []
        at_once = len(tasks)
        with self._lock:
            while len(results) < len(tasks):
                is_new, before = self._process is None, len(results)
                rest = tasks[before : before + at_once]
                process = self._process or (self._start() if self._can_start else None)
                if self._is_program_ending:
                    # The parent has gone. SystemExit ends the thread without a traceback.
                    raise SystemExit
                if process is None:
                    return results + [perform(task) for task in tasks[before:]]
                try:
                    assert process.stdin is not None
                    send(process.stdin, to_payload(rest, compress=False))
                    while len(results) < before + len(rest):
                        seconds = min(_FILE_SECONDS, max(last - time.monotonic(), 0))
                        results += from_payload(_receive_within(process, seconds), list[Extracted])
                except (EOFError, IndexStateError, OSError, ValueError):
                    if time.monotonic() >= last:
                        self._end()
                        break
                    if is_new and at_once == 1:
                        results.append(ParseFailure(_ENDED))
                    self._end()
                    at_once = 1
            self._used = time.monotonic()
        return results

    def stop(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def stop_if_idle(self, seconds: float, max_bytes: int = 0) -> None:
        """End the process if it has been idle for `seconds` and uses more than `max_bytes` of memory."""
        if self._lock.acquire(blocking=False):
            try:
                is_idle = self._process is not None and time.monotonic() - self._used > seconds
                if self._process is not None and is_idle and get_resident_bytes(self._process.pid) >= max_bytes:
                    self._end()
            finally:
                self._lock.release()

    def _start(self) -> Popen[bytes] | None:
        """Start a process; return None if the system does not allow it."""
        statements = (
            "from avionics.quick_imports import import_msgspec, import_pathlib; import_pathlib(); import_msgspec(); "
            f"from avionics.index.facts.worker_protocol import serve; serve({self._cpu_seconds})"
        )
        try:
            self._process = start_own_process(statements)
            if _receive_within(self._process, _START_SECONDS) == READY:
                atexit.register(self._leave)
                return self._process
        except (EOFError, OSError, ValueError):
            pass
        self._end()
        self._can_start = False
        return None

    def _end(self) -> None:
        if self._process is not None:
            atexit.unregister(self._leave)
            with self._process:
                self._process.kill()
            self._process = None

    def _leave(self) -> None:
        """End the process because the program ends. Do not wait for the lock: its holder may be busy."""
        self._can_start, self._is_program_ending = False, True
        if (process := self._process) is not None:
            with process:
                process.kill()


def _receive_within(process: Popen[bytes], seconds: float) -> bytes:
    """Read the next message of a worker. Raise `EOFError` if the worker ended, or was silent for so long."""
    pipe: IO[bytes] | None = process.stdout
    assert pipe is not None
    import select

    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        if not poll.poll(seconds * 1_000):
            raise EOFError
    return receive(pipe)
