"""Notify subscribed clients when the text of a resource changes.

A resource is checked every few seconds while a client is subscribed to it. Clients of the handshake revisions subscribe
by connection, newer ones by a request that stays open.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager

from msgspec import Struct, to_builtins

from avionics.mcp.protocol.params import ListenFilter, ListenParams, ResourceParams
from avionics.mcp.protocol.peer import Peer, Peers
from avionics.mcp.protocol.service import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    SUBSCRIPTION_KEY,
    McpRequest,
    ProtocolError,
    Result,
)

Read = Callable[[str], Awaitable[str]]
"""Returns the text of the resource at an address; raises ProtocolError if there is none."""

_MAX_SUBSCRIPTIONS = 256
"""The maximum number of subscriptions; each resource is read at every check."""

_MAX_STREAMS = 1_024
"""The maximum number of open requests of newer clients."""


class _Follower(Struct, frozen=True):
    """A connection and the addresses it is subscribed to."""

    peer: Peer
    addresses: frozenset[str]


class _Stream:
    """An open request of a newer client: its subscriptions, and the changes not yet reported."""

    def __init__(self, addresses: frozenset[str]) -> None:
        self.addresses = addresses
        self._changed: dict[str, None] = {}
        self._is_waking = asyncio.Event()

    def put(self, address: str) -> None:
        """Record a change, unless the same one is recorded and not yet reported."""
        self._changed[address] = None
        self._is_waking.set()

    async def take(self) -> tuple[str, ...]:
        """Wait for changes and return their addresses."""
        await self._is_waking.wait()
        self._is_waking.clear()
        changed, self._changed = tuple(self._changed), {}
        return changed


class Subscriptions:
    """Keeps the subscriptions, looks at the resources every few seconds, and notifies clients.

    `require` raises ProtocolError for an address that no resource can have.
    """

    def __init__(self, read: Read, require: Callable[[str], object], look_seconds: float) -> None:
        self._read = read
        self._require = require
        self._look_seconds = look_seconds
        self._followers: Peers[_Follower] = Peers()
        self._streams: set[_Stream] = set()
        self._seen: dict[str, str] = {}
        self._looking: asyncio.Task[None] | None = None

    async def subscribe(self, request: McpRequest, params: ResourceParams) -> Result:
        """Subscribe a connection. Raise `ProtocolError` for an impossible resource or too many subscriptions."""
        self._admit((params.uri,))
        await self._start((params.uri,))
        self._follow(request.peer, self._get(request.peer) | {params.uri})
        return {}

    async def unsubscribe(self, request: McpRequest, params: ResourceParams) -> Result:
        """Unsubscribe a connection from a resource."""
        self._follow(request.peer, self._get(request.peer) - {params.uri})
        return {}

    async def listen(self, request: McpRequest, params: ListenParams) -> Result:
        """Stream the changes of resources until the client ends the request.

        Raise `ProtocolError` if the resource cannot exist, or there are too many subscriptions.
        """
        wanted = params.notifications
        addresses = wanted.addresses or ()
        self._admit(addresses)
        if len(self._streams) >= _MAX_STREAMS:
            raise ProtocolError(INTERNAL_ERROR, f"at most {_MAX_STREAMS} subscriptions may be open at once")
        meta = {SUBSCRIPTION_KEY: request.id}
        with self._listening(addresses) as stream:
            await self._start(addresses)
            acknowledged = {"_meta": meta, "notifications": _build_acknowledgment(wanted)}
            await request.notify("notifications/subscriptions/acknowledged", acknowledged)
            while True:
                for address in await stream.take():
                    await request.notify("notifications/resources/updated", {"_meta": meta, "uri": address})

    def _get(self, peer: Peer) -> frozenset[str]:
        follower = self._followers.get(peer)
        return follower.addresses if follower else frozenset()

    def _follow(self, peer: Peer, addresses: frozenset[str]) -> None:
        self._followers.put(peer, _Follower(peer, addresses))

    def _admit(self, addresses: Iterable[str]) -> None:
        for address in addresses:
            self._require(address)
        if len({*self._list_followed(), *addresses}) > _MAX_SUBSCRIPTIONS:
            raise ProtocolError(INVALID_PARAMS, f"at most {_MAX_SUBSCRIPTIONS} resources are followed at once")

    def _list_followed(self) -> frozenset[str]:
        followed = [each.addresses for each in self._followers.values()]
        return frozenset[str]().union(*followed, *(each.addresses for each in self._streams))

    @contextmanager
    def _listening(self, addresses: Iterable[str]) -> Iterator[_Stream]:
        stream = _Stream(frozenset(addresses))
        self._streams.add(stream)
        try:
            yield stream
        finally:
            self._streams.discard(stream)

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
            followed = self._list_followed()
            self._seen = {address: mark for address, mark in self._seen.items() if address in followed}
            if not followed:
                return
            for address in sorted(followed):
                mark = await self._mark(address)
                if self._seen.get(address, mark) != mark:
                    await self._tell(address)
                self._seen[address] = mark

    async def _tell(self, address: str) -> None:
        for stream in self._streams:
            if address in stream.addresses:
                stream.put(address)
        for follower in self._followers.values():
            if address in follower.addresses:
                await follower.peer.notify("notifications/resources/updated", {"uri": address})

    async def _mark(self, address: str) -> str:
        """Return a digest of a resource's state; a missing resource has one too."""
        try:
            text = await self._read(address)
        except ProtocolError:
            return ""
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _build_acknowledgment(wanted: ListenFilter) -> object:
    """Return the granted part of a filter, which is all of it."""
    granted = ListenFilter(
        wanted.tools or None, wanted.prompts or None, wanted.resources or None, wanted.addresses or None
    )
    return to_builtins(granted)
