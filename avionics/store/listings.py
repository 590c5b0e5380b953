"""Listings: the files of a workspace, in chunks that workspaces share.

A checkout of the same files elsewhere differs only in times and inodes. Chunk boundaries depend on a checksum of the
path (content-defined chunking, Muthitacharoen et al., LBFS, SOSP 2001), so that adding a file changes one chunk.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, overload

from avionics.store.payload import from_payload, to_payload

SHARED = 5
"""The number of leading columns that are equal for equal files: path, content, language, blob, size."""

_CHUNKS = 32
_MIN_ROWS, _MAX_ROWS = 8, 256
"""The range of the mean rows per chunk: large chunks make a change expensive, small ones make reading slow."""

_INTEGER = "q"
_OID_BYTES = 20
_NO_OID = bytes(_OID_BYTES)


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
        # Inflating small chunks takes longer than the rest of reading a snapshot.
        data = to_payload(_pack([list(column[start:end]) for column in columns[:SHARED]]), compress=False)
        chunks[hashlib.blake2b(data, digest_size=16).hexdigest()] = data
    return chunks


def to_columns(chunks: Iterable[bytes]) -> list[Sequence[Any]]:
    """Decode the columns of chunks; contents are built on demand. Raise `IndexStateError` for damaged chunks."""
    parts = [_unpack(from_payload(data)) for data in chunks]
    if not parts:
        return []
    paths, oids, languages, blobs, sizes = zip(*parts, strict=True)
    is_packed = all(isinstance(each, bytes) for each in oids)
    contents = PackedOids(b"".join(oids)) if is_packed else [*chain.from_iterable(map(_list_oids, oids))]
    return [
        [*chain.from_iterable(paths)], contents, [*chain.from_iterable(languages)], _join_numbers(blobs),
        _join_numbers(sizes),
    ]  # fmt: skip


class PackedOids(Sequence[str]):
    """The blob ids of git of many contents, 20 bytes each; "" for none."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data) // _OID_BYTES

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        data = self._data[at * _OID_BYTES : (at + 1) * _OID_BYTES]
        if not data:
            raise IndexError(at)
        return "" if data == _NO_OID else data.hex()

    def is_given(self, at: int) -> bool:
        """Return whether there is an id."""
        return self._data[at * _OID_BYTES : (at + 1) * _OID_BYTES] != _NO_OID


def _pack(columns: Sequence[list[Any]]) -> list[Any]:
    """Return the shared columns in a form that takes little time to decode."""
    paths, oids, languages, blobs, sizes = columns
    names = list(dict.fromkeys(languages))
    numbers = {name: number for number, name in enumerate(names)}
    return [
        paths, _pack_oids(oids), names, bytes(map(numbers.__getitem__, languages)), _pack_numbers(blobs),
        _pack_numbers(sizes),
    ]  # fmt: skip


def _unpack(part: list[Any]) -> tuple[list[str], Any, Iterable[str], Any, Any]:
    """Return the shared columns of a chunk; those of earlier versions were not packed."""
    if len(part) == SHARED:
        paths, oids, languages, blobs, sizes = part
        return paths, oids, languages, blobs, sizes
    paths, oids, names, numbers, blobs, sizes = part
    return paths, oids, map(names.__getitem__, numbers), blobs, sizes


def _pack_oids(oids: Sequence[str]) -> bytes | list[str]:
    """Return the ids as bytes, or as they are if one is of another form."""
    try:
        data = b"".join(bytes.fromhex(oid) if oid else _NO_OID for oid in oids)
    except ValueError:
        return list(oids)
    is_whole = len(data) == _OID_BYTES * len(oids)
    return data if is_whole and list(PackedOids(data)) == list(oids) else list(oids)


def _list_oids(oids: bytes | list[str]) -> Sequence[str]:
    return PackedOids(oids) if isinstance(oids, bytes) else oids


def _pack_numbers(numbers: Sequence[int]) -> bytes | list[int]:
    """Return the numbers as bytes, or as they are if one is too large."""
    try:
        return array(_INTEGER, numbers).tobytes()
    except OverflowError:
        return list(numbers)


def _join_numbers(parts: Sequence[bytes | list[int]]) -> Sequence[int]:
    if all(isinstance(each, bytes) for each in parts):
        return array(_INTEGER, b"".join(parts))  # type: ignore[arg-type]
    return [*chain.from_iterable(array(_INTEGER, each) if isinstance(each, bytes) else each for each in parts)]


def to_own(columns: Sequence[Sequence[int]]) -> list[bytes | list[int]]:
    """Return the other columns, which hold integers."""
    return [_pack_numbers(column) for column in columns[SHARED:]]


def join(
    found: Mapping[str, bytes], digests: Sequence[str], own: Sequence[bytes | list[int]]
) -> list[Sequence[Any]] | None:
    """Return all columns, or None if a chunk is missing. Raise `IndexStateError` if a chunk is damaged."""
    if any(digest not in found for digest in digests):
        return None
    return [*to_columns(found[digest] for digest in digests), *(_join_numbers((each,)) for each in own)]
