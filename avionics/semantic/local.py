"""The embedded vector store: vectors in a file, without a server or a key.

A namespace is one file of lines: a record, or the ids of deleted records; a later line wins. Writers only append, so
two processes may write at once, and a line truncated by a crash costs that line alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import re
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from operator import itemgetter, mul
from pathlib import Path
from threading import RLock
from typing import Any

import attrs

from avionics.model.errors import SourceError, UsageError
from avionics.model.results import to_plain
from avionics.model.vectors import VectorMatch, VectorRecord


@attrs.frozen
class NormalizedVector:
    """A record prepared for comparison: its vector has length 1, or is all zeros."""

    direction: array[float]
    metadata: Mapping[str, Any]


class MemoryVectorStore:
    """An index that lives as long as the process; the reference implementation of `VectorStoreProtocol`."""

    name = "memory"

    def __init__(self) -> None:
        self._namespaces: dict[str, dict[str, NormalizedVector]] = {}
        self._lock = RLock()

    def upsert(self, namespace: str, records: Sequence[VectorRecord]) -> None:
        """Store records, in place of those with their ids. Raise `UsageError` if a vector or its dimension is wrong."""
        with self._lock:
            checked = check_vectors(records, self.get_dimension(namespace))
            self._namespaces.setdefault(namespace, {}).update(checked)

    def find_nearest(self, namespace: str, vector: Sequence[float], limit: int) -> tuple[VectorMatch, ...]:
        """Return the records nearest to a vector by cosine similarity, nearest first, ties in the order of their ids.

        Raise `UsageError` if the vector does not have the namespace's dimension.
        """
        with self._lock:
            kept = dict(self._namespaces.get(namespace, {}))
        if not kept:
            return ()
        require_dimension(len(vector), self.get_dimension(namespace))
        question = _to_direction(vector)
        present = [place for place, value in enumerate(question) if value]
        if not present:
            return ()
        pick = itemgetter(*present, 0)
        weights = [*pick(question)[:-1], 0.0]
        scored = ((sum(map(mul, weights, pick(each.direction))), name) for name, each in kept.items())
        nearest = nsmallest(limit, scored, key=lambda pair: (-pair[0], pair[1]))
        return tuple(VectorMatch(name, max(-1.0, min(1.0, score)), kept[name].metadata) for score, name in nearest)

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        with self._lock:
            kept = self._namespaces.get(namespace, {})
            for name in ids:
                kept.pop(name, None)

    def get_dimension(self, namespace: str) -> int | None:
        """Return the dimension of a namespace's vectors, None if it has none."""
        with self._lock:
            return next((len(each.direction) for each in self._namespaces.get(namespace, {}).values()), None)


def check_vectors(records: Sequence[VectorRecord], dimension: int | None) -> dict[str, NormalizedVector]:
    """Return records by id, prepared for comparison. Raise `UsageError` if a vector or its dimension is wrong."""
    checked: dict[str, NormalizedVector] = {}
    for record in records:
        dimension = dimension or len(record.vector)
        require_dimension(len(record.vector), dimension)
        if not record.vector or not all(map(math.isfinite, record.vector)):
            raise UsageError(f"the vector of {record.id!r} is invalid: it needs finite numbers")
        checked[record.id] = NormalizedVector(_to_direction(record.vector), record.metadata)
    return checked


def require_dimension(given: int, wanted: int | None) -> None:
    """Raise `UsageError` for vectors of another dimension, which another embedder made."""
    if wanted is not None and given != wanted:
        raise UsageError(
            f"a vector of {given} dimensions cannot be compared with vectors of {wanted}",
            hint="the namespace was filled by another embedder: use that one, or fill it again",
        )


def _to_direction(vector: Sequence[float]) -> array[float]:
    """Return the vector scaled to length 1, in single precision as vector stores keep it."""
    length = math.hypot(*vector)
    return array("f", (value / length for value in vector) if length else vector)


@attrs.frozen
class Mark:
    """How far a file has been read, and which file it was."""

    inode: int = 0
    offset: int = 0


