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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from types import MappingProxyType

from msgspec import DecodeError, Raw, msgpack

from avionics.model.errors import IndexStateError
from avionics.model.naming import split_name
from avionics.store.payload import from_payload, open_payload, to_payload

REACH = 1 << 16
"""How many blob ids one segment can span."""

PAGE_WORDS = 128
"""More make fewer rows to write, fewer make less to read for one word; at 128 a look-up decodes about 4 kB."""

_decode_words = msgpack.Decoder(tuple[list[bytes], Raw, Raw, Raw]).decode
_MAX_COUNT = (1 << 16) - 1


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

    @property
    def words(self) -> int:
        """How many words there are."""
        return len(self._pairs_by_word)

    def add_counts(self, offset: int, counts: Mapping[str, int]) -> None:
        """Adds the words of the blob that lies `offset` after the segment's first."""
        if counts and max(counts.values()) > _MAX_COUNT:
            counts = {word: min(count, _MAX_COUNT) for word, count in counts.items()}
        base = offset << 16
        table = self._pairs_by_word
        for word, count in counts.items():
            table[word].append(base | count)
        self.pairs += len(counts)

    def add_names(self, offset: int, names: Collection[str]) -> None:
        """Adds names, each of which occurs once."""
        self.add_counts(offset, dict.fromkeys(names, 1))

    def add_packed(self, offset: int, numbers: Mapping[str, bytes]) -> None:
        """Adds numbers of 16 bits in the place of counts, as many to a name as there are."""
        base = offset << 16
        table = self._pairs_by_word
        for word, packed in numbers.items():
            found = array("H", packed)
            table[word].extend([base | number for number in found])
            self.pairs += len(found)

    def gather_terms(self) -> Inversion:
        """The lower-case parts of the words, each with the pairs of the words it is a part of but not all of."""
        terms = Inversion()
        table = terms._pairs_by_word
        for word, pairs in self._pairs_by_word.items():
            for term in split_name(word):
                if term != word:
                    table[term].extend(pairs)
        for term, pairs in table.items():
            table[term] = added = _add_up(pairs)
            terms.pairs += len(added)
        return terms

    def without(self, offsets: Collection[int]) -> Inversion:
        """The same but for the blobs at these offsets."""
        if not offsets:
            return self
        rest = Inversion()
        for word, pairs in self._pairs_by_word.items():
            kept = array("I", [pair for pair in pairs if pair >> 16 not in offsets])
            if kept:
                rest._pairs_by_word[word] = kept
                rest.pairs += len(kept)
        return rest

    def iter_pages(self) -> Iterator[tuple[bytes, bytes]]:
        """(first word, page) in order: words in the order of their letters are so in the order of their bytes, too."""
        table = self._pairs_by_word
        words = sorted(table)
        return _iter_pages(
            len(words),
            lambda start, end: [to_key(word) for word in words[start:end]],
            lambda start, end: [table[word].tobytes() for word in words[start:end]],
        )


def _add_up(pairs: array[int]) -> array[int]:
    """One pair for each blob."""
    counts: dict[int, int] = {}
    for pair in pairs:
        at = pair >> 16
        counts[at] = counts.get(at, 0) + (pair & _MAX_COUNT)
    if len(counts) == len(pairs):
        return pairs
    return array("I", [at << 16 | min(count, _MAX_COUNT) for at, count in sorted(counts.items())])


def iter_pages(rows: Mapping[bytes, bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Word → packed pairs as pages: (first word, page) in order."""
    words = sorted(rows)
    return _iter_pages(
        len(words),
        lambda start, end: words[start:end],
        lambda start, end: [rows[word] for word in words[start:end]],
    )


def _iter_pages(
    words: int, keys: Callable[[int, int], Sequence[bytes]], pairs: Callable[[int, int], Sequence[bytes]]
) -> Iterator[tuple[bytes, bytes]]:
    """(first word, page) in order; a page knows which words would be on it.

    The first page begins before any word, and there is one even if there are no words: what is nowhere is so for sure.
    """
    for start in range(0, words or 1, PAGE_WORDS):
        chosen = keys(start, start + PAGE_WORDS)
        first = chosen[0] if start else b""
        after = keys(start + PAGE_WORDS, start + PAGE_WORDS + 1)
        yield first, to_payload((chosen, pairs(start, start + PAGE_WORDS), first, after[0] if after else None))


def open_page(data: bytes) -> Mapping[bytes, bytes]:
    """Word → packed pairs of a page.

    Raises:
        IndexStateError: The page is not what was written.
    """
    return _open(data)[0]


def read_words(data: bytes) -> Sequence[bytes]:
    """The words of a page; what goes with them is not unpacked.

    Raises:
        IndexStateError: The page is not what was written.
    """
    body, _ = open_payload(data)
    try:
        return _decode_words(body)[0]
    except DecodeError as error:
        raise IndexStateError("the stored words are damaged", hint="ask again: they will be read anew") from error


def is_on_page(data: bytes, word: bytes) -> bool:
    """Whether the page is where a word must be.

    Raises:
        IndexStateError: The page is not what was written.
    """
    _, first, end = _open(data)
    return first <= word and (end is None or word < end)


def get_pairs(data: bytes | None, word: bytes) -> bytes | None:
    """The packed pairs of a word on the page where it must be, or None when it has none.

    Raises:
        IndexStateError: The page is not what was written, or not the word's: a key or a row was damaged.
    """
    if data is not None:
        pairs, first, end = _open(data)
        if first <= word and (end is None or word < end):
            return pairs.get(word)
    raise IndexStateError("the stored words are damaged", hint="ask again: they will be read anew")


@lru_cache(maxsize=4096)
def _open(data: bytes) -> tuple[Mapping[bytes, bytes], bytes, bytes | None]:
    """The words of a page and its bounds; the pages opened last are remembered, about 40 MB of them."""
    words, pairs, first, end = from_payload(data)
    return MappingProxyType(dict(zip(words, pairs, strict=True))), first, end


def unpack(data: bytes) -> array[int]:
    """The pairs of a word."""
    return array("I", data)


class Postings:
    """Where some words occur: how often is told at once, in which contents when it is asked for.

    Args:
        parts: First blob id of a segment → the packed pairs of a word there.
    """

    def __init__(self, parts: Iterable[tuple[int, bytes]]) -> None:
        self._parts = tuple(parts)

    @property
    def size(self) -> int:
        """How many pairs there are: of one word as many as contents have it, of several each counts for itself."""
        return sum(len(pairs) for _, pairs in self._parts) // 4

    def count(self, among: Collection[int] | None = None) -> dict[int, int]:
        """Blob id → how often any of the words occurs in it, of all contents or of some; pairs of one are added up."""
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
        """The contents in which any of the words occurs, some more than once."""
        return (segment + (pair >> 16) for segment, pairs in self._parts for pair in unpack(pairs))


def shift(data: bytes, blobs: int) -> bytes:
    """Packed pairs as seen from a segment that starts so many blob ids earlier."""
    step = blobs << 16
    return array("I", [pair + step for pair in unpack(data)]).tobytes()
