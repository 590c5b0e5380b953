"""Eviction: drop contents that no workspace needs, least recently used first, and shrink the file.

A content is needed if a remembered workspace has it. Blob ids are never reused. Readers that hold blob ids compare
the number of the last generation (`Reader.generation`) before they answer, so that no answer uses evicted facts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from sqlite3 import Connection

from msgspec import Struct

from avionics.model.errors import IndexStateError
from avionics.store.listings import to_columns
from avionics.store.payload import from_payload
from avionics.store.postings import WordRows, select_postings
from avionics.store.reader import from_snapshot_key, iter_words
from avionics.store.schema import KINDS
from avionics.store.session import Session
from avionics.store.vocabulary import plan_segment
from avionics.store.writer import insert_segment

_BLOB_COLUMN = 3
_AT_ONCE = 10_000
"""How many contents outside of any segment one transaction drops."""


class EvictionReport(Struct, frozen=True):
    """What an eviction dropped."""

    contents: int
    workspaces: int


class _Remembered(Struct, frozen=True):
    """A remembered workspace and the digests of the chunks of its listing."""

    root: str
    digests: tuple[str, ...]


def clear(session: Session, extractor_version: int, is_there: Callable[[str], bool], spare: int) -> EvictionReport:
    """Drop contents of other versions, and every content that no remembered workspace has.

    Workspaces whose root is not there are forgotten, and `spare` of the least recently used ones as well. Raise
    `IndexStateError` if the store cannot be written.
    """
    with session.reading() as connection:
        rows = connection.execute("SELECT root, data FROM snapshots ORDER BY used").fetchall()
    kept: list[_Remembered] = []
    forgotten: list[str] = []
    for root, data in rows:
        version, _, digests, _ = from_payload(data)
        if version == extractor_version and is_there(from_snapshot_key(root)):
            kept.append(_Remembered(root, tuple(digests)))
        else:
            forgotten.append(root)
    forgotten.extend(each.root for each in kept[:spare])
    kept = kept[spare:]
    needed = _forget(session, forgotten, {digest for each in kept for digest in each.digests})
    dropped = _drop(session, needed)
    _shrink_file(session)
    return EvictionReport(dropped, len(forgotten))


def _forget(session: Session, roots: Iterable[str], digests: Collection[str]) -> set[int]:
    """Remove workspaces and the chunks that no other workspace shares; return the blob ids that are still needed."""
    needed: set[int] = set()
    with session.writing() as connection:
        connection.execute("INSERT INTO clearings DEFAULT VALUES")
        connection.executemany("DELETE FROM snapshots WHERE root = ?", [(root,) for root in roots])
        for digest, data in connection.execute("SELECT digest, data FROM listings").fetchall():
            if digest in digests:
                needed.update(to_columns([data])[_BLOB_COLUMN])
            else:
                connection.execute("DELETE FROM listings WHERE digest = ?", (digest,))
    return needed


def _drop(session: Session, needed: Collection[int]) -> int:
    """Drop the contents that are not needed, one transaction per segment, and return how many.

    The ranges of merged segments overlap, so the words of a content may be in any segment whose range includes it.
    """
    with session.reading() as connection:
        segments = connection.execute("SELECT id, last FROM segments ORDER BY id").fetchall()
        ids = [blob for (blob,) in connection.execute("SELECT id FROM blobs") if blob not in needed]
    rest = set(ids)
    for first, last in segments:
        gone = {blob for blob in ids if first <= blob <= last}
        if gone:
            rest -= gone
            with session.writing() as connection:
                _drop_blobs(connection, gone)
                _rewrite(connection, first, last, {blob - first for blob in gone})
    others = sorted(rest)
    for start in range(0, len(others), _AT_ONCE):
        with session.writing() as connection:
            _drop_blobs(connection, others[start : start + _AT_ONCE])
    return len(ids)


def _drop_blobs(connection: Connection, blobs: Iterable[int]) -> None:
    rows = [(blob,) for blob in blobs]
    for table, column in (("uses", "blob"), ("facts", "blob"), ("blobs", "id")):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", rows)  # noqa: S608  names of ours
    connection.execute("INSERT INTO clearings DEFAULT VALUES")


def _rewrite(connection: Connection, first: int, last: int, gone: Collection[int]) -> None:
    """Rewrite a segment without the blobs at some offsets, unless a merge has replaced it in the meantime."""
    if connection.execute("SELECT 1 FROM segments WHERE id = ? AND last = ?", (first, last)).fetchone() is None:
        return

    def keep(kind: int) -> WordRows:
        return WordRows.of(select_postings(iter_words(connection, kind, first), lambda at: at not in gone))

    planned = plan_segment(((kind, keep(kind)) for kind in KINDS), last - first)
    connection.execute("DELETE FROM postings WHERE segment = ?", (first,))
    connection.execute("DELETE FROM segments WHERE id = ?", (first,))
    insert_segment(connection, first, last, planned)


def _shrink_file(session: Session) -> None:
    """Shrink the file, unless another process is using it."""
    try:
        with session.reading() as connection:
            # The other execute methods stop at the first step of this statement.
            connection.executescript("PRAGMA incremental_vacuum")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except IndexStateError:
        return
