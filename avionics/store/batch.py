"""Batches: contents collected for one transaction and inverted as they arrive.

Only the postings of a content's words stay in memory, so a batch can be large. Large batches make few segments, and
a word is then looked up and stored in few places.
"""

from __future__ import annotations

from sqlite3 import Connection

from avionics.store.codec import BlobKey, PackedFacts, ParseFailure
from avionics.store.postings import REACH, Inversion
from avionics.store.reader import read_blob_ids
from avionics.store.schema import LOOSE, NAME, TERM, WORD
from avionics.store.segments import insert_segment, merge_small, require_first
from avionics.store.session import Session
from avionics.store.vocabulary import plan_parts

_WORD_BYTES, _PAIR_BYTES = 300, 6
"""The memory that a word and a posting take in a batch, with the parts of the word."""

_MAX_BYTES = 160_000_000
"""A batch that uses more memory is full."""


class Batch:
    """Contents to be stored together.

    Args:
        session: The store's connection.
        extractor_version: The version of the extractor that produced the facts.
    """

    def __init__(self, session: Session, extractor_version: int) -> None:
        self._session = session
        self._extractor_version = extractor_version
        self._contents: dict[BlobKey, tuple[int, int, int, str | None]] = {}
        self._outlines: list[bytes | None] = []
        self._outline_bytes = 0
        self._words, self._names, self._loose = Inversion(), Inversion(), Inversion()

    def __len__(self) -> int:
        return len(self._contents)

    @property
    def is_full(self) -> bool:
        """Return whether the batch should be stored before more is added."""
        gathered = (self._words, self._names, self._loose)
        words = sum(each.words for each in gathered)
        pairs = sum(each.pairs for each in gathered)
        held = self._outline_bytes + _WORD_BYTES * words + _PAIR_BYTES * pairs
        return len(self) == REACH or held > _MAX_BYTES

    def add(self, key: BlobKey, content: PackedFacts | ParseFailure) -> None:
        """Add the facts of a content."""
        if key in self._contents:
            return
        offset = len(self._contents)
        if isinstance(content, ParseFailure):
            self._contents[key] = (0, sum(content.words.values()), 0, content.reason)
            self._outlines.append(None)
            self._words.add_counts(offset, content.words)
            return
        self._contents[key] = (content.lines, sum(content.words.values()), content.symbols, None)
        self._outlines.append(content.outline)
        self._outline_bytes += len(content.outline)
        self._words.add_counts(offset, content.words)
        self._names.add_names(offset, content.names)
        self._loose.add_packed(offset, content.loose)

    def store(self) -> dict[BlobKey, int]:
        """Store everything and return the blob ids; contents stored already keep theirs.

        Building pages takes longer than writing, so it happens before the transaction. If another process stored some
        of
        the contents in the meantime, the pages are built again without them.

        Raises:
            IndexStateError: The store cannot be written.
        """
        terms = self._words.gather_terms()
        while True:
            with self._session.reading() as connection:
                known = read_blob_ids(connection, self._contents, self._extractor_version)
            if len(known) == len(self):
                return known
            there = {offset for offset, key in enumerate(self._contents) if key in known}
            kinds = ((WORD, self._words), (TERM, terms), (NAME, self._names))
            all_kinds = (*kinds, (LOOSE, self._loose))
            pages = [(kind, *page) for kind, each in all_kinds for page in each.without(there).iter_pages()]
            pages += plan_parts(pages, len(self) - 1)
            with self._session.writing() as connection:
                if len(read_blob_ids(connection, self._contents, self._extractor_version)) > len(known):
                    continue
                first = self._insert(connection, there)
                insert_segment(connection, first, first + len(self) - 1, sum(each.pairs for _, each in kinds), pages)
                merge_small(connection)
            return known | {key: first + at for at, key in enumerate(self._contents) if at not in there}

    def _insert(self, connection: Connection, there: set[int]) -> int:
        """Write all contents but those stored already under consecutive ids, and return the first."""
        first = require_first(connection)
        rows = [
            (first + at, *key, self._extractor_version, *sizes)
            for at, (key, sizes) in enumerate(self._contents.items())
            if at not in there
        ]
        facts = [(first + at, data) for at, data in enumerate(self._outlines) if data is not None and at not in there]
        connection.executemany("INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts)
        return first
