"""Know the clients, and keep values for each as long as its connection lasts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Peer(Protocol):
    """A client that is connected."""

    @property
    def key(self) -> Hashable:
        """Return a value that all requests of one connection share."""

    async def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification that belongs to no request."""

    def call_at_end(self, work: Callable[[], object]) -> None:
        """Call the function when the connection ends."""


class Peers(Generic[T]):
    """Values by connection; a value is dropped when its connection ends."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, T] = {}

    def get(self, peer: Peer) -> T | None:
        """Return the value of a connection, or None."""
        return self._kept.get(peer.key)

    def put(self, peer: Peer, value: T) -> None:
        """Store a value for a connection."""
        key = peer.key
        if key not in self._kept:
            peer.call_at_end(lambda: self._kept.pop(key, None))
        self._kept[key] = value

    def values(self) -> tuple[T, ...]:
        """Return the values of all open connections."""
        return tuple(self._kept.values())
