"""One connection to the stored file, used by one thread at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from avionics.model.errors import IndexStateError

BUSY_MS = 30_000
"""How long to wait for another process's transaction; each takes well under a second, even on slow disks."""

PATIENCE_MS = 500
"""How long to wait for another process before giving up on an optional write."""

_ENVIRONMENT = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_INTERRUPT,
}
"""Errors of the environment; any other error means that the file itself is damaged."""


def connect(path: Path | None, mode: str = "rw") -> sqlite3.Connection:
    """Return a connection to the file, or to a private in-memory database; "rwc" creates the file."""
    name = ":memory:" if path is None else f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(
        name, timeout=BUSY_MS / 1000, isolation_level=None, check_same_thread=False, uri=path is not None
    )


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether the error means a damaged file rather than a fault of the environment."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.DatabaseError) and (code is None or code & 0xFF not in _ENVIRONMENT)


class Session:
    """A connection with its lock. Every error is raised as `IndexStateError`.

    Attributes:
        is_damaged: Whether the file was found damaged; it must not be used any more.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.is_damaged = False
        self._connection = connection
        self._lock = threading.RLock()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lock the connection for reading and decoding."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                self.is_damaged = self.is_damaged or is_damage(error)
                raise IndexStateError(f"the store cannot be read: {error}", hint="ask again") from error
            except UnicodeDecodeError as error:
                # SQLite quotes a damaged schema in its message.
                self.is_damaged = True
                raise IndexStateError("the store cannot be read", hint="ask again") from error
            except IndexStateError:
                self.is_damaged = True
                raise

    @contextmanager
    def writing(self, wait_ms: int = BUSY_MS) -> Iterator[sqlite3.Connection]:
        """Run one transaction: all of it or nothing. Wait at most `wait_ms` for another process's transaction."""
        with self.reading() as connection:
            connection.execute(f"PRAGMA busy_timeout = {wait_ms:d}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the connection; may be called twice."""
        with self._lock:
            self._connection.close()
