"""The repositories of one server: each has a name, a workspace, and a first reading that can be watched.

Knows: workspaces, and how far the first reading of each has come.
Does not know: the protocol, tools.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from avionics.model.errors import AvionicsError
from avionics.settings import Settings
from avionics.workspace import Workspace

_WATCHED_FILES = 500
"""Fewer files are looked at as quickly as a watch is asked."""

_LONG_FILES = 1_000
"""A reading of fewer is over about as soon as an answer without it."""


class ServedRepository:
    """One workspace under a name that callers write.

    Attributes:
        name: Unique in the server.
        workspace: What questions are asked about.
        progress: Files read of those to be read, by the first reading.
    """

    def __init__(self, name: str, workspace: Workspace) -> None:
        self.name = name
        self.workspace = workspace
        self.progress = (0, 0)
        self._starting = threading.Lock()
        self._reader: threading.Thread | None = None

    @property
    def is_read(self) -> bool:
        """Whether the first reading is over."""
        return self._reader is not None and not self._reader.is_alive()

    @property
    def is_long(self) -> bool:
        """Whether the first reading is known to take longer than an answer without it."""
        return self.progress[1] - self.progress[0] >= _LONG_FILES

    def start_reading(self) -> None:
        """Begins the first reading if nobody has; the calls that need it wait for it at the workspace."""
        with self._starting:
            if self._reader is None:
                self._reader = threading.Thread(target=self._read, daemon=True, name="avionics-first-reading")
                self._reader.start()

    def describe_reading(self) -> str:
        """How far the first reading has come, for people."""
        done, total = self.progress
        return f"reading {self.name}: {done} of {total} files" if total else f"reading {self.name}"

    def close(self) -> None:
        """Gives back what is held, once the first reading under way is over: it may start a watch at its end."""
        with self._starting:
            if self._reader is not None:
                self._reader.join()
        self.workspace.close()

    def _read(self) -> None:
        try:
            if self.workspace.index(self._note).files >= _WATCHED_FILES:
                self.workspace.watch()
            self.workspace.prepare()
        except AvionicsError:
            # The call that waits meets the same fault, and tells it to who can mend it.
            return

    def _note(self, done: int, total: int, _done_bytes: int, _all_bytes: int) -> None:
        self.progress = (done, total)


@attrs.frozen
class Repositories:
    """The repositories of a server, by name, in the order given."""

    by_name: Mapping[str, ServedRepository]

    @classmethod
    def open(cls, directories: Iterable[Path], settings: Settings) -> Repositories:
        """Opens directories; each is named after itself, and numbered where another has the name.

        Raises:
            UsageError: One is not a directory.
        """
        opened: dict[str, ServedRepository] = {}
        roots: set[Path] = set()
        for directory in directories:
            workspace = Workspace.open(directory, settings)
            if workspace.root not in roots:
                roots.add(workspace.root)
                name = _choose_name(workspace.root, opened)
                opened[name] = ServedRepository(name, workspace)
        return cls(opened)

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return tuple(self.by_name)

    def get(self, name: object) -> ServedRepository | None:
        """The repository of that name, the only one when no name is given, or None."""
        if name is None and len(self.by_name) == 1:
            return next(iter(self.by_name.values()))
        return self.by_name.get(name) if isinstance(name, str) else None

    def close(self, patience_seconds: float) -> bool:
        """Closes all of them; False when work still under way in one did not let go in time."""
        closing = threading.Thread(target=self._close_all, daemon=True, name="avionics-closing")
        closing.start()
        closing.join(patience_seconds)
        return not closing.is_alive()

    def _close_all(self) -> None:
        for repository in self.by_name.values():
            repository.close()


def _choose_name(root: Path, taken: Mapping[str, ServedRepository]) -> str:
    """The directory's name, as UTF-8 can carry it, with a number where it is taken."""
    plain = (root.name or "root").encode("utf-8", "replace").decode()
    numbered = (f"{plain}-{number}" for number in range(2, len(taken) + 3))
    return next(name for name in (plain, *numbered) if name not in taken)
