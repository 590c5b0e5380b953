"""Keep values for each client of the handshake revisions as long as its connection lasts."""

from __future__ import annotations

from typing import Generic, TypeVar

from mcp.server.connection import Connection
from mcp.server.session import ServerSession

T = TypeVar("T")


class Peers(Generic[T]):
    """Values by connection; a value is dropped when its connection ends."""

    def __init__(self) -> None:
        self._kept: dict[int, T] = {}

    def get(self, session: ServerSession) -> T | None:
        """Return the value of a request's connection, or None."""
        return self._kept.get(id(_get_connection(session)))

    def put(self, session: ServerSession, value: T) -> None:
        """Store a value for a request's connection."""
        connection = _get_connection(session)
        if id(connection) not in self._kept:
            connection.exit_stack.callback(self._kept.pop, id(connection), None)
        self._kept[id(connection)] = value

    def values(self) -> tuple[T, ...]:
        """Return the values of all open connections."""
        return tuple(self._kept.values())


def _get_connection(session: ServerSession) -> Connection:
    """Return the connection of a request.

    The SDK documents a connection's teardown, and gives requests no public way to it: what a request shows of its
    client is its handshake, which says nothing of the end.
    """
    return session._connection
