"""The identifiers in a text, as written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_ASCII_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX_LENGTH = 160
"""Longer runs are data, not names."""

LONGER = "…"
"""Stands for all words that are too long to be kept; a search for text must include the files that have it."""


def count_document_words(content: bytes) -> Mapping[str, int]:
    """Return ASCII identifier → occurrences in a text that is not code.

    Words with other letters stand for nothing that code defines often enough to be worth their space: translations
    have more of them than all code together. A text that has any is marked as one that has unknown words.
    """
    if content.isascii():
        return count_words(content)
    found = Counter(_IDENTIFIER.findall(content.decode("utf-8", "replace")))
    kept = {word: count for word, count in found.items() if word.isascii() and len(word) <= _MAX_LENGTH}
    return {**kept, LONGER: 1}


def count_words(content: bytes) -> Mapping[str, int]:
    """Return identifier → occurrences, comments and strings included."""
    pattern = _ASCII_IDENTIFIER if content.isascii() else _IDENTIFIER
    found = Counter(pattern.findall(content.decode("utf-8", "replace")))
    if max(map(len, found), default=0) > _MAX_LENGTH:
        for word in [word for word in found if len(word) > _MAX_LENGTH]:
            del found[word]
        found[LONGER] = 1
    return found
