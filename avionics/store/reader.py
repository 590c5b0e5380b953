"""Read facts by blob id and by word."""

from __future__ import annotations

import time
from bisect import bisect, bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from heapq import nlargest
from itertools import pairwise
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Self, TypeVar

from msgspec import Struct

from avionics.model.errors import IndexStateError
from avionics.model.facts import FileFacts, FileUses, ParseProblem, Symbol
from avionics.store.codec import BlobKey, decode_facts, decode_import_lines, decode_symbols_named, decode_uses
from avionics.store.listings import join
from avionics.store.payload import from_payload
from avionics.store.postings import Postings, from_key, get_pairs, is_on_page, open_page, to_key, unpack
from avionics.store.schema import DERIVED, LOOSE, NAME, STATUS, STUB, TERM, WORD
from avionics.store.session import Session

_T = TypeVar("_T")

_PAGE_OF_WORD = """SELECT segments.id, (SELECT page FROM postings
        WHERE kind = ? AND segment = segments.id AND first <= ? ORDER BY first DESC LIMIT 1)
    FROM segments{where}"""

_PAGE_IN_SEGMENT = """SELECT page FROM postings
    WHERE kind = ? AND segment = ? AND first <= ? ORDER BY first DESC LIMIT 1"""

_PAGES_THRESHOLD = 3
"""Above this number, one query for all is faster."""

_PAGES_FROM = """SELECT page FROM segments CROSS JOIN postings
    ON kind = ? AND segment = segments.id AND first < ? AND first >= coalesce(
        (SELECT max(first) FROM postings WHERE kind = ? AND segment = segments.id AND first <= ?), x''){where}"""

_MAX_EXTENTS = 8
"""The contents of a snapshot were mostly stored in few runs; each extent costs a lookup one comparison a segment."""

_NOTED_SECONDS = 86_400
"""Noting the use of a workspace once a day is enough to tell the least recently used ones."""

_MIN_LIMITED_SEGMENTS = 8
"""Telling which of fewer segments have contents of a snapshot takes longer than looking a word up in all of them."""

_AFTER_ANY_TEXT = b"\xff"
"""A byte that UTF-8 never uses."""


class Totals(Struct, frozen=True):
    """Sums over some contents."""

    symbols: int
    lines: int
    failures: int


