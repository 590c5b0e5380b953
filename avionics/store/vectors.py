"""Vectors of texts, by the digest of what was embedded and by whom.

A vector is kept as its direction in numbers of one byte: likeness is the cosine, which they give to about a hundredth,
in a quarter of the room.

Knows: the table, the bound.
Does not know: what was embedded.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from avionics.model.errors import IndexStateError
from avionics.store.payload import from_payload, to_payload
from avionics.store.session import Session

MAX_VECTORS = 200_000
"""More than a tree of 10,000 files has passages; of 384 numbers each they take 90 MB, of 1,536 four times that."""
_PATIENCE_MS = 500
"""How long to wait for another process with what may as well stay unwritten."""
_MAX_COMPONENT = 127


class Vectors:
    """Keeps vectors; safe for several threads and processes.

    Args:
        session: The store's connection.
        most: How many are kept.
    """

    def __init__(self, session: Session, most: int = MAX_VECTORS) -> None:
        self._session = session
        self._most = most

    def get_many(self, digests: Collection[bytes]) -> dict[bytes, array[int]]:
        """Digest → direction, of those that are kept.

        Raises:
            IndexStateError: The store cannot be read.
        """
        query = "SELECT digest, data FROM vectors WHERE digest = ?"
        found: dict[bytes, array[int]] = {}
        with self._session.reading() as connection:
            for digest in digests:
                for row in connection.execute(query, (digest,)):
                    found[row[0]] = array("b", from_payload(row[1]))
        return found

    def put(self, directions: Mapping[bytes, array[int]]) -> None:
        """Keeps some; the oldest make room. Where they cannot be written they are left out."""
        rows = [(digest, to_payload(direction.tobytes(), compress=False)) for digest, direction in directions.items()]
        with suppress(IndexStateError), self._session.writing(_PATIENCE_MS) as connection:
            connection.executemany("INSERT OR REPLACE INTO vectors (digest, data) VALUES (?, ?)", rows)
            query = "DELETE FROM vectors WHERE id <= (SELECT max(id) FROM vectors) - ?"
            connection.execute(query, (self._most,))


def to_direction(vector: Sequence[float]) -> array[int]:
    """Where a vector points, in whole numbers up to 127; of one that is all zeros, zeros."""
    scale = _MAX_COMPONENT / (max(map(abs, vector), default=0.0) or 1.0)
    return array("b", [round(number * scale) for number in vector])
