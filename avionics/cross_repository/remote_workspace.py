"""A workspace over snapshots of a fleet: there is no clone; files come from the bucket and facts from segments.

The local store is a cache of the fleet's facts: what it lacks is fetched once.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from msgspec import structs

from avionics.bounded_cache import BoundedCache
from avionics.fleet.catalogue import BlobName, Catalogue, FleetFile
from avionics.fleet.segments import SegmentStore
from avionics.history.history import History
from avionics.index.code_index import CodeIndex
from avionics.index.facts.builder import IndexReport, Progress, build_index
from avionics.index.facts.fact_cache import FactCache
from avionics.index.facts.fact_source import size_of_facts, size_of_uses
from avionics.index.facts.snapshot import build_revision_snapshot, hash_blob
from avionics.model.errors import IndexStateError, RemoteError
from avionics.model.facts import FileFacts, FileUses
from avionics.settings import Settings
from avionics.source.revision import BlobFile, RevisionTree
from avionics.store.store import Store
from avionics.syntax.extract import EXTRACTOR_VERSION
from avionics.workspace import Workspace

Read = TypeVar("Read", FileFacts, FileUses)

_REGULAR = 0o100644
_KEPT_BYTES = 32_000_000
"""The memory for the facts that one workspace keeps itself; most of them are shared with others."""
_SHARE_OF_USES = 4
"""How many times as much memory the uses take as outlines: a question about a library reads those of many users."""
_MAX_BLOB_BYTES = 1 << 28
_MIN_SEGMENT_BYTES = 50_000
"""A segment is read if it is no larger than this plus the contents whose facts are wanted; facts take a third of
those."""


class FleetReads:
    """The contents that a process has read from a fleet; its workspaces share them, since they have many in common."""

    def __init__(self, catalogue: Catalogue, segments: SegmentStore, max_bytes: int) -> None:
        self.catalogue = catalogue
        self.segments = segments
        self.facts: BoundedCache[BlobName, FileFacts] = BoundedCache(max_bytes, size_of_facts)
        self.uses: BoundedCache[BlobName, FileUses] = BoundedCache(max_bytes * _SHARE_OF_USES, size_of_uses)
        self.contents: BoundedCache[str, bytes] = BoundedCache(max_bytes, len)

    def read_blob(self, oid: str) -> bytes | None:
        """Return the bytes of a blob, None if no segment has them or they are damaged."""
        place = self.catalogue.get_content_place(oid)
        if place is None:
            return None
        try:
            data = zlib.decompressobj().decompress(self.segments.get_range(*place), _MAX_BLOB_BYTES)
        except zlib.error:
            return None
        return data if hash_blob(data) == oid else None


class RemoteWorkspace(Workspace):
    """A workspace over files of a fleet; a path begins with the directory under which a repository is mounted.

    The revision is the commit of a snapshot, or what names a combination of snapshots.
    """

    is_checkout = False

    def __init__(self, files: Mapping[str, FleetFile], revision: str, reads: FleetReads, settings: Settings) -> None:
        directory = settings.cache_directory / "fleet"
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        super().__init__(directory, structs.replace(settings, max_kept_bytes=_KEPT_BYTES))
        self.revision = revision
        self._files = files
        self._reads = reads
        self._taken: set[bytes] = set()

    @property
    def paths(self) -> Collection[str]:
        """Return the paths of the files."""
        return self._files.keys()

    @cached_property
    def source(self) -> RevisionTree:
        """Return the files."""
        listed = {path: BlobFile(file.oid, _REGULAR, file.size) for path, file in self._files.items()}
        return RevisionTree(self.root, self.settings, listed, self._reads.read_blob, self._reads.contents)

    @cached_property
    def history(self) -> History:
        """Return an empty history: the fleet keeps snapshots, not commits."""
        return History.open(Path("/nonexistent"), self.settings)

    def _get_cold(self) -> CodeIndex | None:
        """Return None: facts come from segments."""
        return None

    def _refresh_once(self, progress: Progress | None, *, with_uses: bool = False) -> IndexReport:
        before = self._without_cleared()
        if before is None:
            before = build_revision_snapshot(self.source)
            self._fetch_facts({(entry.oid, entry.language) for entry in before.entries.values() if entry.oid})
        self._snapshot, report = build_index(
            before, self.source, self.store, self.settings, progress, with_uses=with_uses
        )
        return report

    def _fetch_facts(self, blobs: set[tuple[str, str]]) -> None:
        """Take the facts that the local store lacks from their segments; others are extracted from the bytes.

        A content that many repositories have, such as a licence, is in the segment of only one of them, which is not
        worth reading.
        """
        lacking = blobs - set(self.store.reader.blob_ids(blobs))
        sizes = {file.oid: file.size for file in self._files.values()}
        found = self._reads.catalogue.map_fact_segments(lacking, EXTRACTOR_VERSION) if lacking else {}
        for digest, (size, wanted) in found.items():
            if size > _MIN_SEGMENT_BYTES + sum(sizes[oid] for oid, _ in wanted):
                continue
            with suppress(IndexStateError):
                self.store.take_contents(io.BytesIO(self._reads.segments.get(digest)), wanted)

    def _build_cache(self) -> FactCache:
        return _FleetFactCache(self.store, self._generation, self._reads, self._fetch_uses)

    def _fetch_uses(self, blobs: Collection[BlobName]) -> None:
        """Take the uses of contents from their segments, which have those of their neighbours as well."""
        wanted = {self._use_segments.pop(each, None) for each in blobs} - {None, *self._taken}
        for digest in sorted(filter(None, wanted)):
            self._taken.add(digest)
            with suppress(IndexStateError, RemoteError):
                self.store.take_uses(io.BytesIO(self._reads.segments.get(digest)))

    @cached_property
    def _use_segments(self) -> dict[BlobName, bytes]:
        """Return the segment with the uses of each content, for contents that have one."""
        blobs = {(file.oid, file.language) for file in self._files.values() if file.language}
        return self._reads.catalogue.map_use_segments(blobs, EXTRACTOR_VERSION)

    def _save(self) -> None:
        """Do nothing: the catalogue keeps the list of files."""


class _FleetFactCache(FactCache):
    """The local store, to which uses are fetched when they are needed, as far as workers have extracted them."""

    def __init__(
        self, store: Store, generation: int, reads: FleetReads, fetch: Callable[[Collection[BlobName]], None]
    ) -> None:
        super().__init__(store, generation)
        self._reads = reads
        self._fetch = fetch

    def many_facts(self, blobs: Mapping[int, BlobName]) -> dict[int, FileFacts]:
        """Return blob id → outline of the stored contents."""
        return _read_through(self._reads.facts, blobs, super().many_facts)

    def many_uses(self, blobs: Mapping[int, BlobName]) -> dict[int, FileUses]:
        """Return blob id → uses, for those contents whose uses are known to this machine or to the fleet."""
        return _read_through(self._reads.uses, blobs, self._read_uses)

    def _read_uses(self, blobs: Mapping[int, BlobName]) -> dict[int, FileUses]:
        found = super().many_uses(blobs)
        lacking = {blob: key for blob, key in blobs.items() if blob not in found}
        if lacking:
            self._fetch(lacking.values())
            found |= super().many_uses(lacking)
        return found


def _read_through(
    cache: BoundedCache[BlobName, Read],
    blobs: Mapping[int, BlobName],
    read: Callable[[Mapping[int, BlobName]], dict[int, Read]],
) -> dict[int, Read]:
    """Return the values of some contents from a cache, after reading those that it lacks."""
    found = {blob: known for blob, key in blobs.items() if (known := cache.get(key)) is not None}
    lacking = {blob: key for blob, key in blobs.items() if blob not in found}
    if lacking:
        fresh = read(lacking)
        cache.update({lacking[blob]: each for blob, each in fresh.items()})
        found |= fresh
    return found


def name_combination(revisions: Mapping[str, str]) -> str:
    """Return a name for the snapshots of several repositories, which is different if any revision is."""
    text = "\n".join(f"{name}\0{revision}" for name, revision in sorted(revisions.items()))
    return hashlib.sha256(text.encode()).hexdigest()
