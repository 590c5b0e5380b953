"""The files of a revision, with the interface of the work tree's: listed by git and read from its objects.

Ignore rules do not apply: a revision has exactly the files that were committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from avionics.bounded_cache import BoundedCache
from avionics.settings import Settings
from avionics.source.paths import RepoPath, Skipped, SkipReason
from avionics.source.read import Content
from avionics.source.tree import SourceTree
from avionics.source.walk import FoundFile, Walk

_KEPT_BYTES = 32_000_000
"""An answer reads the same few files again, to quote them and to verify the quotes."""

_REGULAR, _LINK = 0o100000, 0o120000
_NEVER = frozenset({"", ".", "..", ".git"})
"""Paths at which no file is stored, although a forged listing may claim so."""


class BlobFile(Struct, frozen=True):
    """A file of a revision: the id of its blob, git's mode, and its size, None if this clone lacks it."""

    oid: str
    mode: int
    size: int | None


class RevisionTree(SourceTree):
    """The files of one revision.

    Callers may use the root of the workspace in paths. `read_blob` returns None for a blob that is not in this clone.
    The bytes of the blobs that were read last are kept, for several trees together if they share them.
    """

    def __init__(
        self,
        root: Path,
        settings: Settings,
        files: Mapping[str, BlobFile],
        read_blob: Callable[[str], bytes | None],
        kept: BoundedCache[str, bytes] | None = None,
    ) -> None:
        super().__init__(root, settings)
        self.blobs = {path: file for path, file in files.items() if not _NEVER & set(path.split("/"))}
        self._read_blob = read_blob
        self._kept: BoundedCache[str, bytes] = BoundedCache(_KEPT_BYTES, len) if kept is None else kept

    def iter_contents(self, paths: Iterable[str]) -> Iterator[Content]:
        for path in paths:
            refused = self._get_refusal(path)
            data = b"" if refused else self._read_blob_data(self.blobs[path].oid)
            yield Content(path, data or b"", SkipReason.NOT_FETCHED if data is None else refused)

    def iter_searched(self, paths: Iterable[str]) -> Iterator[Content]:
        """Yield the contents of files for a text search; git's reader has its own limit."""
        return self.iter_contents(paths)

    def count_missing(self) -> int:
        """Return how many of the files are not in this clone."""
        return sum(entry.reason is SkipReason.NOT_FETCHED for entry in self._walk.skipped)

    @cached_property
    def _walk(self) -> Walk:
        paths = sorted(self.blobs)
        reasons = {path: self._get_refusal(path) for path in paths}
        files = [FoundFile(path, self.blobs[path].size or 0, 0, 0, 0) for path in paths if reasons[path] is None]
        over = files[self.settings.max_files :]
        skipped = [Skipped(path, reason) for path, reason in reasons.items() if reason is not None]
        skipped += [Skipped(file.path, SkipReason.TOO_MANY) for file in over]
        return Walk(tuple(files[: self.settings.max_files]), tuple(skipped))

    @cached_property
    def _directories(self) -> frozenset[str]:
        return frozenset(path[:at] for path in self.blobs for at, mark in enumerate(path) if mark == "/")

    def _walk_all(self) -> Walk:
        return self._walk

    def _read_status(self, place: RepoPath) -> FoundFile | SkipReason:
        refused = self._get_refusal(str(place))
        return refused or FoundFile(str(place), self.blobs[str(place)].size or 0, 0, 0, 0)

    def _read_content(self, place: RepoPath) -> Content:
        return next(self.iter_contents((str(place),)))

    def _get_refusal(self, path: str) -> SkipReason | None:
        """Return why a path cannot be read, or None if it can."""
        file = self.blobs.get(path)
        if file is None:
            return SkipReason.DIRECTORY if path == "." or path in self._directories else SkipReason.MISSING
        kind = file.mode & 0o170000
        if kind != _REGULAR:
            return SkipReason.LINK if kind == _LINK else SkipReason.NOT_REGULAR
        if file.size is None:
            return SkipReason.NOT_FETCHED
        return SkipReason.TOO_LARGE if file.size > self.settings.max_file_bytes else None

    def _read_blob_data(self, oid: str) -> bytes | None:
        """Return the bytes of a blob, cached if it was read recently."""
        data = self._kept.get(oid)
        if data is None:
            data = self._read_blob(oid)
            if data is not None:
                self._kept.put(oid, data)
        return data
