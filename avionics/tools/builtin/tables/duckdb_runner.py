"""Query DuckDB files, and CSV, JSON and Parquet files, in a confined process of bounded memory.

DuckDB's own memory limit does not cover every value it builds (`repeat('x', 500000000)` took 2 GB under a limit of
64 MB), so the system's limit of a process does.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from avionics.model.errors import DeadlineExceededError, MissingDependencyError, SourceError
from avionics.model.naming import number_name
from avionics.sandbox.confinement import ConfinedProgram, Outcome, run_confined
from avionics.scratch import ScratchDirectory
from avionics.settings import Settings
from avionics.source.tree import SourceTree
from avionics.tools.builtin.tables.rows import Rows, refuse_statement
from avionics.tools.builtin.tables.values import MAX_RESULT_BYTES

MEMORY_BYTES: Final = 80_000_000
"""How much the process may map besides its program, so that it stays below 150 MB."""

DUCKDB_MEMORY: Final = "64MB"
MAX_FILES: Final = 500
FILE_KINDS: Final = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".json", ".jsonl", ".jsonl.gz", ".ndjson", ".parquet")

_SYSTEM_FILES: Final = tuple(
    map(Path, ("/proc/self/cgroup", "/sys/fs/cgroup", "/proc/self/statm", "/proc/sys/vm/overcommit_memory"))
)
"""DuckDB ends the process when the first two exist and cannot be read; the others tell how much memory is mapped, and
how its allocator may reserve more."""

_WORKER: Final = "duckdb_worker.py"
_VALUES: Final = "values.py"
_UNNAMEABLE: Final = re.compile(r"[^A-Za-z0-9_]+")


class DuckdbRunner:
    """Runs statements on a DuckDB file, which access nothing outside of it."""

    def __init__(self, path: str | Path, *, read_only: bool = True, timeout_seconds: float = 30.0) -> None:
        self._path = Path(path).absolute()
        self._timeout_seconds = timeout_seconds
        self.is_read_only = read_only

    def run(self, sql: str, max_rows: int) -> Rows:
        """Return the first rows of a statement.

        Raise `UsageError` if the engine rejects the statement, or it needs too much memory; `DeadlineExceededError` if
        it took too long; `SourceError` if the database cannot be opened; `MissingDependencyError` if DuckDB is not
        installed.
        """
        if not self._path.is_file():
            raise SourceError("the database cannot be opened: no such file", hint="check the path")
        log = Path(f"{self._path}.wal")
        beside = (log,) if log.exists() else ()
        request = {"database": str(self._path), "read_only": self.is_read_only, "files": {}}
        readable, writable = ((self._path, *beside), ()) if self.is_read_only else ((), (self._path.parent,))
        return _run(request, sql, max_rows, self._timeout_seconds, readable, writable, read_only=self.is_read_only)


class DuckdbFilesRunner:
    """Runs queries on the CSV, JSON, JSON lines and Parquet files of some directories; each file is a view.

    No link is followed, and no other file can be read, whatever a query names.

    Args:
        folders: The directories.
        timeout_seconds: The time limit of a query.

    Raises:
        UsageError: One is not a directory.
    """

    is_read_only = True
    description = (
        "Query CSV, JSON and Parquet files with DuckDB's SQL; each file is a table, and SHOW TABLES lists them"
    )

    def __init__(self, *folders: str | Path, timeout_seconds: float = 30.0) -> None:
        settings = Settings.from_environment()
        self._trees = tuple(SourceTree(Path(folder), settings) for folder in folders)
        self._timeout_seconds = timeout_seconds

    def find_files(self) -> tuple[tuple[str, Path], ...]:
        """Return the name of each view with its file, in order; a name that comes again gets a number."""
        found: dict[str, Path] = {}
        for tree in self._trees:
            for path in sorted(tree.root.rglob("*")):
                inside = path.relative_to(tree.root)
                if not path.name.lower().endswith(FILE_KINDS) or not _is_plain_file(tree.root, inside):
                    continue
                stem = path.name[: path.name.index(".", 1)] if "." in path.name[1:] else path.name
                found[number_name(_UNNAMEABLE.sub("_", "_".join((*inside.parts[:-1], stem))), found)] = path
                if len(found) == MAX_FILES:
                    return tuple(found.items())
        return tuple(found.items())

    def run(self, sql: str, max_rows: int) -> Rows:
        """Return the first rows of a query; raises as `DuckdbRunner.run` does."""
        files = {name: str(path) for name, path in self.find_files()}
        request = {"database": "", "read_only": True, "files": files}
        readable = tuple(Path(path) for path in files.values())
        return _run(request, sql, max_rows, self._timeout_seconds, readable, (), read_only=True)


def _is_plain_file(root: Path, inside: Path) -> bool:
    """Return whether a path below the root is a regular file reached without a link."""
    place = root
    for part in inside.parts:
        place = place / part
        if place.is_symlink():
            return False
    return place.is_file()


def _run(
    request: Mapping[str, Any],
    sql: str,
    max_rows: int,
    timeout_seconds: float,
    readable: tuple[Path, ...],
    writable: tuple[Path, ...],
    *,
    read_only: bool,
) -> Rows:
    """Run a statement in the worker and return its rows."""
    _require_duckdb()
    with ScratchDirectory("run") as place:
        result = place / "rows.jsonl"
        whole = {
            **request,
            "sql": sql,
            "max_rows": max_rows,
            "max_bytes": MAX_RESULT_BYTES,
            "memory_bytes": MEMORY_BYTES,
            "memory_limit": DUCKDB_MEMORY,
            "result": str(result),
        }
        task = ConfinedProgram(
            (sys.executable, "-I", "-B", "-X", "utf8", _WORKER),
            files={
                **{name: Path(__file__).with_name(name).read_bytes() for name in (_WORKER, _VALUES)},
                "request.json": json.dumps(whole).encode("utf-8"),
            },
            timeout_seconds=timeout_seconds,
            readable=(*_SYSTEM_FILES, *readable),
            writable=(place, *writable),
            environment={"MALLOC_ARENA_MAX": "1"},
        )
        try:
            outcome = run_confined(task)
        except DeadlineExceededError:
            reason = f"the statement took longer than {timeout_seconds:g} s"
            raise DeadlineExceededError(reason, hint="ask for fewer rows or joins") from None
        return _read_rows(result, outcome, read_only=read_only)


def _read_rows(result: Path, outcome: Outcome, *, read_only: bool) -> Rows:
    """Read the rows that the worker wrote."""
    lines = result.read_text("utf-8", "surrogateescape").splitlines() if result.exists() else []
    last = json.loads(lines[-1]) if lines and lines[-1].endswith("}") else None
    if isinstance(last, dict) and "error" in last:
        raise refuse_statement(last["error"], read_only=read_only)
    if outcome.exit_code != 0 or not isinstance(last, dict):
        raise refuse_statement(
            "it needed more memory than a statement may have" if outcome.exit_code else "DuckDB gave no answer",
            read_only=read_only,
        )
    head = json.loads(lines[0])
    rows = tuple(tuple(json.loads(line)) for line in lines[1:-1])
    return Rows(tuple(head["columns"]), rows, last["truncated"], last["affected"])


@cache
def _require_duckdb() -> None:
    """Raise `MissingDependencyError` unless DuckDB is installed; it is not loaded."""
    if find_spec("duckdb") is None:
        raise MissingDependencyError("DuckDB is not installed", hint="pip install 'avionics[duckdb]'")
