"""Blobs one at a time, from a git process that stays: a new process a blob would cost a hundred times as much."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from typing import TYPE_CHECKING

from avionics.history.objects import read_object
from avionics.history.repo import GitRepository
from avionics.model.errors import HistoryError

if TYPE_CHECKING:
    from subprocess import Popen


_END_SECONDS = 0.05
"""A process whose output has ended is gone that soon."""


class BlobReader:
    """Reads blobs for several threads, one at a time; the process starts at the first blob and ends with `close()`.

    Args:
        repository: Where.
        max_bytes: Larger blobs are not read.
        timeout_seconds: How long one blob may take.
    """

    def __init__(self, repository: GitRepository, max_bytes: int, timeout_seconds: float) -> None:
        self._repository = repository
        self._max_bytes = max_bytes
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._process: Popen[bytes] | None = None

    def read(self, oid: str) -> bytes | None:
        """Return the bytes of a blob; None for one that is missing here, no blob, or too large.

        Raises:
            HistoryError: Git ended or took too long, twice.
        """
        with self._lock:
            for _ in range(2):
                with contextlib.suppress(OSError):
                    process = self._process = self._process or self._repository.start("cat-file", "--batch")
                    content = self._ask(process, oid)
                    if content is not None or not _has_ended(process):
                        return content
                # A process may have used up its bounds; a new one begins anew.
                self._stop()
        raise HistoryError("git ended while it was read from", hint="`git fsck` tells whether objects are damaged")

    def close(self) -> None:
        """End the process; reading again starts another."""
        with self._lock:
            self._stop()

    def _ask(self, process: Popen[bytes], oid: str) -> bytes | None:
        """Return what the process says of a blob; one that takes too long is ended."""
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(self._timeout_seconds, process.kill)
        watchdog.start()
        try:
            process.stdin.write(f"{oid}\n".encode())
            process.stdin.flush()
            return read_object(process.stdout, self._max_bytes)
        finally:
            watchdog.cancel()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(self._timeout_seconds)


def _has_ended(process: Popen[bytes]) -> bool:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_END_SECONDS)
    return process.returncode is not None
