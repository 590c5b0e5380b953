"""An embedder without a model: texts that share words, or parts of words, are similar.

Words, pairs of words and trigrams of words are hashed into the components of a vector (the hashing trick, Weinberger et
al. 2009). A feature weighs 1 + ln(count) times its information: a built-in table gives common English words little
weight, since an embedder of single texts has no collection to count in. It knows no synonyms.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final
from zlib import crc32

DIMENSION: Final = 2048
"""Large enough that features of a paragraph rarely collide; a vector is 8 KB on disk."""

_PAIR_WEIGHT: Final = 0.5
_PART_WEIGHT: Final = 0.3
_FILLER_WEIGHT: Final = 0.08
_FREQUENT_WEIGHT: Final = 0.35
_WORD: Final = re.compile(r"[^\W_]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_FILLER_WORDS: Final = (
    "a an and are as at be been but by did do does for from had has have he her his how i if in is it its me my no not "
    "of on or our she so than that the their them then there these they this to us was we were what when where which "
    "who why will with would you your"
)
_FREQUENT_WORDS: Final = (
    "about after all also any because before between can could each get give into just like make many may more most "
    "much must need new now one only other out over own same should some such take through two under up use used "
    "using very want way well while work"
)
_WEIGHTS: Final = {
    **dict.fromkeys(_FILLER_WORDS.split(), _FILLER_WEIGHT),
    **dict.fromkeys(_FREQUENT_WORDS.split(), _FREQUENT_WEIGHT),
}


class LexicalEmbedder:
    """Turns texts into vectors by their words alone; equal texts have equal vectors."""

    name = f"lexical-{DIMENSION}"

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Return one vector per text, of length 1, or all zeros for a text without a word."""
        return tuple(_embed(text) for text in texts)


def _embed(text: str) -> tuple[float, ...]:
    """Return the vector of one text."""
    counts = Counter(_iter_features(text))
    vector = [0.0] * DIMENSION
    for (feature, weight), count in counts.items():
        place, sign = _place_of(feature)
        vector[place] += sign * weight * (1 + math.log(count))
    length = math.hypot(*vector) or 1.0
    return tuple(value / length for value in vector)


def _iter_features(text: str) -> Iterator[tuple[str, float]]:
    """Yield the features of a text with their weights."""
    words = [word.lower() for word in _WORD.findall(_HUMP.sub(" ", text))]
    for word in words:
        yield word, _WEIGHTS.get(word, 1.0)
        if word not in _WEIGHTS and len(word) > 3:
            padded = f"<{word}>"
            for start in range(len(padded) - 2):
                yield f"~{padded[start : start + 3]}", _PART_WEIGHT
    for left, right in pairwise(word for word in words if word not in _WEIGHTS):
        yield f"{left} {right}", _PAIR_WEIGHT


@lru_cache(maxsize=65_536)
def _place_of(feature: str) -> tuple[int, int]:
    """Return the component of a feature and its sign, so that colliding features cancel out on average."""
    code = crc32(feature.encode("utf-8", "surrogatepass"))
    return code % DIMENSION, 1 if code & 0x8000_0000 else -1
