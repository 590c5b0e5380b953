"""Every method of the server is driven over stdio, and a client library takes each answer."""

from __future__ import annotations

import io
import json
import threading

import pytest
from lsprotocol import converters, types

from avionics.lsp.client import LspClient
from avionics.lsp.messages import encode_message
from avionics.lsp.methods import build_methods
from avionics.lsp.progress import ReadingProgress, reported
from avionics.lsp.server import AvionicsServer
from avionics.lsp.types import WorkspaceFolder
from tests.timing import wait_until

NOTIFICATIONS = {
    "initialized",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didSave",
    "textDocument/didClose",
    "workspace/didChangeConfiguration",
    "workspace/didChangeWatchedFiles",
    "workspace/didChangeWorkspaceFolders",
}
AT_CALL = ("shop/app.py", 5, 10)
AT_CLASS = ("shop/app.py", 4, 12)
AT_BASE = ("shop/cart.py", 3, 7)
ANSWERS = {
    "textDocument/definition": (AT_CALL, {}, 1),
    "textDocument/declaration": (AT_CALL, {}, 1),
    "textDocument/typeDefinition": (("shop/app.py", 5, 6), {}, 1),
    "textDocument/implementation": (AT_BASE, {}, 1),
    "textDocument/references": (AT_CALL, {"context": {"includeDeclaration": True}}, 3),
    "textDocument/documentHighlight": (AT_CLASS, {}, 2),
    "textDocument/hover": (AT_CALL, {}, None),
    "textDocument/prepareCallHierarchy": (AT_CALL, {}, 1),
    "textDocument/prepareTypeHierarchy": (AT_CLASS, {}, 1),
    "textDocument/prepareRename": (("shop/app.py", 3, 5), {}, None),
    "textDocument/rename": (("shop/app.py", 3, 5), {"newName": "start"}, None),
    "textDocument/documentSymbol": ("shop/cart.py", {}, 2),
    "textDocument/codeLens": ("shop/cart.py", {}, 6),
    "textDocument/inlayHint": ("shop/app.py", {"range": {"start": {"line": 0, "character": 0},
                                                         "end": {"line": 9, "character": 0}}}, 1),
    "workspace/symbol": (None, {"query": "Cart"}, 1),
    "workspace/executeCommand": (None, {"command": "avionics.locate", "arguments": [{"symbol": "Cart"}]}, None),
}  # fmt: skip
"""Method → place or file, further params, and how many values the answer has; None for one that is no list."""
FOLLOWING = {
    "codeLens/resolve": ("textDocument/codeLens", None),
    "callHierarchy/incomingCalls": ("textDocument/prepareCallHierarchy", 2),
    "callHierarchy/outgoingCalls": ("textDocument/prepareCallHierarchy", 1),
    "typeHierarchy/supertypes": ("textDocument/prepareTypeHierarchy", 1),
    "typeHierarchy/subtypes": ("textDocument/prepareTypeHierarchy", 0),
}
"""Method → the one whose first value it is asked about, and how many values its answer has."""

CONVERTER = converters.get_converter()


def test_every_method_is_in_these_tests(settings):
    methods = build_methods(AvionicsServer(LspClient(io.BytesIO(), io.BytesIO()), settings))
    assert methods.keys() == {"initialize", *NOTIFICATIONS, *ANSWERS, *FOLLOWING}


@pytest.fixture(scope="module")
def hinted(start_own):
    return start_own(options={"inlayHints": True})


def ask(editor, method):
    place, more, count = ANSWERS[method]
    file, *at = place if isinstance(place, tuple) else (place,)
    params = dict(more)
    if file is not None:
        params["textDocument"] = {"uri": (editor.root / file).as_uri()}
    if at:
        params["position"] = {"line": at[0], "character": at[1]}
    return editor.ask(method, CONVERTER.structure(params, types.METHOD_TO_TYPES[method][2])), count


@pytest.mark.parametrize("method", ANSWERS)
def test_a_request_is_answered(hinted, method):
    found, count = ask(hinted, method)
    assert found
    assert count is None or len(found) == count


@pytest.mark.parametrize("method", FOLLOWING)
def test_a_request_about_an_answer_is_answered(hinted, method):
    before, count = FOLLOWING[method]
    (first, *_), _ = ask(hinted, before)
    params = first if count is None else types.METHOD_TO_TYPES[method][2](first)
    found = hinted.ask(method, params)
    assert found.command.command == "avionics.usages" if count is None else len(found) == count


