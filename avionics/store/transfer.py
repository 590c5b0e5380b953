"""Export contents of a store to a file, and import them into another one. Uses have separate files.

A file is a header line followed by records: length, digest, compressed data. Records are independent, so a damaged
one costs only its own contents. An importer trusts only the facts: it executes nothing, does not rely on sizes, and
decodes every row before storing it.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from typing import IO, Any, TypeVar

from msgspec import DecodeError, Struct, ValidationError, msgpack

from avionics.model.errors import IndexStateError
from avionics.store.codec import BlobKey, decode_facts, decode_uses, layout_version
from avionics.store.postings import WordRows, select_postings, unpack
from avionics.store.reader import iter_words, read_blob_ids
from avionics.store.schema import KINDS, WORD
from avionics.store.session import Session
from avionics.store.vocabulary import plan_segment
from avionics.store.writer import insert_segment, require_first

MAGIC, USES_MAGIC = b"avionics facts 1\n", b"avionics uses 1\n"

_DIGEST_BYTES = 32
_MAX_BYTES = 512_000_000
"""A record holds the facts of at most one segment; no genuine one comes near this size."""

_MAX_CONTENTS = 1 << 16

Decoded = TypeVar("Decoded")
_Row = tuple[int, str, str, int, int, int, str | None, bytes | None]
"""Offset, git blob id, language, lines, words, symbols, problem, outline."""

_WORDS = 4
"""The column with the number of words."""

_encode = msgpack.Encoder().encode
_decode = msgpack.Decoder(tuple[int, int, list[_Row], dict[int, dict[bytes, bytes]]]).decode
_decode_use_rows = msgpack.Decoder(tuple[int, int, list[tuple[str, str, bytes]]]).decode


class Taken(Struct, frozen=True):
    """What an import added.

    Attributes:
        contents: The number of contents that are new.
        known: The number of contents that were stored already.
        damaged: The number of records and contents skipped because they are damaged or of another version.
    """

    contents: int
    known: int
    damaged: int


def write_contents(session: Session, extractor_version: int, blobs: Collection[int], file: IO[bytes]) -> int:
    """Write the facts of some contents and return how many there are.

    Raise `IndexStateError` if the store cannot be read, or `OSError` if the file cannot be written.
    """
    file.write(MAGIC)
    count = 0
    with session.reading() as connection:
        segments = connection.execute("SELECT id, last FROM segments ORDER BY id").fetchall()
    for first, last in segments:
        rows, words = _read_segment(session, first, last, blobs)
        if rows:
            record = zlib.compress(_encode((layout_version(), extractor_version, rows, words)), 6)
            file.write(len(record).to_bytes(8, "little") + _digest(record) + record)
            count += len(rows)
    return count


def take_contents(
    session: Session, extractor_version: int, file: IO[bytes], wanted: Container[tuple[str, str]] | None = None
) -> Taken:
    """Import the contents of a file that are not stored yet: those of wanted blob ids and languages, by default all.

    Raise `IndexStateError` if it is not an export file, or the store cannot be written.
    """
    if file.read(len(MAGIC)) != MAGIC:
        raise IndexStateError(
            "not a file written by `avionics export`", hint="give a file that `avionics export` wrote"
        )
    contents = known = damaged = 0
    for record in _iter_records(file):
        opened = None if record is None else _open_record(record, extractor_version)
        if opened is None:
            damaged += 1
            continue
        rows, words, bad = opened
        rows = [row for row in rows if wanted is None or row[1:3] in wanted]
        taken = _take(session, extractor_version, rows, words)
        contents, known, damaged = contents + taken, known + len(rows) - taken, damaged + bad
    return Taken(contents, known, damaged)


def write_uses(
    session: Session, extractor_version: int, blobs: Mapping[int, BlobKey], file: IO[bytes]
) -> list[BlobKey]:
    """Write the uses of some contents as one record, and return the contents whose uses are stored.

    Raise `IndexStateError` if the store cannot be read, or `OSError` if the file cannot be written.
    """
    query = "SELECT blob, data FROM uses WHERE blob IN (SELECT value FROM json_each(?)) ORDER BY blob"
    with session.reading() as connection:
        found = connection.execute(query, (f"[{','.join(map(str, blobs))}]",)).fetchall()
    rows = [(*blobs[blob], data) for blob, data in found]
    # The uses of each content are already compressed.
    record = _encode((layout_version(), extractor_version, rows))
    file.write(USES_MAGIC + len(record).to_bytes(8, "little") + _digest(record) + record)
    return [blobs[blob] for blob, _ in found]


def take_uses(session: Session, extractor_version: int, file: IO[bytes]) -> None:
    """Store the uses in a file that belong to contents of the store; what is damaged or of another version is skipped.

    Raise `IndexStateError` if the store cannot be written.
    """
    if file.read(len(USES_MAGIC)) != USES_MAGIC:
        return
    for record in _iter_records(file):
        try:
            layout, version, rows = (0, 0, []) if record is None else _decode_use_rows(record)
        except (DecodeError, ValidationError):
            continue
        if (layout, version) != (layout_version(), extractor_version):
            continue
        sound = {(oid, language): data for oid, language, data in rows if _try_decode(decode_uses, data)}
        with session.writing() as connection:
            known = read_blob_ids(connection, sound, extractor_version)
            found = [(blob, sound[key]) for key, blob in known.items()]
            connection.executemany("INSERT OR IGNORE INTO uses VALUES (?, ?)", found)


def _read_segment(
    session: Session, first: int, last: int, blobs: Collection[int]
) -> tuple[list[tuple[Any, ...]], dict[int, dict[bytes, bytes]]]:
    """Return the rows of the wanted contents of a segment, and kind → word → their postings."""
    query = """SELECT id - ?, oid, language, lines, words, symbols, problem, data FROM blobs
        LEFT JOIN facts ON facts.blob = blobs.id WHERE blobs.id BETWEEN ? AND ?"""
    with session.reading() as connection:
        found = connection.execute(query, (first, first, last)).fetchall()
        rows = [row for row in found if row[0] + first in blobs]
        offsets = {row[0] for row in rows}
        words: dict[int, dict[bytes, bytes]] = {}
        for kind in KINDS if rows else ():
            words[kind] = select_postings(iter_words(connection, kind, first), offsets.__contains__)
    # The ranges of merged segments overlap: a content belongs to the one that has its words.
    held = {pair >> 16 for data in words.get(WORD, {}).values() for pair in unpack(data)}
    return [row for row in rows if row[0] in held or not row[_WORDS]], words


def _iter_records(file: IO[bytes]) -> Iterator[bytes | None]:
    """Yield the records, None for a damaged one; stop at a length that cannot be right."""
    while head := file.read(8 + _DIGEST_BYTES):
        size = int.from_bytes(head[:8], "little")
        if len(head) < 8 + _DIGEST_BYTES or size > _MAX_BYTES:
            yield None
            return
        record = file.read(size)
        yield record if _digest(record) == head[8:] else None


def _open_record(record: bytes, extractor_version: int) -> tuple[list[_Row], dict[int, dict[bytes, bytes]], int] | None:
    """Return a record's valid rows, its words, and the number of invalid rows; None if it cannot be used."""
    inflate = zlib.decompressobj()
    try:
        data = inflate.decompress(record, _MAX_BYTES)
        if inflate.unconsumed_tail or not inflate.eof:
            return None
        layout, version, rows, words = _decode(data)
    except (zlib.error, DecodeError, ValidationError):
        return None
    if (layout, version) != (layout_version(), extractor_version) or set(words) - set(KINDS):
        return None
    if any(len(data) % 4 for table in words.values() for data in table.values()):
        return None
    sound = [row for row in rows if _is_sound(row)]
    is_clear = len({row[0] for row in sound}) == len({row[1:3] for row in sound}) == len(sound)
    return (sound, words, len(rows) - len(sound)) if is_clear else None


