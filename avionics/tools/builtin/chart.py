"""Charts: convert rows of data to a Plotly figure in Plotly's JSON, or to a picture; Plotly itself is not needed."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field

from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.errors import UsageError
from avionics.model.results import ToolResult, to_plain
from avionics.source.paths import RepoPath
from avionics.tools.base import BaseTool, ToolInput
from avionics.tools.builtin.rooted import write_beneath
from avionics.tools.builtin.tables.drawing import build_html, build_png, build_svg, draw_figure
from avionics.tools.builtin.tables.store import TableStore

MAX_ROWS: Final = 10_000
"""A browser draws no more points smoothly."""

MAX_SERIES: Final = 50

ChartType: TypeAlias = Literal["auto", "bar", "line", "scatter", "area", "pie", "histogram", "table"]
ChartFormat: TypeAlias = Literal["svg", "png", "html", "figure"]
Row: TypeAlias = Mapping[str, Any]
_MEDIA_TYPES: Final = MappingProxyType({"svg": "image/svg+xml", "png": "image/png", "html": "text/html"})


def build_figure(
    rows: Sequence[Row], chart_type: ChartType, x: str | None, y: Sequence[str], title: str
) -> dict[str, Any]:
    """Return a Plotly figure, `{"data": [traces], "layout": {…}}`, of some rows.

    The type "auto" is chosen by the contents of the columns, as are the columns that are not given. Raise `UsageError`
    if there are no rows, no such column, or nothing to draw.
    """
    if not rows:
        raise UsageError("there are no rows to draw", hint="give at least one record")
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    if not columns:
        raise UsageError("there are no columns to draw", hint="records have a value by column name")
    for name in (*((x,) if x else ()), *y):
        if name not in columns:
            raise UsageError(f"unknown column {name[:80]!r}", hint=f"the columns are {', '.join(columns[:20])}")
    numbers = tuple(name for name in columns if _is_numeric(rows, name))
    along = x or _choose_along(columns, numbers, y)
    drawn = tuple(y) or tuple(name for name in numbers if name != along)[:MAX_SERIES]
    kind = _choose_kind(rows, along, numbers, drawn) if chart_type == "auto" else chart_type
    if not drawn and kind not in {"table", "histogram"}:
        raise UsageError(f"a {kind} chart needs a column of numbers", hint="name one as y, or draw a table")
    traces = _build_traces(kind, rows, along, drawn, columns)
    return to_plain({"data": traces, "layout": _build_layout(kind, along, drawn, title)})  # type: ignore[no-any-return]


class VisualizeDataInput(ToolInput):
    """Rows and how to draw them."""

    rows: list[dict[str, Any]] = Field(description="Records by column name", min_length=1, max_length=MAX_ROWS)
    chart_type: ChartType = Field(default="auto", description="The kind of chart; auto chooses by the columns")
    x: str | None = Field(default=None, description="The column of the x axis")
    y: list[str] = Field(default_factory=list, description="The columns to draw", max_length=MAX_SERIES)
    title: str = Field(default="", description="The title of the chart", max_length=300)


class VisualizeTableInput(VisualizeDataInput):
    """A table, or rows, and how to draw them."""

    rows: list[dict[str, Any]] = Field(
        default_factory=list, description="Records by column name, instead of a table", max_length=MAX_ROWS
    )
    table: str | None = Field(default=None, description="The handle of a table, as run_sql returns it")
    format: ChartFormat = Field(default="svg", description="The form of the picture; figure is Plotly's own JSON")


class VisualizeDataTool(BaseTool):
    """Draws rows; the result is the Plotly figure, or a picture of a stored table.

    Args:
        store: The tables that may be drawn; without one it takes rows and gives figures only.
        output: A directory in which pictures are saved too.
    """

    name = "visualize_data"
    description = "Draw rows of data as a Plotly chart"
    category = ToolDomain.DATA
    input_model: type[ToolInput] = VisualizeDataInput

    def __init__(self, store: TableStore | None = None, output: str | Path | None = None) -> None:
        if store is not None:
            self.input_model = VisualizeTableInput
            self.description = "Draw a table, or rows of data, as a chart: SVG, PNG, HTML or a Plotly figure"
        super().__init__()
        self._store = store
        self._output = None if output is None else Path(output)
        if output is not None:
            self.risk_level = RiskLevel.MEDIUM
            self.required_permissions = frozenset({Permission.FILESYSTEM_WRITE})

    def _validate(self, input_data: Any) -> None:
        if self._store is not None and bool(input_data.table) == bool(input_data.rows):
            raise ValueError("give either a table or rows")

    def _execute(self, input_data: Any) -> ToolResult:
        rows, is_cut = input_data.rows, False
        if self._store is not None and input_data.table:
            table = self._store.get(input_data.table)
            rows, is_cut = list(islice(table.iter_rows(), MAX_ROWS)), table.row_count > MAX_ROWS
        figure = build_figure(rows, input_data.chart_type, input_data.x, tuple(input_data.y), input_data.title)
        component: dict[str, Any] = {"type": "chart", "figure": figure}
        if getattr(input_data, "format", "figure") == "figure":
            return ToolResult(data={"figure": figure}, ui_component=component)
        picture = _render(figure, input_data.format, input_data.title)
        data: dict[str, Any] = {"format": input_data.format, "rows_drawn": len(rows), "bytes": len(picture)}
        if is_cut:
            data["note"] = f"only the first {MAX_ROWS} rows are drawn; aggregate them in SQL"
        if self._output is not None:
            data["file"] = f"chart_{sha256(picture).hexdigest()[:12]}.{input_data.format}"
            write_beneath(self._output, RepoPath((data["file"],)), picture)
        # The picture is for people only; for a model it would waste tokens.
        component["media_type"] = _MEDIA_TYPES[input_data.format]
        component["picture"] = b64encode(picture).decode() if input_data.format == "png" else picture.decode()
        return ToolResult(data=data, ui_component=component)


def _render(figure: Mapping[str, Any], wanted: str, title: str) -> bytes:
    """Return a figure as a picture."""
    shapes = draw_figure(figure)
    if wanted == "png":
        return build_png(shapes)
    return (build_html(shapes, title) if wanted == "html" else build_svg(shapes)).encode()


def _is_numeric(rows: Sequence[Row], name: str) -> bool:
    """Return whether a column contains only numbers."""
    values = [row[name] for row in rows if row.get(name) is not None]
    return bool(values) and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _choose_along(columns: tuple[str, ...], numbers: tuple[str, ...], y: Sequence[str]) -> str:
    """Return the column of the x axis: the first that is not numeric, else the first that is not drawn."""
    free = [name for name in columns if name not in y]
    return next((name for name in free if name not in numbers), free[0] if free else columns[0])


def _choose_kind(rows: Sequence[Row], along: str, numbers: tuple[str, ...], drawn: tuple[str, ...]) -> str:
    """Return the kind of chart for such columns."""
    if not drawn:
        return "histogram" if along in numbers else "table"
    if along in numbers:
        return "scatter"
    return "line" if all(_is_date(row.get(along)) for row in rows) else "bar"


def _is_date(value: Any) -> bool:
    """Return whether a value is written as an ISO date."""
    try:
        return isinstance(value, str) and bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def _list_column(rows: Sequence[Row], name: str) -> list[Any]:
    return [row.get(name) for row in rows]


_SERIES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "area": {"type": "scatter", "mode": "lines", "fill": "tozeroy"},
        "bar": {"type": "bar"},
        "line": {"type": "scatter", "mode": "lines"},
        "scatter": {"type": "scatter", "mode": "markers"},
    }
)
"""Kind of chart → the fields that every trace of it has."""


def _build_traces(
    kind: str, rows: Sequence[Row], along: str, drawn: tuple[str, ...], columns: tuple[str, ...]
) -> list[dict[str, Any]]:
    """Return the traces of a chart: one for all columns of a pie or a table, else one for each drawn column."""
    if kind == "table":
        cells = {"values": [_list_column(rows, name) for name in columns]}
        return [{"type": kind, "header": {"values": list(columns)}, "cells": cells}]
    if kind == "pie":
        return [{"type": kind, "labels": _list_column(rows, along), "values": _list_column(rows, drawn[0])}]
    if kind == "histogram":
        return [{"type": kind, "name": name, "x": _list_column(rows, name)} for name in drawn or (along,)]
    x = _list_column(rows, along)
    return [{**_SERIES[kind], "name": name, "x": x, "y": _list_column(rows, name)} for name in drawn]


def _build_layout(kind: str, along: str, drawn: tuple[str, ...], title: str) -> dict[str, Any]:
    """Return the figure's title and axes."""
    layout: dict[str, Any] = {"title": {"text": title}} if title else {}
    if kind in {"pie", "table"}:
        return layout
    if kind == "histogram":
        return layout | {
            "xaxis": {"title": {"text": ", ".join(drawn or (along,))}},
            "yaxis": {"title": {"text": "count"}},
        }
    side = drawn[0] if len(drawn) == 1 else ""
    axes: dict[str, Any] = {"xaxis": {"title": {"text": along}}, "yaxis": {"title": {"text": side}}}
    if kind == "bar" and len(drawn) > 1:
        axes["barmode"] = "group"
    return layout | axes
