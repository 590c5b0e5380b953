"""RankFusion: the order by words, moved a little towards the order by meaning.

The configured embedder turns the question and the best chunks into vectors. The two orders are fused by reciprocal
rank (Cormack et al. 2009), with a low weight for meaning. Vectors are stored under the digest of the embedded text, so
an edit costs only the chunks it touches, and worktrees share them. Chunks that cannot be embedded in time keep
their rank by words; the answer says so.
"""

from __future__ import annotations

import math
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from operator import mul
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.model.errors import ConfigError, IndexStateError, MissingDependencyError, RemoteError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.seams import EmbedderProtocol
from avionics.store.vectors import Vectors, to_direction

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.index.search.features import ReadLines
    from avionics.index.search.ranking import ScoredCandidate

WEIGHT = 0.2
"""The weight of a rank by meaning against a rank by words."""
_FLATNESS = 10
"""The constant of reciprocal rank fusion: the first ranks score 1/11 and 1/12."""
_MAX_PASSAGES = 100
"""As many as an answer can have. The first question embeds them all, which takes a local model some seconds."""
_FIRST_AT_ONCE = 8
"""The size of the first batch; batches double while there is time for four times as many."""
_MAX_CHARACTERS = 1_000
"""About the 256 tokens that a sentence model reads; of longer code only the beginning is embedded."""
_MAX_QUESTION_CHARACTERS = 2_000
_SURE = ("frame", "literal", "name said", "title name")
_OUTAGES = (ConfigError, IndexStateError, MissingDependencyError, RemoteError)
"""Failures after which the ranking continues without the embedder. Cancellation is not one of them."""


