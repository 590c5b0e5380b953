"""Store the words of a repository's commits and the definitions they touch, by the root of its work tree.

A row never changes, so only those of new commits are ever added. The rows of a root are one value: strings that many
commits share are stored once, which makes it 50 to 90 kB for 1,000 commits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct, convert

from avionics.model.errors import IndexStateError
from avionics.store.payload import from_payload, to_payload
from avionics.store.reader import snapshot_key
from avionics.store.schema import COMMITS
from avionics.store.session import PATIENCE_MS, Session
from avionics.store.writer import put_listing

_FORM = 2
"""Raised whenever rows are read or packed in another way; others are read again."""
_MAX_ROOTS = 40
"""The rows of 5,000 commits take half a megabyte."""


class CommitRow(Struct, frozen=True):
    """The words of one commit and the definitions it touches.

    Attributes:
        oid: Its id.
        epoch: Its time, in seconds since 1970.
        stems: The stems of its message; a stem that occurs several times is there twice.
        touched: The path and the unqualified name of each definition it touches; () for very many.
        renames: The former and the new path of each file it renames.
    """

    oid: str
    epoch: int = 0
    stems: tuple[str, ...] = ()
    touched: tuple[tuple[str, str], ...] = ()
    renames: tuple[tuple[str, str], ...] = ()


class _Packed(Struct, frozen=True, array_like=True):
    """The rows of a root, column by column; stems, paths and names are their numbers in `texts`."""

    form: int
    texts: tuple[str, ...]
    oids: tuple[bytes, ...]
    epochs: tuple[int, ...]
    stems: tuple[tuple[int, ...], ...]
    touched: tuple[tuple[int, ...], ...]
    renames: tuple[tuple[int, ...], ...]


class CommitRows:
    """Stores the rows of commits; safe for several threads and processes."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def find_rows(self, root: str) -> tuple[CommitRow, ...]:
        """Return the rows of a root in order; () after an eviction. Raise `IndexStateError` if that fails."""
        with self._session.reading() as connection:
            key = COMMITS + snapshot_key(root)
            found = connection.execute("SELECT data FROM listings WHERE digest = ?", (key,)).fetchone()
            value = from_payload(found[0]) if found else None
            if not value or value[0] != _FORM:
                return ()
        return tuple(_iter_rows(convert(value, _Packed)))

    def put_rows(self, root: str, rows: Sequence[CommitRow]) -> None:
        """Replace the rows of a root, and drop those of the oldest roots; do nothing if the store is busy."""
        with suppress(IndexStateError), self._session.writing(PATIENCE_MS) as connection:
            put_listing(connection, COMMITS, snapshot_key(root), to_payload(_pack(rows)), _MAX_ROOTS)


def _pack(rows: Sequence[CommitRow]) -> _Packed:
    """Return rows as columns."""
    numbers: dict[str, int] = {}

    def number(text: str) -> int:
        return numbers.setdefault(text, len(numbers))

    stems = tuple(tuple(map(number, row.stems)) for row in rows)
    touched = tuple(tuple(number(text) for pair in row.touched for text in pair) for row in rows)
    renames = tuple(tuple(number(text) for pair in row.renames for text in pair) for row in rows)
    oids = tuple(bytes.fromhex(row.oid) for row in rows)
    return _Packed(_FORM, tuple(numbers), oids, tuple(row.epoch for row in rows), stems, touched, renames)


def _iter_rows(packed: _Packed) -> Iterator[CommitRow]:
    """Yield the rows of columns."""
    texts = packed.texts
    columns = zip(packed.oids, packed.epochs, packed.stems, packed.touched, packed.renames, strict=True)
    for oid, epoch, stems, touched, renames in columns:
        said = tuple(texts[number] for number in stems)
        yield CommitRow(oid.hex(), epoch, said, _read_pairs(texts, touched), _read_pairs(texts, renames))


def _read_pairs(texts: Sequence[str], numbers: Sequence[int]) -> tuple[tuple[str, str], ...]:
    """Return the texts of numbers, two by two."""
    found = (texts[number] for number in numbers)
    return tuple(zip(found, found, strict=True))
