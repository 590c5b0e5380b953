"""Write facts, one transaction per batch."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from avionics.model.errors import IndexStateError
from avionics.model.facts import FileFacts
from avionics.store.batch import Batch
from avionics.store.codec import BlobKey, PackedFacts, ParseFailure
from avionics.store.listings import to_chunks, to_own
from avionics.store.payload import to_payload
from avionics.store.reader import read_generation, snapshot_key
from avionics.store.schema import DERIVED
from avionics.store.session import Session

_PATIENCE_MS = 500
"""How long to wait for another process before giving up on an optional write."""

_MAX_FINDINGS = 8
"""Each may take a few megabytes."""

_Content = FileFacts | PackedFacts | ParseFailure


class Writer:
    """Writes facts, uses and snapshots."""

    def __init__(self, session: Session, extractor_version: int) -> None:
        self._session = session
        self._extractor_version = extractor_version

    def batch(self) -> Batch:
        """Return an empty batch."""
        return Batch(self._session, self._extractor_version)

    def add(self, batch: Iterable[tuple[BlobKey, _Content]]) -> dict[BlobKey, int]:
        """Store the facts of some contents and return their blob ids; those already stored keep theirs.

        Raises:
            IndexStateError: The store cannot be written.
        """
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
        with suppress(IndexStateError), self._session.writing(_PATIENCE_MS) as connection:
            connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?)", uses.items())

    def put_snapshot(
        self, root: str, taken_ns: int, columns: Sequence[Sequence[Any]], generation: int | None = None
    ) -> None:
        """Replace the snapshot of a workspace; keep the old one if the store is busy.

        It is also kept if an eviction has happened since the given generation: the columns may name evicted contents.
        """
        chunks = to_chunks(columns)
        data = to_payload((self._extractor_version, taken_ns, list(chunks), to_own(columns)))
        with suppress(IndexStateError), self._session.writing(_PATIENCE_MS) as connection:
            if generation is not None and generation != read_generation(connection):
                return
            connection.executemany("INSERT OR IGNORE INTO listings VALUES (?, ?)", chunks.items())
            row = (snapshot_key(root), int(time.time()), data)
            connection.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", row)

    def put_derived(self, key: str, value: object) -> None:
        """Keeps what was found out of facts for the next process; of those kept before, only a few stay."""
        data = to_payload(value)
        old = "SELECT digest FROM listings WHERE digest LIKE ? ORDER BY rowid DESC LIMIT -1 OFFSET ?"
        with suppress(IndexStateError), self._session.writing(_PATIENCE_MS) as connection:
            connection.execute("INSERT OR REPLACE INTO listings VALUES (?, ?)", (DERIVED + key, data))
            connection.execute(f"DELETE FROM listings WHERE digest IN ({old})", (f"{DERIVED}%", _MAX_FINDINGS))  # noqa: S608

    def note_use(self, root: str) -> None:
        """Record that a workspace is in use; once a day is enough."""
        now = int(time.time())
        query = "UPDATE snapshots SET used = ? WHERE root = ? AND abs(used - ?) > 86400"
        with suppress(IndexStateError), self._session.writing(_PATIENCE_MS) as connection:
            connection.execute(query, (now, snapshot_key(root), now))
