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


def count_words(content: bytes) -> Mapping[str, int]:
    """Return identifier → occurrences, comments and strings included."""
    pattern = _ASCII_IDENTIFIER if content.isascii() else _IDENTIFIER
    found = Counter(pattern.findall(content.decode("utf-8", "replace")))
    if max(map(len, found), default=0) > _MAX_LENGTH:
        for word in [word for word in found if len(word) > _MAX_LENGTH]:
            del found[word]
        found[LONGER] = 1
    return found