class LocalVectorStore:
    """An index in a directory: exact cosine similarity over the vectors of its files."""

    name = "local"

    def __init__(self, directory: Path, index: str) -> None:
        self._directory = directory / file_name_of(index)
        self._memory = MemoryVectorStore()
        self._marks: dict[str, Mark] = {}
        self._known: dict[str, dict[str, str]] = {}
        self._lock = RLock()

    def upsert(self, namespace: str, records: Sequence[VectorRecord]) -> None:
        """Store the records; unchanged ones are not written again.

        Raise `UsageError` if a vector is invalid, or not of the namespace's dimension; `SourceError` if the file cannot
        be written.
        """
        with self._lock:
            self._refresh(namespace)
            check_vectors(records, self._memory.get_dimension(namespace))
            known = self._known.get(namespace, {})
            lines = {record.id: _encode(record) for record in records}
            self._append(namespace, [line for name, line in lines.items() if known.get(name) != _digest(line)])

    def find_nearest(self, namespace: str, vector: Sequence[float], limit: int) -> tuple[VectorMatch, ...]:
        """Return the records nearest to a vector, including those another process wrote in the meantime."""
        with self._lock:
            self._refresh(namespace)
        return self._memory.find_nearest(namespace, vector, limit)

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        with self._lock:
            self._refresh(namespace)
            present = [name for name in ids if name in self._known.get(namespace, {})]
            if present:
                self._append(namespace, [json.dumps({"deleted": present})])

    def _path(self, namespace: str) -> Path:
        return self._directory / f"{file_name_of(namespace)}.jsonl"

    def _append(self, namespace: str, lines: Sequence[str]) -> None:
        """Append whole lines, beginning with a line end in case a crash truncated the last line."""
        if not lines:
            return
        data = "".join(f"\n{line}" for line in lines).encode() + b"\n"
        try:
            self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._path(namespace), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "wb", buffering=0) as file:
                file.write(data)
        except OSError as error:
            raise SourceError(f"the vectors of {namespace!r} cannot be written: {error.strerror}") from None
        self._refresh(namespace)

    def _refresh(self, namespace: str) -> None:
        """Read the text appended to the file; read a replaced or truncated file from its start."""
        mark = self._marks.get(namespace, Mark())
        try:
            with self._path(namespace).open("rb") as file:
                found = os.fstat(file.fileno())
                if (found.st_ino, found.st_size) == (mark.inode, mark.offset):
                    return
                if found.st_ino != mark.inode or found.st_size < mark.offset:
                    self._forget(namespace)
                    mark = Mark(found.st_ino)
                file.seek(mark.offset)
                whole, end, _ = file.read().rpartition(b"\n")
        except FileNotFoundError:
            self._forget(namespace)
            return
        except OSError as error:
            raise SourceError(f"the vectors of {namespace!r} cannot be read: {error.strerror}") from None
        self._learn(namespace, whole.decode("utf-8", "replace").split("\n"))
        self._marks[namespace] = Mark(mark.inode, mark.offset + len(whole) + len(end))

    def _forget(self, namespace: str) -> None:
        """Discard the cached contents of a namespace."""
        self._memory.delete(namespace, tuple(self._known.pop(namespace, ())))
        self._marks.pop(namespace, None)

    def _learn(self, namespace: str, lines: Iterable[str]) -> None:
        """Apply the lines in order; skip invalid ones."""
        known = self._known.setdefault(namespace, {})
        for line in lines:
            entry = _decode(line)
            if isinstance(entry, VectorRecord):
                self._memory.upsert(namespace, (entry,))
                known[entry.id] = _digest(line)
            elif entry:
                self._memory.delete(namespace, entry)
                for name in entry:
                    known.pop(name, None)


def file_name_of(name: str) -> str:
    """Return a unique, readable file name for a name with any characters, safe on case-insensitive systems."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return f"{readable}-{digest}" if readable else digest


def _encode(record: VectorRecord) -> str:
    """Encode a record as a line."""
    values = array("f", record.vector)
    if sys.byteorder == "big":
        values.byteswap()
    vector = base64.b64encode(values.tobytes()).decode()
    return json.dumps({"id": record.id, "vector": vector, "metadata": to_plain(record.metadata)}, allow_nan=False)


def _decode(line: str) -> VectorRecord | tuple[str, ...]:
    """Decode a line: a record, the ids it deletes, or nothing."""
    try:
        plain: Mapping[str, Any] = json.loads(line)
        if "deleted" in plain:
            return tuple(str(name) for name in plain["deleted"])
        values = array("f")
        values.frombytes(base64.b64decode(plain["vector"], validate=True))
        if sys.byteorder == "big":
            values.byteswap()
        return VectorRecord(plain["id"], tuple(values), plain["metadata"])
    except (ValueError, KeyError, TypeError):
        return ()


def _digest(line: str) -> str:
    return hashlib.blake2b(line.encode(), digest_size=16).hexdigest()
