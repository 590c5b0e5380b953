"""Find substrings of words.

For each segment of many pages the store keeps which trigrams are on which pages (the trigram index of Cox, "Regular
Expression Matching with a Trigram Index", 2012, over words instead of documents): a substring can only be on the pages
that have all its trigrams. Case is ignored.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from operator import sub
from sqlite3 import Connection

from msgspec import Struct

from avionics.model.errors import IndexStateError
from avionics.store.postings import WordRows, get_pairs, open_page, unpack
from avionics.store.schema import LOOSE, PART, WORD

Row = tuple[int, bytes, bytes]
"""Kind, first word, page."""

MIN_PART_LENGTH = 3
"""Shorter substrings are not searched, because nearly every page has a word with two given letters."""

_PAGES_THRESHOLD = 64
"""Reading this few takes about as long as determining which of them to read."""

_MAX_PAGES = 1_000
"""Reading more, at some 60 µs each, saves little: the substring is in very many words, or no trigrams are stored."""

_LEFT_THRESHOLD = 2
"""With so few pages left, read them instead of looking up another trigram."""

_END = b"\n"
"""A character that no word contains."""

_LONG_STEP = 255


class TooManyError(Exception):
    """More words match, or more pages would be read, than is useful."""


class SegmentRows(Struct, frozen=True):
    """The rows of a segment, in order, and the number of its postings apart from those of free names."""

    rows: Sequence[Row]
    pairs: int


def plan_segment(tables: Iterable[tuple[int, WordRows]], span: int) -> SegmentRows:
    """Return the pages of words of each kind, and the rows that say where trigrams are.

    There are `span` blob ids between the first and the last of the segment.
    """
    rows: list[Row] = []
    texts: list[bytes] = []
    pairs = 0
    for kind, table in tables:
        pairs += table.size if kind != LOOSE else 0
        for page in table.iter_pages():
            rows.append((kind, page.first, page.data))
            if kind == WORD:
                texts.append(_END.join(page.words).lower())
    return SegmentRows(rows + _plan_parts(texts, span), pairs)


def _plan_parts(texts: Sequence[bytes], span: int) -> list[Row]:
    """Return the rows that map trigrams to pages of words, given by their texts; none if there are few pages."""
    if not _PAGES_THRESHOLD < len(texts) < 1 << 16:
        return []
    places: defaultdict[int, list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        for three in _read_threes(text):
            places[three].append(number)
    keys = {three: three.to_bytes(MIN_PART_LENGTH, "little") for three in places}
    rows = {key: _to_steps(places[three]) for three, key in keys.items() if _END not in key}
    rows[b""] = _to_steps((span,))
    return [(PART, page.first, page.data) for page in WordRows.of(rows).iter_pages()]


def read_holders(
    connection: Connection, segments: Iterable[tuple[int, int]], part: bytes, *, fold: bool, most: int
) -> frozenset[int]:
    """Return the blobs in which a word contains a substring, in segments given by their first and last blob id.

    The part is ASCII, not shorter than `MIN_PART_LENGTH`, and lower case if folded. Raise `TooManyError` if more than
    `most` words contain it, or too many pages would have to be read.
    """
    words: set[bytes] = set()
    blobs: set[int] = set()
    left = _MAX_PAGES
    for first, last in segments:
        for page in islice(_iter_possible(connection, first, last - first, part.lower()), left + 1):
            left -= 1
            for word, pairs in open_page(page).items():
                if part in (word.lower() if fold else word):
                    words.add(word)
                    blobs.update([first + (pair >> 16) for pair in unpack(pairs)])
            if left < 0 or len(words) > most:
                raise TooManyError
    return frozenset(blobs)


def _iter_possible(connection: Connection, segment: int, span: int, part: bytes) -> Iterator[bytes]:
    """Yield the pages of a segment that may have a word with a lower-case substring."""
    numbers = _read_numbers(connection, segment, span, part)
    query = "SELECT page FROM postings WHERE kind = ? AND segment = ? ORDER BY first"
    if numbers is None:
        yield from (page for (page,) in connection.execute(query, (WORD, segment)))
        return
    for number in numbers:
        row = connection.execute(f"{query} LIMIT 1 OFFSET ?", (WORD, segment, number)).fetchone()
        if row is None:
            raise IndexStateError("the stored words are damaged", hint="ask again; the files will be indexed again")
        yield row[0]


def _read_numbers(connection: Connection, segment: int, span: int, part: bytes) -> Sequence[int] | None:
    """Return the numbers of the pages with all trigrams of a substring, or of a few more; None if none are stored.

    The rows record the extent of their segment, because one merged by an earlier version has another extent.
    """
    if _get_part(connection, segment, b"") != _to_steps((span,)):
        return None
    found: set[int] | None = None
    for at in sorted(range(len(part) - MIN_PART_LENGTH + 1), key=lambda at: (at % MIN_PART_LENGTH, at)):
        steps = _get_part(connection, segment, part[at : at + MIN_PART_LENGTH])
        numbers = _from_steps(steps or b"")
        found = set(numbers) if found is None else found.intersection(numbers)
        if len(found) <= _LEFT_THRESHOLD:
            break
    return sorted(found or ())


def _get_part(connection: Connection, segment: int, key: bytes) -> bytes | None:
    """Return the row of a trigram, or of the segment itself."""
    query = "SELECT page FROM postings WHERE kind = ? AND segment = ? AND first <= ? ORDER BY first DESC LIMIT 1"
    row = connection.execute(query, (PART, segment, key)).fetchone()
    return None if row is None else get_pairs(row[0], key)


def _read_threes(text: bytes) -> set[int]:
    """Return every trigram of the bytes, as a number."""
    size = max(0, len(text) - MIN_PART_LENGTH + 1)
    spread = bytearray(4 * size)
    for at in range(MIN_PART_LENGTH):
        spread[at::4] = text[at : at + size]
    return set(struct.unpack(f"<{size}I", spread))


def _to_steps(numbers: Sequence[int]) -> bytes:
    """Encode rising numbers as differences, most of them in one byte."""
    differences = list(map(sub, numbers, chain((0,), numbers)))
    if max(differences, default=0) < _LONG_STEP:
        return bytes(differences)
    steps = bytearray()
    for step in differences:
        if step < _LONG_STEP:
            steps.append(step)
        else:
            steps.append(_LONG_STEP)
            steps += step.to_bytes(2, "little")
    return bytes(steps)


def _from_steps(steps: bytes) -> list[int]:
    """Decode what `_to_steps` encoded."""
    numbers: list[int] = []
    last = at = 0
    while at < len(steps):
        step = steps[at]
        at += 1
        if step == _LONG_STEP:
            step = int.from_bytes(steps[at : at + 2], "little")
            at += 2
        last += step
        numbers.append(last)
    return numbers
