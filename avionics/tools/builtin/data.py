"""Data: parse, select, filter, sort and convert JSON, CSV and YAML."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field

from avionics.model.enums import ToolDomain
from avionics.model.errors import UsageError, importing
from avionics.model.results import to_plain
from avionics.tools.base import BaseTool, ToolInput
from avionics.tools.builtin.tables.values import name_columns

MAX_TEXT_CHARACTERS: Final = 10_000_000
"""A model passes far less, and programs can still have this much converted quickly."""

MAX_YAML_CHARACTERS: Final = 1_000_000
MAX_YAML_DEPTH: Final = 100
"""PyYAML takes a second per megabyte, and time quadratic in the depth."""

_NO_DELIMITERS: Final = frozenset('\r\n"')

Format: TypeAlias = Literal["json", "csv", "yaml"]
Comparison: TypeAlias = Literal["eq", "ne", "gt", "gte", "lt", "lte", "contains"]

_MISSING: Final = object()
_MIN_SIZE = (0, 0)
"""The rank of values that cannot be compared: before everything."""


class ParseJsonInput(ToolInput):
    """A JSON text and the part to extract."""

    data: str = Field(description="JSON text", max_length=MAX_TEXT_CHARACTERS)
    path: str | None = Field(default=None, description="Dot path of the part to extract, such as users.0.name")


class ParseJsonTool(BaseTool):
    """Parses JSON; the result is the value."""

    name = "data.parse_json"
    description = "Parse JSON and extract a part of it by dot path"
    category = ToolDomain.DATA
    input_model = ParseJsonInput

    def _execute(self, input_data: ParseJsonInput) -> Any:
        value = parse_json(input_data.data)
        return value if input_data.path is None else require_part(value, input_data.path)


class ParseCsvInput(ToolInput):
    """A CSV text and how it is written."""

    data: str = Field(description="CSV text", max_length=MAX_TEXT_CHARACTERS)
    delimiter: str = Field(default=",", description="The column separator", min_length=1, max_length=1)
    has_header: bool = Field(default=True, description="Whether the first line names the columns")


class ParseCsvTool(BaseTool):
    """Parses CSV; the result is a list of records, or of lists if the columns have no names."""

    name = "data.parse_csv"
    description = "Parse CSV into records"
    category = ToolDomain.DATA
    input_model = ParseCsvInput

    def _execute(self, input_data: ParseCsvInput) -> list[Any]:
        return parse_csv(input_data.data, input_data.delimiter, has_header=input_data.has_header)


class TransformInput(ToolInput):
    """A JSON array and the operations on it."""

    data: str = Field(description="JSON text of an array", max_length=MAX_TEXT_CHARACTERS)
    filter_key: str | None = Field(default=None, description="Dot path of the value to filter by")
    filter_op: Comparison = Field(default="eq", description="How to compare it with filter_value")
    filter_value: Any = Field(default=None, description="The value to compare with")
    sort_key: str | None = Field(default=None, description="Dot path of the value to sort by")
    sort_reverse: bool = Field(default=False, description="Whether to sort in descending order")
    limit: int | None = Field(default=None, description="The maximum number of items to keep", ge=1)


class TransformTool(BaseTool):
    """Filters, sorts and limits; the result is the remaining list."""

    name = "data.transform"
    description = "Filter, sort and limit JSON arrays"
    category = ToolDomain.DATA
    input_model = TransformInput

    def _execute(self, input_data: TransformInput) -> list[Any]:
        items = parse_json(input_data.data)
        if not isinstance(items, list):
            raise UsageError(
                f"the data is not an array but {_describe_kind(items)}", hint="data.parse_json extracts a part of it"
            )
        if input_data.filter_key is not None:
            compare, wanted = _COMPARISONS[input_data.filter_op], input_data.filter_value
            items = [item for item in items if compare(get_part(item, input_data.filter_key), wanted)]
        if input_data.sort_key is not None:
            path = input_data.sort_key
            items.sort(key=lambda item: _get_sort_key(get_part(item, path)), reverse=input_data.sort_reverse)
        return items[: input_data.limit]


class FormatInput(ToolInput):
    """A text, its format, and the format wanted."""

    data: str = Field(description="The text to convert", max_length=MAX_TEXT_CHARACTERS)
    input_format: Format = Field(default="json", description="The format of the text")
    output_format: Format = Field(default="json", description="The format to convert it to")


class FormatTool(BaseTool):
    """Converts a text to another format; the result is the text."""

    name = "data.format"
    description = "Convert between JSON, CSV and YAML"
    category = ToolDomain.DATA
    input_model = FormatInput

    def _execute(self, input_data: FormatInput) -> str:
        value = _READERS[input_data.input_format](input_data.data)
        return _WRITERS[input_data.output_format](value)


def parse_json(text: str) -> Any:
    """Parse a JSON text. Raise `UsageError` if it is invalid; NaN and Infinity are not JSON."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except ValueError as error:
        raise UsageError(f"not JSON: {error}", hint="check quotes, commas and brackets at that place") from None
    except RecursionError:
        raise UsageError("not JSON: nested too deep") from None


def parse_csv(text: str, delimiter: str = ",", *, has_header: bool = True) -> list[Any]:
    """Parse a CSV text to records by column name, or lists if columns have no names.

    A cell beyond the named columns is stored under `column_<number>`, a missing one is None. Raise `UsageError` if it
    is not CSV.
    """
    if delimiter in _NO_DELIMITERS:
        raise UsageError(
            "not CSV: line ends and quotes cannot separate columns", hint="give a delimiter such as , ; or a tab"
        )
    try:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter, strict=True) if row]
    except (csv.Error, ValueError, TypeError) as error:
        raise UsageError(f"not CSV: {error}", hint="check the delimiter and the quotes") from None
    if not has_header or not rows:
        return rows
    names = name_columns(rows[0])
    return [_record(names, row) for row in rows[1:]]


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV text with a header line; values that are not plain are written as JSON."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_write_cell(value) for value in row] for row in rows)
    return text.getvalue()


