"""Vectors in memory, compared one by one: exact nearest neighbours."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from operator import itemgetter, mul
from threading import RLock
from typing import Any

import attrs

from avionics.model.errors import UsageError
from avionics.model.vectors import VectorMatch, VectorRecord


@attrs.frozen
class NormalizedVector:
    """A record prepared for comparison: its vector has length 1, or is all zeros."""

    direction: array[float]
    metadata: Mapping[str, Any]


class MemoryVectorStore:
    """An index that lives as long as the process; the reference implementation of `VectorStoreProtocol`."""

    name = "memory"

    def __init__(self) -> None:
        self._namespaces: dict[str, dict[str, NormalizedVector]] = {}
        self._lock = RLock()

    def upsert(self, namespace: str, records: Sequence[VectorRecord]) -> None:
        """Store the records; one with the id of an earlier one replaces it.

        Raises:
            UsageError: A vector is invalid, or not of the namespace's dimension.
        """
        with self._lock:
            checked = check_vectors(records, self.get_dimension(namespace))
            self._namespaces.setdefault(namespace, {}).update(checked)

    def find_nearest(self, namespace: str, vector: Sequence[float], limit: int) -> tuple[VectorMatch, ...]:
        """Return the records nearest to a vector by cosine similarity, nearest first, ties in the order of their ids.

        Raises:
            UsageError: The vector does not have the namespace's dimension.
        """
        with self._lock:
            kept = dict(self._namespaces.get(namespace, {}))
        if not kept:
            return ()
        require_dimension(len(vector), self.get_dimension(namespace))
        question = _to_direction(vector)
        present = [place for place, value in enumerate(question) if value]
        if not present:
            return ()
        pick = itemgetter(*present, 0)
        weights = [*pick(question)[:-1], 0.0]
        scored = ((sum(map(mul, weights, pick(each.direction))), name) for name, each in kept.items())
        nearest = nsmallest(limit, scored, key=lambda pair: (-pair[0], pair[1]))
        return tuple(VectorMatch(name, max(-1.0, min(1.0, score)), kept[name].metadata) for score, name in nearest)

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        """Delete the records with these ids."""
        with self._lock:
            kept = self._namespaces.get(namespace, {})
            for name in ids:
                kept.pop(name, None)

    def get_dimension(self, namespace: str) -> int | None:
        """Return the dimension of a namespace's vectors, None if it has none."""
        with self._lock:
            return next((len(each.direction) for each in self._namespaces.get(namespace, {}).values()), None)


def check_vectors(records: Sequence[VectorRecord], dimension: int | None) -> dict[str, NormalizedVector]:
    """Return the records by id, prepared for comparison.

    Raises:
        UsageError: A vector is empty, has a value that is not a number, or another dimension.
    """
    checked: dict[str, NormalizedVector] = {}
    for record in records:
        dimension = dimension or len(record.vector)
        require_dimension(len(record.vector), dimension)
        if not record.vector or not all(map(math.isfinite, record.vector)):
            raise UsageError(f"the vector of {record.id!r} is invalid: it needs finite numbers")
        checked[record.id] = NormalizedVector(_to_direction(record.vector), record.metadata)
    return checked


def require_dimension(given: int, wanted: int | None) -> None:
    """Reject vectors of another embedder.

    Raises:
        UsageError: The dimensions differ.
    """
    if wanted is not None and given != wanted:
        raise UsageError(
            f"a vector of {given} dimensions cannot be compared with vectors of {wanted}",
            hint="the namespace was filled by another embedder: use that one, or fill it again",
        )


def _to_direction(vector: Sequence[float]) -> array[float]:
    """Return the vector scaled to length 1, in single precision as vector stores keep it."""
    length = math.hypot(*vector)
    return array("f", (value / length for value in vector) if length else vector)
