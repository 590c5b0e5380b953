"""The identifiers in a text, as written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from avionics.late_pattern import late_pattern

_FIGURES = "²³¹¼-¾⁰⁴-⁹₀-₉⅐-⅟①-⒛"
"""What Python takes for a part of a word and no language for a part of a name: `width²` mentions `width`."""
_MARKS = "\u0300-\u036f"
"""Accents that follow their letter, which Python takes for the end of a word."""
_IDENTIFIER = late_pattern(rf"[^\W\d{_FIGURES}](?:[^\W{_FIGURES}]|[{_MARKS}])*")
_AFTER_DIGITS = chr(ord("9") + 1)
"""Texts of ASCII letters, digits and `_` that are less than this begin with a digit."""
_SPACED = bytes(byte if byte >= 128 or chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(256))
"""A table that makes a space of each byte that no identifier contains. Bytes above ASCII stay: they may be letters."""

_MAX_LENGTH = 160
"""Longer runs are data, not names."""

LONGER = "…"
"""The word that stands for all words too long to be stored; a search for text must include the files that have it."""


def count_document_words(content: bytes) -> Mapping[str, int]:
    """Return ASCII identifier → occurrences in a text that is not code.

    Words with other letters rarely name definitions and would take much space: translations contain more of them than
    all code does. A text with such words is marked as having unknown words.
    """
    if content.isascii():
        return count_words(content)
    kept = {word: count for word, count in _count(content).items() if word.isascii() and len(word) <= _MAX_LENGTH}
    return {**kept, LONGER: 1}


def count_words(content: bytes) -> Mapping[str, int]:
    """Return identifier → occurrences, comments and strings included."""
    found = _count(content)
    if max(map(len, found), default=0) > _MAX_LENGTH:
        for word in [word for word in found if len(word) > _MAX_LENGTH]:
            del found[word]
        found[LONGER] = 1
    return found


def _count(content: bytes) -> dict[str, int]:
    """Return identifier → occurrences.

    The text is split at ASCII characters that no identifier contains, which takes a third of the time of a search for
    identifiers; only the pieces that are not identifiers themselves are searched, each once.
    """
    text = content.translate(_SPACED).decode("utf-8", "replace")
    found, is_ascii = dict(Counter(text.split())), text.isascii()
    others = [piece for piece in found if piece < _AFTER_DIGITS or not (is_ascii or piece.isascii())]
    for piece, count in [(piece, found.pop(piece)) for piece in others]:
        for word in _IDENTIFIER.findall(piece):
            found[word] = found.get(word, 0) + count
    return found
