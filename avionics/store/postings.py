"""Postings: which blobs contain a word and how often, packed.

A posting is one number: (blob id − segment) · 65,536 + count. A segment spans at most 65,536 blob ids, and a count of
65,535 means that many or more. The sorted words of a segment are cut into pages with a fixed number of words (the
sorted string tables of Chang et al., Bigtable, OSDI 2006); a page is one row, found by its first word.
"""

from __future__ import annotations

import sys
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count, islice
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct

from avionics.bounded_cache import BoundedCache
from avionics.model.errors import IndexStateError
from avionics.model.naming import split_name
from avionics.store.payload import from_payload, to_payload

REACH = 1 << 16
"""How many blob ids one segment can span."""

PAGE_WORDS = 128
"""Larger pages mean fewer rows to write, smaller ones less to read per word; at 128 a look-up decodes about 4 kB."""

_MAX_COUNT = (1 << 16) - 1


def to_key(word: str) -> bytes:
    """Return the stored form of a word; it exists for every text, even with broken surrogates."""
    return word.encode("utf-8", "surrogatepass")


def from_key(key: bytes) -> str:
    """Return the word of a stored key."""
    return key.decode("utf-8", "surrogatepass")


class NumberedWords(Struct, frozen=True, array_like=True):
    """The words of a content as numbers of a vocabulary, which take a third of the space of the words.

    Attributes:
        start: The size of the vocabulary before this content; 0 begins another vocabulary.
        new: The words that this content adds to the vocabulary.
        numbers: The numbers of its words, as packed 32-bit numbers.
        counts: How often each of them occurs, as packed 16-bit numbers.
    """

    start: int = 0
    new: tuple[str, ...] = ()
    numbers: bytes = b""
    counts: bytes = b""


