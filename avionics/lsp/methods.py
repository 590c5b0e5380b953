"""The methods of the protocol: the handler of each request, and the capabilities announced to the client."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import avionics
from avionics.lsp.client import Answer, Methods
from avionics.lsp.features.commands import COMMANDS
from avionics.lsp.messages import INVALID_PARAMS, LspError
from avionics.lsp.server import AvionicsServer
from avionics.lsp.types import (
    CODE_LENS,
    FILES_CHANGED,
    INLAY_HINT,
    ChangeParams,
    CodeLens,
    DocumentParams,
    ExecuteCommandParams,
    FoldersChangeParams,
    HierarchyParams,
    InlayHintParams,
    Location,
    OpenParams,
    PositionParams,
    ReferenceParams,
    RenameParams,
    SessionParams,
    SettingsChangeParams,
    WorkspaceEdit,
    WorkspaceSymbol,
    WorkspaceSymbolParams,
)
from avionics.lsp.view import View

_AT_POSITIONS = {
    "textDocument/documentHighlight": "navigation.list_highlights",
    "textDocument/hover": "descriptions.build_hover",
    "textDocument/prepareCallHierarchy": "hierarchies.prepare_calls",
    "textDocument/prepareTypeHierarchy": "hierarchies.prepare_types",
    "textDocument/prepareRename": "rename.prepare_rename",
}
_IN_OTHER_FILES = {
    "textDocument/definition": "navigation.list_definitions",
    "textDocument/declaration": "navigation.list_declarations",
    "textDocument/typeDefinition": "navigation.list_type_definitions",
    "textDocument/implementation": "navigation.list_implementations",
}
_IN_HIERARCHIES = {
    "callHierarchy/incomingCalls": "hierarchies.list_incoming_calls",
    "callHierarchy/outgoingCalls": "hierarchies.list_outgoing_calls",
    "typeHierarchy/supertypes": "hierarchies.list_supertypes",
    "typeHierarchy/subtypes": "hierarchies.list_subtypes",
}
"""Method → module and function, which is imported by the first request."""


def build_methods(server: AvionicsServer) -> Methods:
    """Return the handler of each method."""
    handlers: dict[str, tuple[Any, Callable[[AvionicsServer, Any], Answer | None]]] = {
        "initialize": (SessionParams, _initialize),
        "initialized": (Any, lambda server, _: server.register()),
        "workspace/didChangeWorkspaceFolders": (
            FoldersChangeParams,
            lambda server, params: server.open_folders(params.event.added, params.event.removed),
        ),
        # Problems in other files may have appeared or gone. Requests read the files themselves.
        FILES_CHANGED: (Any, lambda server, _: server.check_folders()),
        "workspace/didChangeConfiguration": (
            SettingsChangeParams,
            lambda server, params: server.change_options(params.settings),
        ),
        "textDocument/didOpen": (OpenParams, _open_document),
        "textDocument/didChange": (ChangeParams, _change_document),
        "textDocument/didSave": (DocumentParams, lambda server, params: server.check(params.text_document.uri)),
        "textDocument/didClose": (DocumentParams, _close_document),
        "textDocument/references": (ReferenceParams, _list_references),
        "textDocument/documentSymbol": (DocumentParams, _list_symbols),
        CODE_LENS: (DocumentParams, _list_lenses),
        "codeLens/resolve": (CodeLens, _resolve_lens),
        INLAY_HINT: (InlayHintParams, _list_hints),
        "textDocument/rename": (RenameParams, _rename),
        "workspace/symbol": (WorkspaceSymbolParams, _list_workspace_symbols),
        "workspace/executeCommand": (ExecuteCommandParams, _run_command),
    }
    handlers |= {method: (PositionParams, partial(_ask_at, name)) for method, name in _AT_POSITIONS.items()}
    handlers |= {
        method: (PositionParams, partial(_ask_at, name, when_read=True)) for method, name in _IN_OTHER_FILES.items()
    }
    handlers |= {method: (HierarchyParams, partial(_ask_item, name)) for method, name in _IN_HIERARCHIES.items()}
    return {method: (kind, partial(handle, server)) for method, (kind, handle) in handlers.items()}


def _load(name: str) -> Callable[..., Any]:
    """Return a function of the features, named as `module.function`."""
    module, _, function = name.partition(".")
    found: Callable[..., Any] = getattr(import_module(f"avionics.lsp.features.{module}"), function)
    return found


def _initialize(server: AvionicsServer, params: SessionParams) -> Answer:
    server.begin(params)
    rename = {"prepareProvider": True} if server.capabilities.prepares_renames else True
    capabilities = {
        "positionEncoding": server.documents.encoding.value,
        "textDocumentSync": {"openClose": True, "change": 2, "save": True},
        "hoverProvider": True,
        "declarationProvider": True,
        "definitionProvider": True,
        "typeDefinitionProvider": True,
        "implementationProvider": True,
        "referencesProvider": True,
        "documentHighlightProvider": True,
        "documentSymbolProvider": True,
        "workspaceSymbolProvider": True,
        "renameProvider": rename,
        "callHierarchyProvider": True,
        "typeHierarchyProvider": True,
        "executeCommandProvider": {"commands": COMMANDS},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    if server.options.code_lenses:
        capabilities["codeLensProvider"] = {"resolveProvider": True}
    if server.options.inlay_hints:
        capabilities["inlayHintProvider"] = True
    identity = {"name": "avionics", "version": avionics.__version__}
    return lambda: {"capabilities": capabilities, "serverInfo": identity}


def _open_document(server: AvionicsServer, params: OpenParams) -> None:
    if server.documents.open(params.text_document) is not None:
        server.check(params.text_document.uri)


def _change_document(server: AvionicsServer, params: ChangeParams) -> None:
    if server.documents.change(params) is not None:
        server.check(params.text_document.uri)


def _close_document(server: AvionicsServer, params: DocumentParams) -> None:
    server.documents.close(params.text_document.uri)
    server.forget(params.text_document.uri)


def _ask_at(name: str, server: AvionicsServer, params: PositionParams, *, when_read: bool = False) -> Answer:
    find, ask = _load(name), server.ask_when_read if when_read else server.ask
    return ask(params.text_document.uri, lambda view, file: find(view, file, params.position), params.work_done_token)


def _ask_item(name: str, server: AvionicsServer, params: HierarchyParams) -> Answer:
    find = _load(name)
    return server.ask(params.item.uri, lambda view, _: find(view, params.item), params.work_done_token)


def _list_references(server: AvionicsServer, params: ReferenceParams) -> Answer:
    from avionics.lsp.features.navigation import list_references

    token = params.partial_result_token
    report = None if token is None else partial(server.send_part, token)

    def find(view: View, file: str) -> list[Location]:
        found = list_references(view, file, params.position, params.context.include_declaration, report)
        if report is None:
            return found
        report(found)
        return []

    # What was sent as a partial result cannot be taken back, so it is sent once.
    ask = server.ask_when_read if token is None else server.ask
    return ask(params.text_document.uri, find, params.work_done_token)


def _list_symbols(server: AvionicsServer, params: DocumentParams) -> Answer:
    return server.ask(params.text_document.uri, _load("symbols.list_document_symbols"))


def _list_workspace_symbols(server: AvionicsServer, params: WorkspaceSymbolParams) -> Answer:
    from avionics.lsp.features.symbols import list_workspace_symbols

    ask = server.ask_all(lambda view: list_workspace_symbols(view, params.query), params.work_done_token)
    token = params.partial_result_token
    if token is None:
        return ask

    def send() -> list[WorkspaceSymbol]:
        server.send_part(token, ask())
        return []

    return send


def _list_lenses(server: AvionicsServer, params: DocumentParams) -> Answer:
    if not server.options.code_lenses:
        return list
    return server.ask(params.text_document.uri, _load("descriptions.list_lenses"))


def _resolve_lens(server: AvionicsServer, lens: CodeLens) -> Answer:
    from avionics.lsp.features.descriptions import resolve_lens

    match lens.data:
        case [str(uri), str(qualname), int(line)]:
            return server.ask(uri, lambda view, file: resolve_lens(view, file, lens, qualname, line))
    return lambda: lens


def _list_hints(server: AvionicsServer, params: InlayHintParams) -> Answer:
    if not server.options.inlay_hints:
        return list
    find = _load("descriptions.list_hints")
    return server.ask(params.text_document.uri, lambda view, file: find(view, file, params.range))


def _rename(server: AvionicsServer, params: RenameParams) -> Answer:
    from avionics.lsp.features.rename import build_rename

    is_versioned = server.capabilities.has_versioned_edits

    def build(view: View, file: str) -> WorkspaceEdit:
        return build_rename(view, file, params.position, params.new_name, is_versioned=is_versioned)

    return server.ask(params.text_document.uri, build, params.work_done_token)


def _run_command(server: AvionicsServer, params: ExecuteCommandParams) -> Answer:
    if params.command not in COMMANDS:
        raise LspError(INVALID_PARAMS, f"unknown command: {params.command[:200]}")
    return server.ask_command(params.command, params.arguments or ())