class Reader:
    """Reads the stored facts. Every method may raise `IndexStateError`; damaged rows never produce results."""

    def __init__(self, session: Session, extractor_version: int, file: Session | None = None) -> None:
        """Read contents with one session; snapshots and what belongs to them with that of the `file`, if given."""
        self._session = session
        self._file = file or session
        self._extractor_version = extractor_version
        self._get_where: Callable[[Connection], str] = lambda _: ""

    def limited_to(self, blob_ids: Iterable[int]) -> Self:
        """Return a reader that may skip the words of other contents.

        One store has the contents of many repositories; such a reader searches only segments with some of these, which
        are read at the first lookup.
        """
        return self._with_condition(cache(lambda connection: _build_where(connection, blob_ids)))

    def _with_condition(self, get_where: Callable[[Connection], str]) -> Self:
        limited = object.__new__(type(self))
        vars(limited).update(vars(self))
        limited._get_where = get_where
        return limited

    def blob_ids(self, keys: Collection[BlobKey]) -> dict[BlobKey, int]:
        """Return the stored contents among the keys, with their blob ids."""
        with self._session.reading() as connection:
            return read_blob_ids(connection, keys, self._extractor_version)

    def many_facts(self, blob_ids: Iterable[int]) -> dict[int, FileFacts]:
        """Return blob id → facts of the stored contents, or the problem of one that could not be parsed."""
        query = """SELECT blobs.id, language, problem, data FROM json_each(?) AS asked
            JOIN blobs ON blobs.id = asked.value LEFT JOIN facts ON facts.blob = blobs.id"""
        with self._session.reading() as connection:
            rows = connection.execute(query, (_as_json(blob_ids),)).fetchall()
            return {blob: _build_facts(language, problem, data) for blob, language, problem, data in rows}

    def symbols_named(self, blob_ids: Iterable[int], folded: str) -> dict[int, tuple[tuple[int, Symbol], ...]]:
        """Return blob id → its symbols with the folded name, each with its position in the outline."""
        return self._read_decoded("facts", blob_ids, lambda data: decode_symbols_named(data, folded))

    def many_import_lines(self, blob_ids: Iterable[int]) -> dict[int, tuple[tuple[str, int], ...]]:
        """Return blob id → the module and the level of each import, for contents with an outline."""
        return self._read_decoded("facts", blob_ids, decode_import_lines)

    def many_uses(self, blob_ids: Iterable[int]) -> dict[int, FileUses]:
        """Return blob id → all scopes, bindings and references, for contents whose uses have been extracted."""
        return self._read_decoded("uses", blob_ids, decode_uses)

    def word_counts(self, word: str) -> dict[int, int]:
        """Return blob id → how often the identifier occurs in it, exactly as written."""
        return self._read_counts(WORD, word)

    def loose_numbers(self, name: str) -> dict[int, list[int]]:
        """Return blob id → the packed uses of a free name in it, for contents whose free names were extracted."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        with self._session.reading() as connection:
            for segment, pairs in self._iter_parts(connection, LOOSE, name):
                for pair in unpack(pairs):
                    found[segment + (pair >> 16)].append(pair & 0xFFFF)
        return dict(found)

    def term_postings(self, terms: Iterable[str]) -> Postings:
        """Return the occurrences of any of the lower-case parts, as words or parts of words."""
        keys = sorted(map(to_key, terms))
        with self._session.reading() as connection:
            return Postings(part for kind in (WORD, TERM) for part in self._iter_near_parts(connection, kind, keys))

    def list_words(self, blob_ids: Collection[int]) -> tuple[str, ...]:
        """Return the identifiers that occur in any of the contents, as written, some more than once."""
        found: list[str] = []
        with self._session.reading() as connection:
            for first, last in connection.execute("SELECT id, last FROM segments").fetchall():
                offsets = {blob - first for blob in blob_ids if first <= blob <= last}
                for word, data in iter_words(connection, WORD, first) if offsets else ():
                    if any(pair >> 16 in offsets for pair in unpack(data)):
                        found.append(from_key(word))
        return tuple(found)

    def blobs_defining(self, folded: str) -> frozenset[int]:
        """Return the blobs that define a symbol with this folded name."""
        return frozenset(self._read_counts(NAME, folded))

    def blobs_holding(self, part: str, blob_ids: Sequence[int], *, fold: bool, most: int) -> frozenset[int] | None:
        """Return those of the sorted blobs with a word that contains a substring; None if searching is not worthwhile.

        The part is ASCII, and lower case if folded. Searching is not worthwhile if more than `most` words contain it.
        """
        from avionics.store.vocabulary import TooManyError, read_holders

        with self._session.reading() as connection:
            extents = connection.execute("SELECT id, last FROM segments").fetchall()
            near = [(first, last) for first, last in extents if bisect_left(blob_ids, first) < bisect(blob_ids, last)]
            try:
                return read_holders(connection, near, part.encode(), fold=fold, most=most)
            except TooManyError:
                return None

    def failed_blobs(self) -> frozenset[int]:
        """Return the blobs without facts and words."""
        with self._session.reading() as connection:
            return frozenset(blob for (blob,) in connection.execute("SELECT id FROM blobs WHERE problem IS NOT NULL"))

    def names_with_prefix(self, folded: str, limit: int) -> tuple[str, ...]:
        """Return the first folded names with a prefix, in order."""
        start = to_key(folded)
        with self._session.reading() as connection:
            query = _PAGES_FROM.format(where=self._get_where(connection))
            pages = connection.execute(query, (NAME, start + _AFTER_ANY_TEXT, NAME, start)).fetchall()
            found = {word for (page,) in pages for word in open_page(page) if word.startswith(start)}
        return tuple([from_key(word) for word in sorted(found)[:limit]])

    def iter_names(self) -> Iterator[str]:
        """Yield every folded name once."""
        with self._session.reading() as connection:
            pages = connection.execute("SELECT page FROM postings WHERE kind = ?", (NAME,)).fetchall()
            words = dict.fromkeys(word for (page,) in pages for word in open_page(page))
        return map(from_key, words)

    def document_lengths(self, blob_ids: Iterable[int]) -> dict[int, int]:
        """Return blob id → its number of words, counting repetitions."""
        query = "SELECT id, words FROM blobs WHERE id IN (SELECT value FROM json_each(?))"
        with self._session.reading() as connection:
            return dict(connection.execute(query, (_as_json(blob_ids),)).fetchall())

    def failure(self, blob_id: int) -> str | None:
        """Return why the content has no facts, or None if it has."""
        with self._session.reading() as connection:
            row = connection.execute("SELECT problem FROM blobs WHERE id = ?", (blob_id,)).fetchone()
        return row[0] if row else None

    def totals(self, blob_ids: Iterable[int]) -> Totals:
        """Return the number of symbols, lines and failures of some contents, each counted once."""
        query = """SELECT coalesce(sum(symbols), 0), coalesce(sum(lines), 0), count(problem) FROM blobs
            WHERE id IN (SELECT value FROM json_each(?))"""
        with self._session.reading() as connection:
            return Totals(*connection.execute(query, (_as_json(blob_ids),)).fetchone())

    def snapshot(self, root: str) -> tuple[int, list[Sequence[Any]]] | None:
        """Return the saved snapshot of a workspace: its time in nanoseconds and its columns; None if there is none."""
        with self._file.reading() as connection:
            row = connection.execute("SELECT data FROM snapshots WHERE root = ?", (snapshot_key(root),)).fetchone()
            if row is None:
                return None
            version, taken_ns, digests, own = from_payload(row[0])
            if version != self._extractor_version:
                return None
            query = "SELECT digest, data FROM listings WHERE digest IN (SELECT value FROM json_each(?))"
            asked = '["' + '","'.join(digests) + '"]'
            found = dict(connection.execute(query, (asked,)).fetchall())
            columns = join(found, digests, own)
            return None if columns is None else (taken_ns, columns)

    def get_tree_status(self, root: str, kind: Any) -> Any:
        """Return the time of the saved snapshot and the status of its tree, as a value of that type, or None."""
        query = "SELECT data FROM listings WHERE digest = ?"
        with self._file.reading() as connection:
            row = connection.execute(query, (STATUS + snapshot_key(root),)).fetchone()
        return None if row is None else from_payload(row[0], kind)

    def has_snapshot(self, root: Path) -> bool:
        """Return whether this version of the extractor has saved a snapshot of a workspace."""
        with self._file.reading() as connection:
            row = connection.execute("SELECT data FROM snapshots WHERE root = ?", (snapshot_key(str(root)),)).fetchone()
            return row is not None and from_payload(row[0])[0] == self._extractor_version

    def is_use_noted(self, root: str) -> bool:
        """Return whether the store knows that a workspace was used within a day, or does not have its snapshot."""
        query = "SELECT used FROM snapshots WHERE root = ?"
        with self._file.reading() as connection:
            row = connection.execute(query, (snapshot_key(root),)).fetchone()
        return row is None or abs(row[0] - int(time.time())) <= _NOTED_SECONDS

    def get_derived(self, key: str) -> Any:
        """Return the derived value stored under the key, or None."""
        query = "SELECT data FROM listings WHERE digest = ?"
        with self._file.reading() as connection:
            row = connection.execute(query, (DERIVED + key,)).fetchone()
            return from_payload(row[0]) if row else None

    def get_stub(self, key: str) -> tuple[bytes, bytes] | None:
        """Return the payloads of the outline and the uses of a stub that are stored under the key, or None."""
        with self._file.reading() as connection:
            row = connection.execute("SELECT data FROM listings WHERE digest = ?", (STUB + key,)).fetchone()
            return from_payload(row[0], tuple[bytes, bytes]) if row else None

    def count_snapshots(self) -> int:
        """Return the number of saved snapshots."""
        with self._file.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM snapshots").fetchone()[0])

    def generation(self) -> int:
        """Return the number of the last generation; blob ids read before another one may be invalid."""
        with self._file.reading() as connection:
            return read_generation(connection)

    def _read_decoded(self, table: str, blob_ids: Iterable[int], decode: Callable[[bytes], _T]) -> dict[int, _T]:
        """Return blob id → the decoded payload of each of the contents that a table has."""
        query = f"SELECT blob, data FROM {table} WHERE blob IN (SELECT value FROM json_each(?))"  # noqa: S608
        with self._session.reading() as connection:
            rows = connection.execute(query, (_as_json(blob_ids),)).fetchall()
            return {blob: decode(data) for blob, data in rows}

    def _read_counts(self, kind: int, word: str) -> dict[int, int]:
        with self._session.reading() as connection:
            return Postings(self._iter_parts(connection, kind, word)).count()

    def _iter_parts(self, connection: Connection, kind: int, word: str) -> Iterator[tuple[int, bytes]]:
        """Yield first blob id of a segment → the packed postings of a word there, for segments that contain it."""
        key = to_key(word)
        query = _PAGE_OF_WORD.format(where=self._get_where(connection))
        for segment, page in connection.execute(query, (kind, key)).fetchall():
            # Segments of earlier versions lack pages for free names; every other kind has a page for each word.
            pairs = get_pairs(page, key) if page is not None or kind != LOOSE else None
            if pairs is not None:
                yield segment, pairs

    def _iter_near_parts(self, connection: Connection, kind: int, keys: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
        """Yield what `_iter_parts` yields, for several words in order; those of one page are looked up together."""
        query = _PAGE_OF_WORD.format(where=self._get_where(connection))
        pages: dict[int, bytes] = {}
        for key in keys:
            elsewhere = [segment for segment, page in pages.items() if not is_on_page(page, key)]
            if not pages or len(elsewhere) > _PAGES_THRESHOLD:
                pages = dict(connection.execute(query, (kind, key)).fetchall())
            else:
                for segment in elsewhere:
                    for (page,) in connection.execute(_PAGE_IN_SEGMENT, (kind, segment, key)):
                        pages[segment] = page
            for segment, page in pages.items():
                pairs = get_pairs(page, key)
                if pairs is not None:
                    yield segment, pairs


def _build_where(connection: Connection, blob_ids: Iterable[int]) -> str:
    """Return the condition that a segment may have words of the contents; "" if searching them all takes less time."""
    (segments,) = connection.execute("SELECT count(*) FROM segments").fetchone()
    if segments <= _MIN_LIMITED_SEGMENTS:
        return ""
    extents = _list_extents(sorted(filter(None, blob_ids)))
    return f" WHERE {' OR '.join(f'(id <= {last} AND last >= {first})' for first, last in extents) or 'FALSE'}"


def _list_extents(blob_ids: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last of each run of sorted ids, split at the widest gaps."""
    if not blob_ids:
        return []
    # The contents of one repository were mostly numbered in a row.
    gaps = [(after - before, at) for at, (before, after) in enumerate(pairwise(blob_ids)) if after - before > 1]
    widest = sorted(at for _, at in nlargest(_MAX_EXTENTS - 1, gaps))
    starts = [0, *(at + 1 for at in widest)]
    ends = [*widest, len(blob_ids) - 1]
    return [(blob_ids[start], blob_ids[end]) for start, end in zip(starts, ends, strict=True)]


