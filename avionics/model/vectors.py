"""Vectors: what passes between embedders, vector stores and rerankers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs


@attrs.frozen
class VectorRecord:
    """A vector to keep, and what it stands for."""

    id: str
    vector: tuple[float, ...]
    metadata: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class VectorMatch:
    """A record near a question: the higher the score, the nearer."""

    id: str
    score: float
    metadata: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class Ranking:
    """How relevant a reranker found the text at a position."""

    position: int
    score: float
