"""Workers: the processes in which strangers' files are read, so that a file that ends its reader ends nothing else.

They are programs of their own, since forking under threads is not safe. A worker that dies costs one file; it ends by
itself when its parent does. One is kept once it was needed: starting it takes less than a tenth of a second, handing
it a file a quarter of a millisecond.

Knows: processes, how long one may be silent.
Does not know: which files are read, and why.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

from avionics.index.facts.worker_protocol import READY, Task, perform, read_facts, read_uses, receive, send, to_failure
from avionics.model.facts import FileFacts, ParseProblem
from avionics.store.codec import ParseFailure, decode_facts, encode_facts, encode_uses
from avionics.store.payload import to_payload
from avionics.syntax.engine.budget import TOO_COSTLY
from avionics.syntax.extract import give_up_uses

if TYPE_CHECKING:
    from subprocess import Popen

_START_SECONDS = 30.0
"""A worker starts in about 0.1 s."""

_FILE_SECONDS = 60.0
"""The largest file allowed takes about a second; one that takes this long would never end."""

_ENDED = f"{TOO_COSTLY}, or it crashes the parser"


class Worker:
    """A process that reads files; started when first needed, and again after it died. Safe for several threads."""

    def __init__(self) -> None:
        self._process: Popen[bytes] | None = None
        self._can_start = not getattr(sys, "frozen", False) and bool(sys.executable)
        self._has_left = False
        self._lock = threading.Lock()

    def perform(self, tasks: list[Task]) -> list[bytes]:
        """What is to be said of each, in order; of a file that ends the process, that it did.

        What ends a process that has read others is tried once more by a new one: somebody else may have ended it, or
        what others left behind.
        """
        said: list[bytes] = []
        with self._lock:
            while len(said) < len(tasks):
                is_new, before = self._process is None, len(said)
                rest = tasks[before:]
                process = self._process or (self._start() if self._can_start else None)
                if self._has_left:
                    # This program ends: nobody waits for what is read, which ends the thread without a word.
                    raise SystemExit
                if process is None:
                    return said + [perform(task) for task in rest]
                try:
                    assert process.stdin is not None
                    send(process.stdin, to_payload(rest, compress=False))
                    for _ in rest:
                        said.append(_hear(process, _FILE_SECONDS))
                except (EOFError, OSError, ValueError):
                    if is_new and len(said) == before:
                        said.append(to_failure(_ENDED))
                    self._end()
        return said

    def take_over(self, other: Worker) -> None:
        """Goes on with the process of another that is needed no more, unless this one has its own."""
        with other._lock, self._lock:
            process = other._process
            if process is None or self._process is not None or not self._can_start:
                return
            atexit.unregister(other._leave)
            self._process, other._process = process, None
            atexit.register(self._leave)

    def stop(self) -> None:
        """Ends the process."""
        with self._lock:
            self._end()

    def _start(self) -> Popen[bytes] | None:
        """A new process, or None when this system lets none start."""
        from subprocess import DEVNULL, PIPE, Popen

        path = list(dict.fromkeys((str(Path(__file__).parents[2]), *filter(os.path.isabs, sys.path))))
        program = f"import sys; sys.path[:] = {path!r}; from avionics.index.facts.worker_protocol import serve; serve()"
        try:
            self._process = Popen(
                [sys.executable, "-I", "-S", "-c", program], stdin=PIPE, stdout=PIPE, stderr=DEVNULL, bufsize=0
            )
            if _hear(self._process, _START_SECONDS) == READY:
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
        """End the process when this one ends; who holds the lock is not waited for."""
        self._can_start, self._has_left = False, True
        if (process := self._process) is not None:
            with process:
                process.kill()


def get_kept_worker(number: int = 0) -> Worker:
    """A worker that this process keeps: the first one, or another where many files are read at once."""
    return _kept_worker_of(os.getpid(), number)


def read_outline(content: bytes, language: str) -> FileFacts:
    """What the bytes define and import, without their words; a problem where they could not be read."""
    (message,) = get_kept_worker().perform([(content, language, None)])
    return to_outline(message, language)


def to_outline(message: bytes, language: str) -> FileFacts:
    """What was said of a file's outline, without its words."""
    found = read_facts(message, b"")
    if isinstance(found, ParseFailure):
        return FileFacts(language, problems=(ParseProblem(1, found.reason),))
    return decode_facts(found.outline)


def read_packed_uses(content: bytes, language: str, facts: FileFacts) -> bytes:
    """The payload of every scope, binding and reference in the bytes; of bytes that could not be read, any."""
    (message,) = get_kept_worker().perform([(content, language, encode_facts(facts))])
    return to_packed_uses(message, language, facts)


def to_packed_uses(message: bytes, language: str, facts: FileFacts) -> bytes:
    """The payload of what was said of a file's uses."""
    found = read_uses(message)
    return found if isinstance(found, bytes) else encode_uses(give_up_uses(language, facts))


@lru_cache(maxsize=64)
def _kept_worker_of(_pid: int, _number: int) -> Worker:
    """A process that was forked must not talk to its parent's worker."""
    return Worker()


def _hear(process: Popen[bytes], seconds: float) -> bytes:
    """What a worker says next.

    Raises:
        EOFError: It ended, or was silent for so long.
    """
    line: IO[bytes] | None = process.stdout
    assert line is not None
    if sys.platform != "win32":
        import select

        poll = select.poll()
        poll.register(line, select.POLLIN)
        if not poll.poll(seconds * 1_000):
            raise EOFError
    return receive(line)
