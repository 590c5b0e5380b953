"""A workspace in which the unsaved text of an editor replaces the files on disk.

Nothing is written to the repository. Facts of unsaved text are keyed by content like all others and kept in memory.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.workspace import RevisionWorkspace, Workspace

if TYPE_CHECKING:
    from avionics.history.history import History
    from avionics.index.code_index import CodeIndex
    from avionics.index.facts.builder import IndexReport, Progress
    from avionics.index.facts.snapshot import Snapshot
    from avionics.index.search.commit_words import CommitWords
    from avionics.source.overlay import OverlayTree
    from avionics.store.layered import LayeredStore

_MAX_CONTENTS = 200
"""The most contents of buffers kept in memory. When there are more, all are dropped; open ones are extracted again."""


class Overlays:
    """The states of one workspace under the edits of one client. Safe for several threads.

    The workspace on disk stays open when the overlays are closed.
    """

    def __init__(self, base: Workspace) -> None:
        self.base = base
        self._lock = threading.Lock()
        self._store: LayeredStore | None = None
        self._last: OverlayWorkspace | None = None

    def at(self, buffers: Mapping[str, bytes]) -> OverlayWorkspace:
        """Return the workspace with these bytes in place of those on disk; the previous one if they are the same.

        Args:
            buffers: Clean relative path → bytes. One larger than `settings.max_file_bytes` is as unreadable as a file
                of that size.
        """
        with self._lock:
            if self._last is None or self._last.buffers != buffers:
                self._last = OverlayWorkspace(self, buffers, self._last)
            return self._last

    def require_store(self) -> LayeredStore:
        """Return the store of the overlays, a new one if it has grown too large or the one below was replaced."""
        from avionics.store.layered import LayeredStore
        from avionics.syntax.extract import EXTRACTOR_VERSION

        below = self.base.store
        with self._lock:
            known = self._store
            if known is None or known.below is not below or known.count_own() > _MAX_CONTENTS:
                self._store = known = LayeredStore(below, EXTRACTOR_VERSION)
            return known

    def close(self) -> None:
        """Drop what is kept in memory."""
        with self._lock:
            if self._store is not None:
                self._store.close()
            self._store = self._last = None


class OverlayWorkspace(Workspace):
    """A workspace with the bytes of some files replaced, by their clean relative paths.

    Facts of unchanged files are taken over from the state before the last edit.
    """

    def __init__(self, overlays: Overlays, buffers: Mapping[str, bytes], before: OverlayWorkspace | None) -> None:
        base = overlays.base
        super().__init__(base.root, base.settings)
        self.buffers = buffers
        self._overlays = overlays
        self._base = base
        self._below: CodeIndex | None = None
        self._earlier = before.last_code if before is not None else None
        self._reading_ended = base._reading_ended

    @property
    def last_code(self) -> CodeIndex | None:
        """Return the index of the last answer, without examining the files."""
        return self._code

    def with_buffers(self, buffers: Mapping[str, bytes]) -> OverlayWorkspace:
        """Return the workspace with other buffers, for one question: the next edit starts from this one again."""
        return OverlayWorkspace(self._overlays, buffers, self)

    def close(self) -> None:
        """Close nothing: all resources belong to the base and to the overlays."""

    @cached_property
    def source(self) -> OverlayTree:
        """Return the files, buffers included."""
        from avionics.source.overlay import OverlayTree

        return OverlayTree(self._base.source, self.buffers)

    @cached_property
    def history(self) -> History:
        """Return the history of the base; unsaved text is in no commit."""
        return self._base.history

    @property
    def store(self) -> LayeredStore:
        """Return the facts of files and buffers."""
        return self._overlays.require_store()

    @property
    def refreshed_ns(self) -> int:
        """When the files on disk were last found changed, in nanoseconds since 1970; 0 before the first look."""
        return self._base.refreshed_ns

    def at(self, revision: str) -> RevisionWorkspace:
        """Return the base at a revision."""
        return self._base.at(revision)

    def get_index_if_built(self) -> CodeIndex | None:
        """Return `code` if the tree was read before; None if it would have to be read for it."""
        return None if self._base.get_index_if_built() is None else self.code

    def index(self, progress: Progress | None = None, *, with_uses: bool = False) -> IndexReport:
        """Read the files on disk that were not read yet; see `Workspace.index`."""
        return self._base.index(progress, with_uses=with_uses)

    def get_commit_words(self) -> CommitWords | None:
        """Return the words of past commits that the base has read."""
        return self._base.get_commit_words()

    def start_reading_commits(self) -> None:
        """Read new commits for later searches; see `Workspace.start_reading_commits`."""
        self._base.start_reading_commits()

    def watch(self) -> bool:
        """Watch the files on disk; see `Workspace.watch`."""
        return self._base.watch()

    def _save_memory(self) -> None:
        self._base._save_memory()

    def _get_cold(self) -> CodeIndex | None:
        return None if self._base.refreshed_ns else super()._get_cold()

    def _refreshed(self, since: float = math.inf) -> CodeIndex:
        below = self._base._refreshed(since)
        with self._lock:
            if self._code is None or self._below is not below:
                self._code = self._overlaid(below)
                self._below, self._earlier = below, None
            return self._code

    def _overlaid(self, below: CodeIndex) -> CodeIndex:
        """Return the index of the files with buffers in place of some; the base's own index if no buffer differs."""
        from avionics.index.code_index import CodeIndex
        from avionics.index.facts.builder import build_index
        from avionics.index.facts.fact_cache import FactCache
        from avionics.index.facts.stored_facts import StoredFacts

        snapshot = _overlay_snapshot(below.snapshot, self.buffers, self.settings.max_file_bytes)
        if snapshot is below.snapshot:
            return below
        store = self.store
        after, _ = build_index(snapshot, self.source, store, self.settings)
        cache = FactCache(store, self._base._generation)
        tree, kept = self.source, self.settings.max_kept_bytes
        source = StoredFacts(after, cache, tree.read_known, tree.iter_searched, kept)
        source.take_over((self._code or self._earlier or below).source)
        source.lay_over(below.source, self.buffers.keys())
        return CodeIndex(source)


def _overlay_snapshot(below: Snapshot, buffers: Mapping[str, bytes], max_bytes: int) -> Snapshot:
    """Return the snapshot with the entries of buffers that differ from the disk; the same one if none does.

    A buffer that is too large has no entry, and neither has its file, whose text differs from the editor's.
    """
    from avionics.index.facts.snapshot import SnapshotEntry, hash_blob
    from avionics.syntax.registry import get_language

    changed: dict[str, SnapshotEntry] = {}
    removed = {path for path, data in buffers.items() if len(data) > max_bytes} & below.entries.keys()
    for path, data in buffers.items():
        oid, language = hash_blob(data), get_language(path) or ""
        known = below.entries.get(path)
        is_other = known is None or (known.oid, known.language) != (oid, language)
        if is_other and len(data) <= max_bytes:
            changed[path] = SnapshotEntry(oid, language, 0, len(data), 0, 0, 0)
    if not changed and not removed:
        return below
    entries = {path: entry for path, entry in below.entries.items() if path not in removed} | changed
    if changed.keys() - below.entries.keys():
        entries = {path: entries[path] for path in sorted(entries)}
    skipped = tuple(each for each in below.skipped if each.path not in changed)
    return structs.replace(below, entries=entries, skipped=skipped)