class Vocabulary:
    """Gives words numbers, in the order in which they are first seen."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = defaultdict(count().__next__)
        self._returned = 0

    def to_numbers(self, counts: Mapping[str, int]) -> NumberedWords:
        """Return the words of a content as numbers; words added by a call that failed count as new in the next one."""
        known, start = self._numbers, self._returned
        numbers = array("I", map(known.__getitem__, counts)).tobytes()
        try:
            times = array("H", counts.values())
        except OverflowError:
            times = array("H", _limit_counts(counts).values())
        new = tuple(islice(reversed(known), len(known) - start))[::-1]
        self._returned = len(known)
        return NumberedWords(start, new, numbers, times.tobytes())


class Inversion:
    """Collects word → postings over the blobs of a new segment."""

    def __init__(self) -> None:
        self.pairs = 0
        self._pairs_by_word: dict[str, array[int]] = defaultdict(partial(array, "I"))
        self._vocabulary: Sequence[str] = ()
        self._numbered: list[array[int]] = []

    @property
    def words(self) -> int:
        """Return the number of words."""
        return len(self._pairs_by_word)

    def add_counts(self, offset: int, counts: Mapping[str, int]) -> None:
        """Add the words of the blob that is `offset` after the segment's first."""
        base = offset << 16
        table = self._pairs_by_word
        for word, times in _limit_counts(counts).items():
            table[word].append(base | times)
        self.pairs += len(counts)

    def add_numbered(self, offset: int, vocabulary: Sequence[str], words: NumberedWords) -> None:
        """Add a blob's words by their numbers in a growing vocabulary. Raise `IndexStateError` for unknown ones."""
        if self._vocabulary is not vocabulary:
            self._vocabulary, self._numbered = vocabulary, []
        numbered = self._numbered
        numbered.extend(map(self._pairs_by_word.__getitem__, vocabulary[len(numbered) :]))
        numbers, base = array("I", words.numbers), offset << 16
        try:
            for number, times in zip(numbers, array("H", words.counts), strict=True):
                numbered[number].append(base | times)
        except (IndexError, ValueError) as error:
            raise IndexStateError(
                "the words of a file are damaged", hint="ask again; the files will be indexed again"
            ) from error
        self.pairs += len(numbers)

    def add_names(self, offset: int, names: Collection[str]) -> None:
        """Add different names, each with count 1."""
        pair, table = offset << 16 | 1, self._pairs_by_word
        for name in names:
            table[name].append(pair)
        self.pairs += len(names)

    def add_packed(self, offset: int, numbers: Mapping[str, bytes]) -> None:
        """Add 16-bit numbers in place of counts, any number per name."""
        base = offset << 16
        table = self._pairs_by_word
        for word, packed in numbers.items():
            found = array("H", packed)
            table[word].extend([base | number for number in found])
            self.pairs += len(found)

    def joined(self, other: Inversion) -> Inversion:
        """Return these postings and others, which describe different blobs."""
        whole = Inversion()
        whole.pairs = self.pairs + other.pairs
        table = whole._pairs_by_word
        table.update(self._pairs_by_word)
        for word, pairs in other._pairs_by_word.items():
            own = table.get(word)
            if not own or not pairs or own[-1] < pairs[0]:
                table[word] = own + pairs if own else pairs
            else:
                table[word] = array("I", sorted(own + pairs))
        return whole

    def gather_terms(self) -> Inversion:
        """Return the lower-case parts of the words, each with the postings of the words that it is a proper part of."""
        of_one: dict[str, array[int]] = {}
        of_several: dict[str, array[int]] = {}
        for word, pairs in self._pairs_by_word.items():
            if not pairs or (word.islower() and word.isalpha() and word.isascii()):
                continue  # The word has no parts, or occurs only in files that are not code.
            for term in split_name(word):
                if term == word:
                    continue
                if (gathered := of_several.get(term)) is not None:
                    gathered.extend(pairs)
                elif (first := of_one.pop(term, None)) is not None:
                    of_several[term] = first + pairs
                else:
                    of_one[term] = pairs
        terms = Inversion()
        terms._pairs_by_word.update(of_one)
        terms._pairs_by_word.update((term, _add_up(pairs)) for term, pairs in of_several.items())
        terms.pairs = sum(map(len, terms._pairs_by_word.values()))
        return terms

    def without(self, offsets: Collection[int]) -> Inversion:
        """Return the inversion without the blobs at these offsets."""
        if not offsets:
            return self
        rest = Inversion()
        for word, pairs in self._pairs_by_word.items():
            kept = array("I", [pair for pair in pairs if pair >> 16 not in offsets])
            if kept:
                rest._pairs_by_word[word] = kept
                rest.pairs += len(kept)
        return rest

    def to_rows(self) -> WordRows:
        """Return the words with their packed postings; the order of words as text equals that of their bytes."""
        table = self._pairs_by_word
        words = sorted([word for word, pairs in table.items() if pairs])
        keys = [word.encode("utf-8", "surrogatepass") for word in words]
        return WordRows(keys, [table[word] for word in words])


def _limit_counts(counts: Mapping[str, int]) -> Mapping[str, int]:
    """Return the counts, limited to the largest that a posting can hold."""
    if max(counts.values(), default=0) <= _MAX_COUNT:
        return counts
    return {word: min(times, _MAX_COUNT) for word, times in counts.items()}


def _add_up(pairs: array[int]) -> array[int]:
    """Return one posting per blob."""
    counts: dict[int, int] = {}
    for pair in pairs:
        at = pair >> 16
        counts[at] = counts.get(at, 0) + (pair & _MAX_COUNT)
    if len(counts) == len(pairs):
        return pairs
    return array("I", [at << 16 | min(count, _MAX_COUNT) for at, count in sorted(counts.items())])


class WordRows(Struct, frozen=True, gc=False):
    """Sorted words, and the postings of each, packed or as an array."""

    words: Sequence[bytes]
    pairs: Sequence[bytes] | Sequence[array[int]]

    @property
    def size(self) -> int:
        """Return the number of postings."""
        return sum(memoryview(pairs).nbytes for pairs in self.pairs) // 4

    @classmethod
    def of(cls, table: Mapping[bytes, bytes]) -> WordRows:
        """Return the rows of a table of words."""
        words = sorted(table)
        return cls(words, [table[word] for word in words])

    def iter_pages(self) -> Iterator[WordPage]:
        """Yield the pages in order; a page records the range of words that belong on it.

        The first page starts before any word and exists even if there are no words, so that absence can be proven.
        """
        words, size = self.words, PAGE_WORDS
        for start in range(0, len(words) or 1, size):
            end = start + size
            chosen, first = words[start:end], words[start] if start else b""
            after = words[end] if end < len(words) else None
            packed = list(map(bytes, self.pairs[start:end]))
            yield WordPage(first, to_payload((chosen, packed, first, after)), chosen)


