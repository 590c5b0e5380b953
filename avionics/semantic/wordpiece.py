"""WordPiece: tokenize a text as BERT models expect.

The text is lower-cased, stripped of accents, and split at spaces, punctuation and ideographs; each word is cut into the
longest pieces in the vocabulary, from the left (Wu et al. 2016).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

_START: Final = "[CLS]"
_END: Final = "[SEP]"
_UNKNOWN: Final = "[UNK]"
_INNER: Final = "##"
_MAX_WORD_LENGTH: Final = 100
"""A longer run is not a word; the time to cut it grows with the square of its length."""
_IDEOGRAPHS: Final = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""Each of these is a word."""
_KEPT_CHARACTERS: Final = 4_096


class WordPieces:
    """Turns texts into token numbers.

    Args:
        vocabulary: The tokens; a token's number is its position.
        longest: The limit of numbers per text, with its start and end.
    """

    def __init__(self, vocabulary: Iterable[str], longest: int) -> None:
        self._numbers: Mapping[str, int] = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = longest

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the numbers of a text, truncated at the limit."""
        numbers = [self._numbers[_START]]
        for word in _iter_words(text[: self._longest * _MAX_WORD_LENGTH]):
            numbers.extend(self._cut(word))
            if len(numbers) >= self._longest:
                break
        return (*numbers[: self._longest - 1], self._numbers[_END])

    def _cut(self, word: str) -> list[int]:
        """Return the numbers of a word's pieces, or of the unknown word."""
        unknown = [self._numbers[_UNKNOWN]]
        if len(word) > _MAX_WORD_LENGTH:
            return unknown
        numbers, start = [], 0
        while start < len(word):
            prefix = _INNER if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self._numbers), 0)
            if not end:
                return unknown
            numbers.append(self._numbers[prefix + word[start:end]])
            start = end
        return numbers


def _iter_words(text: str) -> Iterator[str]:
    """Yield the words of a text, punctuation and ideographs by themselves."""
    for run in text.split():
        plain = unicodedata.normalize("NFD", run) if not run.isascii() else run
        spaced = "".join(map(_spaced, plain)).lower()
        yield from spaced.split()


@lru_cache(maxsize=_KEPT_CHARACTERS)
def _spaced(character: str) -> str:
    """Return a character, surrounded by spaces if it is a word, "" if it is ignored."""
    code, category = ord(character), unicodedata.category(character)
    if character.isspace():
        return " "
    if category in {"Mn", "Cc", "Cf", "Cs", "Co"} or code in {0, 0xFFFD}:
        return ""
    is_symbol = code < 128 and not character.isalnum()
    if is_symbol or category[0] == "P" or any(first <= code <= last for first, last in _IDEOGRAPHS):
        return f" {character} "
    return character
