"""Connections to PostgreSQL that give up in time, and errors that repeat nothing of the database's URL or data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from avionics.model.errors import RemoteError

_PATIENCE = {
    "connect_timeout": 10, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}  # fmt: skip
"""How soon a database that has gone is noticed; what the URL says of it counts more."""


def connect(url: str) -> Connection:
    """Return a connection that commits each statement."""
    given = conninfo_to_dict(url)
    missing = {name: value for name, value in _PATIENCE.items() if name not in given}
    return psycopg.connect(make_conninfo(url, **missing), autocommit=True)


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise `RemoteError` for an error of PostgreSQL. Its own message may contain data, and parts of the URL."""
    try:
        yield
    except psycopg.Error as error:
        kind = type(error).__name__
        raise RemoteError(f"the catalogue failed: {kind}", hint="check the database and its URL") from None
