"""The values between embedders, vector stores and rerankers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field


class VectorRecord(Struct, frozen=True):
    """A vector to store, and its text."""

    id: str
    vector: tuple[float, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)


class VectorMatch(Struct, frozen=True):
    """A record near a query; a higher score is nearer."""

    id: str
    score: float
    metadata: Mapping[str, Any] = field(default_factory=dict)


class Ranking(Struct, frozen=True):
    """The relevance of the text at a position, according to a reranker."""

    position: int
    score: float
