"""Serve a client over standard input and output, one message per line.

Daemon threads read and write, so a client that neither writes nor reads cannot keep the process from ending. Until
then, anything else that is printed goes to standard error.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import re
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

import attrs
from mcp.server import Server
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp.types import INTERNAL_ERROR, JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from avionics.mcp.messages import ErrorReply, iter_messages, refuse_long
from avionics.standard_streams import claimed_descriptors

T = TypeVar("T")

GRACE_SECONDS = 5.0
"""Seconds in which requests are still answered after the input has ended."""

_CHUNK_BYTES = 65_536
_RAW = re.compile("[\x7f-\x9f]")
"""Control characters that JSON need not escape and terminals interpret."""

_EDGE_BYTES = 16_384
"""Bytes kept at either end of a line that is too long: the id is there."""


class Lane:
    """A daemon thread that runs blocking calls one after another."""

    def __init__(self, name: str) -> None:
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True, name=name).start()

    async def do(self, work: Callable[[], T]) -> T:
        """Run a call in the thread.

        Raises:
            OSError: The descriptor is gone.
        """
        future: Future[T] = Future()
        self._work.put((work, future))
        return await asyncio.wrap_future(future)

    def _run(self) -> None:
        while True:
            work, future = self._work.get()
            future.set_running_or_notify_cancel()
            try:
                future.set_result(work())
            except OSError as error:
                future.set_exception(error)


@attrs.frozen
class Line:
    """A line, without its middle if it was too long."""

    data: bytes
    is_cut: bool


class Lines:
    """The lines of a file descriptor; longer ones than the limit are not kept whole."""

    def __init__(self, descriptor: int, limit_bytes: int) -> None:
        self._descriptor = descriptor
        self._limit = limit_bytes
        self._buffer = bytearray()

    def read(self) -> Line | None:
        """Return the next line, or None at the end."""
        is_cut = False
        while (end := self._buffer.find(b"\n")) < 0:
            is_cut = is_cut or len(self._buffer) > self._limit
            if is_cut:
                del self._buffer[_EDGE_BYTES:-_EDGE_BYTES]
            chunk = os.read(self._descriptor, _CHUNK_BYTES)
            if not chunk and not self._buffer:
                return None
            if not chunk:
                end = len(self._buffer)
                break
            self._buffer += chunk
        line = Line(bytes(self._buffer[:end]), is_cut or end > self._limit)
        del self._buffer[: end + 1]
        return line


class Pending:
    """The requests without a response."""

    def __init__(self) -> None:
        self._identities: set[str | int] = set()
        self._none = asyncio.Event()
        self._none.set()

    def see_incoming(self, message: JSONRPCMessage) -> None:
        """Record a request; cancelled requests and subscriptions are never answered."""
        if isinstance(message, JSONRPCRequest) and message.method != "subscriptions/listen":
            self._identities.add(message.id)
            self._none.clear()
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._forget((message.params or {}).get("requestId"))

    def see_outgoing(self, message: JSONRPCMessage) -> None:
        """Record a response."""
        if isinstance(message, (JSONRPCResponse, JSONRPCError)):
            self._forget(message.id)

    async def wait(self, seconds: float) -> None:
        """Wait until all requests are answered, or for so many seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._none.wait()

    def _forget(self, identity: Any) -> None:
        if isinstance(identity, (str, int)):
            self._identities.discard(identity)
        if not self._identities:
            self._none.set()


async def serve_stdio(server: Server[Any], limit_bytes: int, stop: asyncio.Event) -> None:
    """Serve one client until it closes its end, disconnects, or `stop` is set."""
    with claimed_descriptors() as (inbound, outbound):
        out = Lane("avionics-stdout")

        async def write(data: bytes) -> None:
            await out.do(partial(_write_all, outbound, data + b"\n"))

        pending = Pending()
        async with create_client_server_memory_streams() as ((answers, requests), (read_stream, write_stream)):

            async def receive() -> None:
                lane, lines = Lane("avionics-stdin"), Lines(inbound, limit_bytes)
                while line := await lane.do(lines.read):
                    for message in _read(line, limit_bytes):
                        if isinstance(message, ErrorReply):
                            await write(message.to_bytes())
                        else:
                            pending.see_incoming(message)
                            await requests.send(SessionMessage(message))
                await pending.wait(GRACE_SECONDS)

            async def answer() -> None:
                async for item in answers:
                    if isinstance(item, SessionMessage):
                        await write(_encode(item.message))
                        pending.see_outgoing(item.message)

            serving = server.run(read_stream, write_stream, server.create_initialization_options())
            await _race(serving, receive(), answer(), stop.wait())


def stop_on_signals(stop: asyncio.Event) -> None:
    """Let the signals that end a process set the event instead, if the system has them."""
    loop = asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, stop.set)


async def _race(*work: Any) -> None:
    """Wait for the first task and cancel the others; a disconnected client is no error."""
    tasks = [asyncio.ensure_future(each) for each in work]
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in done:
        with contextlib.suppress(OSError):
            task.result()


def _read(line: Line, limit_bytes: int) -> Iterator[JSONRPCMessage | ErrorReply]:
    """Return the messages of a line; none for an empty one."""
    if line.is_cut:
        yield refuse_long(line.data, limit_bytes)
    elif line.data.strip():
        yield from iter_messages(line.data)


def _encode(message: JSONRPCMessage) -> bytes:
    """Return the message as a line; a response that is not valid UTF-8 becomes an error that says so."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        return _RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()
    except ValueError:
        return ErrorReply(getattr(message, "id", None), INTERNAL_ERROR, "the answer cannot be encoded").to_bytes()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
