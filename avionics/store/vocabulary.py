"""The vocabulary: the words of segments as text, in which parts of words are looked for.

Pages are sorted, so that words of one kind of letters lie together: pages without small or without capital letters are
kept apart, and passed over when they cannot hold the part.

Knows: the pages of words.
Does not know: which blobs a word is in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from sqlite3 import Connection

import attrs

from avionics.store.postings import read_words
from avionics.store.schema import WORD

_MOST_BYTES = 400_000_000
"""The Linux kernel's words take 140 MB."""

_END = b"\n"
"""No word has one."""


class TooManyError(Exception):
    """More was found, or would have to be kept, than is of use."""


@attrs.frozen
class _Texts:
    """Words, each ended: those of pages without small letters, without capital ones, and of the others."""

    capital: bytes
    small: bytes
    mixed: bytes

    @property
    def size(self) -> int:
        return len(self.capital) + len(self.small) + len(self.mixed)

    @classmethod
    def of(cls, pages: Iterator[bytes]) -> _Texts:
        capital, small, mixed = bytearray(), bytearray(), bytearray()
        for page in pages:
            (capital if page == page.upper() else small if page == page.lower() else mixed).extend(page)
        return cls(bytes(capital), bytes(small), bytes(mixed))

    def iter_possible(self, part: bytes) -> Iterator[bytes]:
        """The texts that may hold a part."""
        if part == part.upper():
            yield self.capital
        if part == part.lower():
            yield self.small
        yield self.mixed


class Vocabulary:
    """The words of segments, read when first asked for; under one extent a segment only ever loses words."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, int], _Texts] = {}

    def find(
        self, connection: Connection, segments: Collection[tuple[int, int]], part: bytes, fold: bool, most: int
    ) -> frozenset[bytes]:
        """The words that hold a part; a folded one in lower case is found in any.

        Args:
            connection: The store's.
            segments: The extents of those to look in.
            part: Of ASCII.
            fold: Whether upper and lower case are alike.
            most: So many words are too many.

        Raises:
            TooManyError: More words hold it, or the segments have more words than can be kept.
        """
        self._read(connection, segments)
        found: set[bytes] = set()
        for extent in segments:
            texts = self._texts[extent]
            if fold:
                for text in (texts.capital, texts.small, texts.mixed):
                    _find(text, text.lower(), part, found, most)
            else:
                for text in texts.iter_possible(part):
                    _find(text, text, part, found, most)
        return frozenset(found)

    def _read(self, connection: Connection, segments: Collection[tuple[int, int]]) -> None:
        """Takes in the segments that are not known, and forgets those that are of no use any more."""
        self._texts = {extent: self._texts[extent] for extent in segments if extent in self._texts}
        held = sum(texts.size for texts in self._texts.values())
        for extent in segments:
            if extent in self._texts:
                continue
            rows = connection.execute("SELECT page FROM postings WHERE kind = ? AND segment = ?", (WORD, extent[0]))
            texts = _Texts.of(b"".join([word + _END for word in read_words(page)]) for (page,) in rows)
            held += texts.size
            if held > _MOST_BYTES:
                self._texts.clear()
                raise TooManyError
            self._texts[extent] = texts


def _find(text: bytes, searched: bytes, part: bytes, found: set[bytes], most: int) -> None:
    """Adds the words of a text at the places where the searched one, of equal length, has the part."""
    at = searched.find(part)
    while at >= 0:
        end = text.find(_END, at)
        found.add(text[text.rfind(_END, 0, at) + 1 : end])
        if len(found) > most:
            raise TooManyError
        at = searched.find(part, end)
