"""Serve Streamable HTTP: the protocol at /mcp, health at /healthz and /readyz, counts at /metrics, after some checks.

A page in a browser can reach a server on loopback through a name of its own (DNS rebinding), so Host and Origin are
checked; anything but loopback asks for a token.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import re
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from msgspec import Struct

from avionics.mcp.protocol.messages import ErrorReply, read_message, refuse_long
from avionics.mcp.transports.routes import Routes
from avionics.model.errors import UsageError
from avionics.model.secret import Secret
from avionics.settings import Settings
from avionics.tools.observers.telemetry import CallCounts, to_prometheus

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PATH: Final = "/mcp"

_LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_ANY_ADDRESS: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104  compared with, not bound to
_PORT = re.compile(r":\d+\Z")
_MAX_SESSIONS = 256
"""The maximum number of sessions; a client of an older revision has one, of a few kilobytes."""
_GOODBYE_SECONDS = 2
"""Seconds that shutdown waits for open streams."""


class HttpReply(Struct, frozen=True):
    """A response to a request that does not reach the server."""

    status: int
    text: str
    headers: tuple[tuple[str, str], ...] = (("content-type", "text/plain; charset=utf-8"),)

    async def send(self, send: Send) -> None:
        """Send the response."""
        body = self.text.encode()
        headers = [(name.encode(), value.encode()) for name, value in self.headers]
        headers.append((b"content-length", str(len(body)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Allowance:
    """Limits requests to an average rate per second; after an idle second that many may arrive at once."""

    def __init__(self, per_second: int) -> None:
        self._rate = per_second
        self._left = float(per_second)
        self._seen = time.monotonic()

    def is_spent(self) -> bool:
        """Count a request and return False, or return True if it exceeds the limit."""
        now = time.monotonic()
        self._left = min(self._rate, self._left + (now - self._seen) * self._rate)
        self._seen = now
        if self._left < 1:
            return True
        self._left -= 1
        return False


class RequestFilter:
    """Passes permitted requests to the server, and answers those for health and metrics itself.

    Clients must send the bearer token; an empty one requires none.
    """

    def __init__(
        self, app: App, host: str, token: Secret, settings: Settings, counts: CallCounts, routes: Routes | None
    ) -> None:
        self._app = app
        self._names = None if host in _ANY_ADDRESS else _LOOPBACK_NAMES | {host.lower()}
        self._token = token
        self._limit_bytes = settings.max_request_bytes
        self._allowance = Allowance(settings.max_requests_per_second)
        self._counts = counts
        self._routes = routes or Routes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the lifespan of the server."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        reply = self._get_refusal(headers) or await self._answer(scope, headers, receive)
        if reply is None and scope["method"] == "POST":
            body = _read_message(await self._read_body(receive), self._limit_bytes)
            reply = body if isinstance(body, HttpReply) else None
            if isinstance(body, bytes):
                receive = _replay(body, receive)
        if reply is None:
            await self._app(scope, receive, send)
            return
        if reply.status >= 400:
            self._counts.count_refusal(reply.status)
        await reply.send(send)

    def _get_refusal(self, headers: Mapping[str, str]) -> HttpReply | None:
        """Return why a request is refused, whatever it asks for, or None."""
        if not self._is_our_name(headers.get("host", "")):
            return HttpReply(421, "this server has no such name")
        if not self._is_our_page(headers.get("origin"), headers.get("host", "")):
            return HttpReply(403, "requests from other origins are not allowed")
        if self._allowance.is_spent():
            return HttpReply(429, "too many requests", (("retry-after", "1"),))
        return None

    async def _answer(self, scope: Scope, headers: Mapping[str, str], receive: Receive) -> HttpReply | None:
        """Return the response to a request that is not for the protocol or lacks the token; None if it may pass."""
        path, routes = scope["path"], self._routes
        if path == "/healthz":
            return HttpReply(200, "ok\n")
        if path == "/readyz":
            is_ready = await asyncio.to_thread(routes.is_ready)
            return HttpReply(200, "ready\n") if is_ready else HttpReply(503, "not ready\n")
        if path in routes.hooks and scope["method"] == "POST":
            body = await self._read_body(receive)
            if len(body) > self._limit_bytes:
                return HttpReply(413, "the message is too long\n")
            status = await asyncio.to_thread(routes.hooks[path], headers, body)
            return HttpReply(status, f"{HTTPStatus(status).phrase}\n")
        if self._token and not self._has_token(headers.get("authorization", "")):
            return HttpReply(401, "a bearer token is needed", (("www-authenticate", "Bearer"),))
        if path == "/metrics":
            metrics = (*self._counts.list_metrics(), *routes.metrics)
            return HttpReply(200, await asyncio.to_thread(to_prometheus, metrics))
        return None

    async def _read_body(self, receive: Receive) -> bytes:
        """Return the body of a request, of one that is too long no more than shows that."""
        body = bytearray()
        while True:
            part = await receive()
            body += part.get("body", b"")
            if len(body) > self._limit_bytes or not part.get("more_body", False):
                return bytes(body)

    def _is_our_name(self, host: str) -> bool:
        return self._names is None or _without_port(host) in self._names

    def _is_our_page(self, origin: str | None, host: str) -> bool:
        """Return whether the origin is allowed: there is none, or it is this server."""
        if origin is None:
            return True
        try:
            name = urlsplit(origin).hostname
        except ValueError:
            return False
        return name is not None and (name == _without_port(host) if self._names is None else name in self._names)

    def _has_token(self, authorization: str) -> bool:
        scheme, _, shown = authorization.partition(" ")
        same = hmac.compare_digest(shown.strip().encode("utf-8", "replace"), self._token.reveal().encode())
        return scheme.lower() == "bearer" and same


def _read_message(body: bytes, limit_bytes: int) -> bytes | HttpReply:
    """Return a message as the protocol's server can read it, or the response to one that it cannot read."""
    if len(body) > limit_bytes:
        return _reply(413, refuse_long(body, limit_bytes))
    message = read_message(body)
    if isinstance(message, ErrorReply):
        return _reply(400, message)
    return message.to_bytes()


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the address."""
    try:
        return host in _LOOPBACK_NAMES or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def open_socket(host: str, port: int, token: Secret) -> socket.socket:
    """Return the socket to listen at; port 0 takes a free one.

    Raise `UsageError` if the address is taken or not of this machine, or it needs a token and there is none.
    """
    if not token and not is_loopback(host):
        raise UsageError(
            f"{host} can be reached from other machines, so clients must show a token",
            hint="give --token or AVIONICS_TOKEN, or listen at 127.0.0.1",
        )
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = f"cannot listen at {host} port {port}: {error.strerror}"
        raise UsageError(reason, hint="choose another --port") from None


async def serve_http(
    server: Server[Any],
    listening: socket.socket,
    host: str,
    settings: Settings,
    counts: CallCounts,
    stop: asyncio.Event,
    routes: Routes | None = None,
) -> None:
    """Serve clients over HTTP until `stop` is set."""
    app: App = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=2 * settings.max_request_bytes,
        max_sessions=_MAX_SESSIONS,
        # Host and Origin have already been checked, for every path.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    filtered = RequestFilter(app, host, settings.server_token, settings, counts, routes)
    config = uvicorn.Config(
        filtered, log_level="warning", access_log=False, ws="none", timeout_graceful_shutdown=_GOODBYE_SECONDS
    )
    listener = uvicorn.Server(config)

    async def end() -> None:
        await stop.wait()
        listener.should_exit = True

    ending = asyncio.create_task(end())
    await listener.serve(sockets=[listening])
    ending.cancel()


def _reply(status: int, refusal: ErrorReply) -> HttpReply:
    return HttpReply(status, refusal.to_bytes().decode(), (("content-type", "application/json"),))


def _without_port(host: str) -> str:
    """Return the host without its port: `localhost:80` → `localhost`, `[::1]:80` → `::1`."""
    bare = host if host.count(":") > 1 and not host.startswith("[") else _PORT.sub("", host)
    return bare.strip("[]").lower()


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns the body first."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed
