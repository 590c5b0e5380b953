"""A real server process, and what it is asked about."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import anyio
import attrs
import pytest
from mcp import StdioServerParameters
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from avionics.mcp.protocol.dispatcher import Dispatcher
from avionics.mcp.protocol.messages import iter_messages
from avionics.mcp.protocol.service import Service
from avionics.settings import Settings
from tests.conftest import write_files
from tests.timing import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": (
        'class Cart:\n    """What a customer wants."""\n\n    def add(self, item):\n        return self.total(item)\n\n'
        "    def total(self, item):\n        return item\n"
    ),
    "shop/app.py": (
        "from shop.cart import Cart\n\n\ndef main():\n    cart = Cart()\n    cart.add(1)\n    return cart\n\n\n"
        'if __name__ == "__main__":\n    main()\n'
    ),
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_add():\n    assert Cart().add(1) == 1\n",
}


@contextlib.asynccontextmanager
async def connected_to(service: Service) -> AsyncIterator[tuple]:
    """Connect the SDK's client to a service in this process: it takes this as a transport."""
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](math.inf)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage](math.inf)

    async def send(data: bytes) -> None:
        await to_client.send(SessionMessage(jsonrpc_message_adapter.validate_json(data)))

    dispatcher = Dispatcher(service, send)

    async def receive() -> None:
        async for item in from_client:
            for message in iter_messages(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()):
                await dispatcher.receive(message)

    async with to_client, from_server, to_server, from_client:
        receiving = asyncio.create_task(receive())
        try:
            yield from_server, to_server
        finally:
            receiving.cancel()
            await dispatcher.close()


@attrs.frozen
class Launcher:
    """How a server is started on directories, with a cache of the test's own."""

    cache: Path

    def arguments(self, *directories: Path, extra: tuple[str, ...] = ()) -> list[str]:
        repositories = [word for directory in directories for word in ("--repo", str(directory))]
        return ["-m", "avionics.cli", "serve", *repositories, *extra]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "AVIONICS_CACHE_DIR": str(self.cache), "AVIONICS_WORKERS": "2"}

    def stdio(self, *directories: Path, extra: tuple[str, ...] = ()) -> StdioServerParameters:
        return StdioServerParameters(
            command=sys.executable,
            args=self.arguments(*directories, extra=extra),
            cwd=ROOT,
            env=self.environment(),
        )

    def start(self, *directories: Path, extra: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, *self.arguments(*directories, extra=extra)],
            cwd=ROOT,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    @contextlib.contextmanager
    def http(self, *directories: Path, extra: tuple[str, ...] = ()) -> Iterator[str]:
        """The URL of a server that is up; it has to end by itself when it is told to."""
        with serving_at(self.start(*directories, extra=("--transport", "http", "--port", "0", *extra))) as url:
            yield url


@contextlib.contextmanager
def serving_at(server: subprocess.Popen[bytes]) -> Iterator[str]:
    """The URL of a server over HTTP, once it is up; it has to end by itself when it is told to."""
    with server as process:
        try:
            line = process.stderr.readline().decode()
            assert line.startswith("serving at "), line + process.stderr.read().decode()
            yield line.removeprefix("serving at ").strip()
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """The URL of one server over HTTP for all tests of a file that leave it as it is."""
    place = tmp_path_factory.mktemp("shared")
    with Launcher(place / "cache").http(write_files(place / "repository", FILES)) as shared:
        yield shared


@pytest.fixture
def launcher(settings: Settings) -> Launcher:
    """Starts servers."""
    return Launcher(settings.cache_directory)


@pytest.fixture
def shop(git_repository) -> Path:
    """A small repository with a history."""
    return git_repository(FILES).root


@pytest.fixture
def run() -> Callable:
    """Runs a coroutine; a test that waits for ever is a failed one."""

    def run_within(work):
        return asyncio.run(asyncio.wait_for(work, PATIENCE_SECONDS))

    return run_within
