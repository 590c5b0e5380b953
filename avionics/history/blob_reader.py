"""Read blobs one at a time from a long-lived git process; a new process per blob would cost a hundred times as much."""

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
"""A process whose output has ended terminates within this time."""


class BlobReader:
    """Reads blobs for several threads, one at a time. The process starts at the first blob and ends with `close()`.

    Args:
        repository: The repository.
        max_bytes: Larger blobs are not read.
        timeout_seconds: The time limit for one blob.
    """

    def __init__(self, repository: GitRepository, max_bytes: int, timeout_seconds: float) -> None:
        self._repository = repository
        self._max_bytes = max_bytes
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._process: Popen[bytes] | None = None

    def read(self, oid: str) -> bytes | None:
        """Return the bytes of a blob; None if it is missing, not a blob, or too large.

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
                # The process may have used up its resource limits; try once more with a new one.
                self._stop()
        raise HistoryError("git ended while reading objects", hint="run `git fsck` to check for damaged objects")

    def close(self) -> None:
        """End the process; reading again starts another."""
        with self._lock:
            self._stop()

    def _ask(self, process: Popen[bytes], oid: str) -> bytes | None:
        """Ask the process for a blob, and end it if it takes too long."""
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
