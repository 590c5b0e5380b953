"""Migrate the catalogue's tables to a version, forwards or backwards; each step is one transaction."""

from __future__ import annotations

import re
from importlib import resources

from psycopg import Connection

_NAME = re.compile(r"(\d{4})_\w+\.(up|down)\.sql\Z")
_LOCK = 0x61766966
"""`avif`: only one process migrates at a time."""


def list_versions() -> tuple[int, ...]:
    """Return the versions that this program knows, in order."""
    found = {int(each[1]) for file in _files() if (each := _NAME.match(file))}
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


def _files() -> list[str]:
    return sorted(each.name for each in resources.files("avionics.fleet").joinpath("sql").iterdir())


def _read(version: int, direction: str) -> str:
    name = next(each for each in _files() if each.startswith(f"{version:04d}_") and each.endswith(f".{direction}.sql"))
    return resources.files("avionics.fleet").joinpath("sql", name).read_text("utf-8")