def iter_words(connection: Connection, kind: int, segment: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the words of a segment with their packed postings."""
    query = "SELECT page FROM postings WHERE kind = ? AND segment = ?"
    for (page,) in connection.execute(query, (kind, segment)).fetchall():
        yield from open_page(page).items()


def read_blob_ids(connection: Connection, keys: Collection[BlobKey], extractor_version: int) -> dict[BlobKey, int]:
    """Return the keys stored for this version of the extractor, with their blob ids."""
    query = """SELECT oid, language, blobs.id FROM json_each(?) AS asked
        JOIN blobs ON blobs.oid = asked.value WHERE blobs.extractor = ?"""
    oids = '["' + '","'.join({oid for oid, _ in keys}) + '"]'
    wanted = set(keys)
    rows = connection.execute(query, (oids, extractor_version))
    return {(oid, language): blob for oid, language, blob in rows if (oid, language) in wanted}


def read_generation(connection: Connection) -> int:
    """Return the number of the last generation."""
    (generation,) = connection.execute("SELECT max(id) FROM clearings").fetchone()
    if generation is None:
        raise IndexStateError("the store has lost its tables' contents", hint="ask again")
    return int(generation)


def snapshot_key(root: str) -> str:
    """Encode a root for SQLite, whatever bytes its name has."""
    return root.encode("utf-8", "surrogatepass").decode("latin-1")


def from_snapshot_key(key: str) -> str:
    """Decode a key of `snapshot_key`."""
    return key.encode("latin-1").decode("utf-8", "surrogatepass")


def _build_facts(language: str, problem: str | None, data: bytes | None) -> FileFacts:
    if problem is not None:
        return FileFacts(language, problems=(ParseProblem(1, problem),))
    if data is None:
        raise IndexStateError("the store has lost some facts", hint="ask again; the files will be indexed again")
    return decode_facts(data)


def _as_json(blob_ids: Iterable[int]) -> str:
    return f"[{','.join(map(str, blob_ids))}]"
