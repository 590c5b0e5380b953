"""A real server process, and an editor's side of the protocol by pygls's own client."""

from __future__ import annotations

import asyncio
import copy
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from tests.conftest import write_files
from tests.timing import PATIENCE_SECONDS

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        "from shop.money import Money\n"
        "\n"
        "\n"
        "class Base:\n"
        "    def total(self):\n"
        "        raise NotImplementedError\n"
        "\n"
        "\n"
        "class Cart(Base):\n"
        '    """What a customer wants."""\n'
        "\n"
        "    def __init__(self, limit=3):\n"
        "        self.items = []\n"
        "        self.limit = limit\n"
        "\n"
        "    def add(self, item, count=1):\n"
        '        """Put an item into the cart."""\n'
        "        wanted = Money(item)\n"
        "        self.items.append(wanted)\n"
        "        return wanted\n"
        "\n"
        "    def total(self):\n"
        "        return len(self.items)\n"
    ),
    "shop/money.py": "class Money:\n    def __init__(self, amount):\n        self.amount = amount\n",
    "shop/app.py": (
        "from shop.cart import Cart\n"
        "\n"
        "\n"
        "def main():\n"
        "    cart = Cart()\n"
        "    cart.add(1, count=2)\n"
        "    return cart\n"
        "\n"
        "\n"
        "def untyped(thing):\n"
        "    return thing.total()\n"
    ),
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_add():\n    assert Cart().add(1)\n",
    "native/list.h": "int list_size(int start);\n",
    "native/list.c": '#include "list.h"\n\nint list_size(int start) {\n    return start;\n}\n',
    "native/main.c": '#include "list.h"\n\nint main(void) {\n    return list_size(3);\n}\n',
}


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, error: JsonRpcException) -> None:
        super().__init__(error.message)
        self.code = error.code


