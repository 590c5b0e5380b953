"""A workspace: one root, its senses and its index, opened once, closed once.

Knows: what an answer needs and how fresh it must be.
Does not know: questions, who asks.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING

from avionics.settings import Settings
from protocols.errors import IndexStateError, UsageError

if TYPE_CHECKING:
    from avionics.history.history import History
    from avionics.index.build import BuildReport, Progress
    from avionics.index.code_index import CodeIndex
    from avionics.index.snapshot import Snapshot
    from avionics.source.tree import SourceTree
    from avionics.store.store import Store


class _Answer:
    """What one answer stands on: the index as it was when the answer first needed it."""

    def __init__(self) -> None:
        self.code: CodeIndex | None = None


_ANSWERS: ContextVar[Mapping[Workspace, _Answer]] = ContextVar("avionics_answers", default=MappingProxyType({}))
"""The answers under way in this context, by workspace."""


_SAVE_AT_ONCE = 50
"""After reading so many files the snapshot is saved at once, after fewer when the workspace closes: saving takes
longer than reading a few files again."""


class Workspace:
    """One root directory and all that is known of it. Safe for several threads.

    Attributes:
        root: The real path of the directory.
        settings: Limits and places.
    """

    def __init__(self, root: Path, settings: Settings) -> None:
        self.root = root
        self.settings = settings
        self._lock = threading.RLock()
        self._store: Store | None = None
        self._snapshot: Snapshot | None = None
        self._code: CodeIndex | None = None
        self._code_identity = ""
        self._is_saved = False

    @classmethod
    def open(cls, root: str | Path, settings: Settings | None = None) -> Workspace:
        """Opens a directory; nothing is read before it is asked for.

        Raises:
            UsageError: It is not a directory.
        """
        path = Path(os.path.realpath(Path(root).expanduser()))
        if not path.is_dir():
            raise UsageError(f"not a directory: {root}", hint="give the path of an existing directory")
        return cls(path, settings or Settings.from_environment())

    def close(self) -> None:
        """Gives back what is held; it may be closed twice."""
        with self._lock:
            self._save()
            if self._store is not None:
                self._store.close()
            self._store = self._snapshot = self._code = None
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
        """The files."""
        from avionics.source.tree import SourceTree

        return SourceTree(self.root, self.settings)

    @cached_property
    def history(self) -> History:
        """The past, if git keeps one."""
        from avionics.history.history import History

        return History(self.root, self.settings)

    @property
    def store(self) -> Store:
        """The facts of this and every other workspace."""
        with self._lock:
            if self._store is None:
                from avionics.store.store import Store
                from avionics.syntax.extract import EXTRACTOR_VERSION

                self._store = Store.open(self.settings.cache_directory, EXTRACTOR_VERSION)
            return self._store

    @property
    def code(self) -> CodeIndex:
        """What is true of the code now; within `answering()` what was true when it was first asked for.

        Raises:
            IndexStateError: Facts can be kept neither on the disk nor in memory.
        """
        answer = _ANSWERS.get().get(self)
        if answer is None:
            return self._refreshed()
        with self._lock:
            if answer.code is None:
                answer.code = self._refreshed()
            return answer.code

    @property
    def refreshed_ns(self) -> int:
        """When the files were last found changed, in nanoseconds since 1970; 0 before the first look."""
        return self._snapshot.taken_ns if self._snapshot else 0

    @contextmanager
    def answering(self) -> Iterator[Workspace]:
        """While it lasts this thread's `code` is one and the same index, refreshed at most once."""
        answers = _ANSWERS.get()
        if self in answers:
            yield self
            return
        token = _ANSWERS.set(MappingProxyType({**answers, self: _Answer()}))
        try:
            yield self
        finally:
            _ANSWERS.reset(token)

    def index(self, progress: Progress | None = None) -> BuildReport:
        """Reads what has not been read yet, and says how much that was.

        Args:
            progress: Called with files done, files in all, bytes done.

        Raises:
            IndexStateError: Facts can be kept neither on the disk nor in memory.
        """
        with self._lock:
            return self._refresh(progress)

    def _refreshed(self) -> CodeIndex:
        """The index of the files as they are now; the same one while nothing changes."""
        with self._lock:
            self._refresh(None)
            snapshot = self._snapshot
            assert snapshot is not None
            if self._code is None or self._code_identity != snapshot.identity:
                from avionics.index.code_index import CodeIndex

                self._code = CodeIndex(snapshot, self.store.reader, self.store.writer, self.source.read)
                self._code_identity = snapshot.identity
            return self._code

    def _refresh(self, progress: Progress | None) -> BuildReport:
        """Brings the snapshot up to date; a store that fails is replaced, at last by one in memory."""
        try:
            if not self.store.is_usable():
                self._replace_store(self.store.reopened())
            return self._refresh_once(progress)
        except IndexStateError:
            self._replace_store(self.store.reopened())
        try:
            return self._refresh_once(progress)
        except IndexStateError as error:
            self._replace_store(self.store.private(str(error)))
        return self._refresh_once(progress)

    def _refresh_once(self, progress: Progress | None) -> BuildReport:
        from avionics.index.build import build_index
        from avionics.index.snapshot import Snapshot, refresh_snapshot

        before = self._snapshot
        if before is None:
            stored = self.store.reader.snapshot(str(self.root))
            self._is_saved = stored is not None
            before = Snapshot.from_columns(*stored) if stored else Snapshot()
        after, report = build_index(
            refresh_snapshot(self.source, before), self.source, self.store, self.settings, progress
        )
        self._snapshot = after
        self._is_saved = self._is_saved and after is before
        if report.parsed >= _SAVE_AT_ONCE:
            self._save()
        return report

    def _save(self) -> None:
        """Remembers the snapshot for the next process; an older one would do, and cost it a second look."""
        if self._store is not None and self._snapshot is not None and not self._is_saved:
            self._store.writer.put_snapshot(str(self.root), self._snapshot.taken_ns, self._snapshot.to_columns())
            self._is_saved = True

    def _replace_store(self, store: Store) -> None:
        """Goes on with another store, whose blob ids are its own."""
        self._store, self._snapshot, self._code = store, None, None
