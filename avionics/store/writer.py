"""Write facts, one transaction per batch.

Only the postings of a content's words stay in memory until a batch is stored, so a batch can be large. Large batches
make few segments, the postings that one transaction wrote; small segments are merged. A word is then looked up and
stored in few places.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from sqlite3 import Connection
from typing import Any

from msgspec import Struct

from avionics.model.errors import IndexStateError
from avionics.model.facts import FileFacts
from avionics.store.codec import BlobKey, PackedFacts, ParseFailure
from avionics.store.listings import to_chunks, to_own
from avionics.store.payload import to_payload
from avionics.store.postings import REACH, Inversion, WordRows, shift
from avionics.store.reader import iter_words, read_blob_ids, read_generation, snapshot_key
from avionics.store.schema import DERIVED, KINDS, LOOSE, NAME, PART, STATUS, STUB, TERM, WORD
from avionics.store.session import PATIENCE_MS, Session
from avionics.store.vocabulary import SegmentRows, plan_segment

_MERGED_AT_ONCE = 8
"""This many segments of similar size are merged, so that a word is looked up in few places."""

_MAX_MERGED = 1 << 16
"""Larger segments are not merged, so that no write waits for a merge longer than about 0.1 s."""

_MAX_DERIVED = 8
"""Each may take a few megabytes."""

_Content = FileFacts | PackedFacts | ParseFailure


_WORD_BYTES, _PAIR_BYTES = 300, 6
"""The memory that a word and a posting take in a batch, with the parts of the word."""

_MAX_CONTENTS = REACH - 4_096
"""A batch with this many contents is full; the last ones may share a vocabulary with some more."""

_MAX_BYTES = 160_000_000
"""A batch that uses more memory is full."""


class Batch:
    """Contents to be stored together."""

    def __init__(self, session: Session, extractor_version: int) -> None:
        self._session = session
        self._extractor_version = extractor_version
        self._contents: dict[BlobKey, tuple[int, int, int, str | None]] = {}
        self._outlines: list[bytes | None] = []
        self._uses: dict[int, bytes] = {}
        self._fact_bytes = 0
        self._words, self._names, self._loose = Inversion(), Inversion(), Inversion()
        self._text_words = Inversion()
        self._vocabulary: list[str] = []

    def __len__(self) -> int:
        return len(self._contents)

    @property
    def is_full(self) -> bool:
        """Return whether the batch should be stored before more is added.

        It may grow by the contents that share a vocabulary with the last.
        """
        gathered = (self._words, self._text_words, self._names, self._loose)
        words = sum(each.words for each in gathered)
        pairs = sum(each.pairs for each in gathered)
        held = self._fact_bytes + _WORD_BYTES * words + _PAIR_BYTES * pairs
        return len(self) >= _MAX_CONTENTS or held > _MAX_BYTES

    def add(self, key: BlobKey, content: PackedFacts | ParseFailure) -> None:
        """Add the facts of a content, after those of all contents that share its vocabulary and were packed before it.

        Raise `IndexStateError` if the words do not fit the vocabulary.
        """
        if isinstance(content, PackedFacts):
            if not content.words.start:
                self._vocabulary = []
            self._vocabulary.extend(content.words.new)
        if key in self._contents:
            return
        offset = len(self._contents)
        # Ranked search, which asks for parts of words, looks at code only.
        words = self._words if key[1] else self._text_words
        if isinstance(content, ParseFailure):
            self._contents[key] = (0, sum(content.words.values()), 0, content.reason)
            self._outlines.append(None)
            words.add_counts(offset, content.words)
            return
        self._contents[key] = (content.lines, content.length, content.symbols, None)
        self._outlines.append(content.outline)
        self._fact_bytes += len(content.outline) + len(content.uses)
        if content.uses:
            self._uses[offset] = content.uses
        words.add_numbered(offset, self._vocabulary, content.words)
        self._names.add_names(offset, content.names)
        self._loose.add_packed(offset, content.loose)

    def store(self) -> dict[BlobKey, int]:
        """Store everything and return the blob ids; contents stored already keep theirs.

        Building pages takes longer than writing, so it happens before the transaction. If another process stored some
        of the contents in the meantime, the pages are built again without them. Raise `IndexStateError` if the store
        cannot be written.
        """
        terms, words = self._words.gather_terms(), self._words.joined(self._text_words)
        while True:
            with self._session.reading() as connection:
                known = read_blob_ids(connection, self._contents, self._extractor_version)
            if len(known) == len(self):
                return known
            there = {offset for offset, key in enumerate(self._contents) if key in known}
            kinds = ((WORD, words), (TERM, terms), (NAME, self._names), (LOOSE, self._loose))
            planned = plan_segment(((kind, each.without(there).to_rows()) for kind, each in kinds), len(self) - 1)
            with self._session.writing() as connection:
                if len(read_blob_ids(connection, self._contents, self._extractor_version)) > len(known):
                    continue
                first = self._insert(connection, there)
                insert_segment(connection, first, first + len(self) - 1, planned)
                merge_small(connection)
            return known | {key: first + at for at, key in enumerate(self._contents) if at not in there}

    def _insert(self, connection: Connection, there: set[int]) -> int:
        """Write all contents not stored already under consecutive ids, and return the first id."""
        first = require_first(connection)
        rows = [
            (first + at, *key, self._extractor_version, *sizes)
            for at, (key, sizes) in enumerate(self._contents.items())
            if at not in there
        ]
        facts = [(first + at, data) for at, data in enumerate(self._outlines) if data is not None and at not in there]
        connection.executemany("INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts)
        uses = [(first + at, data) for at, data in self._uses.items() if at not in there]
        connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?)", uses)
        return first


class Writer:
    """Writes facts, uses and snapshots."""

    def __init__(self, session: Session, extractor_version: int, file: Session | None = None) -> None:
        """Write contents with one session; what belongs to no content with that of the `file`, if given."""
        self._session = session
        self._file = file or session
        self._extractor_version = extractor_version

    def batch(self) -> Batch:
        """Return an empty batch."""
        return Batch(self._session, self._extractor_version)

    def add(self, batch: Iterable[tuple[BlobKey, _Content]]) -> dict[BlobKey, int]:
        """Store contents that are new, return the ids of all. Raise `IndexStateError` if the store is not writable."""
        ids: dict[BlobKey, int] = {}
        gathered = self.batch()
        for key, content in batch:
            gathered.add(key, PackedFacts.of(content) if isinstance(content, FileFacts) else content)
            if gathered.is_full:
                ids |= gathered.store()
                gathered = self.batch()
        return ids | gathered.store()

    def put_uses(self, uses: Mapping[int, bytes]) -> None:
        """Store encoded uses for the next question; do nothing if the store is busy."""
        with suppress(IndexStateError), self._session.writing(PATIENCE_MS) as connection:
            connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?)", uses.items())

    def put_snapshot(
        self,
        root: str,
        taken_ns: int,
        columns: Sequence[Sequence[Any]],
        generation: int | None = None,
        status: object = None,
    ) -> None:
        """Replace the snapshot of a workspace and the status of its tree; keep the old one if the store is busy.

        It is also kept if an eviction has happened since the given generation: the columns may name evicted contents.
        """
        chunks = to_chunks(columns)
        data = to_payload((self._extractor_version, taken_ns, list(chunks), to_own(columns)), compress=False)
        with suppress(IndexStateError), self._session.writing(PATIENCE_MS) as connection:
            if generation is not None and generation != read_generation(connection):
                return
            connection.executemany("INSERT OR IGNORE INTO listings VALUES (?, ?)", chunks.items())
            key = snapshot_key(root)
            connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", (key, int(time.time()), data))
            found = to_payload((taken_ns, status), compress=False)
            connection.execute("INSERT OR REPLACE INTO listings VALUES (?, ?)", (STATUS + key, found))

    def put_derived(self, key: str, value: object) -> None:
        """Store a value derived from facts for the next process; only a few earlier values are kept."""
        data = to_payload(value)
        with suppress(IndexStateError), self._session.writing(PATIENCE_MS) as connection:
            put_listing(connection, DERIVED, key, data, _MAX_DERIVED)

    def put_stub(self, key: str, outline: bytes, uses: bytes) -> None:
        """Store the payloads of a stub for the next process."""
        data = to_payload((outline, uses), compress=False)
        with suppress(IndexStateError), self._file.writing(PATIENCE_MS) as connection:
            connection.execute("INSERT OR REPLACE INTO listings VALUES (?, ?)", (STUB + key, data))

    def note_use(self, root: str) -> None:
        """Record that a workspace is in use; `Reader.is_use_noted` tells whether that is necessary."""
        query = "UPDATE snapshots SET used = ? WHERE root = ?"
        with suppress(IndexStateError), self._file.writing(PATIENCE_MS) as connection:
            connection.execute(query, (int(time.time()), snapshot_key(root)))


class _Segment(Struct, frozen=True):
    """The extent of a segment: its first blob id (which is its own id), its last, and its number of postings."""

    id: int
    last: int
    pairs: int


def put_listing(connection: Connection, prefix: str, key: str, data: bytes, most: int) -> None:
    """Store a payload under a key with a prefix, and drop all but the newest few with the same prefix."""
    old = "SELECT digest FROM listings WHERE digest LIKE ? ORDER BY rowid DESC LIMIT -1 OFFSET ?"
    connection.execute("INSERT OR REPLACE INTO listings VALUES (?, ?)", (prefix + key, data))
    connection.execute(f"DELETE FROM listings WHERE digest IN ({old})", (f"{prefix}%", most))  # noqa: S608


def require_first(connection: Connection) -> int:
    """Return the first unused blob id."""
    query = """SELECT 1 + max((SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'blobs'),
        (SELECT coalesce(max(last), 0) FROM segments))"""
    return int(connection.execute(query).fetchone()[0])


def insert_segment(connection: Connection, first: int, last: int, planned: SegmentRows) -> None:
    """Write the postings of a segment, with offsets relative to the blob id `first`."""
    if not planned.pairs:
        return
    connection.execute("INSERT INTO segments VALUES (?, ?, ?)", (first, last, planned.pairs))
    rows = ((kind, first, word, page) for kind, word, page in planned.rows)
    connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", rows)


def merge_small(connection: Connection) -> None:
    """Merge the first group of small segments that is large enough, if any."""
    tiers: dict[int, list[_Segment]] = defaultdict(list)
    query = "SELECT id, last, pairs FROM segments WHERE pairs < ? ORDER BY id"
    for row in connection.execute(query, (_MAX_MERGED,)):
        segment = _Segment(*row)
        tiers[segment.pairs.bit_length() // 3].append(segment)
    for segments in tiers.values():
        for start in range(len(segments) - _MERGED_AT_ONCE + 1):
            group = segments[start : start + _MERGED_AT_ONCE]
            if group[-1].last - group[0].id < REACH:
                _merge(connection, group)
                return


def _merge(connection: Connection, group: list[_Segment]) -> None:
    """Merge several segments into one."""
    first, last = group[0].id, max(each.last for each in group)

    def merge(kind: int) -> WordRows:
        merged: dict[bytes, bytes] = defaultdict(bytes)
        for segment in group:
            for word, pairs in iter_words(connection, kind, segment.id):
                merged[word] += shift(pairs, segment.id - first)
        return WordRows.of(merged)

    planned = plan_segment(((kind, merge(kind)) for kind in KINDS), last - first)
    gone = [(kind, segment.id) for kind in (*KINDS, PART) for segment in group]
    connection.executemany("DELETE FROM postings WHERE kind = ? AND segment = ?", gone)
    connection.executemany("DELETE FROM segments WHERE id = ?", [(segment.id,) for segment in group])
    insert_segment(connection, first, last, planned)