def get_part(value: Any, path: str) -> Any:
    """Return the part of a value at a dot path; None if there is none."""
    for step in path.split("."):
        value = _get_member(value, step)
        if value is _MISSING:
            return None
    return value


def require_part(value: Any, path: str) -> Any:
    """Return the part at a dot path, `users.0.name`. Raise `UsageError`, which says where it ends, if it has none."""
    steps = path.split(".")
    for number, step in enumerate(steps):
        inner = _get_member(value, step)
        if inner is _MISSING:
            place = ".".join(steps[:number]) or "the top"
            raise UsageError(f"no {step[:80]!r} at {place}", hint=f"there is {_describe_kind(value)}")
        value = inner
    return value


def _get_member(value: Any, step: str) -> Any:
    """Return the member of an object or array that one step of a dot path names; `_MISSING` if there is none."""
    if isinstance(value, Mapping):
        return value.get(step, _MISSING)
    is_index = step.isascii() and step.isdigit() and len(step) < 10
    return value[int(step)] if isinstance(value, list) and is_index and int(step) < len(value) else _MISSING


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def _record(names: tuple[str, ...], row: list[str]) -> dict[str, str | None]:
    """Return a row by column name."""
    extra = {f"column_{place + 1}": row[place] for place in range(len(names), len(row))}
    return {name: row[place] if place < len(row) else None for place, name in enumerate(names)} | extra


def _describe_kind(value: Any) -> str:
    """Describe the type of a value."""
    if isinstance(value, Mapping):
        return f"an object with {', '.join(list(map(str, value))[:10]) or 'nothing'}"
    return f"an array of {len(value)}" if isinstance(value, list) else f"a {type(value).__name__}"


def _get_sort_key(value: Any) -> tuple[int, Any]:
    """Return the sort key of a value of any type: null, booleans and numbers, texts, the rest."""
    if value is None:
        return _MIN_SIZE
    if isinstance(value, (bool, int, float)):
        return 1, value
    return (2, value) if isinstance(value, str) else (3, json.dumps(value, sort_keys=True))


def _convert_alike(value: Any, wanted: Any) -> Any:
    """Convert the wanted value to the type of the other one, if possible: "30" compared with a number is 30."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and isinstance(wanted, str):
        try:
            return float(wanted)
        except ValueError:
            return wanted
    if isinstance(value, bool) and wanted in {"true", "false"}:
        return wanted == "true"
    return wanted


def _build_comparison(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a comparison of values of one type; values of different types are never larger or smaller."""

    def holds(value: Any, wanted: Any) -> bool:
        left, right = _get_sort_key(value), _get_sort_key(_convert_alike(value, wanted))
        return left[0] == right[0] and test(left[1], right[1])

    return holds


def _contains(value: Any, wanted: Any) -> bool:
    """Return whether a text contains a part, or an array or object a member."""
    if isinstance(value, (str, Mapping)):
        return str(wanted) in value
    return isinstance(value, list) and wanted in value


_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {
        "eq": lambda value, wanted: bool(value == _convert_alike(value, wanted)),
        "ne": lambda value, wanted: bool(value != _convert_alike(value, wanted)),
        "gt": _build_comparison(lambda left, right: left > right),
        "gte": _build_comparison(lambda left, right: left >= right),
        "lt": _build_comparison(lambda left, right: left < right),
        "lte": _build_comparison(lambda left, right: left <= right),
        "contains": _contains,
    }
)


def read_yaml(text: str) -> Any:
    """Parse a YAML text."""
    yaml = _require_yaml()
    if len(text) > MAX_YAML_CHARACTERS:
        raise UsageError(f"YAML is limited to {MAX_YAML_CHARACTERS:,} characters", hint="give it in parts, or as JSON")
    try:
        _require_harmless(yaml, text)
        return to_plain(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise UsageError(f"not YAML: {error}") from None


def _require_harmless(yaml: Any, text: str) -> None:
    """Reject deep nesting, and aliases, with which a few lines can expand to gigabytes."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise UsageError("YAML aliases are not supported", hint="write the value in place of the alias")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_YAML_DEPTH:
            raise UsageError(f"the YAML is nested deeper than {MAX_YAML_DEPTH} levels", hint="give it as JSON")


def _write_yaml(value: Any) -> str:
    return str(_require_yaml().safe_dump(value, allow_unicode=True, sort_keys=False))


def _require_yaml() -> Any:
    """Return the YAML library. Raise `MissingDependencyError` if it is not installed."""
    with importing("YAML needs PyYAML", hint="pip install 'avionics[yaml]'"):
        import yaml
    return yaml


def _write_rows(value: Any) -> str:
    """Return a list of objects as CSV, with the columns in the order of their first appearance."""
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise UsageError(
            f"CSV needs an array of objects, not {_describe_kind(value)}", hint="data.parse_json extracts a part"
        )
    columns = list(dict.fromkeys(str(name) for item in value for name in item))
    return write_csv(columns, ([item.get(name) for name in columns] for item in value))


def _write_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, Mapping)) else value


_READERS: Final[Mapping[str, Callable[[str], Any]]] = MappingProxyType(
    {"json": parse_json, "csv": parse_csv, "yaml": read_yaml}
)
_WRITERS: Final[Mapping[str, Callable[[Any], str]]] = MappingProxyType(
    {"json": lambda value: json.dumps(value, ensure_ascii=False, indent=2), "csv": _write_rows, "yaml": _write_yaml}
)
