"""Listings: the files of a workspace, in chunks that workspaces share.

A checkout of the same files elsewhere differs only in times and inodes. Chunk boundaries depend on a checksum of the
path (content-defined chunking, Muthitacharoen et al., LBFS, SOSP 2001), so that adding a file changes one chunk.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from operator import sub
from typing import Any

from avionics.store.payload import from_payload, to_payload

SHARED = 5
"""The number of leading columns that are equal for equal files: path, content, language, blob, size."""

_CHUNKS = 32
_MIN_ROWS, _MAX_ROWS = 8, 64
"""The range of the mean rows per chunk: large chunks make a change expensive, small ones make reading slow."""

_INTEGER = "q"


def to_chunks(columns: Sequence[Sequence[object]]) -> dict[str, bytes]:
    """Return digest → payload of each chunk of the shared columns, in order."""
    import hashlib

    if not columns:
        return {}
    paths = [str(path) for path in columns[0]]
    rows = min(max(_MIN_ROWS, 1 << (len(paths) // _CHUNKS).bit_length()), _MAX_ROWS)
    cuts = [at + 1 for at, path in enumerate(paths) if zlib.crc32(path.encode("utf-8", "surrogatepass")) % rows == 0]
    bounds = dict.fromkeys((0, *cuts, len(paths)))
    starts = list(bounds)
    chunks: dict[str, bytes] = {}
    for start, end in pairwise(starts):
        data = to_payload([list(column[start:end]) for column in columns[:SHARED]])
        chunks[hashlib.blake2b(data, digest_size=16).hexdigest()] = data
    return chunks


def to_columns(chunks: Iterable[bytes]) -> list[list[Any]]:
    """Decode the shared columns of chunks.

    Raises:
        IndexStateError: A chunk is damaged.
    """
    columns: list[list[Any]] = []
    for data in chunks:
        part = from_payload(data)
        if not columns:
            columns = part
        else:
            for column, more in zip(columns, part, strict=True):
                column.extend(more)
    return columns


def to_own(columns: Sequence[Sequence[int]]) -> list[bytes | list[int]]:
    """Return the other columns, which hold integers, as differences between rows; unchanged where one is too large."""
    return [_to_steps(column) for column in columns[SHARED:]]


def join(
    found: Mapping[str, bytes], digests: Sequence[str], own: Sequence[bytes | list[int]]
) -> list[list[Any]] | None:
    """Return all columns, or None if a chunk is missing.

    Raises:
        IndexStateError: A chunk is damaged.
    """
    if any(digest not in found for digest in digests):
        return None
    return [*to_columns(found[digest] for digest in digests), *map(_from_steps, own)]


def _to_steps(column: Sequence[int]) -> bytes | list[int]:
    try:
        return array(_INTEGER, map(sub, column, (0, *column))).tobytes()
    except OverflowError:
        return list(column)


def _from_steps(data: bytes | list[int]) -> list[int]:
    return list(accumulate(array(_INTEGER, data))) if isinstance(data, bytes) else data
