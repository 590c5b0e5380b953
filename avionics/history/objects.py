"""Read blobs and trees of any revision from git objects, without a checkout."""

from __future__ import annotations

import contextlib
import math
import subprocess
import threading
import time
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING

from msgspec import Struct

from avionics.history.repo import GitRepository
from avionics.model.errors import HistoryError

if TYPE_CHECKING:
    from subprocess import Popen


_END_SECONDS = 0.05
"""A process whose output has ended terminates within this time."""


class BlobReader:
    """Reads blobs for several threads, one at a time. The process starts at the first blob and ends with `close()`.

    Larger blobs than the limit are not read; the time limit, which may be exceeded by as much again, is for one blob.
    """

    def __init__(self, repository: GitRepository, max_bytes: int, timeout_seconds: float) -> None:
        self._repository = repository
        self._max_bytes = max_bytes
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._process: Popen[bytes] | None = None
        self._watchdog: _Watchdog | None = None

    def read(self, oid: str) -> bytes | None:
        """Return the bytes of a blob; None if it is missing, not a blob, or too large.

        Raise `HistoryError` if Git ended or took too long, twice.
        """
        with self._lock:
            for _ in range(2):
                with contextlib.suppress(OSError):
                    content = self._ask(process := self._start(), oid)
                    if content is not None or not _has_ended(process):
                        return content
                # The process may have used up its resource limits; try once more with a new one.
                self._stop()
        raise HistoryError("git ended while reading objects", hint="run `git fsck` to check for damaged objects")

    def close(self) -> None:
        """End the process; reading again starts another."""
        with self._lock:
            self._stop()

    def _start(self) -> Popen[bytes]:
        """Return the process, which is started if there is none."""
        if self._process is None:
            self._process = self._repository.start("cat-file", "--batch")
            self._watchdog = _Watchdog(self._process, self._timeout_seconds)
        return self._process

    def _ask(self, process: Popen[bytes], oid: str) -> bytes | None:
        """Ask the process for a blob, and end it if it takes too long."""
        assert process.stdin is not None
        assert process.stdout is not None
        assert self._watchdog is not None
        with self._watchdog:
            process.stdin.write(f"{oid}\n".encode())
            process.stdin.flush()
            return read_object(process.stdout, self._max_bytes)

    def _stop(self) -> None:
        process, self._process = self._process, None
        if self._watchdog is not None:
            self._watchdog.end()
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(self._timeout_seconds)


class _Watchdog:
    """Kills a process that works on one thing for longer than a time, or at most twice that; a context for each thing.

    One thread looks at it from time to time: to start a thread for each of many short things takes longer than they do.
    """

    def __init__(self, process: Popen[bytes], seconds: float) -> None:
        self._process = process
        self._seconds = seconds
        self._since = math.inf
        self._is_over = threading.Event()
        threading.Thread(target=self._watch, name="avionics-watchdog", daemon=True).start()

    def __enter__(self) -> None:
        self._since = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._since = math.inf

    def end(self) -> None:
        """End the thread."""
        self._is_over.set()

    def _watch(self) -> None:
        while not self._is_over.wait(self._seconds):
            if time.monotonic() - self._since >= self._seconds:
                self._process.kill()


def _has_ended(process: Popen[bytes]) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END_SECONDS)
    return process.returncode is not None


class TreeEntry(Struct, frozen=True):
    """A file of a revision: the id of its blob, its mode, and its size if requested."""

    oid: str
    mode: int
    size: int | None = None


def list_tree(repository: GitRepository, commit: str, *, sizes: bool = False) -> Mapping[str, TreeEntry]:
    """Return the files of a commit by path, including links and submodules (see `mode`)."""
    options = ("--long",) if sizes else ()
    output = repository.run_text("ls-tree", "-r", "-z", "--full-tree", *options, commit)
    entries = {}
    for record in output.split("\0")[:-1]:
        head, _, path = record.partition("\t")
        mode, _, oid, *size = head.split()
        entries[path] = TreeEntry(oid, int(mode, 8), int(size[0]) if size and size[0].isdigit() else None)
    return entries


def read_object(output: IO[bytes], max_bytes: int) -> bytes | None:
    """Return the next object of a batch; None for one that is missing, not a blob, or too large."""
    words = output.readline().split()
    if len(words) != 3 or not words[2].isdigit():
        return None
    kind, remaining = words[1], int(words[2])
    content = bytearray()
    is_wanted = kind == b"blob" and remaining <= max_bytes
    remaining += 1
    while remaining > 0 and (chunk := output.read(min(remaining, 1_000_000))):
        remaining -= len(chunk)
        if is_wanted:
            content += chunk
    return bytes(content[:-1]) if is_wanted and not remaining else None