class Editor:
    """One client and its server: requests wait for their answer, notifications are kept as they come.

    Args:
        folders: The workspace folders.
        cache: Where the server keeps what it learns.
        encodings: The units of columns that the client can count in, best first; None says nothing.
        options: `initializationOptions`.
        capabilities: Further client capabilities.
    """

    def __init__(
        self,
        folders: list[Path],
        cache: Path,
        encodings: list[str] | None = None,
        options: Any = None,
        capabilities: Mapping[str, Any] | None = None,
    ) -> None:
        self.root = folders[0] if folders else cache
        self.texts: dict[Path, str] = {}
        self.versions: dict[Path, int] = {}
        self.published: list[types.PublishDiagnosticsParams] = []
        self.progress: list[types.ProgressParams] = []
        self.created: list[Any] = []
        self.registered: list[types.Registration] = []
        self._news = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.client = LanguageClient("editor", "1")
        self._listen()
        environment = {**os.environ, "AVIONICS_CACHE_DIR": str(cache)}
        self._wait(self.client.start_io(sys.executable, "-m", "avionics.cli", "lsp", env=environment))
        general = types.GeneralClientCapabilities(position_encodings=encodings) if encodings else None
        given = {
            "general": general,
            "text_document": types.TextDocumentClientCapabilities(
                rename=types.RenameClientCapabilities(prepare_support=True)
            ),
            "workspace": types.WorkspaceClientCapabilities(
                workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
            ),
            **(capabilities or {}),
        }
        self.initialized = self.ask(
            "initialize",
            types.InitializeParams(
                process_id=os.getpid(),
                capabilities=types.ClientCapabilities(**given),
                workspace_folders=[types.WorkspaceFolder(each.as_uri(), each.name) for each in folders],
                initialization_options=options,
            ),
        )
        self.client.initialized(types.InitializedParams())

    @property
    def process(self) -> asyncio.subprocess.Process:
        assert self.client._server is not None
        return self.client._server

    def with_folder(self, root: Path) -> Editor:
        """The same client and server, about one more workspace folder."""
        event = types.WorkspaceFoldersChangeEvent([types.WorkspaceFolder(root.as_uri(), root.name)], [])
        self.notify("workspace/didChangeWorkspaceFolders", types.DidChangeWorkspaceFoldersParams(event))
        other = copy.copy(self)
        other.root, other.texts, other.versions = root, {}, {}
        return other

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request."""
        return self.result(self.start(method, params))

    def start(self, method: str, params: Any) -> Any:
        """A request under way."""
        return asyncio.run_coroutine_threadsafe(self._send(method, params), self._loop)

    def result(self, future: Any) -> Any:
        """What a request under way is answered with."""
        try:
            found = future.result(PATIENCE_SECONDS)
            return list(found) if isinstance(found, tuple) else found
        except JsonRpcException as error:
            raise Refused(error) from None

    def call(self, work: Callable[[], Any]) -> Any:
        """Does something in the client's own thread."""

        async def run() -> Any:
            return work()

        return self._wait(run())

    def notify(self, method: str, params: Any) -> None:
        self.call(lambda: self.client.protocol.notify(method, params))

    def open(self, file: str, text: str | None = None, uri: str | None = None) -> str:
        """Opens a file, with other text than on disk if that is given, and gives its URI."""
        path = self.root / file
        self.texts[path] = path.read_bytes().decode() if text is None else text
        self.versions[path] = 1
        uri = uri or path.as_uri()
        item = types.TextDocumentItem(uri, "x", 1, self.texts[path])
        self.notify("textDocument/didOpen", types.DidOpenTextDocumentParams(item))
        return uri

    def replace(self, file: str, old: str, new: str) -> None:
        """Replaces a piece of an open file by an incremental edit."""
        path = self.root / file
        start = self.texts[path].index(old)
        edit = types.TextDocumentContentChangePartial(
            types.Range(self.position(path, start), self.position(path, start + len(old))), new
        )
        self.texts[path] = self.texts[path][:start] + new + self.texts[path][start + len(old) :]
        self.change(file, edit)

    def change(self, file: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Sends edits."""
        path = self.root / file
        self.versions[path] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[path], path.as_uri())
        self.notify("textDocument/didChange", types.DidChangeTextDocumentParams(document, list(changes)))

    def close_document(self, file: str) -> None:
        self.notify(
            "textDocument/didClose",
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier((self.root / file).as_uri())),
        )

    def position(self, path: Path, offset: int) -> types.Position:
        """The position of an offset, in UTF-16 unless the server chose another unit."""
        before = self.texts[path][:offset]
        line = before.count("\n")
        column = before[before.rfind("\n") + 1 :]
        encoding = self.initialized.capabilities.position_encoding if hasattr(self, "initialized") else None
        units = {"utf-8": len(column.encode()), "utf-32": len(column)}
        return types.Position(line, units.get(encoding or "", len(column.encode("utf-16-le")) // 2))

    def at(self, file: str, mark: str, **more: Any) -> dict[str, Any]:
        """What a request about a position says: where `mark`, a piece of the text with `|` in it, stands."""
        path = self.root / file
        text = self.texts.get(path) or path.read_bytes().decode()
        self.texts.setdefault(path, text)
        piece = mark.replace("|", "", 1)
        offset = text.index(piece) + mark.index("|")
        return {
            "text_document": types.TextDocumentIdentifier(path.as_uri()),
            "position": self.position(path, offset),
            **more,
        }

    def places(self, found: Any) -> list[str]:
        """Locations as `file:line:column`, in order; lines from 1."""
        found = [] if found is None else found if isinstance(found, (list, tuple)) else [found]
        return [self.place(each.uri, each.range) for each in found]

    def place(self, uri: str, span: types.Range) -> str:
        name = uri.removeprefix(f"{self.root.as_uri()}/")
        return f"{name}:{span.start.line + 1}:{span.start.character}"

    def goto(self, kind: str, file: str, mark: str) -> list[str]:
        """Where `textDocument/<kind>` leads from a mark."""
        params = {
            "definition": types.DefinitionParams,
            "declaration": types.DeclarationParams,
            "typeDefinition": types.TypeDefinitionParams,
            "implementation": types.ImplementationParams,
        }[kind]
        return self.places(self.ask(f"textDocument/{kind}", params(**self.at(file, mark))))

    def references(self, file: str, mark: str, *, declaration: bool = False, **more: Any) -> list[str]:
        params = types.ReferenceParams(**self.at(file, mark, context=types.ReferenceContext(declaration), **more))
        return self.places(self.ask("textDocument/references", params))

    def rename(self, file: str, mark: str, name: str) -> types.WorkspaceEdit:
        return self.ask("textDocument/rename", types.RenameParams(**self.at(file, mark, new_name=name)))

    def hover(self, file: str, mark: str) -> str:
        found = self.ask("textDocument/hover", types.HoverParams(**self.at(file, mark)))
        return found.contents.value if found is not None else ""

    def wait_for(self, condition: Callable[[], Any]) -> Any:
        """What a condition gives once something came that fulfils it."""
        with self._news:
            assert self._news.wait_for(condition, PATIENCE_SECONDS), "it did not come"
            return condition()

    def stop(self) -> int | None:
        """Ends the session as an editor does, and gives the exit code."""
        if self.process.returncode is None:
            self.ask("shutdown", None)
            self.notify("exit", None)
            self._wait(asyncio.wait_for(self.process.wait(), PATIENCE_SECONDS))
        self._leave()
        return self.process.returncode

    def kill(self) -> None:
        """Ends whatever is left of the session; a signal that cannot be handled would leave directories."""
        if self.process.returncode is None:
            self.process.terminate()
            self._wait(self.process.wait())
        self._leave()

    def _leave(self) -> None:
        if not self._loop.is_running():
            return
        self._wait(asyncio.wait_for(self.client.stop(), PATIENCE_SECONDS))
        # The transport of the pipes is closed by the loop, which must still run for it.
        self._wait(asyncio.sleep(0))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_SECONDS)
        self._loop.close()

    def _wait(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE_SECONDS)

    async def _send(self, method: str, params: Any) -> Any:
        return await self.client.protocol.send_request_async(method, params)

    def _listen(self) -> None:
        def keep(kept: list[Any], params: Any) -> None:
            with self._news:
                kept.append(params)
                self._news.notify_all()

        @self.client.feature("textDocument/publishDiagnostics")
        def publish(params: types.PublishDiagnosticsParams) -> None:
            keep(self.published, params)

        @self.client.feature("$/progress")
        def report(params: types.ProgressParams) -> None:
            keep(self.progress, params)

        @self.client.feature("window/workDoneProgress/create")
        def create(params: types.WorkDoneProgressCreateParams) -> None:
            keep(self.created, params)

        @self.client.feature("client/registerCapability")
        def register(params: types.RegistrationParams) -> None:
            for each in params.registrations:
                keep(self.registered, each)


@pytest.fixture(scope="session")
def start_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Editor]]:
    """Starts an editor with a server of its own, on files or on folders that stand: `start_own(folders=[…])`."""
    editors = []

    def run(files: Mapping[str, str | bytes] | None = None, folders: list[Path] | None = None, **more: Any) -> Editor:
        place = tmp_path_factory.mktemp("lsp").resolve()
        roots = folders if folders is not None else [write_files(place / "repository", files or FILES)]
        editors.append(Editor(roots, place / "cache", **more))
        return editors[-1]

    yield run
    for each in editors:
        each.kill()


@pytest.fixture(scope="session")
def start(start_own, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Editor]:
    """Gives an editor on files in a new folder of one server that the tests share."""
    shared = start_own({"README": ""})

    def run(files: Mapping[str, str | bytes] | None = None) -> Editor:
        return shared.with_folder(write_files(tmp_path_factory.mktemp("lsp").resolve() / "repository", files or FILES))

    return run


@pytest.fixture(scope="session")
def editor(start: Callable[..., Editor]) -> Editor:
    """An editor on a shop and a list, which no test edits."""
    return start()
