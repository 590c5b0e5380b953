"""Reading: what is known of contents, by blob id and by word.

Knows: the tables, packing.
Does not know: paths, snapshots' meaning, questions.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import attrs

from avionics.model.errors import IndexStateError
from avionics.model.facts import FileFacts, FileUses, ParseProblem, Symbol
from avionics.store.codec import BlobKey, decode_facts, decode_import_lines, decode_symbols_named, decode_uses
from avionics.store.listings import join
from avionics.store.payload import from_payload
from avionics.store.postings import Postings, from_key, get_pairs, is_on_page, open_page, to_key, unpack
from avionics.store.schema import DERIVED, LOOSE, NAME, TERM, WORD
from avionics.store.session import Session
from avionics.store.vocabulary import TooManyError, read_holders

_PAGE_OF_WORD = """SELECT segments.id, (SELECT page FROM postings
        WHERE kind = ? AND segment = segments.id AND first <= ? ORDER BY first DESC LIMIT 1)
    FROM segments"""

_PAGE_IN_SEGMENT = """SELECT page FROM postings
    WHERE kind = ? AND segment = ? AND first <= ? ORDER BY first DESC LIMIT 1"""

_PAGES_THRESHOLD = 3
"""More are read faster at once."""

_PAGES_FROM = """SELECT page FROM segments CROSS JOIN postings
    WHERE kind = ? AND segment = segments.id AND first < ? AND first >= coalesce(
        (SELECT max(first) FROM postings WHERE kind = ? AND segment = segments.id AND first <= ?), x'')"""

_AFTER_ANY_TEXT = b"\xff"
"""No UTF-8 text has this byte."""


@attrs.frozen
class Totals:
    """Sums over some contents."""

    symbols: int
    lines: int
    failures: int


class Reader:
    """Answers from the stored facts; each method may raise `IndexStateError`, and none answers from damaged rows."""

    def __init__(self, session: Session, extractor_version: int) -> None:
        self._session = session
        self._extractor_version = extractor_version

    def blob_ids(self, keys: Collection[BlobKey]) -> dict[BlobKey, int]:
        """The contents that are known, with their blob ids."""
        with self._session.reading() as connection:
            return read_blob_ids(connection, keys, self._extractor_version)

    def facts(self, blob_id: int) -> FileFacts:
        """What the content defines, imports and mentions; of one that could not be read, only why not."""
        found = self.many_facts((blob_id,)).get(blob_id)
        if found is None:
            raise IndexStateError(f"the store has no content {blob_id}", hint="ask again: it will be read anew")
        return found

    def many_facts(self, blob_ids: Iterable[int]) -> dict[int, FileFacts]:
        """Blob id → facts, of those that are stored."""
        query = """SELECT blobs.id, language, problem, data FROM json_each(?) AS asked
            JOIN blobs ON blobs.id = asked.value LEFT JOIN facts ON facts.blob = blobs.id"""
        with self._session.reading() as connection:
            rows = connection.execute(query, (_as_json(blob_ids),)).fetchall()
            return {blob: _facts_of(language, problem, data) for blob, language, problem, data in rows}

    def symbols_named(self, blob_ids: Iterable[int], folded: str) -> dict[int, tuple[tuple[int, Symbol], ...]]:
        """Blob id → its symbols of that folded name, each with its place in the outline, of those that have one."""
        query = "SELECT blob, data FROM facts WHERE blob IN (SELECT value FROM json_each(?))"
        with self._session.reading() as connection:
            rows = connection.execute(query, (_as_json(blob_ids),)).fetchall()
            return {blob: decode_symbols_named(data, folded) for blob, data in rows}

    def many_import_lines(self, blob_ids: Iterable[int]) -> dict[int, tuple[tuple[str, int], ...]]:
        """Blob id → the module and the level of each import, of those contents that have an outline."""
        query = "SELECT blob, data FROM facts WHERE blob IN (SELECT value FROM json_each(?))"
        with self._session.reading() as connection:
            rows = connection.execute(query, (_as_json(blob_ids),)).fetchall()
            return {blob: decode_import_lines(data) for blob, data in rows}

    def uses(self, blob_id: int) -> FileUses | None:
        """Every scope, binding and reference of the content, or None when no question needed them yet."""
        return self.many_uses((blob_id,)).get(blob_id)

    def many_uses(self, blob_ids: Iterable[int]) -> dict[int, FileUses]:
        """Blob id → uses, of those that have been needed before."""
        query = "SELECT blob, data FROM uses WHERE blob IN (SELECT value FROM json_each(?))"
        with self._session.reading() as connection:
            rows = connection.execute(query, (_as_json(blob_ids),)).fetchall()
            return {blob: decode_uses(data) for blob, data in rows}

    def word_counts(self, word: str) -> dict[int, int]:
        """Blob id → how often the identifier occurs in it, exactly as written."""
        return self._counts(WORD, word)

    def loose_numbers(self, name: str) -> dict[int, list[int]]:
        """Blob id → the numbers of a loose name's uses in it (`syntax/loose`), of contents where such were taken."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        with self._session.reading() as connection:
            for segment, pairs in _parts_of(connection, LOOSE, name):
                for pair in unpack(pairs):
                    found[segment + (pair >> 16)].append(pair & 0xFFFF)
        return dict(found)

    def term_postings(self, terms: Iterable[str]) -> Postings:
        """Where any of the lower-case parts occurs, as part of a word or as a word."""
        keys = sorted(map(to_key, terms))
        with self._session.reading() as connection:
            return Postings(part for kind in (WORD, TERM) for part in _iter_near_parts(connection, kind, keys))

    def blobs_defining(self, folded: str) -> frozenset[int]:
        """The blobs that define a symbol whose folded name is this."""
        return frozenset(self._counts(NAME, folded))

    def blobs_holding(self, part: str, blob_ids: Sequence[int], *, fold: bool, most: int) -> frozenset[int] | None:
        """The blobs in which a word holds a part, of those given; None where it is not worth finding out.

        Args:
            part: Of ASCII; in lower case when folded.
            blob_ids: Sorted.
            fold: Whether upper and lower case are alike.
            most: So many words that hold it are too many.
        """
        with self._session.reading() as connection:
            extents = connection.execute("SELECT id, last FROM segments").fetchall()
            near = [(first, last) for first, last in extents if bisect_left(blob_ids, first) < bisect(blob_ids, last)]
            try:
                return read_holders(connection, near, part.encode(), fold=fold, most=most)
            except TooManyError:
                return None

    def failed_blobs(self) -> frozenset[int]:
        """The blobs that gave no facts, and no words."""
        with self._session.reading() as connection:
            return frozenset(blob for (blob,) in connection.execute("SELECT id FROM blobs WHERE problem IS NOT NULL"))

    def names_with_prefix(self, folded: str, limit: int) -> tuple[str, ...]:
        """The first folded names that start so, in order."""
        start = to_key(folded)
        with self._session.reading() as connection:
            pages = connection.execute(_PAGES_FROM, (NAME, start + _AFTER_ANY_TEXT, NAME, start)).fetchall()
            found = {word for (page,) in pages for word in open_page(page) if word.startswith(start)}
        return tuple([from_key(word) for word in sorted(found)[:limit]])

    def iter_names(self) -> Iterator[str]:
        """Every folded name, once."""
        with self._session.reading() as connection:
            pages = connection.execute("SELECT page FROM postings WHERE kind = ?", (NAME,)).fetchall()
            words = dict.fromkeys(word for (page,) in pages for word in open_page(page))
        return map(from_key, words)

    def document_lengths(self, blob_ids: Iterable[int]) -> dict[int, int]:
        """Blob id → how many words it has, repeated ones counted each time."""
        query = "SELECT id, words FROM blobs WHERE id IN (SELECT value FROM json_each(?))"
        with self._session.reading() as connection:
            return dict(connection.execute(query, (_as_json(blob_ids),)).fetchall())

    def failure(self, blob_id: int) -> str | None:
        """Why the content gave no facts, or None when it gave some."""
        with self._session.reading() as connection:
            row = connection.execute("SELECT problem FROM blobs WHERE id = ?", (blob_id,)).fetchone()
        return row[0] if row else None

    def totals(self, blob_ids: Iterable[int]) -> Totals:
        """Symbols, lines and failures of some contents, each counted once."""
        query = """SELECT coalesce(sum(symbols), 0), coalesce(sum(lines), 0), count(problem) FROM blobs
            WHERE id IN (SELECT value FROM json_each(?))"""
        with self._session.reading() as connection:
            return Totals(*connection.execute(query, (_as_json(blob_ids),)).fetchone())

    def snapshot(self, root: str) -> tuple[int, list[list[Any]]] | None:
        """What is remembered of a workspace: when it was looked at, in nanoseconds, and its columns."""
        with self._session.reading() as connection:
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

    def has_snapshot(self, root: Path) -> bool:
        """Whether something is remembered of a workspace, by this version of the extractor."""
        with self._session.reading() as connection:
            row = connection.execute("SELECT data FROM snapshots WHERE root = ?", (snapshot_key(str(root)),)).fetchone()
            return row is not None and from_payload(row[0])[0] == self._extractor_version

    def get_derived(self, key: str) -> Any:
        """What was found out of facts at some cost and kept under the key; None where nothing was."""
        query = "SELECT data FROM listings WHERE digest = ?"
        with self._session.reading() as connection:
            row = connection.execute(query, (DERIVED + key,)).fetchone()
            return from_payload(row[0]) if row else None

    def count_snapshots(self) -> int:
        """How many workspaces are remembered."""
        with self._session.reading() as connection:
            return int(connection.execute("SELECT count(*) FROM snapshots").fetchone()[0])

    def generation(self) -> int:
        """The number of the last generation: blob ids learnt before another one may be gone."""
        with self._session.reading() as connection:
            return read_generation(connection)

    def _counts(self, kind: int, word: str) -> dict[int, int]:
        with self._session.reading() as connection:
            return Postings(_parts_of(connection, kind, word)).count()


