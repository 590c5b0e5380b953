"""The language server: which function answers which request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

import avionics
from avionics.cancellation import CancellationToken
from avionics.lsp.checker import Checker
from avionics.lsp.documents import get_path
from avionics.lsp.features import descriptions, hierarchies, navigation, rename, symbols
from avionics.lsp.features.commands import COMMANDS, CommandRunner
from avionics.lsp.folders import Folder, Folders
from avionics.lsp.positions import Encoding
from avionics.lsp.progress import ReadingProgress, reported
from avionics.lsp.protocol import Protocol, QuietServer
from avionics.lsp.requests import RequestFailedError, RequestRunner
from avionics.lsp.view import View
from avionics.settings import Settings

if TYPE_CHECKING:
    from avionics.lsp.features.diagnostics import DiagnosticProvider

_T = TypeVar("_T")
_At = Callable[[View, str, types.Position], Any]

_PART = 200
"""Locations in one partial result."""
_READING_POLL_SECONDS = 0.05
"""How often a request that waits for the first reading looks whether it is over."""


@attrs.frozen
class LspOptions:
    """What a client can set, in `initializationOptions` or the section `avionics` of its settings.

    Attributes:
        inlay_hints: Whether types of variables are shown beside them.
        code_lenses: Whether usages and tests are shown above functions and classes.
    """

    inlay_hints: bool = False
    code_lenses: bool = True

    @classmethod
    def read(cls, given: Any) -> LspOptions:
        """Return the options in what a client sent; anything else in it is passed over."""
        if not isinstance(given, dict):
            given = vars(given) if hasattr(given, "__dict__") else getattr(given, "_asdict", dict)()
        own = given.get("avionics", given)
        own = own if isinstance(own, dict) else getattr(own, "_asdict", dict)()
        return cls(
            inlay_hints=own.get("inlayHints") is True,
            code_lenses=own.get("codeLenses") is not False,
        )


class AvionicsServer(QuietServer):
    """Answers one client about its workspace folders and open documents.

    Args:
        settings: Limits.
        diagnostics: What is pushed after each edit; None for syntax errors and what the edit breaks.
        quiet_seconds: Diagnostics wait for a pause of typing of this length.
        progress_seconds: A request that takes longer reports its progress, if the client asked for it.
        watch_client: Called with the process that the client names as its own, None for none.
    """

    def __init__(
        self,
        settings: Settings,
        diagnostics: Sequence[DiagnosticProvider] | None = None,
        quiet_seconds: float = 0.2,
        progress_seconds: float = 0.5,
        watch_client: Callable[[int | None], None] | None = None,
    ) -> None:
        super().__init__("avionics", avionics.__version__, protocol_cls=Protocol)
        self.options = LspOptions()
        self.folders = Folders(settings)
        self._requests = RequestRunner()
        self._commands = CommandRunner(settings)
        self._given_diagnostics = diagnostics
        self._checker = Checker(self._check, quiet_seconds)
        self._shown: dict[Path, dict[str, list[types.Diagnostic]]] = {}
        self._progress_seconds = progress_seconds
        self.watch_client = watch_client
        self._reading: dict[Path, ReadingProgress] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        _register(self)

    @cached_property
    def _diagnostics(self) -> Sequence[DiagnosticProvider]:
        """Return what is pushed after each edit; the checks are imported only now, after the first answers."""
        if self._given_diagnostics is not None:
            return self._given_diagnostics
        from avionics.lsp.features.diagnostics import ChangeDiagnostics, SyntaxDiagnostics

        return SyntaxDiagnostics(), ChangeDiagnostics()

    async def ask(self, uri: str, work: Callable[[View, str], _T], token: types.ProgressToken | None = None) -> _T:
        """Return what work finds in the view of a document, as the document is now.

        Raises:
            RequestFailedError: The document is no file, or the question cannot be answered.
        """
        path = get_path(uri)
        if path is None:
            raise RequestFailedError(f"not a file: {uri[:200]}")
        view, file = self.folders.build_view(path, self.protocol.documents.snapshot, self.protocol.documents.encoding)
        async with self._progress(token, file):
            return await self._requests.run(view, lambda seen: work(seen, file))

    async def ask_when_read(
        self, uri: str, work: Callable[[View, str], list[_T]], token: types.ProgressToken | None = None
    ) -> list[_T]:
        """Return what work finds; what may be missing because files are still being read is looked for once more.

        The answer to the first of a session would otherwise be that a name is defined nowhere.
        """

        def tell(view: View, file: str) -> tuple[list[_T], bool]:
            return work(view, file), bool(view.code.unread)

        found, is_cut = await self.ask(uri, tell, token)
        path = get_path(uri)
        folder = None if path is None else self.folders.find(path)
        if (found and not is_cut) or folder is None or folder.is_read:
            return found
        async with self._progress(token, folder.name):
            while not folder.is_read:
                await asyncio.sleep(_READING_POLL_SECONDS)
        return await self.ask(uri, work, token)

    async def ask_all(self, work: Callable[[View], list[_T]], token: types.ProgressToken | None = None) -> list[_T]:
        """Return what work finds in the views of all folders."""
        views = [self.view_folder(folder) for folder in self.folders.all]
        async with self._progress(token, "the workspace"):
            found = [await self._requests.run(view, work) for view in views]
        return [each for part in found for each in part]

    async def command_text(self, name: str, arguments: Sequence[Any]) -> Any:
        """Return the text that a command answers.

        Raises:
            RequestFailedError: It has no folder to ask about.
        """
        view = self._get_commanded(arguments)
        return await self._requests.run(view, lambda seen: self._commands.run(name, arguments, seen))

    def view_folder(self, folder: Folder) -> View:
        """Return what a request sees of a whole folder."""
        documents = self.protocol.documents
        own = [each for each in documents.snapshot.values() if self.folders.find(each.path) is folder]
        return folder.build_view(own, documents.encoding)

    def check(self, uri: str) -> None:
        """Publish the diagnostics of a document's folder once typing pauses."""
        path = get_path(uri)
        if path is not None:
            folder = self.folders.find(path)
            self._checker.request(path if folder is None else folder.root)

    def check_folders(self) -> None:
        """Publish the diagnostics of every folder with an open document once typing pauses."""
        for path in self.protocol.documents.snapshot:
            folder = self.folders.find(path)
            if folder is not None:
                self._checker.request(folder.root)

    def forget(self, uri: str) -> None:
        """Take back the diagnostics of a document that was closed, until its folder was checked."""
        path = get_path(uri)
        if path is not None and self.folders.find(path) is None:
            self._checker.forget(path)
            self._shown.pop(path, None)
        for shown in self._shown.values():
            shown.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        if path is not None and self.folders.find(path) is not None:
            self.check(uri)

    def open_folders(self, added: Sequence[types.WorkspaceFolder], removed: Sequence[types.WorkspaceFolder]) -> None:
        """Open and close folders; new ones are read in the background."""
        self._loop = asyncio.get_running_loop()
        for each in removed:
            self._clear(get_path(each.uri))
        self.folders.remove(removed)
        for folder in self.folders.add(added):
            folder.start_reading(self._note_reading, self._requests.has_answered)

    def send_part(self, token: types.ProgressToken, part: list[Any]) -> None:
        """Send a part of an answer; safe in any thread."""
        assert self._loop is not None
        for start in range(0, len(part), _PART):
            value = part[start : start + _PART]
            self._loop.call_soon_threadsafe(self.progress, types.ProgressParams(token, value))

    def close(self) -> None:
        """Give back what is held."""
        self._requests.close()
        self.folders.close()

    def _get_commanded(self, arguments: Sequence[Any]) -> View:
        """Return the view that a command is about: the one its arguments name, else that of the only folder."""
        uri = self._commands.get_uri(arguments)
        path = get_path(uri) if uri else None
        if path is not None:
            snapshot, encoding = self.protocol.documents.snapshot, self.protocol.documents.encoding
            return self.folders.build_view(path, snapshot, encoding)[0]
        if len(self.folders.all) == 1:
            return self.view_folder(self.folders.all[0])
        names = ", ".join(folder.shown_root.as_uri() for folder in self.folders.all)
        raise RequestFailedError(f"which folder is meant? name it as 'uri': {names or 'none is open'}")

    async def _check(self, place: Path, token: CancellationToken) -> None:
        """Compute and publish the diagnostics of a folder, or of a document that lies in none."""
        documents = self.protocol.documents
        folder = next((each for each in self.folders.all if each.root == place), None)
        if folder is None and place not in documents.snapshot:
            return
        if folder is not None:
            view = self.view_folder(folder)
        else:
            view, _ = self.folders.build_view(place, documents.snapshot, documents.encoding)

        def find(seen: View) -> dict[str, list[types.Diagnostic]]:
            found: dict[str, list[types.Diagnostic]] = {file: [] for file in seen.open_files}
            for provider in self._diagnostics:
                for file, diagnostics in provider.find(seen).items():
                    found.setdefault(file, []).extend(diagnostics)
            return found

        found = await self._requests.run(view, find, token)
        if not token.is_set:
            self._publish(place, view, found)

    def _publish(self, place: Path, view: View, found: Mapping[str, list[types.Diagnostic]]) -> None:
        """Publish what differs from what is shown: always for open documents, else only where it changed."""
        before = self._shown.get(place, {})
        now = {view.uri(file): diagnostics for file, diagnostics in found.items()}
        versions = {view.uri(file): view.version(file) for file in view.open_files}
        for uri in before.keys() - now.keys():
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        for uri, diagnostics in now.items():
            if uri in versions or before.get(uri) != diagnostics:
                published = types.PublishDiagnosticsParams(uri, diagnostics, versions.get(uri))
                self.text_document_publish_diagnostics(published)
        self._shown[place] = {uri: diagnostics for uri, diagnostics in now.items() if diagnostics}

    def _clear(self, place: Path | None) -> None:
        """Take back all diagnostics of a folder."""
        if place is not None:
            self._checker.forget(place)
            for uri in self._shown.pop(place, {}):
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _note_reading(self, folder: Folder, done: int, total: int) -> None:
        """Show the client how far the first reading is; called in the thread that reads."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._show_reading, folder, done, total)
            if done == total:
                self._loop.call_soon_threadsafe(self.check_folders)

    def _show_reading(self, folder: Folder, done: int, total: int) -> None:
        window = self.client_capabilities.window
        if window is None or not window.work_done_progress:
            return
        shown = self._reading.get(folder.root)
        if shown is None:
            shown = self._reading[folder.root] = ReadingProgress(self.work_done_progress, folder.name)
        shown.show(done, total)

    def _progress(self, token: types.ProgressToken | None, what: str) -> AbstractAsyncContextManager[None]:
        return reported(self.work_done_progress, token, f"avionics: {what}", self._progress_seconds)


def _register(server: AvionicsServer) -> None:
    """Tell pygls which function answers which request."""
    _register_lifecycle(server)
    _register_navigation(server)
    _register_symbols(server)
    _register_hierarchies(server)
    _register_descriptions(server)
    _register_changes(server)


def _register_lifecycle(server: AvionicsServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        chosen = ServerCapabilitiesBuilder.choose_position_encoding(params.capabilities)
        server.protocol.documents.encoding = Encoding(getattr(chosen, "value", chosen))
        server.options = LspOptions.read(params.initialization_options)
        if server.options.inlay_hints:
            _register_hints(server)
        if server.options.code_lenses:
            _register_lenses(server)
        if server.watch_client is not None:
            server.watch_client(params.process_id)
        server.open_folders(_folders_of(params), ())

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.open_folders(params.event.added, params.event.removed)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def change_files(_: types.DidChangeWatchedFilesParams) -> None:
        """Check again: other files may be broken, or mended. Requests look at the files themselves."""
        server.check_folders()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def change_options(params: types.DidChangeConfigurationParams) -> None:
        server.options = attrs.evolve(server.options, **attrs.asdict(LspOptions.read(params.settings)))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def open_document(params: types.DidOpenTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def change_document(params: types.DidChangeTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def save_document(params: types.DidSaveTextDocumentParams) -> None:
        server.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def close_document(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)


def _register_navigation(server: AvionicsServer) -> None:
    places: dict[str, _At] = {
        types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: navigation.list_highlights,
        types.TEXT_DOCUMENT_HOVER: descriptions.build_hover,
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: hierarchies.prepare_calls,
        types.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY: hierarchies.prepare_types,
    }
    in_other_files: dict[str, _At] = {
        types.TEXT_DOCUMENT_DEFINITION: navigation.list_definitions,
        types.TEXT_DOCUMENT_DECLARATION: navigation.list_declarations,
        types.TEXT_DOCUMENT_TYPE_DEFINITION: navigation.list_type_definitions,
        types.TEXT_DOCUMENT_IMPLEMENTATION: navigation.list_implementations,
    }
    for method, find in places.items():
        server.feature(method)(_answer_at(server.ask, find))
    for method, find in in_other_files.items():
        server.feature(method)(_answer_at(server.ask_when_read, find))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location]:
        token = params.partial_result_token
        report = None if token is None else lambda part: server.send_part(token, part)

        def find(view: View, file: str) -> list[types.Location]:
            wanted = params.context.include_declaration
            found = navigation.list_references(view, file, params.position, wanted, report)
            if report is None:
                return found
            report(found)
            return []

        # What was sent as a partial result cannot be taken back, so it is sent once.
        ask = server.ask_when_read if token is None else server.ask
        return await ask(params.text_document.uri, find, params.work_done_token)


def _answer_at(ask: Callable[..., Awaitable[Any]], find: _At) -> Callable[[Any], Awaitable[Any]]:
    """Return a handler of requests about a position."""

    async def answer(params: Any) -> Any:
        def work(view: View, file: str) -> Any:
            return find(view, file, params.position)

        return await ask(params.text_document.uri, work, params.work_done_token)

    return answer


def _register_symbols(server: AvionicsServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return await server.ask(params.text_document.uri, symbols.list_document_symbols)

    @server.feature(types.WORKSPACE_SYMBOL)
    async def workspace_symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        found = await server.ask_all(
            lambda view: symbols.list_workspace_symbols(view, params.query), params.work_done_token
        )
        if params.partial_result_token is None:
            return found
        server.send_part(params.partial_result_token, found)
        return []


def _register_hierarchies(server: AvionicsServer) -> None:
    items: dict[str, Callable[[View, Any], Any]] = {
        types.CALL_HIERARCHY_INCOMING_CALLS: hierarchies.list_incoming_calls,
        types.CALL_HIERARCHY_OUTGOING_CALLS: hierarchies.list_outgoing_calls,
        types.TYPE_HIERARCHY_SUPERTYPES: hierarchies.list_supertypes,
        types.TYPE_HIERARCHY_SUBTYPES: hierarchies.list_subtypes,
    }
    for method, find in items.items():
        server.feature(method)(_answer_item(server, find))


def _answer_item(server: AvionicsServer, find: Callable[[View, Any], Any]) -> Callable[[Any], Awaitable[Any]]:
    """Return a handler of requests about an item of a hierarchy."""

    async def answer(params: Any) -> Any:
        return await server.ask(params.item.uri, lambda view, _: find(view, params.item), params.work_done_token)

    return answer


def _register_descriptions(server: AvionicsServer) -> None:
    for name in COMMANDS:
        server.command(name)(_answer_command(server, name))


def _register_lenses(server: AvionicsServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        if not server.options.code_lenses:
            return []
        return await server.ask(params.text_document.uri, descriptions.list_lenses)

    @server.feature(types.CODE_LENS_RESOLVE)
    async def resolve(lens: types.CodeLens) -> types.CodeLens:
        match lens.data:
            case [str(uri), str(qualname), int(line)]:
                return await server.ask(
                    uri, lambda view, file: descriptions.resolve_lens(view, file, lens, qualname, line)
                )
        return lens


def _register_hints(server: AvionicsServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        if not server.options.inlay_hints:
            return []
        return await server.ask(
            params.text_document.uri, lambda view, file: descriptions.list_hints(view, file, params.range)
        )


def _answer_command(server: AvionicsServer, name: str) -> Callable[..., Awaitable[Any]]:
    """Return a handler of one command."""

    async def answer(*arguments: Any) -> Any:
        return await server.command_text(name, arguments)

    return answer


def _register_changes(server: AvionicsServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder:
        def plan(view: View, file: str) -> types.PrepareRenamePlaceholder:
            found = rename.plan_rename_at(view, file, params.position)
            return types.PrepareRenamePlaceholder(view.range(found.occurrence.place), found.name)

        return await server.ask(params.text_document.uri, plan, params.work_done_token)

    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename_all(params: types.RenameParams) -> types.WorkspaceEdit:
        edits = getattr(server.client_capabilities.workspace, "workspace_edit", None)
        is_versioned = bool(edits is not None and edits.document_changes)

        def build(view: View, file: str) -> types.WorkspaceEdit:
            plan = rename.plan_rename_at(view, file, params.position)
            return rename.build_rename(view, plan, params.new_name, is_versioned=is_versioned)

        return await server.ask(params.text_document.uri, build, params.work_done_token)


def _folders_of(params: types.InitializeParams) -> list[types.WorkspaceFolder]:
    """Return the folders that a client opens with, by the newest of the three ways to say so."""
    if params.workspace_folders:
        return list(params.workspace_folders)
    uri = params.root_uri or (Path(params.root_path).as_uri() if params.root_path else "")
    return [types.WorkspaceFolder(uri, "")] if uri else []
