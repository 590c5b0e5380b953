"""Writing: one transaction a batch, all of it or nothing.

Knows: the tables, packing.
Does not know: where facts come from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from sqlite3 import Connection

import attrs

from avionics.store.codec import BlobKey, PackedFacts, ParseFailure, encode_uses
from avionics.store.payload import to_payload
from avionics.store.postings import REACH, Inversion, iter_pages, open_page, shift
from avionics.store.reader import read_blob_ids, snapshot_key
from avionics.store.schema import NAME, TERM, WORD
from avionics.store.session import Session
from protocols.errors import IndexStateError
from protocols.facts import FileFacts, FileUses

_PATIENCE_MS = 500
"""How long to wait for another process with what may as well stay unwritten."""

_MERGED_AT_ONCE = 8
"""So many segments of about one size become one: a word is then looked up in few places."""

_LARGEST_MERGED = 1 << 16
"""Segments of more pairs stay as they are, so that no write waits for a merge longer than about 0.1 s."""

_Content = FileFacts | PackedFacts | ParseFailure


@attrs.frozen
class _Segment:
    """The extent of a segment: its first blob id (which is its own id), its last, and how many pairs it holds."""

    id: int
    last: int
    pairs: int

    @property
    def tier(self) -> int:
        """Segments within a factor of eight are of about one size."""
        return self.pairs.bit_length() // 3


class Writer:
    """Adds facts, uses and snapshots."""

    def __init__(self, session: Session, extractor_version: int) -> None:
        self._session = session
        self._extractor_version = extractor_version

    def add(self, batch: Iterable[tuple[BlobKey, _Content]]) -> dict[BlobKey, int]:
        """Stores what is known of some contents, and gives their blob ids; those already stored keep theirs.

        Raises:
            IndexStateError: The store cannot be written.
        """
        contents = dict(batch)
        ids: dict[BlobKey, int] = {}
        for keys in _iter_runs(contents, REACH):
            ids |= self._add_run({key: _packed(contents[key]) for key in keys})
        return ids

    def put_uses(self, uses: Mapping[int, FileUses]) -> None:
        """Keeps uses for the next question; where they cannot be written they are left out."""
        rows = [(blob, encode_uses(each)) for blob, each in uses.items()]
        with suppress(IndexStateError), self._session.writing(_PATIENCE_MS) as connection:
            connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?)", rows)

    def put_snapshot(self, root: str, taken_ns: int, columns: Sequence[Sequence[object]]) -> None:
        """Replaces what is remembered of a workspace; where it cannot be written the old one stays.

        It is not squeezed: every start waits for it.
        """
        data = to_payload((self._extractor_version, taken_ns, columns), squeeze=False)
        with suppress(IndexStateError), self._session.writing(_PATIENCE_MS) as connection:
            connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?)", (snapshot_key(root), data))

    def _add_run(self, contents: Mapping[BlobKey, PackedFacts | ParseFailure]) -> dict[BlobKey, int]:
        """Stores contents that fit into one segment.

        Inverting takes longer than writing, so it is done before the transaction; if another process stored some of
        the contents meanwhile, once more with the rest.
        """
        while True:
            with self._session.reading() as connection:
                known = read_blob_ids(connection, contents, self._extractor_version)
            fresh = {key: value for key, value in contents.items() if key not in known}
            if not fresh:
                return known
            inversions = _invert(fresh.values())
            with self._session.writing() as connection:
                if read_blob_ids(connection, fresh, self._extractor_version):
                    continue
                first = self._insert_blobs(connection, fresh)
                _insert_segment(connection, first, len(fresh), inversions)
                _merge_small(connection)
            return known | {key: first + offset for offset, key in enumerate(fresh)}

    def _insert_blobs(self, connection: Connection, fresh: Mapping[BlobKey, PackedFacts | ParseFailure]) -> int:
        """Writes the contents under ids that follow one another, and gives the first."""
        first = int(connection.execute("SELECT coalesce(max(id), 0) + 1 FROM blobs").fetchone()[0])
        blobs: list[tuple[int, str, str, int, int, int, int, str | None]] = []
        facts: list[tuple[int, bytes]] = []
        for blob, ((oid, language), content) in enumerate(fresh.items(), first):
            key = (blob, oid, language, self._extractor_version)
            if isinstance(content, ParseFailure):
                blobs.append((*key, 0, 0, 0, content.reason))
            else:
                blobs.append((*key, content.lines, sum(content.words.values()), content.symbols, None))
                facts.append((blob, content.outline))
        connection.executemany("INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", blobs)
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts)
        return first


def _iter_runs(keys: Iterable[BlobKey], size: int) -> Iterable[tuple[BlobKey, ...]]:
    """The keys, so many at a time."""
    rest = iter(tuple(keys))
    while run := tuple(islice(rest, size)):
        yield run


def _packed(content: _Content) -> PackedFacts | ParseFailure:
    return PackedFacts.of(content) if isinstance(content, FileFacts) else content


def _invert(contents: Iterable[PackedFacts | ParseFailure]) -> dict[int, Inversion]:
    """Kind → word → pairs, counted from the first content."""
    words, names = Inversion(), Inversion()
    for offset, content in enumerate(contents):
        if isinstance(content, PackedFacts):
            words.add_counts(offset, content.words)
            names.add_names(offset, content.names)
    return {WORD: words, TERM: words.gather_terms(), NAME: names}


def _insert_segment(connection: Connection, first: int, blobs: int, inversions: Mapping[int, Inversion]) -> None:
    """Writes postings whose offsets count from the blob id `first`."""
    pairs = sum(inversion.pairs for inversion in inversions.values())
    if not pairs:
        return
    connection.execute("INSERT INTO segments VALUES (?, ?, ?)", (first, first + blobs - 1, pairs))
    for kind, inversion in inversions.items():
        rows = ((kind, first, word, page) for word, page in inversion.iter_pages())
        connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", rows)


def _merge_small(connection: Connection) -> None:
    """Merges the first group of small segments that is large enough, if there is one."""
    tiers: dict[int, list[_Segment]] = defaultdict(list)
    query = "SELECT id, last, pairs FROM segments WHERE pairs < ? ORDER BY id"
    for row in connection.execute(query, (_LARGEST_MERGED,)):
        segment = _Segment(*row)
        tiers[segment.tier].append(segment)
    for segments in tiers.values():
        for start in range(len(segments) - _MERGED_AT_ONCE + 1):
            group = segments[start : start + _MERGED_AT_ONCE]
            if group[-1].last - group[0].id < REACH:
                _merge(connection, group)
                return


def _merge(connection: Connection, group: list[_Segment]) -> None:
    """Makes one segment of several."""
    first = group[0].id
    for kind in (WORD, TERM, NAME):
        merged: dict[bytes, bytes] = defaultdict(bytes)
        for segment in group:
            where = (kind, segment.id)
            pages = connection.execute("SELECT page FROM postings WHERE kind = ? AND segment = ?", where).fetchall()
            for (page,) in pages:
                for word, pairs in open_page(page).items():
                    merged[word] += shift(pairs, segment.id - first)
            connection.execute("DELETE FROM postings WHERE kind = ? AND segment = ?", where)
        rows = ((kind, first, word, page) for word, page in iter_pages(merged))
        connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", rows)
    connection.executemany("DELETE FROM segments WHERE id = ?", [(segment.id,) for segment in group])
    total = sum(segment.pairs for segment in group)
    connection.execute("INSERT INTO segments VALUES (?, ?, ?)", (first, max(each.last for each in group), total))
