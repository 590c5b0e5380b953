"""A private store in memory on top of the stored file, for contents that are not worth keeping.

Text that somebody is typing is analysed many times a minute and never asked about again. Its facts stay in memory and
are dropped together. All reads see both stores; blob ids distinguish them, since those in memory begin far above any
that the file will ever assign.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from sqlite3 import Connection
from typing import Any, Self, TypeVar

from avionics.model.facts import FileFacts, FileUses, Symbol
from avionics.store.codec import BlobKey
from avionics.store.eviction import EvictionReport
from avionics.store.postings import Postings
from avionics.store.reader import Reader, Totals
from avionics.store.session import Session, connect
from avionics.store.store import Store, create_tables
from avionics.store.writer import Writer

_FIRST_ID = 1 << 40
"""Contents of a file are counted from 1; a store that had as many would not fit on any disk."""

_T = TypeVar("_T")


class LayeredStore(Store):
    """A store in memory that falls back to another one, which stays open, for reading.

    New contents are written only to memory. Values derived from a snapshot are not kept.

    Attributes:
        below: The other store.
    """

    def __init__(self, below: Store, extractor_version: int) -> None:
        connection = connect(None)
        create_tables(connection)
        connection.execute("INSERT INTO sqlite_sequence VALUES ('blobs', ?)", (_FIRST_ID,))
        super().__init__(connection, extractor_version, None)
        self.below = below
        self.reader = _LayeredReader(self._session, below.reader, extractor_version)
        self.writer = _LayeredWriter(self._session, below.writer, extractor_version)
        self.vectors = below.vectors
        self.path = below.path
        self.private_because = below.private_because

    def count_own(self) -> int:
        """Return how many contents are in memory."""
        with self._session.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM blobs").fetchone()[0])

    def is_usable(self) -> bool:
        """Return whether both stores are sound as far as is known."""
        return not self._session.is_damaged and self.below.is_usable()

    def clear(self, is_there: Callable[[str], bool], most_bytes: int) -> EvictionReport:
        """Clear the store below."""
        return self.below.clear(is_there, most_bytes)


class _LayeredReader(Reader):
    """Reads two stores as one."""

    def __init__(self, session: Session, below: Reader, extractor_version: int) -> None:
        super().__init__(session, extractor_version, below._session)
        self._below = below

    def _with_condition(self, get_where: Callable[[Connection], str]) -> Self:
        limited = super()._with_condition(get_where)
        limited._below = self._below._with_condition(get_where)
        return limited

    def blob_ids(self, keys: Collection[BlobKey]) -> dict[BlobKey, int]:
        return super().blob_ids(keys) | self._below.blob_ids(keys)

    def many_facts(self, blob_ids: Iterable[int]) -> dict[int, FileFacts]:
        return _from_both(blob_ids, super().many_facts, self._below.many_facts)

    def symbols_named(self, blob_ids: Iterable[int], folded: str) -> dict[int, tuple[tuple[int, Symbol], ...]]:
        own = super().symbols_named
        return _from_both(blob_ids, lambda ids: own(ids, folded), lambda ids: self._below.symbols_named(ids, folded))

    def many_import_lines(self, blob_ids: Iterable[int]) -> dict[int, tuple[tuple[str, int], ...]]:
        return _from_both(blob_ids, super().many_import_lines, self._below.many_import_lines)

    def many_uses(self, blob_ids: Iterable[int]) -> dict[int, FileUses]:
        return _from_both(blob_ids, super().many_uses, self._below.many_uses)

    def word_counts(self, word: str) -> dict[int, int]:
        return super().word_counts(word) | self._below.word_counts(word)

    def loose_numbers(self, name: str) -> dict[int, list[int]]:
        return super().loose_numbers(name) | self._below.loose_numbers(name)

    def term_postings(self, terms: Iterable[str]) -> Postings:
        wanted = tuple(terms)
        return Postings.joined(super().term_postings(wanted), self._below.term_postings(wanted))

    def blobs_defining(self, folded: str) -> frozenset[int]:
        return super().blobs_defining(folded) | self._below.blobs_defining(folded)

    def blobs_holding(self, part: str, blob_ids: Sequence[int], *, fold: bool, most: int) -> frozenset[int] | None:
        own = super().blobs_holding(part, blob_ids, fold=fold, most=most)
        below = self._below.blobs_holding(part, blob_ids, fold=fold, most=most)
        return None if own is None or below is None else own | below

    def failed_blobs(self) -> frozenset[int]:
        return super().failed_blobs() | self._below.failed_blobs()

    def names_with_prefix(self, folded: str, limit: int) -> tuple[str, ...]:
        found = {*super().names_with_prefix(folded, limit), *self._below.names_with_prefix(folded, limit)}
        return tuple(sorted(found)[:limit])

    def iter_names(self) -> Iterator[str]:
        return iter(dict.fromkeys(chain(super().iter_names(), self._below.iter_names())))

    def document_lengths(self, blob_ids: Iterable[int]) -> dict[int, int]:
        return _from_both(blob_ids, super().document_lengths, self._below.document_lengths)

    def failure(self, blob_id: int) -> str | None:
        return super().failure(blob_id) if blob_id >= _FIRST_ID else self._below.failure(blob_id)

    def totals(self, blob_ids: Iterable[int]) -> Totals:
        own, below = _split(blob_ids)
        mine, theirs = super().totals(own), self._below.totals(below)
        return Totals(mine.symbols + theirs.symbols, mine.lines + theirs.lines, mine.failures + theirs.failures)


class _LayeredWriter(Writer):
    """Writes new contents to memory, and new facts about contents of the file to the file."""

    def __init__(self, session: Session, below: Writer, extractor_version: int) -> None:
        super().__init__(session, extractor_version, below._session)
        self._below = below

    def put_uses(self, uses: Mapping[int, bytes]) -> None:
        own, below = _split(uses)
        super().put_uses({blob: uses[blob] for blob in own})
        if below:
            self._below.put_uses({blob: uses[blob] for blob in below})

    def put_snapshot(
        self,
        root: str,
        taken_ns: int,
        columns: Sequence[Sequence[Any]],
        generation: int | None = None,
        status: object = None,
    ) -> None:
        """Do nothing: the next process has other buffers."""

    def put_derived(self, key: str, value: object) -> None:
        """Keep nothing: it may have been derived from buffers."""


def _split(blob_ids: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return the ids of contents in memory, and those of contents in the file."""
    own: list[int] = []
    below: list[int] = []
    for blob in blob_ids:
        (own if blob >= _FIRST_ID else below).append(blob)
    return own, below


def _from_both(
    blob_ids: Iterable[int],
    read_own: Callable[[Iterable[int]], dict[int, _T]],
    read_below: Callable[[Iterable[int]], dict[int, _T]],
) -> dict[int, _T]:
    """Ask each store for its own contents."""
    own, below = _split(blob_ids)
    found = read_below(below) if below else {}
    return found | read_own(own) if own else found
