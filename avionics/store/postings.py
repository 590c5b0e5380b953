"""Postings: which blobs hold a word and how often, packed.

A pair is one number: (blob id − segment) · 65,536 + count, so a segment reaches over at most 65,536 blob ids and a
count of 65,535 stands for that many or more. The words of a segment, in order, are cut into pages of a fixed number
of words (the sorted string tables of Chang et al., Bigtable, OSDI 2006): a page is one row, found by its first word.

Knows: packing.
Does not know: tables, files.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from types import MappingProxyType

from avionics.store.payload import from_payload, to_payload
from protocols.naming import split_name

REACH = 1 << 16
"""How many blob ids one segment can span."""

PAGE_WORDS = 128
"""More make fewer rows to write, fewer make less to read for one word; at 128 a look-up decodes about 4 kB."""

_LARGEST_COUNT = (1 << 16) - 1


def to_key(word: str) -> bytes:
    """The word as it is stored; any text has one, broken surrogates too."""
    return word.encode("utf-8", "surrogatepass")


def from_key(key: bytes) -> str:
    """The word of a stored key."""
    return key.decode("utf-8", "surrogatepass")


class Inversion:
    """Gathers word → pairs over the blobs of a segment to be."""

    def __init__(self) -> None:
        self.pairs = 0
        self._pairs_by_word: dict[str, array[int]] = defaultdict(partial(array, "I"))

    def add_counts(self, offset: int, counts: Mapping[str, int]) -> None:
        """Adds the words of the blob that lies `offset` after the segment's first."""
        if counts and max(counts.values()) > _LARGEST_COUNT:
            counts = {word: min(count, _LARGEST_COUNT) for word, count in counts.items()}
        base = offset << 16
        table = self._pairs_by_word
        for word, count in counts.items():
            table[word].append(base | count)
        self.pairs += len(counts)

    def add_names(self, offset: int, names: Collection[str]) -> None:
        """Adds names, each of which occurs once."""
        self.add_counts(offset, dict.fromkeys(names, 1))

    def gather_terms(self) -> Inversion:
        """The lower-case parts of the words, each with the pairs of the words it is a part of but not all of."""
        terms = Inversion()
        table = terms._pairs_by_word
        for word, pairs in self._pairs_by_word.items():
            for term in split_name(word):
                if term != word:
                    table[term].extend(pairs)
                    terms.pairs += len(pairs)
        return terms

    def iter_pages(self) -> Iterator[tuple[bytes, bytes]]:
        """(first word, page) in order."""
        return iter_pages({to_key(word): pairs.tobytes() for word, pairs in self._pairs_by_word.items()})


def iter_pages(rows: Mapping[bytes, bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Word → packed pairs as pages: (first word, page) in order."""
    words = sorted(rows)
    for start in range(0, len(words), PAGE_WORDS):
        chosen = words[start : start + PAGE_WORDS]
        yield chosen[0], to_payload((chosen, [rows[word] for word in chosen]), squeeze=False)


@lru_cache(maxsize=1024)
def open_page(data: bytes) -> Mapping[bytes, bytes]:
    """Word → packed pairs of a page; the pages opened last are remembered, about 10 MB of them.

    Raises:
        IndexStateError: The page is not what was written.
    """
    words, pairs = from_payload(data)
    return MappingProxyType(dict(zip(words, pairs, strict=True)))


def unpack(data: bytes) -> array[int]:
    """The pairs of a word."""
    return array("I", data)


def to_counts(segment: int, pairs: Iterable[int]) -> dict[int, int]:
    """Blob id → count; pairs of one blob are added up."""
    counts: dict[int, int] = {}
    for pair in pairs:
        blob = segment + (pair >> 16)
        counts[blob] = counts.get(blob, 0) + (pair & 0xFFFF)
    return counts


def shift(data: bytes, blobs: int) -> bytes:
    """Packed pairs as seen from a segment that starts so many blob ids earlier."""
    step = blobs << 16
    return array("I", [pair + step for pair in unpack(data)]).tobytes()
