"""Send requests to a chat model's server: streamed, retried while it is busy, never revealing the key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from msgspec import Struct, structs

from avionics.model.chat import ChatMessage, ChatReply
from avionics.model.errors import ConfigError, RemoteError, importing
from avionics.model.secret import NO_SECRET, Secret

if TYPE_CHECKING:
    import httpx

MAX_REPLY_BYTES: Final = 8_000_000
"""The longest answer of a model is far below this; the limit stops a server that never ends its reply."""
_DETAIL_CHARACTERS: Final = 300
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PASSING: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})

Sleep = Callable[[float], Awaitable[None]]


class Endpoint(Struct, frozen=True):
    """A server that speaks a model's API.

    Attributes:
        timeout_seconds: How long the server may be silent.
        backoff_seconds: The first pause between attempts; each following one is twice as long.
        max_pause_seconds: The longest pause, even if the server asks for more.
    """

    base_url: str
    key: Secret = NO_SECRET
    attempts: int = 4
    timeout_seconds: float = 120.0
    backoff_seconds: float = 0.5
    max_pause_seconds: float = 20.0

    @property
    def host(self) -> str:
        """Return the host, which unlike the URL contains no credential. Raise `ConfigError` if the URL is invalid."""
        try:
            parts = urlsplit(self.base_url)
            host = parts.hostname if parts.scheme in {"http", "https"} else None
        except ValueError:
            host = None
        if not host:
            raise ConfigError(f"{self.base_url!r} is not the URL of a server", hint="give https://host/v1")
        return host


class Transport:
    """Sends requests to one endpoint. A reply is returned only when it is complete, so any attempt may be repeated."""

    def __init__(self, endpoint: Endpoint, headers: Mapping[str, str], sleep: Sleep = asyncio.sleep) -> None:
        self._endpoint = endpoint
        self._headers = dict(headers)
        self._sleep = sleep

    async def post(self, path: str, body: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the events of a streamed reply as JSON; the one document of a server that does not stream.

        Raise `RemoteError`, without the key in its message, if the server did not answer or refused; `ConfigError` if
        the URL is invalid; `MissingDependencyError` if httpx is not installed.
        """
        endpoint = self._endpoint
        pause = endpoint.backoff_seconds
        async with _open_client(endpoint) as client:
            for attempt in range(1, endpoint.attempts + 1):
                try:
                    return await self._try(client, f"{endpoint.base_url.rstrip('/')}{path}", body)
                except _BusyError as busy:
                    if attempt == endpoint.attempts:
                        raise RemoteError(str(busy), hint="try again later", status=busy.status) from None
                    await self._sleep(min(busy.wait_seconds or pause, endpoint.max_pause_seconds))
                    pause *= 2
        raise AssertionError("attempts must be at least 1")

    async def _try(self, client: httpx.AsyncClient, url: str, body: Mapping[str, Any]) -> tuple[Any, ...]:
        """Make one attempt."""
        import httpx

        try:
            async with client.stream("POST", url, headers=self._headers, json=body) as response:
                if response.status_code != HTTPStatus.OK:
                    raise self._refusal(response, await _read_start(response))
                return tuple([event async for event in _iter_events(response)])
        except httpx.HTTPError as error:
            message = str(error) or type(error).__name__
            raise _BusyError(self._endpoint.key.hide_in(f"{self._endpoint.host} did not answer: {message}")) from None
        except httpx.InvalidURL:
            raise ConfigError("this is not the URL of a server", hint="give https://host/v1") from None

    def _refusal(self, response: httpx.Response, start: str) -> Exception:
        """Return the error of a refused request, without the message of a server that may quote the refused key."""
        status = response.status_code
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            return RemoteError(f"{self._endpoint.host} refused the key ({status})", hint="check the key", status=status)
        detail = self._endpoint.key.hide_in(" ".join(start.split()))[:_DETAIL_CHARACTERS]
        message = f"{self._endpoint.host} answered {status}: {detail}"
        if status in _PASSING:
            return _BusyError(message, status, _read_wait(response.headers.get("retry-after", "")))
        return RemoteError(message, status=status)


class _BusyError(Exception):
    """A failure that may be temporary."""

    def __init__(self, message: str, status: int = 0, wait_seconds: float = 0.0) -> None:
        super().__init__(message)
        self.status = status
        self.wait_seconds = wait_seconds


def merge_turns(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    """Merge consecutive turns of the user, because some servers want the roles to alternate."""
    merged: list[ChatMessage] = []
    for message in messages:
        if merged and message.role == merged[-1].role == "user":
            merged[-1] = structs.replace(merged[-1], text=f"{merged[-1].text}\n\n{message.text}")
        else:
            merged.append(message)
    return tuple(merged)


def read_reply(read: Callable[[tuple[Any, ...]], ChatReply], events: tuple[Any, ...]) -> ChatReply:
    """Parse the events. Raise `RemoteError` if they do not follow the API."""
    try:
        return read(events)
    except (KeyError, IndexError, TypeError, AttributeError):
        raise RemoteError("the model's server sent a reply that does not follow its API") from None


def read_arguments(name: str, written: str) -> tuple[Mapping[str, Any], str]:
    """Return the parsed arguments of a call, and a message if they are invalid."""
    try:
        arguments = json.loads(written or "{}")
    except (ValueError, RecursionError) as error:
        return {}, f"the arguments of {name} are not JSON: {error}"
    return (arguments, "") if isinstance(arguments, Mapping) else ({}, f"the arguments of {name} are not an object")


def _open_client(endpoint: Endpoint) -> httpx.AsyncClient:
    """Return a client without redirects; it reaches a server on this machine without a proxy."""
    with importing("chat models need httpx", hint="pip install 'avionics[agents]', or ask without --model"):
        import httpx
    is_remote = endpoint.host not in _LOOPBACK
    return httpx.AsyncClient(timeout=endpoint.timeout_seconds, trust_env=is_remote, follow_redirects=False)


async def _iter_events(response: httpx.Response) -> AsyncIterator[Any]:
    """Yield every `data:` of a stream as JSON; a whole document is one event."""
    if "event-stream" not in response.headers.get("content-type", ""):
        yield _read_json("".join([piece async for piece in _bounded(response.aiter_text())]))
        return
    data: list[str] = []
    async for line in _bounded(response.aiter_lines()):
        if line.startswith("data:"):
            data.append(line[5:].strip())
        elif not line and data:
            if data != ["[DONE]"]:
                yield _read_json("\n".join(data))
            data = []
    if data and data != ["[DONE]"]:
        yield _read_json("\n".join(data))


async def _bounded(pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    """Yield the pieces up to the size limit."""
    left = MAX_REPLY_BYTES
    async for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise RemoteError(f"the model's reply is longer than {MAX_REPLY_BYTES} bytes")
        yield piece


async def _read_start(response: httpx.Response) -> str:
    """Return the beginning of the server's message about a refusal."""
    async for piece in response.aiter_text():
        return piece
    return ""


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise RemoteError("the model's server sent a reply that does not follow its API") from None


def _read_wait(text: str) -> float:
    """Return the seconds that a server asked to wait; 0 if unusable."""
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
