"""The language server: what it knows of one client's folders, documents and options, and how it answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from avionics.cancellation import CancellationToken, check_cancelled
from avionics.lsp.checker import Checker
from avionics.lsp.client import Answer, LspClient
from avionics.lsp.documents import Documents, get_path
from avionics.lsp.features.commands import get_uri, run_command
from avionics.lsp.folders import Folder, Folders
from avionics.lsp.messages import RequestFailedError
from avionics.lsp.positions import Encoding
from avionics.lsp.progress import ReadingProgress, reported
from avionics.lsp.types import (
    CODE_LENS,
    FILES_CHANGED,
    INLAY_HINT,
    ClientCapabilities,
    Diagnostic,
    ProgressParams,
    ProgressToken,
    PublishDiagnosticsParams,
    SessionParams,
    WorkspaceFolder,
)
from avionics.lsp.view import View
from avionics.model.errors import AvionicsError, DeadlineExceededError, IndexStateError
from avionics.settings import Settings

if TYPE_CHECKING:
    from avionics.lsp.features.diagnostics import Diagnostics

_T = TypeVar("_T")

_ANALYSES = 4
"""The number of requests analysed concurrently. Python runs only one at any moment, but a long one must not block the
others."""
_QUIET_SECONDS = 0.2
"""Diagnostics wait for a pause of typing of this length."""
_PROGRESS_SECONDS = 0.5
"""A request that takes longer reports its progress, if the client asked for it."""
_PART = 200
"""Locations in one partial result."""
_READING_POLL_SECONDS = 0.05
"""How often a request that waits for the first reading looks whether it is over or the request is cancelled."""


class RequestRunner:
    """Runs analysis of views, a few at a time; `has_answered` is set as soon as one has ended."""

    def __init__(self) -> None:
        self.has_answered = threading.Event()
        self._slots = threading.BoundedSemaphore(_ANALYSES)

    def run(self, view: View, work: Callable[[View], _T]) -> _T:
        """Return the result of some work on a view; the token of the context cancels it.

        Raise `RequestFailedError` if the request cannot be answered, or `DeadlineExceededError` if the request was
        cancelled.
        """
        try:
            with self._slots:
                return _ask(view, work)
        except DeadlineExceededError:
            raise
        except AvionicsError as error:
            raise RequestFailedError(f"{error}; {error.hint}" if error.hint else str(error)) from None
        finally:
            self.has_answered.set()


def _ask(view: View, work: Callable[[View], _T]) -> _T:
    """Return the result of some work; repeat it once if the store was cleared meanwhile."""
    try:
        with view.workspace.pinned_index(since=view.asked_at):
            return work(view)
    except IndexStateError:
        with view.workspace.pinned_index():
            return work(view.refreshed())


@attrs.frozen
class LspOptions:
    """What a client can set, in `initializationOptions` or the section `avionics` of its settings.

    Attributes:
        inlay_hints: Whether types of variables are shown beside them.
        code_lenses: Whether usages and tests are shown above functions and classes.
    """

    inlay_hints: bool = False
    code_lenses: bool = True

    def changed(self, given: Any) -> LspOptions:
        """Return the options updated with those that a client sent; ignore everything else."""
        own = given.get("avionics", given) if isinstance(given, dict) else None
        own = own if isinstance(own, dict) else {}
        named = {"inlay_hints": own.get("inlayHints"), "code_lenses": own.get("codeLenses")}
        return attrs.evolve(self, **{name: value for name, value in named.items() if isinstance(value, bool)})


class AvionicsServer:
    """Answers one client about its workspace folders and open documents.

    Handlers are called in the thread that reads messages, so each sees the documents as they were when its message
    came. Longer work is returned as a function, which the client's threads run. `watch_client` is called with the
    process that the client names as its own, None for none.
    """

    def __init__(
        self, client: LspClient, settings: Settings, watch_client: Callable[[int | None], None] | None = None
    ) -> None:
        self.options = LspOptions()
        self.capabilities = ClientCapabilities()
        self.documents = Documents(Encoding.UTF_16)
        self.folders = Folders(settings)
        self._client = client
        self._settings = settings
        self._requests = RequestRunner()
        self._checker = Checker(self._check, _QUIET_SECONDS)
        self._publishing = threading.Lock()
        self._shown: dict[Path, dict[str, list[Diagnostic]]] = {}
        self._watch_client = watch_client
        self._reading: dict[Path, ReadingProgress] = {}
        self._announced: set[str] = set()

    def begin(self, params: SessionParams) -> None:
        """Store the client's capabilities and open its folders."""
        self.capabilities = ClientCapabilities(params.capabilities)
        self.options = self.options.changed(params.initialization_options)
        self._announced = self._wanted - {FILES_CHANGED}
        self.documents.encoding = Encoding.choose(self.capabilities.position_encodings)
        if self._watch_client is not None:
            self._watch_client(params.process_id)
        self.open_folders(_list_folders(params), ())

    @property
    def _wanted(self) -> set[str]:
        """Return the methods to register: those of enabled options, and the notification of changed files."""
        given = {FILES_CHANGED: True, CODE_LENS: self.options.code_lenses, INLAY_HINT: self.options.inlay_hints}
        return {method for method, is_on in given.items() if is_on}

    def register(self) -> None:
        """Register with the client what `initialize` could not announce: changed files, and options turned on since."""
        from avionics.syntax.registry import LANGUAGES

        suffixes = sorted({suffix.lstrip(".") for several in LANGUAGES.values() for suffix in several})
        options = {
            FILES_CHANGED: {"watchers": [{"globPattern": f"**/*.{{{','.join(suffixes)}}}"}]},
            CODE_LENS: {"documentSelector": None, "resolveProvider": True},
            INLAY_HINT: {"documentSelector": None},
        }
        for method in sorted(self._wanted - self._announced):
            if self.capabilities.is_registrable(method):
                self._announced.add(method)
                entry = {"id": method, "method": method, "registerOptions": options[method]}
                self._client.ask(method, "client/registerCapability", {"registrations": [entry]}, lambda: None)

    def change_options(self, given: Any) -> None:
        """Take in changed settings."""
        self.options = self.options.changed(given)
        self.register()

    def ask(self, uri: str, work: Callable[[View, str], _T], token: ProgressToken | None = None) -> Callable[[], _T]:
        """Return a function that runs some work on the view of a document as it is now.

        Raise `RequestFailedError` if the document is not a file; the returned function may raise it as well.
        """
        path = get_path(uri)
        if path is None:
            raise RequestFailedError(f"not a file: {uri[:200]}")
        view, file = self.folders.build_view(path, self.documents.snapshot, self.documents.encoding)

        def find() -> _T:
            with self._progress(token, file):
                return self._requests.run(view, lambda seen: work(seen, file))

        return find

    def ask_when_read(
        self, uri: str, work: Callable[[View, str], list[_T]], token: ProgressToken | None = None
    ) -> Callable[[], list[_T]]:
        """Return a function that runs some work on a document, and repeats it if files were still being read.

        Otherwise the first answers of a session could be that a name is defined nowhere. Raise `RequestFailedError` if
        the document is not a file; the returned function may raise it as well.
        """

        def find_early(view: View, file: str) -> tuple[list[_T], bool]:
            return work(view, file), bool(view.code.unread)

        path = get_path(uri)
        folder = None if path is None else self.folders.find(path)
        early, late = self.ask(uri, find_early, token), self.ask(uri, work, token)

        def find() -> list[_T]:
            was_read = folder is None or folder.is_read
            found, is_cut = early()
            if (found and not is_cut) or folder is None or was_read:
                return found
            with self._progress(token, folder.name):
                while not folder.is_read:
                    check_cancelled()
                    time.sleep(_READING_POLL_SECONDS)
            return late()

        return find

    def ask_all(self, work: Callable[[View], list[_T]], token: ProgressToken | None = None) -> Callable[[], list[_T]]:
        """Return a function that runs some work on the views of all folders."""
        views = [self.view_folder(folder) for folder in self.folders.all]

        def find() -> list[_T]:
            with self._progress(token, "the workspace"):
                return [each for view in views for each in self._requests.run(view, work)]

        return find

    def ask_command(self, name: str, arguments: Sequence[Any]) -> Answer:
        """Return a function that answers a command. Raise `RequestFailedError` if it has no folder to ask about."""
        view = self._get_commanded(arguments)
        return lambda: self._requests.run(view, lambda seen: run_command(self._settings, name, arguments, seen))

    @cached_property
    def _checks(self) -> tuple[Callable[[View], Diagnostics], ...]:
        """Return the checks that run after each edit; they are imported only now, after the first answers."""
        from avionics.lsp.features.diagnostics import ChangeDiagnostics, build_syntax_diagnostics

        return build_syntax_diagnostics, ChangeDiagnostics().find

    def view_folder(self, folder: Folder) -> View:
        """Return what a request sees of a whole folder."""
        return self.folders.build_whole_view(folder, self.documents.snapshot, self.documents.encoding)

    def check(self, uri: str) -> None:
        """Publish the diagnostics of a document's folder once typing pauses."""
        path = get_path(uri)
        if path is not None:
            folder = self.folders.find(path)
            self._checker.request(path if folder is None else folder.root)

    def check_folders(self) -> None:
        """Publish the diagnostics of every folder with an open document once typing pauses."""
        for path in self.documents.snapshot:
            folder = self.folders.find(path)
            if folder is not None:
                self._checker.request(folder.root)

    def forget(self, uri: str) -> None:
        """Withdraw the diagnostics of a closed document until its folder is checked again."""
        path = get_path(uri)
        alone = path if path is not None and self.folders.find(path) is None else None
        if alone is not None:
            self._checker.forget(alone)
        with self._publishing:
            if alone is not None:
                self._shown.pop(alone, None)
            for shown in self._shown.values():
                shown.pop(uri, None)
            self._send_diagnostics(uri, [])
        if alone is None:
            self.check(uri)

    def open_folders(self, added: Sequence[WorkspaceFolder], removed: Sequence[WorkspaceFolder]) -> None:
        """Open and close folders; new ones are read in the background."""
        for each in removed:
            self._clear(get_path(each.uri))
        self.folders.remove(removed)
        for folder in self.folders.add(added):
            folder.start_reading(self._note_reading, self._requests.has_answered)

    def send_part(self, token: ProgressToken, part: Sequence[Any]) -> None:
        """Send a part of an answer."""
        for start in range(0, len(part), _PART):
            self._client.notify("$/progress", ProgressParams(token, part[start : start + _PART]))

    def close(self) -> None:
        """Cancel the running requests, and close the folders."""
        self._client.close()
        self.folders.close()

    def _get_commanded(self, arguments: Sequence[Any]) -> View:
        """Return the view of the folder that a command's arguments name, else of the only folder."""
        uri = get_uri(arguments)
        path = get_path(uri) if uri else None
        if path is not None:
            return self.folders.build_view(path, self.documents.snapshot, self.documents.encoding)[0]
        if len(self.folders.all) == 1:
            return self.view_folder(self.folders.all[0])
        names = ", ".join(folder.shown_root.as_uri() for folder in self.folders.all)
        raise RequestFailedError(f"name one of the folders as 'uri': {names}" if names else "no folder is open")

    def _check(self, place: Path, token: CancellationToken) -> None:
        """Compute and publish the diagnostics of a folder, or of a document that lies in none."""
        snapshot = self.documents.snapshot
        folder = next((each for each in self.folders.all if each.root == place), None)
        if folder is None and place not in snapshot:
            return
        if folder is not None:
            view = self.view_folder(folder)
        else:
            view, _ = self.folders.build_view(place, snapshot, self.documents.encoding)

        def find(seen: View) -> dict[str, list[Diagnostic]]:
            found: dict[str, list[Diagnostic]] = {file: [] for file in seen.open_files}
            for check in self._checks:
                for file, diagnostics in check(seen).items():
                    found.setdefault(file, []).extend(diagnostics)
            return found

        found = self._requests.run(view, find)
        with self._publishing:
            if not token.is_set:
                self._publish(place, view, found)

    def _publish(self, place: Path, view: View, found: Mapping[str, list[Diagnostic]]) -> None:
        """Publish diagnostics: always for open documents, for other files only if they changed."""
        before = self._shown.get(place, {})
        now = {view.uri(file): diagnostics for file, diagnostics in found.items()}
        versions = {view.uri(file): view.version(file) for file in view.open_files}
        for uri in before.keys() - now.keys():
            self._send_diagnostics(uri, [])
        for uri, diagnostics in now.items():
            if uri in versions or before.get(uri) != diagnostics:
                self._send_diagnostics(uri, diagnostics, versions.get(uri))
        self._shown[place] = {uri: diagnostics for uri, diagnostics in now.items() if diagnostics}

    def _clear(self, place: Path | None) -> None:
        """Withdraw all diagnostics of a folder."""
        if place is not None:
            self._checker.forget(place)
            with self._publishing:
                for uri in self._shown.pop(place, {}):
                    self._send_diagnostics(uri, [])

    def _send_diagnostics(self, uri: str, diagnostics: list[Diagnostic], version: int | None = None) -> None:
        params = PublishDiagnosticsParams(uri, diagnostics, version)
        self._client.notify("textDocument/publishDiagnostics", params)

    def _note_reading(self, folder: Folder, done: int, total: int) -> None:
        """Show the client the progress of the first indexing; called in the thread that indexes."""
        if self.capabilities.has_progress:
            shown = self._reading.setdefault(folder.root, ReadingProgress(self._client, folder.name))
            shown.show(done, total)
        if done == total:
            self.check_folders()

    def _progress(self, token: ProgressToken | None, what: str) -> AbstractContextManager[None]:
        return reported(self._client, token, f"avionics: {what}", _PROGRESS_SECONDS)


def _list_folders(params: SessionParams) -> list[WorkspaceFolder]:
    """Return the folders in a client's `initialize` request, by the newest of its three fields for them."""
    if params.workspace_folders:
        return params.workspace_folders
    path = Path(params.root_path or "")
    uri = params.root_uri or (path.as_uri() if path.is_absolute() else "")
    return [WorkspaceFolder(uri)] if uri else []
