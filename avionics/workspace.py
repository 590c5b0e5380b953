"""A workspace: one root directory with its files, history, store and index."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from avionics.cancellation import untimed
from avionics.model.errors import AvionicsError, IndexStateError, UsageError
from avionics.pinned_index import PinnedIndex
from avionics.settings import Settings

if TYPE_CHECKING:
    from avionics.history.diff import FileDiff
    from avionics.history.history import History
    from avionics.index.changes.commit_reader import CommitReader
    from avionics.index.code_index import CodeIndex
    from avionics.index.facts.builder import IndexReport, Progress
    from avionics.index.facts.fact_cache import FactCache
    from avionics.index.facts.snapshot import Snapshot
    from avionics.index.options.matching import OptionFinder
    from avionics.index.search.commit_words import CommitWords
    from avionics.server_memory import ServerMemory
    from avionics.source.revision import RevisionTree
    from avionics.source.tree import SourceTree
    from avionics.source.watch import Watch
    from avionics.store.eviction import EvictionReport
    from avionics.store.store import Store


_SAVE_AT_ONCE = 50
"""With fewer changed files the snapshot is saved at close, because saving takes longer than reading them again."""

_COLD_FILES, _COLD_ANSWERS = 1_000, 3
"""A smaller tree, or one that a process asks about more often, is indexed as fast as it is searched."""

_COLD_FILES_WHILE_READING = 50
"""An answer about a smaller tree waits for the thread that indexes it."""

_INDEXED_ON_RETURN = 6_000
"""A tree of fewer files, which takes some ten seconds, is indexed for the first question of the next process."""

_LOOK_SECONDS = 1.0
"""A tree that was indexed before is read again in less, unless many of its files have changed."""

_COLD_KEY = "answered without an index "

_WATCHED_FILES = 500
"""Checking fewer files takes no longer than asking a watch."""

_KEPT_REVISIONS = 4
"""The number of open revisions; a comparison needs two. Each keeps its list of files and memoised results."""


class Workspace(PinnedIndex):
    """One root directory and its index. Safe for several threads.

    Attributes:
        root: The real path of the directory.
        revision: The id of the commit it describes; "" for the files on the disk.
        is_checkout: Whether there are files on disk, so that an answer about a revision has to say that it is not about
            them.
    """

    revision = ""
    is_checkout = True

    def __init__(self, root: Path, settings: Settings) -> None:
        self.root = root
        self.settings = settings
        super().__init__()
        self._store: Store | None = None
        self._store_lock = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._code: CodeIndex | None = None
        self._code_files: Snapshot | None = None
        self._is_saved = False
        self._prefetched: Snapshot | None = None
        self._generation = 0
        self._looked = -math.inf
        self._watch: Watch | None = None
        self._reading_ended = threading.Event()
        self._reading_ended.set()
        self._cold_answers = 0
        self.is_left_unindexed = False
        """Whether an answer came without an index in a tree so large that only `avionics index` makes one."""
        self._revisions: dict[str, RevisionWorkspace] = {}
        self._is_serving = False

    @classmethod
    def open(cls, root: str | Path, settings: Settings | None = None) -> Workspace:
        """Open a directory without reading anything in it. Raise `UsageError` if it is not a directory."""
        path = Path(os.path.realpath(Path(root).expanduser()))
        if not path.is_dir():
            raise UsageError(f"not a directory: {root}", hint="give the path of an existing directory")
        return cls(path, settings or Settings.from_environment())

    def close(self) -> None:
        """Release all resources; may be called twice."""
        reader = self.__dict__.pop("commit_reader", None)
        if reader is not None:
            reader.close()
        with self._lock:
            self._save()
            if self._store is not None:
                # Replace a damaged store now, so that the next process does not find it.
                (self._store.reopened() if self._store.is_damaged else self._store).close()
            self._store = self._snapshot = self._code = None
            self._revisions.clear()
            if self._watch is not None:
                self._watch.close()
                self._watch = None
            history = self.__dict__.pop("history", None)
        if history is not None:
            history.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def source(self) -> SourceTree:
        """Return the files."""
        from avionics.source.tree import SourceTree

        return SourceTree(self.root, self.settings)

    @cached_property
    def history(self) -> History:
        """Return the git history; it is empty outside a repository."""
        from avionics.history.history import History

        return History.open(self.root, self.settings)

    @cached_property
    def commit_reader(self) -> CommitReader:
        """Return the reader of past commits."""
        from avionics.index.changes.commit_reader import CommitReader

        rows, root, limit = self.store.commits, str(self.root), self.settings.max_searched_commits
        return CommitReader(lambda: self.history, rows, root, limit, is_kept=not self.revision)

    def find_changed_since(self, revision: str) -> tuple[FileDiff, ...]:
        """Return the tracked files changed since a revision, as the index saw them if it has just looked."""
        if self.revision:
            return self.history.find_changed_paths(revision, self.revision)
        seen = self._snapshot if self.code else None
        return self.history.find_changed_paths(revision, statuses=seen.entries if seen else {})

    def get_commit_words(self) -> CommitWords | None:
        """Return the words of the past commits read so far; None if there are none."""
        return self.commit_reader.get_words()

    def start_reading_commits(self) -> None:
        """Read new commits in a thread, for later searches, in a process that serves several questions."""
        if self._is_serving:
            self.commit_reader.start()

    def at(self, revision: str) -> RevisionWorkspace:
        """Return the workspace as of a commit, read from git objects without a checkout.

        Closing this workspace closes it. Raise `UsageError`, whose hint names similar ones, if there is no such
        revision or there are several; `HistoryError` if the directory has no history.
        """
        commit = revision if revision in self._revisions else self.history.require_commit(revision)
        with self._lock:
            found = self._revisions.pop(commit, None) or RevisionWorkspace(self, commit)
            self._revisions[commit] = found
            while len(self._revisions) > _KEPT_REVISIONS:
                del self._revisions[next(iter(self._revisions))]
            return found

    @property
    def store(self) -> Store:
        """Return the store that all workspaces share."""
        # Use a separate lock: an index build holds the other one throughout, and text searches must not wait for it.
        with self._store_lock:
            if self._store is None:
                from avionics.store.store import Store
                from avionics.syntax.extract import EXTRACTOR_VERSION

                self._store = Store.open(self.settings.cache_directory, EXTRACTOR_VERSION)
            return self._store

    def get_index_if_built(self) -> CodeIndex | None:
        """Return `code` if the tree has been indexed before, else None."""
        is_unread = self._snapshot is None and (self.revision or not self.store.reader.has_snapshot(self.root))
        return None if is_unread else self.code

    def look_ahead(self) -> None:
        """Refresh the index before the next call, and load its modules while parser workers start.

        A worker takes longer to start than to parse one file. A tree that was never indexed is left alone.
        """
        with self._lock, suppress(IndexStateError):
            known = None if self.revision or self._snapshot is not None else self._get_known()
            if known is None or not self._is_saved:
                return
            seen = self._snapshot = self._prefetched = self._look(known)
            if seen.lacking:
                from avionics.index.facts.worker_pool import warm_up

                warm_up(language for _, language in seen.lacking)

    def prepare(self) -> None:
        """Start a parser worker and check the files, so that the first answer after an edit need not wait."""
        self._is_serving = True
        self._warm_up()
        if self._watch is not None:
            self._refreshed()

    def keep_ready(self, files: int) -> None:
        """Prepare later answers, and watch the files if there are many; the next question reports an error."""
        with suppress(AvionicsError):
            if files >= _WATCHED_FILES:
                self.watch()
            self.prepare()

    def _warm_up(self) -> None:
        """Start a worker, unless one is running."""
        from avionics.index.facts.worker_pool import get_pool, warm_up

        if not get_pool().first.is_running:
            warm_up(entry.language for entry in (self._snapshot.entries.values() if self._snapshot else ()))

    @property
    def refreshed_ns(self) -> int:
        """Return when the files were last found changed, in nanoseconds since 1970; 0 before the first look."""
        return self._snapshot.taken_ns if self._snapshot else 0

    def index(self, progress: Progress | None = None, *, with_uses: bool = False) -> IndexReport:
        """Index new and changed files, and report how many there were.

        Args:
            progress: Called with (files done, files in all, bytes done, bytes in all).
            with_uses: Whether to extract the uses at once too, because questions about all files will follow.

        Raises:
            IndexStateError: Facts can be kept neither on the disk nor in memory.
        """
        with self._lock:
            self._reading_ended.clear()
            try:
                report = self._refresh(progress, with_uses=with_uses)
                if report is not None:
                    return report
                from avionics.index.facts.builder import IndexReport

                return IndexReport(self._snapshot.count_supported() if self._snapshot else 0, 0, 0)
            finally:
                self._reading_ended.set()

    def watch(self) -> bool:
        """Start to watch the files, so that answers need not check them; return False if that is impossible."""
        from avionics.source.watch import Watch

        self._is_serving = True
        with self._lock:
            self._watch = self._watch or Watch.start(self.root)
            return self._watch is not None

    @cached_property
    def _memory(self) -> ServerMemory:
        from avionics.server_memory import ServerMemory

        return ServerMemory(self.settings.max_resident_bytes, self._warm_up)

    def _save_memory(self) -> None:
        if self._is_serving:
            is_alone = not self._answers_in_progress
            self._memory.save(is_alone=is_alone, drop_conclusions=self._drop_conclusions, drop_facts=self._drop_facts)

    def _drop_conclusions(self) -> None:
        from avionics.index.code_index import CodeIndex

        with self._lock:
            self._code = CodeIndex(self._code.source) if self._code is not None else None
            self._revisions.clear()

    def _drop_facts(self) -> None:
        with self._lock:
            self._code = None
        if self._store is not None:
            self._store.release_memory()

    def _is_vouched(self) -> bool:
        """Return whether files and store are certain to be unchanged since the last answer."""
        return self._watch is not None and self._watch.is_quiet() and self._is_store_current()

    def _is_store_current(self) -> bool:
        """Return whether the store can be read and no facts were dropped from it since the last look."""
        return self.store.is_usable() and self.store.reader.generation() == self._generation

    def _get_cold(self) -> CodeIndex | None:
        """Return an on-demand index for an answer over a large tree without an index; None if building is better."""
        if self._snapshot is not None or (self._cold_answers >= _COLD_ANSWERS and self._reading_ended.is_set()):
            return None
        if self.store.reader.has_snapshot(self.root) and self._reading_ended.wait(_LOOK_SECONDS):
            return None
        walk = self.source.walk()
        least = _COLD_FILES if self._reading_ended.is_set() else _COLD_FILES_WHILE_READING
        if len(walk.files) < least or (len(walk.files) < _INDEXED_ON_RETURN and self._was_asked_before()):
            return None
        from avionics.index.code_index import CodeIndex
        from avionics.index.facts.on_demand_facts import OnDemandFacts, is_mostly_stored
        from avionics.index.facts.snapshot import build_unread_snapshot

        snapshot = build_unread_snapshot(walk)
        if self._reading_ended.is_set() and is_mostly_stored(snapshot, self.source.iter_contents, self.store.reader):
            return None
        if not self._cold_answers:
            self.store.writer.put_derived(f"{_COLD_KEY}{self.root}", value=True)
        self._cold_answers += 1
        self.is_left_unindexed = len(walk.files) >= _INDEXED_ON_RETURN
        tree = self.source
        source = OnDemandFacts(
            snapshot, tree.iter_contents, tree.sift, tree.read, tree.iter_searched, lambda: self._refreshed().source
        )
        return CodeIndex(source, self._refreshed)

    @cached_property
    def options(self) -> OptionFinder:
        """Return the finder of options, settings and environment variables."""
        from avionics.index.options.matching import OptionFinder

        return OptionFinder()

    def _was_asked_before(self) -> bool:
        """Return whether an earlier process answered a question about the tree without an index."""
        if self._cold_answers or not self._reading_ended.is_set():
            return False
        return bool(self.store.reader.get_derived(f"{_COLD_KEY}{self.root}"))

    def _refreshed(self, since: float = math.inf) -> CodeIndex:
        with self._lock_in_time():
            if self._code is not None and self._is_vouched():
                return self._code
            if self._looked < since or self._snapshot is None or not self._is_store_current():
                with untimed():
                    self._refresh(None)
                if self._watch is not None:
                    self._watch.note_look(self._looked)
            snapshot = self._snapshot
            assert snapshot is not None
            if self._code is None or not _is_alike(self._code_files, snapshot):
                from avionics.index.code_index import CodeIndex
                from avionics.index.facts.stored_facts import StoredFacts
                from avionics.index.model.compiler_facts import CompilerFactStore

                kept = self.settings.max_kept_bytes
                tree, cache = self.source, self._build_cache()
                source = StoredFacts(snapshot, cache, tree.read_known, tree.iter_searched, kept)
                compiler = CompilerFactStore(self.settings.cache_directory)
                source.compiler = None if compiler.is_empty() else compiler
                self._code = CodeIndex(source)
            self._code_files = snapshot
            return self._code

    def _build_cache(self) -> FactCache:
        """Return the fact cache of a snapshot."""
        from avionics.index.facts.fact_cache import FactCache

        return FactCache(self.store, self._generation)

    def _refresh(self, progress: Progress | None, *, with_uses: bool = False) -> IndexReport | None:
        """Bring the snapshot up to date; return None if no content is new.

        A store that fails is replaced, if necessary by one in memory.
        """
        try:
            if not self.store.is_usable():
                self._replace_store(self.store.reopened())
            return self._refresh_once(progress, with_uses=with_uses)
        except IndexStateError:
            self._replace_store(self.store.reopened())
        try:
            return self._refresh_once(progress, with_uses=with_uses)
        except IndexStateError as error:
            self._replace_store(self.store.private(str(error)))
        return self._refresh_once(progress, with_uses=with_uses)

    def _refresh_once(self, progress: Progress | None, *, with_uses: bool = False) -> IndexReport | None:
        before = self._get_known()
        seen = before if before is self._prefetched else self._look(before)
        self._prefetched = None
        if not seen.list_unknown():
            self._snapshot = seen
            return None
        from avionics.index.facts.builder import build_index

        after, report = build_index(seen, self.source, self.store, self.settings, progress, with_uses=with_uses)
        self._snapshot = after
        self._is_saved = self._is_saved and after is seen
        if report.parsed >= _SAVE_AT_ONCE:
            self._save()
            if self.store.get_size_bytes() > self.settings.max_store_bytes:
                self.clear()
                known = self._without_cleared() or after
                self._snapshot, _ = build_index(known, self.source, self.store, self.settings)
        return report

    def _get_known(self) -> Snapshot:
        """Return the last snapshot, of this process or an earlier one, or an empty one."""
        from avionics.index.facts.snapshot import Snapshot

        known = self._without_cleared()
        if known is None:
            stored = self.store.reader.snapshot(str(self.root))
            self._is_saved = stored is not None
            known = self._restore(*stored) if stored else Snapshot()
            if not self.store.reader.is_use_noted(str(self.root)):
                self.store.writer.note_use(str(self.root))
        return known

    def _restore(self, taken_ns: int, columns: list[Sequence[Any]]) -> Snapshot:
        """Return the saved snapshot, and let the next walk start from the walk that found its files."""
        from msgspec import structs

        from avionics.index.facts.snapshot import Snapshot
        from avionics.source.tree_status import TreeStatus

        saved = self.store.reader.get_tree_status(str(self.root), tuple[int, TreeStatus | None])
        # Another process may have saved a later snapshot meanwhile, with the status of its tree.
        status = saved[1] if saved and saved[0] == taken_ns else None
        known = Snapshot.from_columns(taken_ns, columns, status)
        if known.walk is not None:
            self.source.remember(known.walk)
        # A process that serves many questions needs most entries, and asks a plain dictionary faster.
        return structs.replace(known, entries=dict(known.entries.items())) if self._is_serving else known

    def _look(self, known: Snapshot) -> Snapshot:
        """Return the current files."""
        from avionics.index.facts.snapshot import refresh_snapshot

        self._looked = time.monotonic()
        before = self.source.status
        seen = refresh_snapshot(self.source, known)
        self._is_saved = self._is_saved and seen is known and self.source.status is before
        return seen

    def clear(self) -> EvictionReport:
        """Drop the facts that no workspace needs, and the least recently used while the store is too large.

        Raise `IndexStateError` if the store cannot be written.
        """
        with self._lock:
            return self.store.clear(os.path.isdir, self.settings.max_store_bytes)

    def _without_cleared(self) -> Snapshot | None:
        """Return the last snapshot, without blob ids that another process may have evicted since."""
        generation = self.store.reader.generation()
        if generation != self._generation:
            self._generation = generation
            if self._snapshot is not None:
                self._snapshot = self._snapshot.without_blob_ids()
                self._code = None
        return self._snapshot

    def _save(self) -> None:
        """Save the snapshot for the next process; without it, that process would read more files."""
        if self._store is not None and self._snapshot is not None and not self._is_saved:
            files, status = self._snapshot, self.source.status
            self._store.writer.put_snapshot(
                str(self.root), files.taken_ns, files.to_columns(), self._generation, status
            )
            self._is_saved = True

    def _replace_store(self, store: Store) -> None:
        """Continue with another store, which has its own blob ids."""
        self._store, self._snapshot, self._code = store, None, None


class RevisionWorkspace(Workspace):
    """A workspace as of a commit. Facts are shared by content, so only new blobs are parsed."""

    def __init__(self, base: Workspace, commit: str) -> None:
        super().__init__(base.root, base.settings)
        self.revision = commit
        self._base = base

    def close(self) -> None:
        """Do nothing: the base owns all resources."""

    @cached_property
    def source(self) -> RevisionTree:
        """Return the files of the commit."""
        from avionics.source.revision import BlobFile, RevisionTree

        listed = self.history.list_tree(self.revision, sizes=True)
        files = {path: BlobFile(entry.oid, entry.mode, entry.size) for path, entry in listed.items()}
        return RevisionTree(self.root, self.settings, files, self.history.get_blob)

    @cached_property
    def history(self) -> History:
        """Return the history up to the commit."""
        from avionics.history.history import RevisionHistory

        return RevisionHistory(self._base.history, self.revision)

    @property
    def store(self) -> Store:
        """Return the store of the base."""
        return self._base.store

    def at(self, revision: str) -> RevisionWorkspace:
        """Return a workspace as of a revision, resolved as the base resolves it."""
        return self._base.at(revision)

    def _is_vouched(self) -> bool:
        """Return whether the store is unchanged since the last answer: the files of a commit never change."""
        return self._is_store_current()

    def _get_cold(self) -> CodeIndex | None:
        """Return None: git objects are not searched as text."""
        return None

    def _refresh_once(self, progress: Progress | None, *, with_uses: bool = False) -> IndexReport:
        from avionics.index.facts.builder import build_index
        from avionics.index.facts.snapshot import build_revision_snapshot

        before = self._without_cleared()
        if before is None or self._store is not self.store:
            self._store, before = self.store, build_revision_snapshot(self.source)
        self._snapshot, report = build_index(
            before, self.source, self.store, self.settings, progress, with_uses=with_uses
        )
        return report

    def _save(self) -> None:
        """Do nothing: git keeps the list of a commit's files."""

    def _replace_store(self, store: Store) -> None:
        with self._base._lock:
            self._base._replace_store(store)
        self._snapshot = self._code = None


def _is_alike(one: Snapshot | None, other: Snapshot) -> bool:
    """Return whether two snapshots have the same files and facts, whatever their times."""
    return one is other or (one is not None and one.identity == other.identity)
