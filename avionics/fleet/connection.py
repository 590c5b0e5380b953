"""Connections to PostgreSQL that give up in time, and errors that repeat nothing of the database's URL or data.

The catalogue's tables are migrated to a version, forwards or backwards; each step is one transaction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from avionics.model.errors import RemoteError, UsageError

_PATIENCE = {
    "connect_timeout": 10, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}  # fmt: skip
"""Options that detect a lost database soon; those in the URL take precedence."""


_NAME = re.compile(r"(\d{4})_\w+\.(up|down)\.sql\Z")
_LOCK = 0x61766966
"""`avif`: only one process migrates at a time."""


def connect(url: str) -> Connection:
    """Return a connection that commits each statement. Raise `UsageError` if it is no URL of PostgreSQL."""
    try:
        given = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise UsageError(
            "the database URL is not a valid PostgreSQL URL", hint="postgresql://user@host/database"
        ) from None
    missing = {name: value for name, value in _PATIENCE.items() if name not in given}
    return psycopg.connect(make_conninfo(url, **missing), autocommit=True)


_REFUSALS = (
    ("database", "does not exist", "there is no such database", "create it: createdb NAME"),
    ("role", "does not exist", "there is no such user", "check the user in the URL of the fleet"),
    ("authentication failed", "", "the password is wrong", "check the password in the URL of the fleet"),
    ("no password supplied", "", "a password is needed", "add it to the URL of the fleet"),
    ("resolve host", "", "its host is unknown", "check the host in the URL of the fleet"),
    ("name resolution", "", "its host is unknown", "check the host in the URL of the fleet"),
    ("connection refused", "", "connection refused", "start PostgreSQL, or check the host and port"),
    ("no such file", "", "connection refused", "start PostgreSQL, or check the host and port"),
    ("timeout", "", "it does not answer", "check the host, the port and the network"),
    ("permission denied", "", "the user may not do this", "grant it the rights of the owner of the database"),
)
"""Part of PostgreSQL's message in lower-case English, what it means, and the remedy."""

_MAY_NOT = psycopg.errors.InsufficientPrivilege


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise `RemoteError` for an error of PostgreSQL. Its own message may contain data, and parts of the URL."""
    try:
        yield
    except psycopg.Error as error:
        raise _translate(error) from None


def _translate(error: psycopg.Error) -> RemoteError:
    said = str(error).lower()
    for first, second, why, hint in _REFUSALS if error.sqlstate is None or isinstance(error, _MAY_NOT) else ():
        if first in said and second in said:
            return RemoteError(f"the catalogue failed: {why}", hint=hint)
    return RemoteError(f"the catalogue failed: {type(error).__name__}", hint="check the database and its URL")


def list_versions() -> tuple[int, ...]:
    """Return the versions that this program knows, in order."""
    found = {int(each[1]) for file in _list_files() if (each := _NAME.match(file))}
    return tuple(sorted(found))


def get_version(connection: Connection) -> int:
    """Return the version of the tables; 0 if there are none."""
    row = connection.execute("SELECT to_regclass('fleet_versions')").fetchone()
    if row is None or row[0] is None:
        return 0
    found = connection.execute("SELECT coalesce(max(version), 0) FROM fleet_versions").fetchone()
    return int(found[0]) if found is not None else 0


def migrate(connection: Connection, target: int | None = None) -> int:
    """Bring the tables to a version, by default the newest, and return how many steps that took."""
    wanted = max(list_versions()) if target is None else target
    steps = 0
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        connection.execute("CREATE TABLE IF NOT EXISTS fleet_versions (version integer PRIMARY KEY)")
        now = get_version(connection)
        for version in list_versions():
            if now < version <= wanted:
                connection.execute(_read(version, "up").encode())
                connection.execute("INSERT INTO fleet_versions VALUES (%s)", (version,))
                steps += 1
        for version in reversed(list_versions()):
            if wanted < version <= now:
                connection.execute(_read(version, "down").encode())
                connection.execute("DELETE FROM fleet_versions WHERE version = %s", (version,))
                steps += 1
    return steps


def _list_files() -> list[str]:
    return sorted(each.name for each in resources.files("avionics.fleet").joinpath("sql").iterdir())


def _read(version: int, direction: str) -> str:
    name = next(
        each for each in _list_files() if each.startswith(f"{version:04d}_") and each.endswith(f".{direction}.sql")
    )
    return resources.files("avionics.fleet").joinpath("sql", name).read_text("utf-8")
