"""Tables between tools: kept in files under handles, so that no model has to copy their rows.

A handle belongs to the caller and the thread that made it. Tables are JSON lines in a private directory that ends with
the process; the oldest are dropped when there are too many.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from avionics.model.errors import UsageError
from avionics.scratch import ScratchDirectory
from avionics.tools.execution.current_call import get_current_context

MAX_TABLES: Final = 64
MAX_STORED_BYTES: Final = 500_000_000


class Table(Struct, frozen=True):
    """A stored table.

    Attributes:
        handle: Its name for callers: `table_1`.
        columns: The names of its columns.
        is_truncated: Whether its query had more.
        path: The file: one JSON object a line.
        owner: The caller and the thread.
    """

    handle: str
    columns: tuple[str, ...]
    row_count: int
    is_truncated: bool
    path: Path
    owner: tuple[str, str]

    def iter_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows, by column name."""
        with self.path.open(encoding="utf-8", errors="surrogatepass") as lines:
            for line in lines:
                yield json.loads(line)

    def read_bytes(self) -> bytes:
        """Return the file's contents."""
        return self.path.read_bytes()


class TableStore:
    """Tables by handle; safe for several threads.

    Args:
        max_tables: How many are kept for all callers together.
        max_bytes: How large they may be together.
    """

    def __init__(self, max_tables: int = MAX_TABLES, max_bytes: int = MAX_STORED_BYTES) -> None:
        self._lock = threading.Lock()
        self._tables: dict[str, Table] = {}
        self._count = 0
        self._max_tables, self._max_bytes = max_tables, max_bytes
        self._directory = ScratchDirectory("tables")

    def put(self, columns: Sequence[str], rows: Iterable[Sequence[Any]], *, is_truncated: bool = False) -> Table:
        """Store a table for the current caller and thread."""
        with self._lock:
            self._count += 1
            handle = f"table_{self._count}"
        path = self._directory.path / f"{handle}.jsonl"
        count = 0
        with path.open("w", encoding="utf-8", errors="surrogatepass") as out:
            for row in rows:
                out.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n")
                count += 1
        table = Table(handle, tuple(columns), count, is_truncated, path, _get_owner())
        with self._lock:
            self._tables[handle] = table
            self._drop_oldest()
        return table

    def get(self, handle: str) -> Table:
        """Return a table of the current caller and thread. Raise `UsageError` if they have none of that handle."""
        owner = _get_owner()
        with self._lock:
            table = self._tables.get(handle)
            own = [name for name, each in self._tables.items() if each.owner == owner]
        if table is None or table.owner != owner:
            known = f"there are {', '.join(own[-10:])}" if own else "run_sql returns one"
            raise UsageError(f"there is no table {handle[:80]!r} in this thread", hint=known)
        return table

    def close(self) -> None:
        """Remove all tables."""
        with self._lock:
            self._tables.clear()
        self._directory.close()

    def _drop_oldest(self) -> None:
        sizes = {name: table.path.stat().st_size for name, table in self._tables.items()}
        while len(sizes) > 1 and (len(sizes) > self._max_tables or sum(sizes.values()) > self._max_bytes):
            oldest = next(iter(sizes))
            del sizes[oldest]
            self._tables.pop(oldest).path.unlink(missing_ok=True)


def _get_owner() -> tuple[str, str]:
    context = get_current_context()
    return context.caller.id, context.thread_id
