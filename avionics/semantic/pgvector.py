"""pgvector: vectors in a PostgreSQL database.

An index is the table `avionics_<index>`, and the namespace is part of its key. Search is exact: no pgvector index is
created, which would be faster on millions of rows and miss some of the nearest.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, LiteralString, TypeVar

from avionics.model.errors import ConfigError, RemoteError, importing
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
"""PostgreSQL truncates longer names, and two would become one."""
_DETAIL_CHARACTERS: Final = 200

_CREATE: Final = """CREATE TABLE IF NOT EXISTS {table} (namespace text NOT NULL, id text NOT NULL,
    vector vector({dimension}) NOT NULL, metadata json NOT NULL, PRIMARY KEY (namespace, id))"""
_UPSERT: Final = """INSERT INTO {table} VALUES (%s, %s, %s::vector, %s::json)
    ON CONFLICT (namespace, id) DO UPDATE SET vector = excluded.vector, metadata = excluded.metadata"""
_NEAREST: Final = """SELECT id, 1 - (vector <=> %s::vector) AS score, metadata FROM {table} WHERE namespace = %s
    ORDER BY vector <=> %s::vector, id LIMIT %s"""
_DELETE: Final = "DELETE FROM {table} WHERE namespace = %s AND id = ANY(%s)"


class PgVectorStore:
    """A table in the database of the settings, created with the first record.

    Args:
        settings: The database and the time limits.
        index: The name of the index.
        secret: The account's password, and the only one tried; the server may need none.

    Raises:
        ConfigError: No database is named, or the index's name is too long for a table.
        MissingDependencyError: The extra `pgvector` is not installed.
    """

    name = "pgvector"

    def __init__(self, settings: EndpointSettings, index: str, secret: Secret = NO_SECRET) -> None:
        if not settings.pgvector_url:
            raise ConfigError("no PostgreSQL database is configured", hint="set PGVECTOR_URL to postgresql://…")
        if len((_PREFIX + index).encode("utf-8", "surrogatepass")) > _MAX_NAME_BYTES:
            raise ConfigError(f"the index name {index[:80]!r} is too long for a table of PostgreSQL")
        self._index = index
        self._options = _read_url(settings, secret)
        self._patience_ms = int(settings.http_deadline_seconds * 1000)

    def upsert(self, namespace: str, records: Sequence[VectorRecord]) -> None:
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
        asked = _to_literal(vector)
        rows = self._ask(
            lambda connection: connection.execute(
                self._statement(_NEAREST), (asked, namespace, asked, limit)
            ).fetchall()
        )
        return tuple(VectorMatch(name, 0.0 if math.isnan(score) else score, metadata) for name, score, metadata in rows)

    def delete(self, namespace: str, ids: Sequence[str]) -> None:
        def forget(connection: Connection) -> None:
            if self._is_there(connection):
                connection.execute(self._statement(_DELETE), (namespace, list(ids)))

        if ids:
            self._ask(forget)

    def _is_there(self, connection: Connection) -> bool:
        """Return whether the table exists."""
        quoted = '"' + f"{_PREFIX}{self._index}".replace('"', '""') + '"'
        return connection.execute("SELECT to_regclass(%s)", (quoted,)).fetchone() != (None,)

    def _statement(self, text: LiteralString, dimension: int = 0) -> Composed:
        from psycopg.sql import SQL, Identifier, Literal

        return SQL(text).format(table=Identifier(_PREFIX + self._index), dimension=Literal(dimension))

    def _ask(self, work: Callable[[Connection], T]) -> T:
        """Run one transaction on its own connection. Raise `RemoteError`, without the password, if the server fails."""
        import psycopg

        try:
            with psycopg.connect(**self._options) as connection:  # type: ignore[arg-type]
                connection.execute(f"SET statement_timeout = {self._patience_ms:d}")
                return work(connection)
        except psycopg.Error as error:
            raise self._build_error(error.diag.message_primary or str(error)) from None
        except UnicodeEncodeError:
            raise self._build_error("a name or namespace cannot be encoded in UTF-8") from None

    def _build_error(self, message: str) -> RemoteError:
        message = " ".join(message.split())
        message = Secret(str(self._options.get("password") or "")).hide_in(message)
        return RemoteError(
            f"pgvector at {self._options.get('host') or 'the local server'}: {message[:_DETAIL_CHARACTERS]}"
        )


def password_of(settings: EndpointSettings) -> Secret:
    """Return the password for accounts without a credential store: from the settings, else from the URL."""
    return settings.pgvector_password or Secret(str(_parse_url(settings).get("password") or ""))


def _read_url(settings: EndpointSettings, secret: Secret) -> dict[str, object]:
    """Return the connection parameters of the URL, with no password but the account's."""
    patience = max(1, math.ceil(settings.http_timeout_seconds))
    return {"connect_timeout": patience, **_parse_url(settings), "password": secret.reveal(), "passfile": os.devnull}


def _parse_url(settings: EndpointSettings) -> Mapping[str, object]:
    """Parse the URL; an error never quotes it, because it may contain a password.

    Raise `ConfigError` if the URL is invalid, or `MissingDependencyError` if the extra `pgvector` is not installed.
    """
    with importing("PostgreSQL needs psycopg", hint="pip install 'avionics[pgvector]', or use the provider \"local\""):
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    try:
        return conninfo_to_dict(settings.pgvector_url.reveal())
    except ProgrammingError:
        raise ConfigError(
            "PGVECTOR_URL is not a PostgreSQL URL", hint="its form is postgresql://user@host/database"
        ) from None


def _to_literal(vector: Sequence[float]) -> str:
    """Return the vector in pgvector's syntax."""
    return f"[{','.join(map(repr, vector))}]"
