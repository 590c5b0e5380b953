"""Summarize each column of a table without showing its rows to the model."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Final

from pydantic import Field

from avionics.cancellation import check_cancelled
from avionics.model.enums import ToolDomain
from avionics.tools.base import BaseTool, ToolInput
from avionics.tools.builtin.tables.store import TableStore

MAX_DISTINCT: Final = 10_000
"""More distinct values of a column than this are counted as "at least" this number."""

MAX_SHOWN_VALUES: Final = 5
_VALUE_CHARACTERS: Final = 80
_ROWS_BETWEEN_LOOKS: Final = 1_000


class _Column:
    """The values of a column so far."""

    def __init__(self) -> None:
        self.count = 0
        self.missing = 0
        self.kinds: Counter[str] = Counter()
        self.values: Counter[str] = Counter()
        self.is_full = False
        self.numbers: list[float] = []
        self.least: Any = None
        self.most: Any = None

    def add(self, value: Any) -> None:
        """Count a value."""
        self.count += 1
        if value is None:
            self.missing += 1
            return
        kind = "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__
        self.kinds[kind] += 1
        if kind == "number":
            self.numbers.append(value)
        if kind in ("number", "str") and len(self.kinds) == 1:
            self.least = value if self.least is None else min(self.least, value)
            self.most = value if self.most is None else max(self.most, value)
        text = str(value)[:_VALUE_CHARACTERS]
        if text in self.values or len(self.values) < MAX_DISTINCT:
            self.values[text] += 1
        else:
            self.is_full = True

    def describe(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        kinds = sorted(self.kinds)
        if not kinds:
            kind = "empty"
        elif len(kinds) > 1:
            kind = "mixed"
        else:
            kind = "text" if kinds[0] == "str" else kinds[0]
        described: dict[str, Any] = {
            "type": kind,
            "missing": self.missing,
            "distinct": f"at least {len(self.values)}" if self.is_full else len(self.values),
        }
        if len(kinds) == 1 and self.least is not None:
            described["min"], described["max"] = _shorten(self.least), _shorten(self.most)
        if kinds == ["number"]:
            ordered = sorted(self.numbers)
            middle = len(ordered) // 2
            described["mean"] = math.fsum(ordered) / len(ordered)
            described["median"] = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
        elif self.values:
            described["most_frequent"] = dict(self.values.most_common(MAX_SHOWN_VALUES))
        return described


class SummarizeTableInput(ToolInput):
    """The table."""

    table: str = Field(description="The handle of a table, as run_sql returns it")


class SummarizeTableTool(BaseTool):
    """Describes each column of a table."""

    name = "summarize_table"
    description = "Summarize a table: type, missing values, range, mean and most frequent values of each column"
    category = ToolDomain.DATA
    input_model = SummarizeTableInput

    def __init__(self, store: TableStore) -> None:
        super().__init__()
        self._store = store

    def _execute(self, input_data: SummarizeTableInput) -> dict[str, Any]:
        table = self._store.get(input_data.table)
        columns = {name: _Column() for name in table.columns}
        for number, row in enumerate(table.iter_rows()):
            if number % _ROWS_BETWEEN_LOOKS == 0:
                check_cancelled()
            for name, column in columns.items():
                column.add(row[name])
        return {
            "table": table.handle,
            "row_count": table.row_count,
            "truncated": table.is_truncated,
            "columns": {name: column.describe() for name, column in columns.items()},
        }


def _shorten(value: Any) -> Any:
    return value[:_VALUE_CHARACTERS] if isinstance(value, str) else value
