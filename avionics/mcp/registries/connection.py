"""Connections to other servers, each kept open in a thread with an event loop of its own.

Calls come from any event loop, or from none; a session of the protocol belongs to the task that opened it. So one
thread opens, keeps and closes it. A connection that broke is opened again by the next call; the call that met the
break is an error, because the server may have carried it out.
"""

from __future__ import annotations

import asyncio
import atexit
import shlex
import threading
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import attrs
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from avionics.model.errors import RemoteError, UsageError

T = TypeVar("T")

MAX_TOOLS: Final = 1_000
"""The maximum number of tools of one server; a model could not be shown a longer list."""

_CLOSE_SECONDS: Final = 5.0


@attrs.frozen
class McpEndpoint:
    """Where a server is: a URL, or a command that starts it.

    Attributes:
        url: "" for a command.
        command: The program and its arguments.
        environment: Environment variables of the program, besides the few that the protocol's SDK passes on.
        headers: Headers of every request, such as `authorization`.
    """

    url: str = ""
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    headers: Mapping[str, str] = attrs.field(factory=dict, repr=False)

    @classmethod
    def parse(
        cls, target: str | Sequence[str], environment: Mapping[str, str] | None, headers: Mapping[str, str] | None
    ) -> McpEndpoint:
        """Read a target: a URL or a command. Raise `UsageError` if it is neither, or has the other's options."""
        is_url = isinstance(target, str) and urlsplit(target).scheme in ("http", "https")
        if environment if is_url else headers:
            raise UsageError("environment is for a command, headers are for a URL")
        if is_url:
            return cls(url=str(target), headers=dict(headers or {}))
        words = tuple(shlex.split(target) if isinstance(target, str) else target)
        if not words or not words[0]:
            raise UsageError("an MCP server is a command or an http(s) URL", hint='for example "npx -y some-server"')
        return cls(command=words, environment=dict(environment or {}))

    def __str__(self) -> str:
        """Return the host, or the program, for messages; arguments and queries may contain credentials."""
        return urlsplit(self.url).netloc.rpartition("@")[2] if self.url else self.command[0]

    def open(self) -> Client:
        """Return a client that is not yet connected."""
        if self.command:
            program, *arguments = self.command
            environment = dict(self.environment) or None
            return Client(StdioServerParameters(command=program, args=arguments, env=environment))
        if not self.headers:
            return Client(self.url)
        return Client(streamable_http_client(self.url, http_client=create_mcp_http_client(headers=dict(self.headers))))


class Connection:
    """A connection to one server, opened by the first call."""

    def __init__(self, endpoint: McpEndpoint) -> None:
        self.endpoint = endpoint
        self._loop = asyncio.new_event_loop()
        self._opening = asyncio.Lock()
        self._client: Client | None = None
        self._holder: asyncio.Task[None] | None = None
        self._leave = asyncio.Event()
        self._is_closed = False
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="avionics-mcp-client")
        self._thread.start()
        atexit.register(self.close)

    def list_tools(self, timeout_seconds: float) -> list[types.Tool]:
        """Return all tools that the server lists. Raise `RemoteError` if it does not answer in time."""
        work = self._submit(self._list_tools())
        try:
            return work.result(timeout_seconds)
        except FutureTimeoutError:
            work.cancel()
            reason = f"the MCP server {self.endpoint} did not answer within {timeout_seconds:g} s"
            raise RemoteError(reason, hint="check the command, or give the server more time to start") from None

    async def call(self, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """Run a tool of the server; cancelling this cancels the call there.

        Raise `RemoteError` if the server cannot be reached, refused the call, or the connection broke.
        """
        return await asyncio.wrap_future(self._submit(self._call(name, dict(arguments))))

    def close(self) -> None:
        """End the connection, and the server if a command started it."""
        if self._is_closed:
            return
        self._is_closed = True
        atexit.unregister(self.close)
        ending = asyncio.run_coroutine_threadsafe(self._end(), self._loop)
        try:
            ending.result(_CLOSE_SECONDS)
        except FutureTimeoutError:
            ending.cancel()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSE_SECONDS)
        if not self._loop.is_running():
            self._loop.close()

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if self._is_closed:
            work.close()
            raise RemoteError(f"the connection to the MCP server {self.endpoint} is closed", hint="add it again")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _list_tools(self) -> list[types.Tool]:
        client = await self._require_client()
        found: list[types.Tool] = []
        cursor: str | None = None
        try:
            while len(found) < MAX_TOOLS:
                page = await client.list_tools(cursor=cursor)
                found.extend(page.tools)
                cursor = page.next_cursor
                if not cursor:
                    return found
        except MCPError as error:
            raise self._describe(error) from None
        raise RemoteError(
            f"the MCP server {self.endpoint} lists more than {MAX_TOOLS} tools", hint="let the server offer fewer"
        )

    async def _call(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        client = await self._require_client()
        try:
            return await client.call_tool(name, arguments)
        except MCPError as error:
            raise self._describe(error) from None

    def _describe(self, error: MCPError) -> RemoteError:
        """Return the error of a call; after a broken connection the next call opens another."""
        if error.code == types.CONNECTION_CLOSED:
            self._leave.set()
            self._client = None
            return RemoteError(f"the MCP server {self.endpoint} ended before it answered", hint="call again")
        return RemoteError(f"the MCP server {self.endpoint} refused the call: {str(error)[:500]}")

    async def _require_client(self) -> Client:
        """Return the connected client. Raise `RemoteError` if the server cannot be reached."""
        async with self._opening:
            if self._client is not None and self._holder is not None and not self._holder.done():
                return self._client
            ready: asyncio.Future[Client] = self._loop.create_future()
            self._leave = asyncio.Event()
            self._holder = asyncio.create_task(self._hold(ready, self._leave))
            try:
                waiting: set[asyncio.Future[Any]] = {self._holder, ready}
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            except asyncio.CancelledError:
                self._holder.cancel()
                raise
            if not ready.done():
                failure = self._holder.exception()
                reason = f"cannot connect to the MCP server {self.endpoint}: {_get_cause(failure)}"
                raise RemoteError(reason, hint="check the command or URL, and that the server is installed")
            self._client = ready.result()
            return self._client

    async def _hold(self, ready: asyncio.Future[Client], leave: asyncio.Event) -> None:
        """Keep a client connected until it is told to disconnect; the task that opens it also closes it."""
        async with self.endpoint.open() as client:
            ready.set_result(client)
            await leave.wait()

    async def _end(self) -> None:
        self._leave.set()
        if self._holder is not None:
            await asyncio.wait({self._holder}, timeout=_CLOSE_SECONDS)
            if not self._holder.done():
                self._holder.cancel()
                await asyncio.wait({self._holder}, timeout=1)


def _get_cause(error: BaseException | None) -> str:
    """Return the first reason within a group of errors, in one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}".partition("\n")[0][:300] if error else "no reason given"
