"""Hold the repositories of a server: their names and workspaces, and the state of their first indexing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from avionics.model.errors import AvionicsError
from avionics.model.naming import number_name
from avionics.settings import Settings
from avionics.workspace import Workspace

_LONG_FILES = 1_000
"""Indexing fewer files takes about as long as an answer without an index."""

_PAUSE_SECONDS = 0.2
"""The pause between the first indexing and the work that prepares later answers."""


class ServedRepository:
    """One workspace, under the name that callers use.

    Attributes:
        name: Unique in the server.
        workspace: The directory that questions are about.
        progress: How many files the first indexing has read, and of how many.
    """

    def __init__(self, name: str, workspace: Workspace) -> None:
        self.name = name
        self.workspace = workspace
        self.progress = (0, 0)
        self._starting = threading.Lock()
        self._reader: threading.Thread | None = None
        self._has_read = threading.Event()
        self._is_closing = threading.Event()
        self._waiting: list[Callable[[], object]] = []

    @property
    def is_read(self) -> bool:
        """Return whether the first indexing has ended."""
        return self._has_read.is_set()

    async def wait_until_read(self, seconds: float) -> bool:
        """Wait a number of seconds for the end of the first indexing; return whether it has ended."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # The loop is closed.
                loop.call_soon_threadsafe(ended.set)

        self._waiting.append(wake)
        try:
            if not self.is_read:
                await asyncio.wait_for(ended.wait(), seconds)
        except TimeoutError:
            return self.is_read
        finally:
            self._waiting.remove(wake)
        return True

    @property
    def is_long(self) -> bool:
        """Return whether the first indexing is known to take longer than an answer without it."""
        return self.progress[1] - self.progress[0] >= _LONG_FILES

    def start_reading(self) -> None:
        """Start the first indexing unless it has been started; calls that need it wait at the workspace."""
        with self._starting:
            if self._reader is None:
                self._reader = threading.Thread(target=self._read, daemon=True, name="avionics-first-reading")
                self._reader.start()

    def describe_reading(self) -> str:
        """Return the progress of the first indexing as text."""
        done, total = self.progress
        return f"reading {self.name}: {done} of {total} files" if total else f"reading {self.name}"

    def close(self) -> None:
        """Release resources after the first indexing has ended, because it may start a watch at its end."""
        self._is_closing.set()
        with self._starting:
            if self._reader is not None:
                self._reader.join()
        self.workspace.close()

    def _read(self) -> None:
        files = 0
        # The call that waits gets the same error and reports it to the client.
        with suppress(AvionicsError):
            files = self.workspace.index(self._note).files
        self._has_read.set()
        for wake in tuple(self._waiting):
            wake()
        # Preparing later answers now would delay the first one.
        if files and not self._is_closing.wait(_PAUSE_SECONDS):
            self.workspace.keep_ready(files)

    def _note(self, done: int, total: int, _done_bytes: int, _all_bytes: int) -> None:
        self.progress = (done, total)


class Repositories(Struct, frozen=True):
    """The repositories of a server by name, in the given order."""

    by_name: Mapping[str, ServedRepository]

    @classmethod
    def open(cls, directories: Iterable[Path], settings: Settings) -> Repositories:
        """Open directories under unique names. Raise `UsageError` if one is not a directory."""
        opened: dict[str, ServedRepository] = {}
        roots: set[Path] = set()
        for directory in directories:
            workspace = Workspace.open(directory, settings)
            if workspace.root not in roots:
                roots.add(workspace.root)
                name = number_name((workspace.root.name or "root").encode("utf-8", "replace").decode(), opened, "-")
                opened[name] = ServedRepository(name, workspace)
        return cls(opened)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names."""
        return tuple(self.by_name)

    def get(self, name: object) -> ServedRepository | None:
        """Return the repository of a name, the only one if no name is given, or None."""
        if name is None and len(self.by_name) == 1:
            return next(iter(self.by_name.values()))
        return self.by_name.get(name) if isinstance(name, str) else None

    def close(self, patience_seconds: float) -> bool:
        """Close all of them; return False if work in one of them did not end in time."""
        closing = threading.Thread(target=self._close_all, daemon=True, name="avionics-closing")
        closing.start()
        closing.join(patience_seconds)
        return not closing.is_alive()

    def _close_all(self) -> None:
        for repository in self.by_name.values():
            repository.close()