def _parts_of(connection: Connection, kind: int, word: str) -> Iterator[tuple[int, bytes]]:
    """First blob id of a segment → the packed pairs of a word there, of the segments that have it."""
    key = to_key(word)
    for segment, page in connection.execute(_PAGE_OF_WORD, (kind, key)).fetchall():
        # Segments of an earlier time have no loose names; all other kinds have a page for every word.
        pairs = get_pairs(page, key) if page is not None or kind != LOOSE else None
        if pairs is not None:
            yield segment, pairs


def _iter_near_parts(connection: Connection, kind: int, keys: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """The same of several words in order: those that stand on one page are looked up at once."""
    pages: dict[int, bytes] = {}
    for key in keys:
        elsewhere = [segment for segment, page in pages.items() if not is_on_page(page, key)]
        if not pages or len(elsewhere) > _PAGES_THRESHOLD:
            pages = dict(connection.execute(_PAGE_OF_WORD, (kind, key)).fetchall())
        else:
            for segment in elsewhere:
                for (page,) in connection.execute(_PAGE_IN_SEGMENT, (kind, segment, key)):
                    pages[segment] = page
        for segment, page in pages.items():
            pairs = get_pairs(page, key)
            if pairs is not None:
                yield segment, pairs


def read_blob_ids(connection: Connection, keys: Collection[BlobKey], extractor_version: int) -> dict[BlobKey, int]:
    """The keys that are stored for this version of the extractor, with their blob ids."""
    query = """SELECT oid, language, blobs.id FROM json_each(?) AS asked
        JOIN blobs ON blobs.oid = asked.value WHERE blobs.extractor = ?"""
    oids = '["' + '","'.join({oid for oid, _ in keys}) + '"]'
    wanted = set(keys)
    rows = connection.execute(query, (oids, extractor_version))
    return {(oid, language): blob for oid, language, blob in rows if (oid, language) in wanted}


def read_generation(connection: Connection) -> int:
    """The number of the last generation."""
    return int(connection.execute("SELECT max(id) FROM clearings").fetchone()[0])


def snapshot_key(root: str) -> str:
    """A root as SQLite can keep it, whatever bytes its name has."""
    return root.encode("utf-8", "surrogatepass").decode("latin-1")


def from_snapshot_key(key: str) -> str:
    """The root of such a key."""
    return key.encode("latin-1").decode("utf-8", "surrogatepass")


def _facts_of(language: str, problem: str | None, data: bytes | None) -> FileFacts:
    if problem is not None:
        return FileFacts(language, problems=(ParseProblem(1, problem),))
    if data is None:
        raise IndexStateError("the store has lost some facts", hint="ask again: they will be read anew")
    return decode_facts(data)


def _as_json(blob_ids: Iterable[int]) -> str:
    return f"[{','.join(map(str, blob_ids))}]"
