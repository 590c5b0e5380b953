"""Open the stored file, and replace one that cannot be trusted.

A cache may be lost but must never give wrong answers. A file that is damaged, of another program or of another version
is moved aside once, under a lock that ends with its process. If the directory cannot be written, facts are kept in
memory for this process alone, and `private_because` says why.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING

from avionics.model.errors import IndexStateError
from avionics.store.codec import BlobKey, layout_version
from avionics.store.reader import Reader
from avionics.store.schema import APPLICATION_ID, CONNECTION_PRAGMAS, FILE_PRAGMAS, SCHEMA, WHOLE
from avionics.store.session import BUSY_MS, Session, connect, is_damage

if TYPE_CHECKING:
    from avionics.store.commits import CommitRows
    from avionics.store.eviction import EvictionReport
    from avionics.store.transfer import Taken
    from avionics.store.vectors import Vectors
    from avionics.store.writer import Writer

FILE_NAME = "facts.sqlite"
_LOCK_NAME = "facts.lock"
_SUFFIXES = ("", "-wal", "-shm")
"""The file, its log and its shared memory belong together."""


class Store:
    """Facts by content for all workspaces of this user; safe for several threads and processes.

    Attributes:
        reader: Reads facts.
        path: The stored file, or None if facts are in memory only.
        private_because: Why facts are in memory only; "" if they are not.
    """

    def __init__(
        self, connection: sqlite3.Connection, extractor_version: int, path: Path | None, private_because: str = ""
    ) -> None:
        self._session = Session(connection)
        self._extractor_version = extractor_version
        self._inode = path.stat().st_ino if path else 0
        self.reader = Reader(self._session, extractor_version)
        self.path = path
        self.private_because = private_because

    @cached_property
    def writer(self) -> Writer:
        """Return what writes facts."""
        from avionics.store.writer import Writer

        return Writer(self._session, self._extractor_version)

    @cached_property
    def vectors(self) -> Vectors:
        """Return the embeddings by digest."""
        from avionics.store.vectors import Vectors

        return Vectors(self._session)

    @cached_property
    def commits(self) -> CommitRows:
        """Return the words of commits and what they touch, by the root of the work tree."""
        from avionics.store.commits import CommitRows

        return CommitRows(self._session)

    @classmethod
    def open(cls, directory: Path, extractor_version: int) -> Store:
        """Return the store of a cache directory, creating it if necessary; never raises."""
        try:
            path = directory / FILE_NAME
            connection = _open_file(path) or _make_file(path)
            return cls(connection, extractor_version, path)
        except (OSError, sqlite3.Error) as error:
            return cls.open_private(extractor_version, f"{directory} cannot be used: {error}")

    @classmethod
    def open_private(cls, extractor_version: int, because: str) -> Store:
        """Return a store in memory, for this process alone."""
        connection = connect(None)
        create_tables(connection)
        return cls(connection, extractor_version, None, because)

    @property
    def is_damaged(self) -> bool:
        """Return whether the file was found damaged."""
        return self._session.is_damaged

    def is_usable(self) -> bool:
        """Return whether the file is not known to be damaged, and still in its place."""
        if self.is_damaged or self.path is None:
            return not self.is_damaged
        try:
            return self.path.lstat().st_ino == self._inode
        except OSError:
            return False

    def reopened(self) -> Store:
        """Return a store to continue with after an error: the same file if it is intact, else a new one."""
        self.close()
        if self.path is None:
            return Store.open_private(self._extractor_version, self.private_because)
        try:
            if self.is_damaged:
                with _repairing(self.path):
                    if self.path.exists() and self.path.stat().st_ino == self._inode:
                        _move_aside(self.path)
        except (OSError, sqlite3.Error) as error:
            return Store.open_private(self._extractor_version, f"{self.path} cannot be repaired: {error}")
        return Store.open(self.path.parent, self._extractor_version)

    def private(self, because: str) -> Store:
        """Return a store in memory to continue with when the file cannot be used."""
        self.close()
        return Store.open_private(self._extractor_version, because)

    def release_memory(self) -> None:
        """Release the memory of cached pages and keep few from now on; the system caches most of them anyway."""
        with suppress(IndexStateError), self._session.reading() as connection:
            connection.execute("PRAGMA cache_size = -4096")
            connection.execute("PRAGMA shrink_memory")

    def clear(self, is_there: Callable[[str], bool], most_bytes: int) -> EvictionReport:
        """Remove contents that no remembered workspace has; then, while the file is too large, the least recently used.

        The most recently used workspace is kept whatever its size. Raise `IndexStateError` if the store cannot be
        written.
        """
        from avionics.store.eviction import EvictionReport, clear

        done = clear(self._session, self._extractor_version, is_there, 0)
        while self.get_size_bytes() > most_bytes and self.reader.count_snapshots() > 1:
            more = clear(self._session, self._extractor_version, is_there, 1)
            done = EvictionReport(done.contents + more.contents, done.workspaces + more.workspaces)
        return done

    def write_contents(self, blobs: Collection[int], file: IO[bytes]) -> int:
        """Write the facts of some contents into a file; see `transfer`."""
        from avionics.store.transfer import write_contents

        return write_contents(self._session, self._extractor_version, blobs, file)

    def take_contents(self, file: IO[bytes], wanted: Container[tuple[str, str]] | None = None) -> Taken:
        """Import the facts from a file that `write_contents` wrote; see `transfer`."""
        from avionics.store.transfer import take_contents

        return take_contents(self._session, self._extractor_version, file, wanted)

    def write_uses(self, blobs: Mapping[int, BlobKey], file: IO[bytes]) -> list[BlobKey]:
        """Write the uses of some contents into a file, as `transfer.write_uses` does."""
        from avionics.store.transfer import write_uses

        return write_uses(self._session, self._extractor_version, blobs, file)

    def take_uses(self, file: IO[bytes]) -> None:
        """Store the uses from a file that `write_uses` wrote."""
        from avionics.store.transfer import take_uses

        take_uses(self._session, self._extractor_version, file)

    def get_size_bytes(self) -> int:
        """Return the size of the stored file, including its log."""
        files = [Path(f"{self.path}{suffix}") for suffix in _SUFFIXES] if self.path else []
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Close the connection."""
        self._session.close()


