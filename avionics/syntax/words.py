"""Words: identifiers as written, and the lower-case parts they and prose are made of.

Knows: how names are put together.
Does not know: files, ranking.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Mapping

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_ASCII_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\dA-Za-z_]+")
_LONGEST = 80
"""Longer runs are data, not names."""


def count_words(content: bytes) -> Mapping[str, int]:
    """Identifier → occurrences, comments and strings included."""
    pattern = _ASCII_IDENTIFIER if content.isascii() else _IDENTIFIER
    found = Counter(pattern.findall(content.decode("utf-8", "replace")))
    for word in [word for word in found if len(word) > _LONGEST]:
        del found[word]
    return found


def count_terms(words: Mapping[str, int]) -> Mapping[str, int]:
    """Lower-case part → occurrences; a name of several parts also counts whole."""
    terms: dict[str, int] = {}
    for word, count in words.items():
        for term in split_name(word):
            terms[term] = terms.get(term, 0) + count
    return terms


@functools.lru_cache(maxsize=100_000)
def split_name(name: str) -> tuple[str, ...]:
    """The parts of a name, lower case, at least two letters each; then the whole if it has several.

    >>> split_name("HTTPServerError")
    ('http', 'server', 'error', 'httpservererror')
    """
    parts = tuple(part.lower() for part in _PART.findall(name) if len(part) > 1)
    if len(parts) > 1:
        return (*parts, name.strip("_").lower())
    return parts


def fold(name: str) -> str:
    """The name without case and underscores, so that `URL_for` and `urlFor` are one."""
    return name.replace("_", "").lower()
