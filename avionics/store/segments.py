"""Segments: the postings that one transaction wrote, and how small ones are merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from sqlite3 import Connection

from msgspec import Struct

from avionics.store.postings import REACH, iter_pages, open_page, shift
from avionics.store.schema import KINDS, PART
from avionics.store.vocabulary import plan_parts

_MERGED_AT_ONCE = 8
"""This many segments of similar size are merged, so that a word is looked up in few places."""

_MAX_MERGED = 1 << 16
"""Larger segments are not merged, so that no write waits for a merge longer than about 0.1 s."""


class _Segment(Struct, frozen=True):
    """The extent of a segment: its first blob id (which is its own id), its last, and its number of postings."""

    id: int
    last: int
    pairs: int

    @property
    def tier(self) -> int:
        """Return the size class; segments within a factor of eight are of similar size."""
        return self.pairs.bit_length() // 3


def require_first(connection: Connection) -> int:
    """Return the first unused blob id."""
    query = """SELECT 1 + max((SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'blobs'),
        (SELECT coalesce(max(last), 0) FROM segments))"""
    return int(connection.execute(query).fetchone()[0])


def insert_segment(
    connection: Connection, first: int, last: int, pairs: int, pages: Iterable[tuple[int, bytes, bytes]]
) -> None:
    """Write postings as (kind, first word, page), with offsets relative to the blob id `first`."""
    if not pairs:
        return
    connection.execute("INSERT INTO segments VALUES (?, ?, ?)", (first, last, pairs))
    rows = ((kind, first, word, page) for kind, word, page in pages)
    connection.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", rows)


def merge_small(connection: Connection) -> None:
    """Merge the first group of small segments that is large enough, if any."""
    tiers: dict[int, list[_Segment]] = defaultdict(list)
    query = "SELECT id, last, pairs FROM segments WHERE pairs < ? ORDER BY id"
    for row in connection.execute(query, (_MAX_MERGED,)):
        segment = _Segment(*row)
        tiers[segment.tier].append(segment)
    for segments in tiers.values():
        for start in range(len(segments) - _MERGED_AT_ONCE + 1):
            group = segments[start : start + _MERGED_AT_ONCE]
            if group[-1].last - group[0].id < REACH:
                _merge(connection, group)
                return


def _merge(connection: Connection, group: list[_Segment]) -> None:
    """Merge several segments into one."""
    first, last = group[0].id, max(each.last for each in group)
    rows: list[tuple[int, bytes, bytes]] = []
    for kind in KINDS:
        merged: dict[bytes, bytes] = defaultdict(bytes)
        for segment in group:
            where = (kind, segment.id)
            pages = connection.execute("SELECT page FROM postings WHERE kind = ? AND segment = ?", where).fetchall()
            for (page,) in pages:
                for word, pairs in open_page(page).items():
                    merged[word] += shift(pairs, segment.id - first)
        rows.extend((kind, *page) for page in iter_pages(merged))
    gone = [(kind, segment.id) for kind in (*KINDS, PART) for segment in group]
    connection.executemany("DELETE FROM postings WHERE kind = ? AND segment = ?", gone)
    connection.executemany("DELETE FROM segments WHERE id = ?", [(segment.id,) for segment in group])
    total = sum(segment.pairs for segment in group)
    insert_segment(connection, first, last, total, [*rows, *plan_parts(rows, last - first)])