def _open_file(path: Path) -> sqlite3.Connection | None:
    """Return a connection to the file, or None if it does not exist or cannot be trusted.

    Raise `sqlite3.Error` if the file may be sound but cannot be used.
    """
    if not path.exists() or any(Path(f"{path}{suffix}").is_symlink() for suffix in _SUFFIXES):
        return None
    connection = connect(path)
    try:
        _configure(connection, CONNECTION_PRAGMAS)
        found = (_read_pragma(connection, "application_id"), _read_pragma(connection, "user_version"))
        if found == (APPLICATION_ID, layout_version()) and _read_number(connection, WHOLE):
            _require_writable(connection)
            return connection
    except UnicodeDecodeError:
        # SQLite quotes a damaged schema in its message.
        pass
    except sqlite3.Error as error:
        if not is_damage(error):
            connection.close()
            raise
    connection.close()
    return None


def _make_file(path: Path) -> sqlite3.Connection:
    """Return a connection to a new file, or to the one that another process made first; move an unusable one aside."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _repairing(path):
        connection = _open_file(path)
        if connection is None:
            _move_aside(path)
            _write_empty_file(path)
            connection = connect(path)
            _configure(connection, CONNECTION_PRAGMAS)
        return connection


def _write_empty_file(path: Path) -> None:
    """Write a file with empty tables and rename it into place.

    A process that opened a half-made file would change its journal mode at the same time as its maker; SQLite
    answers one of the two with "database is locked" without waiting, because both would wait for each other.
    """
    new = Path(f"{path}.new")
    for suffix in _SUFFIXES:
        Path(f"{new}{suffix}").unlink(missing_ok=True)
    connection = connect(new, "rwc")
    try:
        _configure(connection, FILE_PRAGMAS)
        create_tables(connection)
    finally:
        connection.close()
    with new.open("rb") as file:
        os.fsync(file.fileno())
    new.replace(path)


def _configure(connection: sqlite3.Connection, pragmas: Iterable[str]) -> None:
    for pragma in pragmas:
        connection.execute(pragma)


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the empty tables in one transaction, so that a file has either all of them and its version, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in SCHEMA:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
    connection.execute(f"PRAGMA user_version = {layout_version():d}")
    connection.execute("COMMIT")


def _require_writable(connection: sqlite3.Connection) -> None:
    """Begin a transaction and roll it back; raise SQLite's error if that fails."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")


def _read_pragma(connection: sqlite3.Connection, name: str) -> int:
    return _read_number(connection, f"PRAGMA {name}")


def _read_number(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])


def _move_aside(path: Path) -> None:
    """Rename the file and its companions, replacing those moved aside before, so that at most one copy is kept."""
    for suffix in reversed(_SUFFIXES):
        file = Path(f"{path}{suffix}")
        if file.is_symlink():
            file.unlink()
        elif file.exists():
            file.replace(f"{path}.aside{suffix}")


@contextmanager
def _repairing(path: Path) -> Iterator[None]:
    """Hold the lock for replacing the file: a database, because its locks end with a process on any system."""
    place = path.with_name(_LOCK_NAME)
    if place.is_symlink():
        place.unlink(missing_ok=True)
    lock = sqlite3.connect(place, timeout=BUSY_MS / 1000, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        lock.close()
