"""pgvector: vectors in a PostgreSQL database.

An index is the table `avionics_<index>`, a namespace a part of its key. Nearness is exact: no index of pgvector's own
is made, which would be quicker on millions of rows and miss some of the nearest.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, LiteralString, TypeVar

from avionics.model.errors import ConfigError, MissingDependencyError, RemoteError
from avionics.model.results import to_plain
from avionics.model.secret import NO_SECRET, Secret
from avionics.model.vectors import VectorMatch, VectorRecord
from avionics.settings import EndpointSettings

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.sql import Composed

T = TypeVar("T")

_PREFIX: Final = "avionics_"
_MAX_NAME_BYTES: Final = 63
"""PostgreSQL cuts longer names, and two would become one."""
_DETAIL_CHARACTERS: Final = 200

_CREATE: Final = """CREATE TABLE IF NOT EXISTS {table} (namespace text NOT NULL, id text NOT NULL,
    vector vector({dimension}) NOT NULL, metadata json NOT NULL, PRIMARY KEY (namespace, id))"""
_UPSERT: Final = """INSERT INTO {table} VALUES (%s, %s, %s::vector, %s::json)
    ON CONFLICT (namespace, id) DO UPDATE SET vector = excluded.vector, metadata = excluded.metadata"""
_NEAREST: Final = """SELECT id, 1 - (vector <=> %s::vector) AS score, metadata FROM {table} WHERE namespace = %s
    ORDER BY vector <=> %s::vector, id LIMIT %s"""
_DELETE: Final = "DELETE FROM {table} WHERE namespace = %s AND id = ANY(%s)"


class PgVectorStore:
    """A table in the database of the settings; it is made when the first record comes.

    Args:
        settings: Where, how patiently.
        index: The index's name.
        secret: The account's password, and the only one tried; the server may need none.

    Raises:
        ConfigError: No database is named, or the index's name is too long for a table.
        MissingDependencyError: The extra `pgvector` is not installed.
    """

    name = "pgvector"

    def __init__(self, settings: EndpointSettings, index: str, secret: Secret = NO_SECRET) -> None:
        if not settings.pgvector_url:
            raise ConfigError("no PostgreSQL database is named", hint="set PGVECTOR_URL to postgresql://…")
        if len((_PREFIX + index).encode("utf-8", "surrogatepass")) > _MAX_NAME_BYTES:
            raise ConfigError(f"the index {index[:80]!r} has too long a name for a table of PostgreSQL")
        self._index = index
        self._options = _read_url(settings, secret)
        self._patience_ms = int(settings.http_deadline_seconds * 1000)

    def upsert(self, namespace: str, records: Sequence[VectorRecord]) -> None:
        """Keep the records; one with the id of an earlier one takes its place."""
        if not records:
            return
        rows = [(namespace, each.id, _to_literal(each.vector), json.dumps(to_plain(each.metadata))) for each in records]

        def write(connection: Connection) -> None:
            if not self._is_there(connection):
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
                connection.execute(self._statement(_CREATE, len(records[0].vector)))
            with connection.cursor() as cursor:
                cursor.executemany(self._statement(_UPSERT), rows)

        self._ask(write)

    def find_nearest(self, namespace: str, vector: Sequence[float], limit: int) -> tuple[VectorMatch, ...]:
        """Return the records nearest to a vector, nearest first."""
        asked = _to_literal(vector)
        rows = self._ask(
            lambda connection: connection.execute(
                self._statement(_NEAREST), (asked, namespace, asked, limit)
            ).fetchall()
        )
        return tuple(VectorMatch(name, 0.0 if math.isnan(score) else score, metadata) for name, score, metadata in rows)

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        """Forget the records of these ids."""

        def forget(connection: Connection) -> None:
            if self._is_there(connection):
                connection.execute(self._statement(_DELETE), (namespace, list(ids)))

        if ids:
            self._ask(forget)

    def _is_there(self, connection: Connection) -> bool:
        """Return whether the index has a table."""
        quoted = '"' + f"{_PREFIX}{self._index}".replace('"', '""') + '"'
        return connection.execute("SELECT to_regclass(%s)", (quoted,)).fetchone() != (None,)

    def _statement(self, text: LiteralString, dimension: int = 0) -> Composed:
        from psycopg.sql import SQL, Identifier, Literal

        return SQL(text).format(table=Identifier(_PREFIX + self._index), dimension=Literal(dimension))

    def _ask(self, work: Callable[[Connection], T]) -> T:
        """One transaction on a connection of its own.

        Raises:
            RemoteError: The server cannot be reached, or refused; no password is in the error.
        """
        import psycopg

        try:
            with psycopg.connect(**self._options) as connection:  # type: ignore[arg-type]
                connection.execute(f"SET statement_timeout = {self._patience_ms:d}")
                return work(connection)
        except psycopg.Error as error:
            raise self._build_error(error.diag.message_primary or str(error)) from None
        except UnicodeEncodeError:
            raise self._build_error("a name or namespace is no text that UTF-8 can carry") from None

    def _build_error(self, said: str) -> RemoteError:
        """Return the error in words."""
        said = " ".join(said.split())
        said = Secret(str(self._options.get("password") or "")).hide_in(said)
        return RemoteError(
            f"pgvector at {self._options.get('host') or 'the local server'}: {said[:_DETAIL_CHARACTERS]}"
        )


def password_of(settings: EndpointSettings) -> Secret:
    """Return the password of accounts that have no credential store: the one of its own, else the URL's."""
    return settings.pgvector_password or Secret(str(_parse_url(settings).get("password") or ""))


def _read_url(settings: EndpointSettings, secret: Secret) -> dict[str, object]:
    """Return what to connect with: where the URL says, with no password but the account's."""
    patience = max(1, math.ceil(settings.http_timeout_seconds))
    return {
        "connect_timeout": patience,
        **_parse_url(settings),
        "password": secret.reveal(),
        "passfile": os.devnull,
    }


def _parse_url(settings: EndpointSettings) -> Mapping[str, object]:
    """Return the parts of the URL; an error never quotes it, as a password may stand in it.

    Raises:
        ConfigError: It is none.
        MissingDependencyError: The extra `pgvector` is not installed.
    """
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise MissingDependencyError(
            "asking PostgreSQL needs psycopg", hint="pip install 'avionics[pgvector]', or use the provider \"local\""
        ) from None
    try:
        return conninfo_to_dict(settings.pgvector_url.reveal())
    except ProgrammingError:
        raise ConfigError("PGVECTOR_URL is no address", hint="it looks like postgresql://user@host/database") from None


def _to_literal(vector: Sequence[float]) -> str:
    """Return the vector as pgvector reads it."""
    return f"[{','.join(map(repr, vector))}]"
