"""SQL: query SQLite or DuckDB, read-only by default, with limits for rows and time.

The engine enforces read-only access: SQLite opens the file read-only, rejects writing statements and asks an authorizer
about every action; DuckDB opens the file read-only and accesses nothing outside of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import attrs
from pydantic import Field

from avionics.cancellation import check_cancelled, is_wanted, on_cancel
from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.errors import DeadlineExceededError, MissingDependencyError, SourceError, UsageError
from avionics.source.paths import RepoPath
from avionics.tools.answers.answer import shorten
from avionics.tools.base import BaseTool, ToolInput, ToolOutput
from avionics.tools.builtin.data import write_csv
from avionics.tools.builtin.rooted import write_beneath

MAX_ROWS: Final = 1_000
MAX_FILE_ROWS: Final = 100_000
MAX_CELL_CHARACTERS: Final = 10_000
MAX_VALUE_BYTES: Final = 10_000_000
"""The largest value that SQLite may build."""

MAX_ROW_BYTES: Final = 40_000_000
"""What the values of one row may have together; of a row of many columns each may have less."""

MAX_RESULT_BYTES: Final = 20_000_000
"""What is kept of a result while it is fetched."""

MAX_DUCKDB_BATCH: Final = 64
"""DuckDB hands over rows in batches, so that few are held that do not count any more."""

_OPERATIONS_BETWEEN_LOOKS: Final = 10_000
_SECONDS_BETWEEN_INTERRUPTS: Final = 0.02
_ALWAYS_REFUSED: Final = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH})
_READING: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION,
                             sqlite3.SQLITE_RECURSIVE})  # fmt: skip
_PRAGMAS: Final = frozenset({"data_version", "foreign_key_list", "index_info", "index_list", "index_xinfo",
                             "table_info", "table_list", "table_xinfo"})  # fmt: skip
"""The ones that describe tables, and one that FTS5 reads; others change how the engine works."""

_CHANGES: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE_INTO"})
"""DuckDB's names of statements whose only row is how many rows they changed."""

_FUNCTIONS_REFUSED: Final = frozenset({"load_extension", "fts3_tokenizer"})


@attrs.frozen
class Rows:
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
        ...

    def run(self, sql: str, max_rows: int) -> Rows:
        """Return the first rows of a statement."""
        ...


class SqliteRunner:
    """Runs statements on an SQLite file, each on its own connection.

    Args:
        path: The database.
        read_only: Whether to reject changes.
        timeout_seconds: The time limit of a statement.
    """

    def __init__(self, path: str | Path, *, read_only: bool = True, timeout_seconds: float = 30.0) -> None:
        self._path = Path(path).absolute()
        self._timeout_seconds = timeout_seconds
        self.is_read_only = read_only

    def run(self, sql: str, max_rows: int) -> Rows:
        """Return the first rows of a statement.

        Raises:
            UsageError: The engine rejects the statement.
            DeadlineExceededError: It took too long.
            SourceError: The database cannot be opened.
        """
        until = time.monotonic() + self._timeout_seconds
        try:
            with self._connected(until) as connection:
                _limit_values(connection, sql)
                cursor = connection.execute(sql)
                columns = _name_columns(cursor.description)
                rows = _take(cursor if columns else (), max_rows)
                # What was not fetched of a statement that writes is written all the same.
                affected = cursor.rowcount if cursor.rowcount >= 0 else None
                cursor.close()
                if not self.is_read_only:
                    connection.commit()
                return Rows(columns, *rows, affected)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            if time.monotonic() >= until:
                raise _too_slow(self._timeout_seconds) from None
            raise _refused(error, self.is_read_only) from None

    @contextlib.contextmanager
    def _connected(self, until: float) -> Iterator[sqlite3.Connection]:
        """Open a restricted connection."""
        mode = "ro" if self.is_read_only else "rw"
        try:
            connection = sqlite3.connect(f"{self._path.as_uri()}?mode={mode}", uri=True, timeout=5.0)
        except sqlite3.Error as error:
            raise SourceError(f"the database cannot be opened: {error}", hint="is the path right?") from None
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


class DuckdbRunner:
    """Runs statements on a DuckDB file, which access nothing outside of it.

    Args:
        path: The database.
        read_only: Whether to reject changes.
        timeout_seconds: The time limit of a statement.
    """

    def __init__(self, path: str | Path, *, read_only: bool = True, timeout_seconds: float = 30.0) -> None:
        self._path = Path(path).absolute()
        self._timeout_seconds = timeout_seconds
        self.is_read_only = read_only

    def run(self, sql: str, max_rows: int) -> Rows:
        """Return the first rows of a statement; raises as `SqliteRunner.run` does.

        Raises:
            MissingDependencyError: DuckDB is not installed.
        """
        try:
            import duckdb
        except ImportError:
            raise MissingDependencyError("DuckDB is not installed", hint="pip install 'avionics[duckdb]'") from None
        config: dict[str, Any] = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "enable_external_access": "false",
            "lock_configuration": "true",
            "memory_limit": "1GB",
            "threads": "2",
        }
        if not self._path.is_file():
            raise SourceError("the database cannot be opened: no such file", hint="is the path right?")
        watchdog = _Watchdog(self._timeout_seconds)
        try:
            with (
                duckdb.connect(str(self._path), read_only=self.is_read_only, config=config) as connection,
                watchdog.watching(connection),
            ):
                (statement,) = _require_one(connection.extract_statements(sql))
                cursor = connection.execute(statement)
                columns = _name_columns(cursor.description)
                rows, is_truncated = _take(_iter_batches(cursor), max_rows)
                changes = statement.type.name in _CHANGES and columns == ("Count",) and len(rows) == 1
                if changes:
                    return Rows((), (), is_truncated=False, affected=rows[0][0])
                return Rows(columns, rows, is_truncated)
        except (duckdb.Error, RuntimeError) as error:
            check_cancelled()
            if watchdog.is_late:
                raise _too_slow(self._timeout_seconds) from None
            raise _refused(error, self.is_read_only) from None