class EmbeddingCoverage(Struct, frozen=True):
    """How many chunks were compared by meaning.

    Attributes:
        compared: How many chunks have a vector.
        wanted: How many should have one.
        gap: Why the others have none; None when all have.
    """

    embedder: str
    compared: int = 0
    wanted: int = 0
    gap: Reason | None = None

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Return the reasons that say what the ranking is based on."""
        basis = Reason(ReasonKind.RANKED_BY_WORDS, subject=self.embedder)
        if self.compared:
            basis = Reason(ReasonKind.RANKED_BY_MEANING, self.compared, subject=self.embedder, total=self.wanted)
        return (basis, self.gap) if self.gap else (basis,)


def _failure(error: Exception) -> Reason:
    """Return the reason that an embedder failed."""
    return Reason(ReasonKind.STEP_FAILED, subject=str(error))


class RankFusion:
    """Reorders the candidates of one question.

    Args:
        code: The index they come from.
        embedder: The embedder.
        vectors: The store of vectors.
        asked: The question.
        sent: Filters the text of a file before it is embedded; None embeds all of it.
        seconds: How long to wait for vectors.
        place: The address that distinguishes this embedder from others of its name.
        weight: The weight of a rank by meaning.
    """

    def __init__(
        self,
        code: CodeIndex,
        embedder: EmbedderProtocol,
        vectors: Vectors,
        asked: str,
        sent: Callable[[str, str], str] | None = None,
        *,
        seconds: float,
        place: str = "",
        weight: float = WEIGHT,
    ) -> None:
        self._code = code
        self._embedder = embedder
        self._vectors = vectors
        self._asked = asked
        self._sent = sent
        self._seconds = seconds
        self._place = place
        self._weight = weight
        self.likeness = EmbeddingCoverage(embedder.name, gap=Reason(ReasonKind.NOTHING_TO_COMPARE))

    def reorder(self, ordered: Sequence[ScoredCandidate], read_lines: ReadLines) -> Sequence[ScoredCandidate]:
        """Return the candidates in fused order; those named in the question stay first."""
        named = next((at for at, each in enumerate(ordered) if not _is_named(each)), len(ordered))
        head, rest = ordered[named : named + _MAX_PASSAGES], ordered[named + _MAX_PASSAGES :]
        likenesses = self._compare([self._text_of(each, read_lines) for each in head])
        by_meaning = sorted(likenesses, key=lambda at: (-likenesses[at], at))
        scores = [1 / (_FLATNESS + rank) for rank in range(1, len(head) + 1)]
        for rank, at in enumerate(by_meaning, 1):
            scores[at] += self._weight / (_FLATNESS + rank)
        fused = sorted(range(len(head)), key=lambda at: -scores[at])
        return [*ordered[:named], *(head[at] for at in fused), *rest]

    def _compare(self, texts: Sequence[str]) -> dict[int, float]:
        """Return the similarity to the question of the texts that have a vector, by their position."""
        if not texts:
            return {}
        deadline = time.monotonic() + self._seconds
        digests = [self._digest(text) for text in texts]
        try:
            (question,) = self._embedder.embed((_clean(self._asked)[:_MAX_QUESTION_CHARACTERS],))
            asked = to_direction(question)
            stored = self._vectors.get_many(digests)
        except _OUTAGES as error:
            self.likeness = EmbeddingCoverage(self._embedder.name, 0, len(texts), _failure(error))
            return {}
        kept = {digest: direction for digest, direction in stored.items() if len(direction) == len(asked)}
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in kept}
        gap = self._embed(missing, kept, deadline)
        found = {at: _cosine(asked, kept[digest]) for at, digest in enumerate(digests) if digest in kept}
        self.likeness = EmbeddingCoverage(self._embedder.name, len(found), len(texts), gap)
        return found

    def _embed(self, missing: Mapping[bytes, str], kept: dict[bytes, array[int]], deadline: float) -> Reason | None:
        """Add the vectors of texts and store them for later questions; return why some are missing."""
        rest, at_once = list(missing.items()), _FIRST_AT_ONCE
        while rest:
            started = time.monotonic()
            if started > deadline:
                return Reason(ReasonKind.PASSAGES_NOT_COMPARED, len(rest), subject=f"{self._seconds:g}")
            batch, rest = rest[:at_once], rest[at_once:]
            try:
                vectors = self._embedder.embed([text for _, text in batch])
            except _OUTAGES as error:
                return _failure(error)
            fresh = {digest: to_direction(vector) for (digest, _), vector in zip(batch, vectors, strict=True)}
            self._vectors.put(fresh)
            kept.update(fresh)
            now = time.monotonic()
            at_once *= 2 if deadline - now > 4 * (now - started) else 1
        return None

    def _digest(self, text: str) -> bytes:
        """Return the key under which the vector of a text is stored."""
        import hashlib

        key = f"{self._place}\0{self._embedder.name}\0{text}"
        return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def _text_of(self, each: ScoredCandidate, read_lines: ReadLines) -> str:
        """Return the text of a chunk to embed: its name and the start of its code, not its path."""
        candidate = each.candidate
        span, facts = candidate.chunk.span, self._code.facts(candidate.file)
        symbol = facts.symbols[candidate.chunk.symbol] if candidate.chunk.symbol >= 0 else None
        named = f"{symbol.qualname}\n{symbol.doc}" if symbol else facts.doc
        code = "\n".join(read_lines(candidate.file)[span.start_line - 1 : span.end_line])
        text = f"{named}\n{code}"[: 2 * _MAX_CHARACTERS]
        # Mask credentials before cutting the text, because half of one would not be recognized.
        return _clean((self._sent(text, candidate.file) if self._sent else text)[:_MAX_CHARACTERS])


def _is_named(each: ScoredCandidate) -> bool:
    """Return whether the question contains the candidate's name, text or location."""
    return any(each.own_features.get(signal) for signal in _SURE)


def _clean(text: str) -> str:
    """Return the text without characters that UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _cosine(left: array[int], right: array[int]) -> float:
    """Return the cosine of two vectors; 0 for vectors of different models."""
    if len(left) != len(right):
        return 0.0
    lengths = math.sqrt(sum(map(mul, left, left)) * sum(map(mul, right, right)))
    return sum(map(mul, left, right)) / lengths if lengths else 0.0
