"""Run one statement in DuckDB and write its rows to a file: a process of its own, so that its memory is bounded.

`request.json` beside it contains the request; the file that it names receives a line with the columns, a line for each
row, and a line with the outcome. It imports the standard library and DuckDB only, and `values.py` beside it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

MAX_BATCH: Final = 64
"""DuckDB returns rows in batches, so that few surplus rows are in memory."""

_CHANGES: Final = frozenset({"INSERT", "UPDATE", "DELETE", "MERGE_INTO"})
"""DuckDB's names of statements whose only row is how many rows they changed."""

_LISTING: Final = re.compile(r"\bshow\b|\bdescribe\b|information_schema|duckdb_|sqlite_master|pg_catalog")


def main() -> None:
    """Run the request."""
    request = json.loads(Path("request.json").read_text("utf-8"))
    duckdb = _load()
    _limit_memory(request["memory_bytes"])
    with open(request["result"], "w", encoding="utf-8", errors="surrogateescape") as out:
        try:
            with _connect(duckdb, request) as connection:
                for line in _iter_lines(connection, request):
                    out.write(json.dumps(line, separators=(",", ":")) + "\n")
        except (duckdb.Error, RuntimeError, MemoryError) as error:
            out.write(json.dumps({"error": str(error) or "out of memory"}) + "\n")


def _load() -> Any:
    """Return the module that runs statements; importing its package would take 80 ms more without need."""
    try:
        return import_module("_duckdb")
    except ImportError:
        import duckdb

        return duckdb


def _limit_memory(more_bytes: int) -> None:
    """Limit how much more memory this process may map, if the system supports that."""
    try:
        import os
        import resource

        # RLIMIT_DATA would not do: Linux does not count pages that replace reserved ones (MAP_FIXED over PROT_NONE),
        # and DuckDB's allocator reserves its memory that way if it cannot read the system's overcommit policy.
        mapped = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (mapped + more_bytes, mapped + more_bytes))
    except (ImportError, ValueError, OSError):
        pass  # DuckDB's own limit holds.


def _connect(duckdb: Any, request: dict[str, Any]) -> Any:
    """Open the database, or an in-memory one with views of the files; nothing else is accessible afterwards."""
    config = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "memory_limit": request["memory_limit"],
        "threads": "1",
        "temp_directory": str(Path.cwd() / "spill"),
        "max_temp_directory_size": "500MB",
    }
    if int(duckdb.__version__.split(".")[0]) >= 2:
        config["async_threads"] = "0"  # Eight threads would reserve 64 MB for their stacks.
    if request["database"]:
        connection = duckdb.connect(request["database"], read_only=request["read_only"], config=config)
        return _restrict(connection, ())
    connection = duckdb.connect(":memory:", config=config)
    asked = request["sql"].lower()
    for name, path in request["files"].items():
        # Creating a view reads the beginning of its file, so only views that the query may refer to are created.
        if name.lower() in asked or _LISTING.search(asked):
            connection.execute(f"CREATE VIEW {_quote(name)} AS SELECT * FROM {_build_table_function(path)}")  # noqa: S608  quoted
    return _restrict(connection, request["files"].values())


def _restrict(connection: Any, files: Iterable[str]) -> Any:
    """Permanently restrict a connection to these files, and return it."""
    allowed = ", ".join(_quote(path, "'") for path in files)
    for setting in (
        f"SET allowed_paths = [{allowed}]",
        "SET enable_external_access = false",
        "SET lock_configuration = true",
    ):
        connection.execute(setting)
    return connection


def _iter_lines(connection: Any, request: dict[str, Any]) -> Iterator[Any]:
    """Yield the lines of the result of a statement."""
    values = import_module("values")
    statements = connection.extract_statements(request["sql"])
    if len(statements) != 1:
        yield {"error": f"expected one statement, got {len(statements)}"}
        return
    kind = statements[0].type.name
    if not request["database"] and kind != "SELECT":
        yield {"error": f"files can only be read; this is a statement of the kind {kind}"}
        return
    cursor = connection.execute(statements[0])
    columns = values.name_columns(entry[0] for entry in cursor.description or ())
    types = [str(entry[1]) for entry in cursor.description or ()]
    changes = kind in _CHANGES and columns == ("Count",)
    if changes:
        yield {"columns": [], "types": []}
        yield {"truncated": False, "affected": cursor.fetchall()[0][0]}
        return
    yield {"columns": columns, "types": types}
    count, room = 0, request["max_bytes"]
    while batch := cursor.fetchmany(MAX_BATCH):
        for row in batch:
            line = list(map(values.plain_cell, row))
            room -= values.weigh_row(line)
            if count >= request["max_rows"] or room < 0:
                yield {"truncated": True, "affected": None}
                return
            count += 1
            yield line
    yield {"truncated": False, "affected": None}


def _build_table_function(path: str) -> str:
    """Return the call of the table function that reads a file, by its ending."""
    name = path.lower().removesuffix(".gz")
    reader = {".csv": "read_csv", ".tsv": "read_csv", ".parquet": "read_parquet"}.get(Path(name).suffix, "read_json")
    more = "" if reader != "read_json" else ", maximum_object_size = 4000000"
    return f"{reader}({_quote(path, chr(39))}{more})"


def _quote(text: str, mark: str = '"') -> str:
    return mark + text.replace(mark, mark * 2) + mark


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main()
