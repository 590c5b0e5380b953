"""SQL: query a database, read-only by default, with limits for rows, memory and time.

The engine enforces read-only access: SQLite opens the file read-only, rejects writing statements and asks an authorizer
about every action; DuckDB opens the file read-only and accesses nothing outside of it (`tables/duckdb_runner.py`).
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from avionics.cancellation import is_wanted
from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.errors import DeadlineExceededError, SourceError
from avionics.model.results import ToolResult
from avionics.source.paths import RepoPath
from avionics.tools.answers.answer import shorten
from avionics.tools.base import BaseTool, ToolInput
from avionics.tools.builtin.data import write_csv
from avionics.tools.builtin.rooted import write_beneath
from avionics.tools.builtin.tables.rows import Rows, SqlRunner, refuse_statement
from avionics.tools.builtin.tables.store import TableStore
from avionics.tools.builtin.tables.values import MAX_RESULT_BYTES, name_columns, plain_cell, weigh_row

MAX_ROWS: Final = 1_000
MAX_FILE_ROWS: Final = 100_000
SHOWN_ROWS: Final = 20
"""How many rows of a result that is kept under a handle are shown."""

MAX_CELL_CHARACTERS: Final = 10_000
"""The maximum number of characters of a text that are shown; stored and saved results have all of it."""

MAX_VALUE_BYTES: Final = 10_000_000
"""The largest value that SQLite may build."""

MAX_ROW_BYTES: Final = 40_000_000
"""The size limit for all values of one row; with many columns, each may have less."""

_OPERATIONS_BETWEEN_LOOKS: Final = 10_000
_ALWAYS_REFUSED: Final = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_READING: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION,
                             sqlite3.SQLITE_RECURSIVE})  # fmt: skip
_PRAGMAS: Final = frozenset({"data_version", "foreign_key_list", "index_info", "index_list", "index_xinfo",
                             "table_info", "table_list", "table_xinfo"})  # fmt: skip
"""The ones that describe tables, and one that FTS5 reads; others change how the engine works."""

_FUNCTIONS_REFUSED: Final = frozenset({"load_extension", "fts3_tokenizer"})


class SqliteRunner:
    """Runs statements on an SQLite file, each on its own connection."""

    def __init__(self, path: str | Path, *, read_only: bool = True, timeout_seconds: float = 30.0) -> None:
        self._path = Path(path).absolute()
        self._timeout_seconds = timeout_seconds
        self.is_read_only = read_only

    def run(self, sql: str, max_rows: int) -> Rows:
        """Return the first rows of a statement.

        Raise `UsageError` if the engine rejects the statement, `DeadlineExceededError` if it took too long,
        `SourceError` if the database cannot be opened.
        """
        until = time.monotonic() + self._timeout_seconds
        try:
            with self._connected(until) as connection:
                _limit_values(connection, sql)
                cursor = connection.execute(sql)
                columns = name_columns(entry[0] for entry in cursor.description or ())
                rows = _take(cursor if columns else (), max_rows)
                # A statement that writes takes full effect even if not all of its rows are fetched.
                affected = cursor.rowcount if cursor.rowcount >= 0 else None
                cursor.close()
                if not self.is_read_only:
                    connection.commit()
                return Rows(columns, *rows, affected)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            if time.monotonic() >= until:
                raise _build_too_slow_error(self._timeout_seconds) from None
            raise refuse_statement(error, read_only=self.is_read_only) from None

    @contextlib.contextmanager
    def _connected(self, until: float) -> Iterator[sqlite3.Connection]:
        """Open a restricted connection."""
        mode = "ro" if self.is_read_only else "rw"
        try:
            connection = sqlite3.connect(f"{self._path.as_uri()}?mode={mode}", uri=True, timeout=5.0)
        except sqlite3.Error as error:
            raise SourceError(f"the database cannot be opened: {error}", hint="check the path") from None
        try:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200)
            connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute(f"PRAGMA query_only = {'ON' if self.is_read_only else 'OFF'}")
            connection.set_progress_handler(
                lambda: time.monotonic() >= until or not is_wanted(), _OPERATIONS_BETWEEN_LOOKS
            )
            connection.set_authorizer(self._authorize)
            yield connection
        finally:
            connection.close()

    def _authorize(
        self, action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None
    ) -> int:
        """Return whether an action is allowed in a statement."""
        if action == sqlite3.SQLITE_PRAGMA:
            allowed = first in _PRAGMAS
        elif action == sqlite3.SQLITE_FUNCTION:
            allowed = second not in _FUNCTIONS_REFUSED
        elif action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":
            # Opening a virtual table such as one of FTS5 compiles its declaration; the schema itself stays unwritable.
            allowed = True
        else:
            allowed = action in _READING if self.is_read_only else action not in _ALWAYS_REFUSED
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


class RunSqlInput(ToolInput):
    """A statement to run."""

    sql: str = Field(description="One SQL statement", min_length=1, max_length=100_000)


class RunSqlTool(BaseTool):
    """Runs a statement and shows its rows.

    Args:
        runner: Runs it.
        output: A directory in which results are also saved as CSV, with more rows than are shown.
        store: Keeps results under handles, which other tools take; then only the first rows are shown.
        custom_tool_name: Another name for the tool.
        custom_tool_description: Another description.
        max_rows: The number of rows to show.
    """

    name = "run_sql"
    description = "Run an SQL query and return its rows"
    category = ToolDomain.DATA
    required_permissions = frozenset({Permission.DATABASE_READ})
    input_model = RunSqlInput

    def __init__(
        self,
        runner: SqlRunner,
        output: str | Path | None = None,
        custom_tool_name: str | None = None,
        custom_tool_description: str | None = None,
        *,
        max_rows: int | None = None,
        store: TableStore | None = None,
    ) -> None:
        self.name = custom_tool_name or self.name
        self.description = custom_tool_description or str(getattr(runner, "description", self.description))
        self._runner = runner
        self._output = None if output is None else Path(output)
        self._store = store
        self._max_rows = (SHOWN_ROWS if store else MAX_ROWS) if max_rows is None else max_rows
        if output is not None:
            self.risk_level = RiskLevel.MEDIUM
            self.required_permissions = self.required_permissions | {Permission.FILESYSTEM_WRITE}
        if not runner.is_read_only:
            self.risk_level = RiskLevel.HIGH
            self.required_permissions = self.required_permissions | {Permission.DATABASE_WRITE}
        super().__init__()

    def _execute(self, input_data: RunSqlInput) -> ToolResult:
        found = self._runner.run(input_data.sql, MAX_FILE_ROWS if self._output or self._store else self._max_rows)
        shown = [_shorten_row(found.columns, row) for row in found.rows[: self._max_rows]]
        data: dict[str, Any] = {
            "columns": list(found.columns),
            "rows": shown,
            "row_count": len(found.rows),
            "truncated": found.is_truncated or len(found.rows) > len(shown),
        }
        if self._output and found.columns:
            data["file"] = self._save(input_data.sql, found)
        if self._store and found.columns:
            data["table"] = self._store.put(found.columns, found.rows, is_truncated=found.is_truncated).handle
        if found.affected is not None:
            data["rows_affected"] = found.affected
        component = {"type": "dataframe", "columns": data["columns"], "rows": shown}
        return ToolResult(data=data, ui_component=component)

    def _save(self, sql: str, found: Rows) -> str:
        """Write the rows to a file named after the statement and return its name."""
        assert self._output is not None
        name = f"query_results_{hashlib.sha256(sql.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}.csv"
        content = write_csv(found.columns, found.rows).encode("utf-8", "surrogateescape")
        write_beneath(self._output, RepoPath((name,)), content)
        return name


def _take(rows: Iterable[Any], limit: int) -> tuple[tuple[tuple[Any, ...], ...], bool]:
    """Return the first rows as plain values, and whether there are more; rows and their bytes are bounded."""
    taken: list[tuple[Any, ...]] = []
    room = MAX_RESULT_BYTES
    for row in rows:
        if len(taken) >= limit:
            return tuple(taken), True
        plain = tuple(map(plain_cell, row))
        room -= weigh_row(plain)
        if room < 0:
            return tuple(taken), True
        taken.append(plain)
    return tuple(taken), False


def _shorten_row(columns: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    """Return a row with long texts cut, for display."""
    return {
        name: shorten(value, MAX_CELL_CHARACTERS) if isinstance(value, str) else value
        for name, value in zip(columns, row, strict=True)
    }


def _limit_values(connection: sqlite3.Connection, sql: str) -> None:
    """Limit the size of values of a statement by its number of columns, read from the compiled program."""
    columns = 1
    with contextlib.suppress(sqlite3.Error, sqlite3.Warning, ValueError):
        program = connection.execute(f"EXPLAIN {sql}").fetchall()
        columns = max((row[3] for row in program if row[1] == "ResultRow"), default=1)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(MAX_VALUE_BYTES, MAX_ROW_BYTES // max(1, columns)))


def _build_too_slow_error(seconds: float) -> DeadlineExceededError:
    return DeadlineExceededError(f"the statement took longer than {seconds:g} s", hint="ask for fewer rows or joins")