def test_a_document_that_was_saved_is_checked_again(start):
    editor = start({"a.py": "x = 1\n"})
    uri = editor.open("a.py")
    editor.wait_for(lambda: [each for each in editor.published if each.uri == uri])
    editor.notify("textDocument/didSave", types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
    editor.wait_for(lambda: len([each for each in editor.published if each.uri == uri]) > 1)


def test_what_was_not_found_before_the_end_of_the_reading_is_looked_for_once_more(settings, tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    server = AvionicsServer(LspClient(io.BytesIO(), io.BytesIO()), settings)
    (folder,) = server.folders.add([WorkspaceFolder(tmp_path.as_uri())])
    asked = []

    def find(_view, file):
        if not asked:
            folder.start_reading(lambda *_: None, threading.Event())
            wait_until(lambda: folder.is_read, "the end of the reading")
        asked.append(file)
        return asked[1:]

    assert server.ask_when_read((tmp_path / "a.py").as_uri(), find)() == ["a.py"]
    server.close()


REGISTERS = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True)
    ),
    text_document=types.TextDocumentClientCapabilities(
        code_lens=types.CodeLensClientCapabilities(dynamic_registration=True),
        inlay_hint=types.InlayHintClientCapabilities(dynamic_registration=True),
    ),
)


def test_what_cannot_be_announced_at_the_start_is_registered_with_a_client_that_allows_it(start_own):
    editor = start_own(capabilities={"workspace": REGISTERS.workspace, "text_document": REGISTERS.text_document})
    (watched,) = editor.wait_for(lambda: list(editor.registered))
    assert watched.method == "workspace/didChangeWatchedFiles"
    assert {"py", "ts"} < set(watched.register_options["watchers"][0]["globPattern"][6:-1].split(","))
    assert not ask(editor, "textDocument/inlayHint")[0]
    for _ in range(2):
        settings = {"avionics": {"inlayHints": True}}
        editor.notify("workspace/didChangeConfiguration", types.DidChangeConfigurationParams(settings))
    assert len(ask(editor, "textDocument/inlayHint")[0]) == 1
    assert [each.method for each in editor.registered] == [watched.method, "textDocument/inlayHint"]


def test_nothing_is_registered_with_a_client_that_does_not_say_it_allows_it(hinted):
    ask(hinted, "workspace/symbol")
    assert hinted.registered == []


def test_settings_that_name_no_option_change_none(hinted):
    for settings in ({}, None, {"avionics": None}, {"python": {"inlayHints": False}}):
        hinted.notify("workspace/didChangeConfiguration", types.DidChangeConfigurationParams(settings))
        assert len(ask(hinted, "textDocument/inlayHint")[0]) == 1


@pytest.fixture
def watched():
    """A client, what it was sent, and a function with which it answers."""
    said, sent = io.BytesIO(), io.BytesIO()
    client = LspClient(said, sent)

    def answer(identity):
        said.write(encode_message({"id": identity, "result": None}))
        said.seek(0)
        client.serve({})

    def read():
        bodies = [part.partition(b"\r\n\r\n")[2] for part in sent.getvalue().split(b"Content-Length: ")[1:]]
        return [json.loads(body) for body in bodies]

    return client, read, answer


def test_a_request_that_takes_long_reports_its_progress(watched):
    client, read, _ = watched
    with reported(client, "t", "slow", 0.0):
        wait_until(lambda: len(read()) == 1, "the begin")
    with reported(client, "t", "quick", 60.0), reported(client, None, "unasked", 0.0):
        pass
    assert [each["params"] for each in read()] == [
        {"token": "t", "value": {"kind": "begin", "title": "slow"}},
        {"token": "t", "value": {"kind": "end"}},
    ]


def test_reading_is_reported_once_the_client_has_agreed(watched):
    client, read, answer = watched
    shown = ReadingProgress(client, "shop")
    shown.show(1, 4)
    shown.show(2, 4)
    (asked,) = read()
    assert asked["method"] == "window/workDoneProgress/create"
    answer(asked["id"])
    shown.show(3, 4)
    shown.show(4, 4)
    assert [each["params"]["value"] for each in read()[1:]] == [
        {"kind": "begin", "title": "avionics: reading shop", "percentage": 0},
        {"kind": "report", "message": "3 of 4 files", "percentage": 75},
        {"kind": "end"},
    ]
