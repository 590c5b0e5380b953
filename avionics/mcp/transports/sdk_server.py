"""Give a service to the official SDK, which serves it over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from mcp import MCPError, types
from mcp.server import Server, ServerRequestContext
from mcp.server.connection import Connection as SdkConnection
from mcp.types.methods import parse_server_notification

from avionics.mcp.protocol.service import McpRequest, ProtocolError, Result, Service

Context = ServerRequestContext[Any, Any]


class SdkPeer:
    """A client of the SDK's server, seen from one of its requests."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @property
    def key(self) -> int:
        return id(self._connection)

    @property
    def _connection(self) -> SdkConnection:
        """Return the connection of the request.

        The SDK documents a connection's teardown, and gives requests no public way to it: what a request shows of its
        client is its handshake, which says nothing of the end.
        """
        return self._context.session._connection

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        await self._context.session.send_notification(self._build(method, params))

    async def notify_here(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification that belongs to the request."""
        await self._context.session.send_notification(self._build(method, params), self._context.request_id)

    def call_at_end(self, work: Callable[[], object]) -> None:
        self._connection.exit_stack.callback(work)

    def _build(self, method: str, params: Mapping[str, Any]) -> types.ServerNotification:
        notification = parse_server_notification(method, self._context.protocol_version, params)
        return cast("types.ServerNotification", notification)


def build_sdk_server(service: Service) -> Server[Any]:
    """Return the SDK's server of a service."""
    server = Server[Any](
        service.name,
        version=service.server_version,
        instructions=service.instructions,
        get_tool_input_schema=service.get_input_schema,
    )
    for method in service.handlers:
        server.add_request_handler(method, types.RequestParams, _build_handler(service, method))

    async def discover(context: Context, _params: types.RequestParams) -> Result:
        version = context.protocol_version
        return service.seal("server/discover", version, service.build_discovery(version))

    # The SDK would also announce changing lists, which this server does not have.
    server.add_request_handler("server/discover", types.RequestParams, discover)
    return server


def _build_handler(service: Service, method: str) -> Callable[[Context, types.RequestParams], Awaitable[Result]]:
    async def handle(context: Context, _params: types.RequestParams) -> Result:
        peer = SdkPeer(context)
        params = context.params or {}
        request = McpRequest(context.request_id, context.protocol_version, params, peer, peer.notify_here, context)
        try:
            result = await service.answer(method, request)
        except ProtocolError as error:
            raise MCPError(error.code, error.message, error.data) from None
        return service.seal(method, request.version, result)

    return handle
