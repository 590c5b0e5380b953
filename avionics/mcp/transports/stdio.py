"""Serve a client over standard input and output, one message per line.

Daemon threads read and write, so a client that neither writes nor reads cannot keep the process from ending. Until
then, anything else that is printed goes to standard error.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from msgspec import Struct

from avionics.mcp.protocol.dispatcher import Dispatcher
from avionics.mcp.protocol.messages import ErrorReply, Incoming, iter_messages, refuse_long
from avionics.mcp.protocol.service import Service
from avionics.standard_streams import claimed_descriptors

T = TypeVar("T")

GRACE_SECONDS = 5.0
"""Seconds in which requests are still answered after the input has ended."""

_CHUNK_BYTES = 65_536
_EDGE_BYTES = 16_384
"""The number of bytes kept at each end of a line that is too long, because the id is there."""


class Lane:
    """A daemon thread that runs blocking calls one after another."""

    def __init__(self, name: str) -> None:
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True, name=name).start()

    async def do(self, work: Callable[[], T]) -> T:
        """Run a call in the thread. Raise `OSError` if the descriptor is gone."""
        future: Future[T] = Future()
        self._work.put((work, future))
        return await asyncio.wrap_future(future)

    def _run(self) -> None:
        while True:
            work, future = self._work.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except OSError as error:
                future.set_exception(error)


class Line(Struct, frozen=True):
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


async def serve_stdio(service: Service, limit_bytes: int, stop: asyncio.Event) -> None:
    """Serve one client until it closes its end, disconnects, or `stop` is set."""
    with claimed_descriptors() as (inbound, outbound):
        out, is_gone = Lane("avionics-stdout"), asyncio.Event()

        async def send(data: bytes) -> None:
            try:
                await out.do(partial(_write_all, outbound, data + b"\n"))
            except OSError:
                is_gone.set()
                raise

        dispatcher = Dispatcher(service, send)

        async def receive() -> None:
            lane, lines = Lane("avionics-stdin"), Lines(inbound, limit_bytes)
            while line := await lane.do(lines.read):
                for message in _read(line, limit_bytes):
                    await dispatcher.receive(message)
            await dispatcher.drain(GRACE_SECONDS)

        await _race(receive(), stop.wait(), is_gone.wait())
        await dispatcher.close()


def stop_on_signals() -> asyncio.Event:
    """Return an event that the signals which end a process set instead, if the system supports it."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, stop.set)
    return stop


async def _race(*work: Any) -> None:
    """Wait for the first task and cancel the others; a disconnected client is not an error."""
    tasks = [asyncio.ensure_future(each) for each in work]
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    for task in done:
        with contextlib.suppress(OSError):
            task.result()


def _read(line: Line, limit_bytes: int) -> Iterator[Incoming | ErrorReply]:
    """Yield the messages of a line; an empty line has none."""
    if line.is_cut:
        yield refuse_long(line.data, limit_bytes)
    elif line.data.strip():
        yield from iter_messages(line.data)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
