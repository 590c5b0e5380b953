"""Postings: which blobs hold a word and how often, packed.

A pair is one number: (blob id − segment) · 65,536 + count, so a segment reaches over at most 65,536 blob ids and a
count of 65,535 stands for that many or more. A row is its pairs and a CRC-16 of word and pairs, which finds every
single damaged byte.

Knows: packing.
Does not know: tables, files.
"""

from __future__ import annotations

from array import array
from binascii import crc_hqx
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial

from protocols.errors import IndexStateError

REACH = 1 << 16
"""How many blob ids one segment can span."""

_LARGEST_COUNT = (1 << 16) - 1


def fold_name(name: str) -> str:
    """The name without case and underscores: how near spellings of a name are looked up."""
    return name.replace("_", "").lower()


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

    def iter_rows(self) -> Iterator[tuple[bytes, bytes]]:
        """(key, data) in the order of the keys."""
        keys = {to_key(word): pairs for word, pairs in self._pairs_by_word.items()}
        for key in sorted(keys):
            yield key, pack(key, keys[key])


def pack(key: bytes, pairs: array[int]) -> bytes:
    """The row of a word."""
    data = pairs.tobytes()
    return data + crc_hqx(key + data, 0).to_bytes(2, "little")


def unpack(key: bytes, data: bytes) -> array[int]:
    """The pairs of a row.

    Raises:
        IndexStateError: The row is not what was written.
    """
    body = data[:-2]
    if len(body) % 4 or crc_hqx(key + body, 0).to_bytes(2, "little") != data[-2:]:
        raise IndexStateError("a row of the stored index is damaged", hint="ask again: it will be rebuilt")
    return array("I", body)


def to_counts(segment: int, pairs: Iterable[int]) -> dict[int, int]:
    """Blob id → count."""
    return {segment + (pair >> 16): pair & 0xFFFF for pair in pairs}


def shift(pairs: array[int], blobs: int) -> array[int]:
    """The pairs as seen from a segment that starts so many blob ids earlier."""
    step = blobs << 16
    return array("I", [pair + step for pair in pairs])
