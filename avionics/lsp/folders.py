"""Workspace folders: each is a workspace of its own, opened once and read in the background."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from avionics.lsp.documents import OpenDocument, get_path, get_shown_path
from avionics.lsp.positions import Encoding
from avionics.lsp.types import WorkspaceFolder
from avionics.lsp.view import View
from avionics.model.errors import AvionicsError
from avionics.overlay import Overlays
from avionics.scratch import ScratchDirectory
from avionics.settings import Settings
from avionics.workspace import Workspace

_PATIENCE_SECONDS = 2.0
"""How long to wait for the first request before preparing later answers."""

Progress = Callable[["Folder", int, int], None]
"""Called with a folder, the files read of it, and the files to be read; both are equal at the end."""


class Folder:
    """One folder that the client works in.

    Attributes:
        root: Its real path.
        shown_root: Its path as the client spells it.
        workspace: Its files on disk.
    """

    def __init__(self, root: Path, shown_root: Path, settings: Settings) -> None:
        self.root = root
        self.shown_root = shown_root
        self.workspace = Workspace.open(root, settings)
        self._overlays = Overlays(self.workspace)
        self._reader: threading.Thread | None = None
        self._has_read = threading.Event()
        self._is_closing = threading.Event()

    @property
    def is_read(self) -> bool:
        """Return whether the first reading of the files is over."""
        return self._has_read.is_set()

    @property
    def name(self) -> str:
        """Return the name of the folder."""
        return self.root.name or str(self.root)

    def start_reading(self, progress: Progress, answered: threading.Event) -> None:
        """Index the files in the background, at first all of them; `answered` is set once a request was answered."""
        arguments = progress, answered
        self._reader = threading.Thread(target=self._read, args=arguments, daemon=True, name="avionics-reading")
        self._reader.start()

    def build_view(self, documents: Iterable[OpenDocument], encoding: Encoding) -> View:
        """Return what a request sees of the folder."""
        by_path = {self.relative(document.path): document for document in documents}
        workspace = self._overlays.at({path: document.data for path, document in by_path.items()})
        return View(workspace, by_path, self.shown_root, encoding)

    def build_view_alone(self, document: OpenDocument | None, encoding: Encoding) -> View:
        """Return the view of a document outside of all folders: its text alone."""
        by_path = {document.path.name: document} if document is not None else {}
        buffers = {path: each.data for path, each in by_path.items()}
        return View(self._overlays.at(buffers), by_path, self.shown_root, encoding)

    def contains(self, path: Path) -> bool:
        """Return whether a path lies in the folder."""
        return path.is_relative_to(self.root)

    def relative(self, path: Path) -> str:
        """Return the path of a file in the folder, relative to the root and with slashes."""
        return path.relative_to(self.root).as_posix()

    def close(self) -> None:
        """Release all resources."""
        self._is_closing.set()
        self._overlays.close()
        self.workspace.close()

    def _read(self, progress: Progress, answered: threading.Event) -> None:
        last = (0, 0)

        def note(done: int, total: int, _done_bytes: int, _all_bytes: int) -> None:
            nonlocal last
            last = (done, total)
            progress(self, done, total)

        files = 0
        # The first request gets the same error and reports it to the client.
        with suppress(AvionicsError):
            files = self.workspace.index(note).files
        self._has_read.set()
        progress(self, last[1], last[1])
        # Preparing later answers now would delay the first one.
        answered.wait(_PATIENCE_SECONDS)
        if files and not self._is_closing.is_set():
            self.workspace.keep_ready(files)


class Folders:
    """The folders of a client, and which of them a document belongs to.

    A document outside of all folders is analysed on its own: nothing else around it was opened, so nothing else there
    is read.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folders: dict[Path, Folder] = {}
        self._lock = threading.Lock()
        self._nowhere: ScratchDirectory | None = None
        self._loose: Folder | None = None

    @property
    def all(self) -> tuple[Folder, ...]:
        """Return the folders in the order in which they were added."""
        return tuple(self._folders.values())

    def add(self, folders: Iterable[WorkspaceFolder]) -> tuple[Folder, ...]:
        """Open folders and return those that are new; skip what is not a directory on this machine."""
        added = []
        for each in folders:
            root = get_path(each.uri)
            if root is None or not os.path.isdir(root) or root in self._folders:
                continue
            folder = Folder(root, get_shown_path(each.uri) or root, self._settings)
            self._folders[root] = folder
            added.append(folder)
        return tuple(added)

    def remove(self, folders: Iterable[WorkspaceFolder]) -> None:
        """Close folders."""
        for each in folders:
            root = get_path(each.uri)
            folder = self._folders.pop(root, None) if root is not None else None
            if folder is not None:
                folder.close()

    def find(self, path: Path) -> Folder | None:
        """Return the innermost folder that a path lies in, or None."""
        holding = [folder for folder in self._folders.values() if folder.contains(path)]
        return max(holding, key=lambda folder: len(folder.root.parts), default=None)

    def build_view(self, path: Path, documents: Mapping[Path, OpenDocument], encoding: Encoding) -> tuple[View, str]:
        """Return the view for a request about a path, and the path within it."""
        folder = self.find(path)
        if folder is not None:
            return self.build_whole_view(folder, documents, encoding), folder.relative(path)
        with self._lock:
            if self._nowhere is None:
                self._nowhere = ScratchDirectory("lsp")
            if self._loose is None:
                empty = self._nowhere.path
                self._loose = Folder(empty, empty, self._settings)
        return self._loose.build_view_alone(documents.get(path), encoding), path.name

    def build_whole_view(self, folder: Folder, documents: Mapping[Path, OpenDocument], encoding: Encoding) -> View:
        """Return the view for a request about a whole folder, with the open documents that belong to it."""
        own = [each for each in documents.values() if self.find(each.path) is folder]
        return folder.build_view(own, encoding)

    def close(self) -> None:
        """Close every folder."""
        for folder in self._folders.values():
            folder.close()
        self._folders.clear()
        if self._loose is not None:
            self._loose.close()
        if self._nowhere is not None:
            self._nowhere.close()