class _Watchdog:
    """Interrupts a DuckDB connection at the time limit, or when the call is cancelled."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._over, self._done = threading.Event(), threading.Event()
        self.is_late = False

    @contextlib.contextmanager
    def watching(self, connection: Any) -> Iterator[None]:
        """Watch the connection in this block."""
        thread = threading.Thread(target=self._watch, args=(connection,), daemon=True)
        thread.start()
        try:
            with on_cancel(self._over.set):
                yield
        finally:
            self._done.set()
            self._over.set()
            thread.join()

    def _watch(self, connection: Any) -> None:
        self.is_late = not self._over.wait(self._seconds)
        # DuckDB ignores an interrupt before the statement starts, so repeat it until the end.
        while not self._done.wait(_SECONDS_BETWEEN_INTERRUPTS):
            connection.interrupt()


class RunSqlInput(ToolInput):
    """A statement to run."""

    sql: str = Field(description="One SQL statement", min_length=1, max_length=100_000)


class RunSqlTool(BaseTool):
    """Runs a statement and shows its rows.

    Args:
        runner: Runs it.
        output: A directory in which results are also saved as CSV, with more rows than are shown.
        custom_tool_name: Another name for the tool.
        custom_tool_description: Another description.
        max_rows: The number of rows to show.
    """

    name = "run_sql"
    description = "Run an SQL query and return its rows"
    category = ToolDomain.DATA
    risk_level = RiskLevel.LOW
    required_permissions = frozenset({Permission.DATABASE_READ})
    input_model = RunSqlInput

    def __init__(
        self,
        runner: SqlRunner,
        output: str | Path | None = None,
        custom_tool_name: str | None = None,
        custom_tool_description: str | None = None,
        *,
        max_rows: int = MAX_ROWS,
    ) -> None:
        self.name = custom_tool_name or self.name
        self.description = custom_tool_description or self.description
        self._runner = runner
        self._output = None if output is None else Path(output)
        self._max_rows = max_rows
        if output is not None:
            self.risk_level = RiskLevel.MEDIUM
            self.required_permissions = self.required_permissions | {Permission.FILESYSTEM_WRITE}
        if not runner.is_read_only:
            self.risk_level = RiskLevel.HIGH
            self.required_permissions = self.required_permissions | {Permission.DATABASE_WRITE}
        super().__init__()

    def _execute(self, input_data: RunSqlInput) -> ToolOutput:
        found = self._runner.run(input_data.sql, MAX_FILE_ROWS if self._output else self._max_rows)
        shown = [dict(zip(found.columns, row, strict=True)) for row in found.rows[: self._max_rows]]
        data: dict[str, Any] = {
            "columns": list(found.columns),
            "rows": shown,
            "row_count": len(found.rows),
            "truncated": found.is_truncated or len(found.rows) > len(shown),
        }
        if self._output and found.columns:
            data["file"] = self._save(input_data.sql, found)
        if found.affected is not None:
            data["rows_affected"] = found.affected
        component = {"type": "dataframe", "columns": data["columns"], "rows": shown}
        return ToolOutput(success=True, data=data, metadata={"ui_component": component})

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
        plain = tuple(map(_plain, row))
        room -= sum(len(value) if isinstance(value, str) else 8 for value in plain)
        if room < 0:
            return tuple(taken), True
        taken.append(plain)
    return tuple(taken), False


def _name_columns(description: Any) -> tuple[str, ...]:
    """Return the names of a result's columns; a name that comes again gets a number, so that no value is lost."""
    names: list[str] = []
    for entry in description or ():
        name = wanted = str(entry[0])
        number = 2
        while name in names:
            name, number = f"{wanted}_{number}", number + 1
        names.append(name)
    return tuple(names)


def _limit_values(connection: sqlite3.Connection, sql: str) -> None:
    """Bound the values of a statement by the number of its columns, which its compiled program tells."""
    columns = 1
    with contextlib.suppress(sqlite3.Error, sqlite3.Warning, ValueError):
        program = connection.execute(f"EXPLAIN {sql}").fetchall()
        columns = max((row[3] for row in program if row[1] == "ResultRow"), default=1)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(MAX_VALUE_BYTES, MAX_ROW_BYTES // max(1, columns)))


def _require_one(statements: Sequence[Any]) -> Sequence[Any]:
    """Return the statements when they are one.

    Raises:
        UsageError: There are several, or none.
    """
    if len(statements) != 1:
        raise UsageError(f"expected one statement, got {len(statements)}", hint="run them one after the other")
    return statements


def _iter_batches(cursor: Any) -> Iterator[Any]:
    """Yield rows as DuckDB makes them."""
    while batch := cursor.fetchmany(MAX_DUCKDB_BATCH):
        yield from batch


def _plain(value: Any) -> Any:
    """Return a cell for JSON; long texts are cut."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"<{len(value)} bytes>"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return shorten(str(value), MAX_CELL_CHARACTERS)


def _too_slow(seconds: float) -> DeadlineExceededError:
    return DeadlineExceededError(f"the statement took longer than {seconds:g} s", hint="ask for fewer rows or joins")


def _refused(error: Exception, read_only: bool) -> UsageError:
    """Build the error from the engine's own message."""
    hint = "give one statement that only reads" if read_only else "give one statement"
    return UsageError(f"the statement was rejected: {error}", hint=hint)
