"""Edit TOML as text: append or remove one table and keep every other character."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from avionics.connect.text import Insertion, blank_before
from avionics.model.errors import ConfigError

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n?")


def read_table(text: str) -> dict[str, Any]:
    """Parse the text. Raise `ConfigError` if it is not TOML; the message says where."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(str(error)) from None


def plan_table(text: str, keys: tuple[str, ...], entry: Mapping[str, Any], newline: str) -> Insertion:
    """Return the entry as a table at the end."""
    lines = [f"[{'.'.join(keys)}]", *(f"{key} = {_value(value)}" for key, value in entry.items())]
    before = "" if not text else newline if text.endswith("\n") else newline * 2
    return Insertion(len(text), before + newline.join(lines) + newline)


def find_table_spans(text: str, keys: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """Return the spans to cut to remove a table and its subtables: header and values, and the blank line before."""
    return tuple(_iter_spans(text, keys))


def _iter_spans(text: str, keys: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    headers = [match.start() for match in _HEADER.finditer(text)]
    for start, limit in zip(headers, [*headers[1:], len(text)], strict=True):
        if _path(_LINE.match(text, start)[0])[: len(keys)] == keys:  # type: ignore[index]
            yield start - len(blank_before(text, start)), _end_of_values(text, start, limit)


def _end_of_values(text: str, start: int, limit: int) -> int:
    """Return where the last value of a table ends; comments and blank lines after it belong to the next one."""
    end = at = start
    while at < limit:
        line = _LINE.match(text, at)[0]  # type: ignore[index]
        at += len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            end = at
    return end


def _path(header: str) -> tuple[str, ...]:
    """Return the keys of a header; none for a line that only resembles one."""
    try:
        table: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return ()
    keys: list[str] = []
    while isinstance(table, dict) and len(table) == 1:
        key, table = next(iter(table.items()))
        keys.append(key)
    return tuple(keys)


def _value(value: Any) -> str:
    """Return a value as TOML: text or a list of texts."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(_value(item) for item in value)}]"
