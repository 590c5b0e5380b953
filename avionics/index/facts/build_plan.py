"""Planning a build: which contents must be read, and in what shares.

Knows: snapshots.
Does not know: the disk, the store, processes.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

import attrs

from avionics.index.facts.snapshot import Snapshot

_SHARE_FILES = 32
_SHARE_BYTES = 256_000
"""A share takes a worker about 0.1 s: long against a hand-over, short against the whole."""


@attrs.frozen
class PlannedFile:
    """A content to be read, and one file that has it."""

    path: str
    oid: str
    language: str
    size: int

    @property
    def key(self) -> tuple[str, str]:
        """The content in its language."""
        return self.oid, self.language


def plan_build(snapshot: Snapshot, known: Container[tuple[str, str]]) -> tuple[PlannedFile, ...]:
    """The contents that were read and have no facts, each once, largest first."""
    planned: dict[tuple[str, str], PlannedFile] = {}
    for path, entry in snapshot.entries.items():
        key = (entry.oid, entry.language)
        if entry.oid and not entry.blob_id and key not in known:
            planned.setdefault(key, PlannedFile(path, entry.oid, entry.language, entry.size))
    return tuple(sorted(planned.values(), key=lambda file: (-file.size, file.path)))


def plan_shares(files: Iterable[PlannedFile]) -> tuple[tuple[PlannedFile, ...], ...]:
    """The files in shares of about equal work: the large ones first, so that nobody ends long after the others."""
    shares: list[tuple[PlannedFile, ...]] = []
    share: list[PlannedFile] = []
    size = 0
    for file in files:
        if share and (len(share) == _SHARE_FILES or size + file.size > _SHARE_BYTES):
            shares.append(tuple(share))
            share, size = [], 0
        share.append(file)
        size += file.size
    return (*shares, tuple(share)) if share else tuple(shares)
