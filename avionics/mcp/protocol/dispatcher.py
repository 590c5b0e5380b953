"""Hold the conversation with one client: choose its era, run its requests side by side, and answer each once.

The first request decides which era a connection has. Clients of the handshake revisions open it with `initialize`;
newer ones say in the envelope of every request who they are. What belongs to the other era is refused from then on.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from avionics.mcp.protocol.messages import ErrorReply, Incoming
from avionics.mcp.protocol.params import EnvelopeParams, HandshakeParams, InitializeParams
from avionics.mcp.protocol.service import (
    CAPABILITIES_KEY,
    CONNECTION_CLOSED,
    ENVELOPE_VERSIONS,
    HANDSHAKE_VERSIONS,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHODS,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    McpRequest,
    ProtocolError,
    Result,
    Service,
    convert_params,
)

Send = Callable[[bytes], Coroutine[Any, Any, None]]
"""Sends a message; it may wait until the client takes it."""

_CLOSING_SECONDS: Final = 1.0
"""Seconds in which unanswered requests are told that the connection closes."""

_RAW: Final = re.compile("[\x7f-\x9f]")
"""Control characters that JSON need not escape and terminals interpret."""

_log = logging.getLogger(__name__)


class _Running(Struct, frozen=True):
    """A request that is not answered yet."""

    id: str | int
    method: str
    task: asyncio.Task[None]


class Dispatcher:
    """Answers the messages of one client; it is the `Peer` of its requests."""

    def __init__(self, service: Service, send: Send) -> None:
        self._service = service
        self._send = send
        self._version = HANDSHAKE_VERSIONS[-1]
        self._has_envelopes: bool | None = None
        self._is_open = False
        self._running: dict[str | int, _Running] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._at_end: list[Callable[[], object]] = []

    @property
    def key(self) -> int:
        return id(self)

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        await self._send(_encode({"jsonrpc": "2.0", "method": method, "params": params}))

    def call_at_end(self, work: Callable[[], object]) -> None:
        self._at_end.append(work)

    async def receive(self, message: Incoming | ErrorReply) -> None:
        """Handle a message: start a request, follow a notification, refuse anything else.

        `initialize` is answered before this returns, so that a request right after it finds the connection open.
        """
        if isinstance(message, ErrorReply):
            await self._send(message.to_bytes())
        elif message.method is UNSET:
            return  # This server sends no requests, so ignore responses.
        elif message.id is UNSET or message.id is None:
            self._obey(message.method, message.params or {})
        else:
            if self._has_envelopes is None:
                self._has_envelopes = message.method != "initialize" and _has_envelope(message.params)
            task = self._start(self._serve(message.id, message.method, message.params or {}))
            self._running[_normalize_id(message.id)] = _Running(message.id, message.method, task)
            if message.method == "initialize":
                await asyncio.wait({task})

    async def drain(self, seconds: float) -> None:
        """Wait until all requests but subscriptions are answered, or until a number of seconds has passed."""
        waiting = {each.task for each in self._running.values() if each.method != "subscriptions/listen"}
        if waiting:
            await asyncio.wait(waiting, timeout=seconds)

    async def close(self) -> None:
        """Tell the client which requests will not be answered, cancel them, and release its state."""
        unanswered, self._running = self._running, {}
        for task in self._tasks:
            task.cancel()
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout(_CLOSING_SECONDS):
                for each in unanswered.values():
                    await self._send(ErrorReply(each.id, CONNECTION_CLOSED, "Connection closed").to_bytes())
        for work in self._at_end:
            work()

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    def _finish(self, task: asyncio.Task[None]) -> None:
        """Forget a finished request; if an unexpected exception ended it, answer with an internal error."""
        self._tasks.discard(task)
        key = next((key for key, each in self._running.items() if each.task is task), None)
        ended = self._running.pop(key) if key is not None else None
        error = None if task.cancelled() else task.exception()
        if error is None or isinstance(error, OSError):
            return
        _log.error("%s failed", ended.method if ended else "a request", exc_info=error)
        if ended:
            failed = ErrorReply(ended.id, INTERNAL_ERROR, "Internal server error")
            self._start(self._send(failed.to_bytes()))

    def _obey(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "notifications/initialized":
            self._is_open = True
        elif method == "notifications/cancelled":
            identity = params.get("requestId")
            if isinstance(identity, (str, int)) and not isinstance(identity, bool):
                cancelled = self._running.pop(_normalize_id(identity), None)
                if cancelled:
                    cancelled.task.cancel()

    async def _serve(self, identity: str | int, method: str, params: Mapping[str, Any]) -> None:
        """Answer a request; a cancelled one is never answered."""
        try:
            version = self._read_version(method, params)
            request = McpRequest(identity, version, params, self, self.notify)
            result = self._service.seal(method, version, await self._answer(method, request))
            answer = _encode({"jsonrpc": "2.0", "id": identity, "result": result})
        except ProtocolError as error:
            answer = _encode_error(identity, error)
        except UnicodeEncodeError:
            answer = ErrorReply(identity, INTERNAL_ERROR, "the answer cannot be encoded").to_bytes()
        await self._send(answer)

    def _read_version(self, method: str, params: Mapping[str, Any]) -> str:
        """Return the version of a request. Raise `ProtocolError` if the request belongs to the other era."""
        if self._has_envelopes:
            return _read_envelope(method, params)
        if method != "initialize" and _has_envelope(params):
            reason = "this connection began with an initialize handshake, so requests with an envelope are not accepted"
            raise ProtocolError(INVALID_REQUEST, reason)
        return self._version

    async def _answer(self, method: str, request: McpRequest) -> Result:
        """Return the result of a request. Raise `ProtocolError` if it cannot be served."""
        shape = METHODS.get(method)
        if shape and request.version in shape.versions:
            convert_params(request.params, EnvelopeParams if self._has_envelopes else HandshakeParams)
            if method == "initialize":
                return self._initialize(convert_params(request.params, InitializeParams))
            if method == "ping":
                return {}
            if method == "server/discover":
                return self._service.build_discovery(request.version)
            if not self._has_envelopes and not self._is_open and method in self._service.handlers:
                raise ProtocolError(INVALID_PARAMS, "Invalid request parameters", "")
        return await self._service.answer(method, request)

    def _initialize(self, asked: InitializeParams) -> Result:
        """Open the connection, in the revision that the client asks for or in the newest one with a handshake."""
        self._version = asked.version if asked.version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
        self._is_open = True
        service = self._service
        result = {
            "protocolVersion": self._version,
            "capabilities": service.build_capabilities(self._version),
            "serverInfo": service.identity,
        }
        return {**result, "instructions": service.instructions} if service.instructions else result


def _read_envelope(method: str, params: Mapping[str, Any]) -> str:
    """Return the version that a request's envelope names. Raise `ProtocolError` if that is not served."""
    if method == "initialize":
        asked = params.get("protocolVersion")
        data = {"supported": list(ENVELOPE_VERSIONS), **({"requested": asked} if isinstance(asked, str) else {})}
        reason = "requests on this connection carry envelopes, so an initialize handshake is not accepted"
        raise ProtocolError(UNSUPPORTED_VERSION, reason, data)
    meta = params.get("_meta")
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if not isinstance(meta, dict) or key not in meta]
    if missing:
        raise ProtocolError(INVALID_PARAMS, f"params._meta is missing {', '.join(missing)}")
    version = params["_meta"][VERSION_KEY]
    if not isinstance(version, str):
        raise ProtocolError(INVALID_PARAMS, f"{VERSION_KEY} is not a string")
    if version not in ENVELOPE_VERSIONS:
        data = {"supported": list(ENVELOPE_VERSIONS), "requested": version}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    return version


def _has_envelope(params: Mapping[str, Any] | None) -> bool:
    """Return whether a request has the key that only envelopes have."""
    meta = (params or {}).get("_meta")
    return isinstance(meta, dict) and VERSION_KEY in meta


def _normalize_id(identity: str | int) -> str | int:
    """Return the normalized id of a request; some clients cancel the request 7 as "7"."""
    return int(identity) if isinstance(identity, str) and identity.isascii() and identity.isdigit() else identity


def _encode_error(identity: str | int, error: ProtocolError) -> bytes:
    body = {"code": error.code, "message": error.message}
    body = body if error.data is None else {**body, "data": error.data}
    return _encode({"jsonrpc": "2.0", "id": identity, "error": body})


def _encode(message: Mapping[str, Any]) -> bytes:
    """Return a message as JSON without raw control characters. Raise `UnicodeEncodeError` for lone surrogates."""
    text = msgspec.json.encode(message).decode()
    return _RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()
