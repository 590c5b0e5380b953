"""Notify subscribed clients when the text of a resource changes.

A resource is checked every few seconds while a client is subscribed to it. Clients of the handshake revisions subscribe
by connection, newer ones by a request that stays open.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs
from mcp import MCPError, types
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated

from avionics.mcp.sessions import Peers

Request = ServerRequestContext[Any, Any]
Read = Callable[[str], Awaitable[str]]
"""Returns the text of the resource at an address; raises MCPError if there is none."""

_MAX_SUBSCRIPTIONS = 256
"""The maximum number of subscriptions; each resource is read at every check."""


@attrs.frozen
class _Follower:
    """A connection and the addresses it is subscribed to."""

    session: ServerSession
    addresses: frozenset[str]


class Subscriptions:
    """Keeps the subscriptions and notifies clients.

    Args:
        read: Reads a resource.
        require: Raises MCPError for an address that no resource can have.
        look_seconds: How often what is followed is looked at.
    """

    def __init__(self, read: Read, require: Callable[[str], object], look_seconds: float) -> None:
        self._read = read
        self._require = require
        self._look_seconds = look_seconds
        self._followers: Peers[_Follower] = Peers()
        self._listened: Counter[str] = Counter()
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._seen: dict[str, str] = {}
        self._looking: asyncio.Task[None] | None = None

    async def subscribe(self, request: Request, params: types.SubscribeRequestParams) -> types.EmptyResult:
        """Subscribe a connection to a resource.

        Raises:
            MCPError: There can be no such resource, or too many are followed.
        """
        address = str(params.uri)
        self._admit((address,))
        await self._start((address,))
        self._follow(request.session, self._get(request.session) | {address})
        return types.EmptyResult()

    async def unsubscribe(self, request: Request, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        """Unsubscribe a connection from a resource."""
        self._follow(request.session, self._get(request.session) - {str(params.uri)})
        return types.EmptyResult()

    async def listen(
        self, request: Request, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Stream the changes of resources until the client ends the request.

        Raises:
            MCPError: There can be no such resource, or too many are followed.
        """
        addresses = tuple(map(str, params.notifications.resource_subscriptions or ()))
        self._admit(addresses)
        with self._listening(addresses):
            await self._start(addresses)
            return await self._listen(request, params)

    def _get(self, session: ServerSession) -> frozenset[str]:
        follower = self._followers.get(session)
        return follower.addresses if follower else frozenset()

    def _follow(self, session: ServerSession, addresses: frozenset[str]) -> None:
        self._followers.put(session, _Follower(session, addresses))

    def _admit(self, addresses: Iterable[str]) -> None:
        for address in addresses:
            self._require(address)
        if len({*self._followed(), *addresses}) > _MAX_SUBSCRIPTIONS:
            raise MCPError(types.INVALID_PARAMS, f"at most {_MAX_SUBSCRIPTIONS} resources are followed at once")

    def _followed(self) -> frozenset[str]:
        followed = (follower.addresses for follower in self._followers.values())
        return frozenset(self._listened).union(*followed)

    @contextmanager
    def _listening(self, addresses: tuple[str, ...]) -> Iterator[None]:
        self._listened.update(addresses)
        try:
            yield
        finally:
            self._listened -= Counter(addresses)

    async def _start(self, addresses: Iterable[str]) -> None:
        """Record the state of the resources and start checking them unless that has started."""
        for address in addresses:
            if address not in self._seen:
                self._seen[address] = await self._mark(address)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Check repeatedly until there are no subscriptions."""
        while True:
            await asyncio.sleep(self._look_seconds)
            followed = self._followed()
            self._seen = {address: mark for address, mark in self._seen.items() if address in followed}
            if not followed:
                return
            for address in sorted(followed):
                mark = await self._mark(address)
                if self._seen.get(address, mark) != mark:
                    await self._tell(address)
                self._seen[address] = mark

    async def _tell(self, address: str) -> None:
        await self._bus.publish(ResourceUpdated(uri=address))
        for follower in self._followers.values():
            if address in follower.addresses:
                await follower.session.send_resource_updated(address)

    async def _mark(self, address: str) -> str:
        """Return a digest of a resource's state; a missing resource has one too."""
        try:
            text = await self._read(address)
        except MCPError:
            return ""
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
