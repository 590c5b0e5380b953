"""Describe a server as plain data: its methods, and the context that answering a request needs.

A transport takes a `Service` and calls its handlers with `McpRequest`s; parameters and results have the same form as on
the wire. The standard input and output of a process are served by `dispatcher`, HTTP by the official SDK.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, NoReturn

import msgspec
from msgspec import Struct

from avionics.mcp.protocol.params import (
    CallParams,
    CompleteParams,
    InitializeParams,
    LevelParams,
    ListenParams,
    ListParams,
    NoParams,
    PromptParams,
    ResourceParams,
)
from avionics.mcp.protocol.peer import Peer

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
CONNECTION_CLOSED: Final = -32000
UNSUPPORTED_VERSION: Final = -32022

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions whose clients open a connection with `initialize`."""

ENVELOPE_VERSIONS: Final = ("2026-07-28",)
"""Revisions whose clients identify themselves in an envelope of each request."""

VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY: Final = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL_KEY: Final = "io.modelcontextprotocol/logLevel"
SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_KEY: Final = "io.modelcontextprotocol/subscriptionId"

CACHEABLE: Final = frozenset(
    {"prompts/list", "resources/list", "resources/read", "resources/templates/list", "server/discover", "tools/list"}
)
"""Methods whose results, in revisions with an envelope, say how long a client may cache them."""

LASTING_MS: Final = 3_600_000
"""How long clients may cache results that change only with the version of the server."""

Result = dict[str, Any]
Notify = Callable[[str, Mapping[str, Any]], Awaitable[None]]
"""Sends a notification: its method and its parameters."""

_MAX_NAMED_TOOLS: Final = 20
"""The number of tools named in the error about an unknown one."""


class ProtocolError(Exception):
    """An error of the protocol, which answers a request in place of a result; `data` are plain data about it."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def raise_unknown_tool(name: str, known: list[str]) -> NoReturn:
    """Refuse a call of a tool that is not offered; the message names the tools, as models see no more of an error.

    Raises:
        ProtocolError: Always.
    """
    listed = f"; the tools are {', '.join(known[:_MAX_NAMED_TOOLS])}" if known else "; no tools are offered"
    more = ", … (tools/list has them all)" if len(known) > _MAX_NAMED_TOOLS else ""
    raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {name[:80]}{listed}{more}", {"tools": known})


class McpRequest(Struct, frozen=True, eq=False):
    """A request, as the method that answers it sees it.

    Attributes:
        version: The revision of the protocol that its client speaks.
        params: Its parameters, as they came.
        notify: Sends a notification that belongs to this request.
        context: Additional information from the transport.
    """

    id: str | int | None
    version: str
    params: Mapping[str, Any]
    peer: Peer
    notify: Notify
    context: Any = None

    @property
    def identity(self) -> str:
        """Return the id as text; "" if there is none."""
        return "" if self.id is None else str(self.id)

    @property
    def meta(self) -> Mapping[str, Any]:
        """Return the client's metadata of the request."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, Mapping) else {}

    async def report_progress(self, done: float, total: float | None, message: str) -> None:
        """Report progress to a client that asked for it."""
        token = self.meta.get("progressToken")
        if token is None:
            return
        params = {"progressToken": token, "progress": done, "total": total, "message": message}
        await self.notify(
            "notifications/progress", {name: value for name, value in params.items() if value is not None}
        )


class Method(Struct, frozen=True):
    """A method of the protocol."""

    params: type[Struct]
    versions: tuple[str, ...] = (*HANDSHAKE_VERSIONS, *ENVELOPE_VERSIONS)


METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "completion/complete": Method(CompleteParams),
        "initialize": Method(InitializeParams, HANDSHAKE_VERSIONS),
        "logging/setLevel": Method(LevelParams, HANDSHAKE_VERSIONS),
        "ping": Method(NoParams, HANDSHAKE_VERSIONS),
        "prompts/get": Method(PromptParams),
        "prompts/list": Method(ListParams),
        "resources/list": Method(ListParams),
        "resources/read": Method(ResourceParams),
        "resources/subscribe": Method(ResourceParams, HANDSHAKE_VERSIONS),
        "resources/templates/list": Method(ListParams),
        "resources/unsubscribe": Method(ResourceParams, HANDSHAKE_VERSIONS),
        "server/discover": Method(NoParams, ENVELOPE_VERSIONS),
        "subscriptions/listen": Method(ListenParams, ENVELOPE_VERSIONS),
        "tools/call": Method(CallParams),
        "tools/list": Method(ListParams),
    }
)
"""Every request that a client may send."""

Handler = Callable[[McpRequest, Any], Awaitable[Result]]
"""Answers a request; it is given the converted parameters, too."""


class Service(Struct, frozen=True):
    """What a server offers.

    Attributes:
        handlers: The handlers of the methods; `initialize`, `ping` and `server/discover` are answered without.
        instructions: How a model should use it.
        lasting: The methods whose results clients may keep for an hour.
        get_input_schema: Returns the input schema of a tool, for transports that read arguments from headers.
    """

    name: str
    server_version: str
    handlers: Mapping[str, Handler]
    instructions: str | None = None
    lasting: frozenset[str] = frozenset()
    get_input_schema: Callable[[str], Mapping[str, Any] | None] = lambda _: None

    @property
    def identity(self) -> dict[str, str]:
        """Return the server's name and version."""
        return {"name": self.name, "version": self.server_version}

    def build_capabilities(self, version: str) -> dict[str, Any]:
        """Return the capabilities of the server in a revision; its lists never change."""
        subscribes = "resources/subscribe" if version in HANDSHAKE_VERSIONS else "subscriptions/listen"
        parts: dict[str, tuple[str, dict[str, bool]]] = {
            "completions": ("completion/complete", {}),
            "logging": ("logging/setLevel", {}),
            "prompts": ("prompts/list", {"listChanged": False}),
            "resources": ("resources/list", {"listChanged": False, "subscribe": subscribes in self.handlers}),
            "tools": ("tools/list", {"listChanged": False}),
        }
        return {name: capability for name, (method, capability) in parts.items() if method in self.handlers}

    async def answer(self, method: str, request: McpRequest) -> Result:
        """Return the result of a request. Raise `ProtocolError` if its method or its parameters are invalid."""
        shape, handler = METHODS.get(method), self.handlers.get(method)
        if shape is None or handler is None or request.version not in shape.versions:
            raise ProtocolError(METHOD_NOT_FOUND, "Method not found", method)
        return await handler(request, convert_params(request.params, shape.params))

    def seal(self, method: str, version: str, result: Result) -> Result:
        """Return a result with the fields that every result of its revision has."""
        if version not in ENVELOPE_VERSIONS:
            return result
        meta = {SERVER_KEY: self.identity, **result.get("_meta", {})}
        if method not in CACHEABLE or "resultType" in result:
            return {"resultType": "complete", **result, "_meta": meta}
        lasts = method in self.lasting
        kept = {"ttlMs": LASTING_MS if lasts else 0, "cacheScope": "public" if lasts else "private"}
        return {**kept, **result, "resultType": "complete", "_meta": meta}

    def build_discovery(self, version: str) -> Result:
        """Return the result of `server/discover`."""
        found = {"supportedVersions": list(ENVELOPE_VERSIONS), "capabilities": self.build_capabilities(version)}
        return {**found, "instructions": self.instructions} if self.instructions else found


def convert_params(params: Mapping[str, Any], kind: type[Struct]) -> Any:
    """Return parameters as values of their type. Raise `ProtocolError` if they are not of the type."""
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError:
        raise ProtocolError(INVALID_PARAMS, "Invalid request parameters", "") from None