class WordPage(NamedTuple):
    """A page of words, the first of them, and its payload."""

    first: bytes
    data: bytes
    words: Sequence[bytes]


def select_postings(rows: Iterable[tuple[bytes, bytes]], is_kept: Callable[[int], bool]) -> dict[bytes, bytes]:
    """Return the words with their packed postings at the offsets to be kept; no word without any."""
    kept = ((word, array("I", [pair for pair in unpack(data) if is_kept(pair >> 16)])) for word, data in rows)
    return {word: pairs.tobytes() for word, pairs in kept if pairs}


def open_page(data: bytes) -> Mapping[bytes, bytes]:
    """Return word → packed postings of a page. Raise `IndexStateError` if the page is damaged."""
    return _open(data)[0]


def is_on_page(data: bytes, word: bytes) -> bool:
    """Return whether the page is the one where a word belongs. Raise `IndexStateError` if the page is damaged."""
    _, first, end = _open(data)
    return first <= word and (end is None or word < end)


def get_pairs(data: bytes | None, word: bytes) -> bytes | None:
    """Return the packed postings of a word on the page where it belongs, or None if it has none.

    Raise `IndexStateError` if the page is damaged, or the word does not belong on it.
    """
    if data is not None:
        pairs, first, end = _open(data)
        if first <= word and (end is None or word < end):
            return pairs.get(word)
    raise IndexStateError("the stored words are damaged", hint="ask again; the files will be indexed again")


_Page = tuple[Mapping[bytes, bytes], bytes, bytes | None]
_pages: BoundedCache[bytes, _Page] = BoundedCache(
    10_000_000, lambda page: 150 * len(page[0]) + sum(map(len, page[0].values()))
)
"""The last pages, by their payloads; some 400 of the usual size."""


def _open(data: bytes) -> _Page:
    """Return the words of a page and its bounds."""
    page = _pages.get(data)
    if page is None:
        words, pairs, first, end = from_payload(data)
        page = MappingProxyType(dict(zip(words, pairs, strict=True))), first, end
        _pages.put(data, page)
    return page


def unpack(data: bytes) -> array[int]:
    """Decode the postings of a word."""
    return array("I", data)


class Postings:
    """Where some words occur, by the first blob ids of segments; contents are decoded when asked for."""

    def __init__(self, parts: Iterable[tuple[int, bytes]]) -> None:
        self._parts = tuple(parts)

    @classmethod
    def joined(cls, first: Postings, second: Postings) -> Postings:
        """Return the postings of two stores that share no blob ids."""
        return cls((*first._parts, *second._parts))

    @property
    def size(self) -> int:
        """Return the number of postings; one per content and word."""
        return sum(len(pairs) for _, pairs in self._parts) // 4

    def count(self, among: Collection[int] | None = None) -> dict[int, int]:
        """Return blob id → how often any of the words occurs in it, for all contents or some."""
        by_segment: defaultdict[int, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
        for segment, pairs in self._parts:
            offsets = by_segment[segment]
            for pair in unpack(pairs):
                offsets[pair >> 16] += pair & 0xFFFF
        counts: dict[int, int] = {}
        for segment, offsets in by_segment.items():
            # All words of a content are in one segment.
            counts.update(zip(map(segment.__add__, offsets), offsets.values(), strict=True))
        return counts if among is None else {blob: counts[blob] for blob in among if blob in counts}

    def iter_blobs(self) -> Iterator[int]:
        """Yield the contents in which any of the words occurs, some more than once."""
        return (segment + (pair >> 16) for segment, pairs in self._parts for pair in unpack(pairs))


def shift(data: bytes, blobs: int) -> bytes:
    """Return packed postings relative to a segment that starts this many blob ids earlier."""
    # One addition of large numbers adds to all postings: no sum is too large for a posting, so nothing is carried.
    steps = array("I", (blobs << 16,)) * (len(data) // 4)
    total = int.from_bytes(data, sys.byteorder) + int.from_bytes(steps.tobytes(), sys.byteorder)
    return total.to_bytes(len(data), sys.byteorder)
