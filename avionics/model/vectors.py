"""The values between embedders, vector stores and rerankers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs


@attrs.frozen
class VectorRecord:
    """A vector to store, and the text it stands for."""

    id: str
    vector: tuple[float, ...]
    metadata: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class VectorMatch:
    """A record near a query; a higher score is nearer."""

    id: str
    score: float
    metadata: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class Ranking:
    """The relevance of the text at a position, according to a reranker."""

    position: int
    score: float
