"""HTTP with every connection to a checked address and every step within the time limit.

Imported only when a request is made, because importing httpx is slow.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections.abc import Iterable, Iterator
from functools import cache
from ssl import SSLContext, SSLSocket
from typing import Any

import httpcore
import httpx

from avionics.cancellation import on_cancel
from avionics.tools.builtin.addresses import Network, require_addresses

_FAULTS = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol)


class CheckedTransport(httpx.BaseTransport):
    """Sends requests to public or allowed addresses until a time of the monotonic clock."""

    def __init__(self, allowed: tuple[Network, ...], until: float) -> None:
        network = _CheckedNetwork(allowed, until)
        self._pool = httpcore.ConnectionPool(ssl_context=_read_trusted(), network_backend=network)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response to one request; redirects are further requests."""
        url = request.url
        asked = httpcore.Request(
            request.method,
            httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            answer = self._pool.handle_request(asked)
        except _FAULTS as error:
            raise _translate(error) from None
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer.stream), extensions=answer.extensions
        )

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


class _CheckedNetwork(httpcore.NetworkBackend):
    """Connects to exactly the checked addresses."""

    def __init__(self, allowed: tuple[Network, ...], until: float) -> None:
        self._allowed = allowed
        self._until = until

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002  ours asks for neither
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        """Return a connection to the first address that answers."""
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in require_addresses(host, port, self._allowed):
            with contextlib.ExitStack() as left_open:
                connection = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
                left_open.callback(connection.close)
                stream = _Stream(connection, self._until)
                try:
                    stream.connect((address, port), timeout)
                except httpcore.ConnectError as error:
                    failure = error
                else:
                    left_open.pop_all()
                    return stream
        raise failure


class _Stream(httpcore.NetworkStream):
    """A connection that ends at the deadline or when the call is cancelled."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self._connection = connection
        self._until = until

    def connect(self, address: tuple[str, int], timeout: float | None = None) -> None:
        with self._step(timeout, httpcore.ConnectTimeout, httpcore.ConnectError):
            self._connection.connect(address)
            self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with self._step(timeout, httpcore.ReadTimeout, httpcore.ReadError):
            return self._connection.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with self._step(timeout, httpcore.WriteTimeout, httpcore.WriteError):
            self._connection.sendall(buffer)

    def close(self) -> None:
        self._connection.close()

    def start_tls(
        self, ssl_context: SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        connection = self._connection
        secured = ssl_context.wrap_socket(connection, server_hostname=server_hostname, do_handshake_on_connect=False)
        with contextlib.ExitStack() as left_open:
            left_open.callback(secured.close)
            stream = _Stream(secured, self._until)
            with stream._step(timeout, httpcore.ConnectTimeout, httpcore.ConnectError):
                secured.do_handshake()
            left_open.pop_all()
        return stream

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            with selectors.DefaultSelector() as selector:
                selector.register(self._connection, selectors.EVENT_READ)
                return bool(selector.select(0))
        if info == "ssl_object":
            return self._connection if isinstance(self._connection, SSLSocket) else None
        return self._connection if info == "socket" else None

    @contextlib.contextmanager
    def _step(self, timeout: float | None, late: type[Exception], failed: type[Exception]) -> Iterator[None]:
        """Run one blocking step and convert its errors to httpcore's."""
        self._connection.settimeout(_get_seconds_left(self._until, timeout, late))
        try:
            with on_cancel(self._hang_up):
                yield
        except TimeoutError as error:
            raise late(str(error)) from None
        except OSError as error:
            raise failed(str(error)) from None

    def _hang_up(self) -> None:
        """Shut the socket down, because closing it would not wake another thread."""
        with contextlib.suppress(OSError):
            socket.socket.shutdown(self._connection, socket.SHUT_RDWR)


class _Body(httpx.SyncByteStream):
    """The streamed content of a response."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._stream
        except _FAULTS as error:
            raise _translate(error) from None

    def close(self) -> None:
        self._stream.close()


@cache
def _read_trusted() -> SSLContext:
    """Return the trusted certificates, read once because that takes longer than most requests."""
    return httpx.create_ssl_context(trust_env=False)


def _get_seconds_left(until: float, timeout: float | None, late: type[Exception]) -> float:
    """Return the seconds a step may take."""
    left = until - time.monotonic()
    if left <= 0:
        raise late("out of time")
    return left if timeout is None else min(left, timeout)


def _translate(error: Exception) -> httpx.TransportError:
    """Convert an error of the connection to httpx's."""
    text = str(error) or type(error).__name__
    if isinstance(error, httpcore.TimeoutException):
        return httpx.ReadTimeout(text)
    return httpx.RemoteProtocolError(text) if isinstance(error, httpcore.ProtocolError) else httpx.NetworkError(text)