def _is_sound(row: _Row) -> bool:
    """Return whether a row could have been written by this program."""
    offset, oid, language, *counts, problem, outline = row
    is_oid = len(oid) == 40 and not oid.strip("0123456789abcdef")
    if not 0 <= offset < _MAX_CONTENTS or not is_oid or any(not 0 <= count < 1 << 40 for count in counts):
        return False
    if outline is None:
        return problem is not None
    facts = _try_decode(decode_facts, outline)
    return facts is not None and (facts.language == "") == (language == "")


def _try_decode(decode: Callable[[bytes], Decoded], data: bytes) -> Decoded | None:
    """Return a decoded payload, None for one that this program could not have written."""
    try:
        return decode(data)
    except (IndexStateError, ValueError, TypeError, LookupError, AttributeError, RecursionError, zlib.error):
        return None


def _take(
    session: Session, extractor_version: int, rows: list[_Row], words: Mapping[int, Mapping[bytes, bytes]]
) -> int:
    """Store the new rows with their words as one segment and return how many there are."""
    with session.writing() as connection:
        known = read_blob_ids(connection, {row[1:3] for row in rows}, extractor_version)
        fresh = [row for row in rows if row[1:3] not in known]
        if not fresh:
            return 0
        first, last = require_first(connection), max(row[0] for row in fresh)
        offsets = {row[0] for row in fresh}
        kept = ((kind, select_postings(words.get(kind, {}).items(), offsets.__contains__)) for kind in KINDS)
        planned = plan_segment(((kind, WordRows.of(table)) for kind, table in kept), last)
        blobs = [(first + row[0], *row[1:3], extractor_version, *row[3:7]) for row in fresh]
        outlines = [(first + row[0], row[7]) for row in fresh if row[7] is not None]
        connection.executemany("INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", blobs)
        connection.executemany("INSERT INTO facts VALUES (?, ?)", outlines)
        insert_segment(connection, first, first + last, planned)
    return len(fresh)


def _digest(record: bytes) -> bytes:
    return hashlib.blake2b(record, digest_size=_DIGEST_BYTES).digest()
