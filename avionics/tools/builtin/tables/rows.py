"""The result of a query, and the interface of query runners."""

from __future__ import annotations

from typing import Any, Protocol

from msgspec import Struct

from avionics.model.errors import UsageError


class Rows(Struct, frozen=True):
    """The result of a query: column names, plain values, and whether there are more rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_truncated: bool
    affected: int | None = None


class SqlRunner(Protocol):
    """Runs one statement."""

    @property
    def is_read_only(self) -> bool:
        """Return whether it cannot change anything."""

    def run(self, sql: str, max_rows: int) -> Rows:
        """Return the first rows of a statement."""


def refuse_statement(reason: object, *, read_only: bool) -> UsageError:
    """Build the error of a rejected statement from the engine's own message."""
    hint = "give one statement that only reads" if read_only else "give one statement"
    return UsageError(f"the statement was rejected: {reason}", hint=hint)
