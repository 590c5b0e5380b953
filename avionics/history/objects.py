"""Read blobs and trees of any revision from git objects, without a checkout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import IO

import attrs

from avionics.history.repo import GitRepository
from avionics.model.errors import HistoryError

_BATCH = 1000
"""Blobs per git process, so that its time limit applies to a batch and not to a whole revision."""


@attrs.frozen
class TreeEntry:
    """A file of a revision: the id of its blob, its mode, and its size if requested."""

    oid: str
    mode: int
    size: int | None = None


def list_tree(repository: GitRepository, commit: str, *, sizes: bool = False) -> Mapping[str, TreeEntry]:
    """Return the files of a commit by path, including links and submodules (see `mode`)."""
    options = ("--long",) if sizes else ()
    output = repository.run_text("ls-tree", "-r", "-z", "--full-tree", *options, commit)
    entries = {}
    for record in output.split("\0")[:-1]:
        head, _, path = record.partition("\t")
        mode, _, oid, *size = head.split()
        entries[path] = TreeEntry(oid, int(mode, 8), int(size[0]) if size and size[0].isdigit() else None)
    return entries


def iter_blobs(repository: GitRepository, oids: Iterable[str], *, max_bytes: int) -> Iterator[tuple[str, bytes | None]]:
    """Yield the bytes of each blob in order.

    None for one that is missing, not a blob, or too large.
    """
    waiting = iter(oids)
    while some := tuple(islice(waiting, _BATCH)):
        with repository.stream("cat-file", "--batch", given="".join(f"{oid}\n" for oid in some).encode()) as output:
            for oid in some:
                yield oid, read_object(output, max_bytes)
            output.read()


def read_blob(repository: GitRepository, oid: str, *, max_bytes: int) -> bytes:
    """Return the bytes of a blob.

    Raises:
        HistoryError: It is missing, not a blob, or too large.
    """
    ((_, content),) = iter_blobs(repository, (oid,), max_bytes=max_bytes)
    if content is None:
        raise HistoryError(
            f"no readable blob {oid}", hint="it may be missing in a partial clone, or larger than the limit"
        )
    return content


def read_object(output: IO[bytes], max_bytes: int) -> bytes | None:
    """Return the next object of a batch; None for one that is missing, not a blob, or too large."""
    words = output.readline().split()
    if len(words) != 3 or not words[2].isdigit():
        return None
    kind, remaining = words[1], int(words[2])
    content = bytearray()
    is_wanted = kind == b"blob" and remaining <= max_bytes
    remaining += 1
    while remaining > 0 and (chunk := output.read(min(remaining, 1_000_000))):
        remaining -= len(chunk)
        if is_wanted:
            content += chunk
    return bytes(content[:-1]) if is_wanted and not remaining else None
