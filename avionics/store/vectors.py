"""Embeddings, by the digest of the embedded text and the embedder.

A vector is stored as its direction, one byte per component. Similarity is the cosine, which this preserves to about a
hundredth in a quarter of the space.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from avionics.model.errors import IndexStateError
from avionics.store.payload import from_payload, to_payload
from avionics.store.session import PATIENCE_MS, Session

MAX_VECTORS = 200_000
"""A tree of 10,000 files has fewer chunks; they take 90 MB with 384 components, four times that with 1,536."""
_MAX_COMPONENT = 127


class Vectors:
    """Stores a limited number of vectors; safe for several threads and processes."""

    def __init__(self, session: Session, most: int = MAX_VECTORS) -> None:
        self._session = session
        self._most = most

    def get_many(self, digests: Collection[bytes]) -> dict[bytes, array[int]]:
        """Return digest → direction of the stored vectors. Raise `IndexStateError` if the store cannot be read."""
        query = "SELECT digest, data FROM vectors WHERE digest = ?"
        found: dict[bytes, array[int]] = {}
        with self._session.reading() as connection:
            for digest in digests:
                for row in connection.execute(query, (digest,)):
                    found[row[0]] = array("b", from_payload(row[1]))
        return found

    def put(self, directions: Mapping[bytes, array[int]]) -> None:
        """Store vectors, replacing the oldest; do nothing if the store is busy."""
        rows = [(digest, to_payload(direction.tobytes(), compress=False)) for digest, direction in directions.items()]
        with suppress(IndexStateError), self._session.writing(PATIENCE_MS) as connection:
            connection.executemany("INSERT OR REPLACE INTO vectors (digest, data) VALUES (?, ?)", rows)
            query = "DELETE FROM vectors WHERE id <= (SELECT max(id) FROM vectors) - ?"
            connection.execute(query, (self._most,))


def to_direction(vector: Sequence[float]) -> array[int]:
    """Return the direction of a vector in integers up to 127; zeros for a zero vector."""
    scale = _MAX_COMPONENT / (max(map(abs, vector), default=0.0) or 1.0)
    return array("b", [round(number * scale) for number in vector])
