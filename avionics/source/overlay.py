"""The files of a work tree, with unsaved text replacing files on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from avionics.source.paths import RepoPath, Skipped, SkipReason
from avionics.source.read import Content
from avionics.source.tree import SourceTree
from avionics.source.walk import FoundFile, Walk


class OverlayTree(SourceTree):
    """A source tree in which some paths, clean and relative, have other bytes than on disk.

    A path with bytes is part of the walk even if no such file exists or an ignore rule excludes it: it is open in an
    editor. Bytes beyond `settings.max_file_bytes` are as unreadable as such a file.
    """

    def __init__(self, base: SourceTree, buffers: Mapping[str, bytes]) -> None:
        super().__init__(base.root, base.settings)
        self._base = base
        self._buffers = buffers
        self._merged: tuple[Walk, Walk] | None = None

    def iter_contents(self, paths: Iterable[str]) -> Iterator[Content]:
        wanted = tuple(paths)
        on_disk = self._base.iter_contents([path for path in wanted if path not in self._buffers])
        for path in wanted:
            yield self._read(path, self._buffers[path]) if path in self._buffers else next(on_disk)

    def iter_searched(self, paths: Iterable[str]) -> Iterator[Content]:
        """Yield the contents of files for a text search; a buffer in place of its file."""
        wanted = tuple(paths)
        on_disk = self._base.iter_searched([path for path in wanted if path not in self._buffers])
        for path in wanted:
            yield Content(path, self._buffers[path]) if path in self._buffers else next(on_disk)

    def sift(self, paths: Sequence[str], word: str, is_folded: bool, seconds: float) -> set[str] | None:
        """Return those of the files that may contain a word; None if that takes as long as reading them all."""
        found = self._base.sift(paths, word, is_folded, seconds)
        return None if found is None else found | (self._buffers.keys() & set(paths))

    def _walk_all(self) -> Walk:
        below = self._base.walk()
        if self._merged is None or self._merged[0] is not below:
            # An unchanged tree returns the same walk object, so the files are merged only once.
            self._merged = (below, self._merge(below))
        return self._merged[1]

    def _read_status(self, place: RepoPath) -> FoundFile | SkipReason:
        data = self._buffers.get(str(place))
        if data is None:
            return super()._read_status(place)
        return SkipReason.TOO_LARGE if self._is_too_large(data) else _as_file(str(place), data)

    def _read_content(self, place: RepoPath) -> Content:
        data = self._buffers.get(str(place))
        return super()._read_content(place) if data is None else self._read(str(place), data)

    def _read(self, path: str, data: bytes) -> Content:
        return Content(path, b"", SkipReason.TOO_LARGE) if self._is_too_large(data) else Content(path, data)

    def _is_too_large(self, data: bytes) -> bool:
        return len(data) > self.settings.max_file_bytes

    def _merge(self, below: Walk) -> Walk:
        """Return a walk with the buffers in the place of their files."""
        files = {file.path: file for file in below.files if file.path not in self._buffers}
        skipped = [each for each in below.skipped if each.path not in self._buffers]
        for path, data in self._buffers.items():
            if self._is_too_large(data):
                skipped.append(Skipped(path, SkipReason.TOO_LARGE))
            else:
                files[path] = _as_file(path, data)
        ordered = sorted(skipped, key=lambda each: each.path)
        return Walk(tuple(files[path] for path in sorted(files)), tuple(ordered))


def _as_file(path: str, data: bytes) -> FoundFile:
    """Describe a buffer as the disk describes a file; one that was never saved has no times and no inode."""
    return FoundFile(path, len(data), 0, 0, 0)
