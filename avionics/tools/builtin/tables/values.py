"""Convert database cells for JSON, name columns, and estimate the memory of rows.

The worker process that runs DuckDB is given this file, so it imports the standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

MAX_RESULT_BYTES: Final = 20_000_000
"""The memory that the fetched rows of a result may take in Python."""

_ROW_BYTES: Final = 64
_VALUE_BYTES: Final = 40
_TEXT_BYTES: Final = 60


def plain_cell(value: Any) -> Any:
    """Return a cell for JSON: nested values as they are, a decimal as a number if no digit is lost, else as text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return _to_plain_decimal(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"<{len(value)} bytes>"
    if isinstance(value, Mapping):
        return {str(key): plain_cell(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_cell(item) for item in value]
    return str(value)


def name_columns(given: Iterable[object]) -> tuple[str, ...]:
    """Return the names of columns; a name that comes again gets a number, so that no value is lost."""
    names: list[str] = []
    for each in given:
        name = wanted = str(each)
        number = 2
        while name in names:
            name, number = f"{wanted}_{number}", number + 1
        names.append(name)
    return tuple(names)


def weigh_row(row: Iterable[Any]) -> int:
    """Return about how many bytes Python needs for a row of plain cells."""
    return _ROW_BYTES + sum(map(_weigh, row))


def _weigh(value: Any) -> int:
    if isinstance(value, str):
        return _TEXT_BYTES + len(value) * (1 if value.isascii() else 4)
    if isinstance(value, dict):
        return _ROW_BYTES + sum(_weigh(key) + _weigh(item) for key, item in value.items())
    return weigh_row(value) if isinstance(value, list) else _VALUE_BYTES


def _to_plain_decimal(value: Decimal) -> int | float | str | None:
    if not value.is_finite():
        return None
    if value == value.to_integral_value():
        return int(value)
    number = float(value)
    return number if Decimal(repr(number)) == value else str(value)
