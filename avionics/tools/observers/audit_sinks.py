"""Sinks: receivers of records about calls."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class MemorySink:
    """Keeps the newest records in memory.

    Args:
        max_records: The number of records; a server runs for weeks.
    """

    def __init__(self, max_records: int = 10_000) -> None:
        self._records: deque[tuple[str, Mapping[str, Any]]] = deque(maxlen=max_records)

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        """Keep the record."""
        self._records.append((event, fields))

    @property
    def records(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Return the records, oldest first: event and fields."""
        return tuple(self._records)

    def find_records(self, event: str) -> tuple[Mapping[str, Any], ...]:
        """Return the fields of all records of an event, oldest first."""
        return tuple(fields for kind, fields in self.records if kind == event)


class JsonLinesSink:
    """Appends every record to a file, one JSON object per line, written atomically; only its owner may read the file.

    Args:
        path: The file, created when first needed; never a link.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        """Append the record."""
        line = json.dumps({"event": event, **fields}, default=str)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self._path, flags, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)
