"""Words: identifiers as written, and the lower-case parts they and prose are made of.

Knows: how names are put together.
Does not know: files, ranking.
"""

from __future__ import annotations

import functools
import re
from collections import Counter

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_IDENTIFIER_BYTES = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\dA-Za-z_]+")
_LONGEST = 80
"""Longer runs are data, not names."""


def count_words(content: bytes) -> Counter[str]:
    """Identifier → occurrences, comments and strings included."""
    if content.isascii():
        found = Counter(_IDENTIFIER_BYTES.findall(content))
        return Counter({word.decode("ascii"): count for word, count in found.items() if len(word) <= _LONGEST})
    text = content.decode("utf-8", "replace")
    return Counter(word for word in _IDENTIFIER.findall(text) if len(word) <= _LONGEST)


def count_terms(words: Counter[str]) -> Counter[str]:
    """Lower-case part → occurrences; a name of several parts also counts whole."""
    terms: Counter[str] = Counter()
    for word, count in words.items():
        for term in split_name(word):
            terms[term] += count
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
