"""Charts: convert rows of data to a Plotly figure in Plotly's JSON; Plotly itself is not needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field

from avionics.model.enums import RiskLevel, ToolDomain
from avionics.model.errors import UsageError
from avionics.model.results import to_plain
from avionics.tools.base import BaseTool, ToolInput, ToolOutput

MAX_ROWS: Final = 10_000
"""A browser draws no more points smoothly."""

MAX_SERIES: Final = 50

ChartType: TypeAlias = Literal["auto", "bar", "line", "scatter", "area", "pie", "histogram", "table"]
Row: TypeAlias = Mapping[str, Any]


def build_figure(
    rows: Sequence[Row], chart_type: ChartType = "auto", x: str | None = None, y: Sequence[str] = (), title: str = ""
) -> dict[str, Any]:
    """Return a Plotly figure, `{"data": [traces], "layout": {…}}`, of some rows.

    Args:
        rows: Records by column name.
        chart_type: The kind of chart; "auto" chooses by the contents of the columns.
        x: The column of the x axis; chosen if omitted.
        y: The columns to draw; chosen if omitted.
        title: The title.

    Raises:
        UsageError: There are no rows, no such column, or nothing to draw.
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
    traces = _KINDS[kind](rows, along, drawn, columns)
    return to_plain({"data": traces, "layout": _build_layout(kind, along, drawn, title)})  # type: ignore[no-any-return]


class VisualizeDataInput(ToolInput):
    """Rows and how to draw them."""

    rows: list[dict[str, Any]] = Field(description="Records by column name", min_length=1, max_length=MAX_ROWS)
    chart_type: ChartType = Field(default="auto", description="The kind of chart; auto chooses by the columns")
    x: str | None = Field(default=None, description="The column of the x axis")
    y: list[str] = Field(default_factory=list, description="The columns to draw", max_length=MAX_SERIES)
    title: str = Field(default="", description="The title of the chart", max_length=300)


class VisualizeDataTool(BaseTool):
    """Draws rows; the result is the Plotly figure."""

    name = "visualize_data"
    description = "Draw rows of data as a Plotly chart"
    category = ToolDomain.DATA
    risk_level = RiskLevel.LOW
    input_model = VisualizeDataInput

    def _execute(self, input_data: VisualizeDataInput) -> ToolOutput:
        figure = build_figure(
            input_data.rows, input_data.chart_type, input_data.x, tuple(input_data.y), input_data.title
        )
        component = {"type": "chart", "figure": figure}
        return ToolOutput(success=True, data={"figure": figure}, metadata={"ui_component": component})


def _is_numeric(rows: Sequence[Row], name: str) -> bool:
    """Return whether a column holds numbers and nothing else."""
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
    from datetime import datetime

    try:
        return isinstance(value, str) and bool(datetime.fromisoformat(value))
    except ValueError:
        return False


def _column(rows: Sequence[Row], name: str) -> list[Any]:
    return [row.get(name) for row in rows]


def _series(form: Mapping[str, Any]) -> Callable[..., list[dict[str, Any]]]:
    """Return a trace for every drawn column, all of one kind."""

    def build(
        rows: Sequence[Row], along: str, drawn: tuple[str, ...], _columns: tuple[str, ...]
    ) -> list[dict[str, Any]]:
        x = _column(rows, along)
        return [{**form, "name": name, "x": x, "y": _column(rows, name)} for name in drawn]

    return build


def _build_pie(
    rows: Sequence[Row], along: str, drawn: tuple[str, ...], _columns: tuple[str, ...]
) -> list[dict[str, Any]]:
    return [{"type": "pie", "labels": _column(rows, along), "values": _column(rows, drawn[0])}]


def _build_histogram(
    rows: Sequence[Row], along: str, drawn: tuple[str, ...], _columns: tuple[str, ...]
) -> list[dict[str, Any]]:
    return [{"type": "histogram", "name": name, "x": _column(rows, name)} for name in drawn or (along,)]


def _build_table(
    rows: Sequence[Row], _along: str, _drawn: tuple[str, ...], columns: tuple[str, ...]
) -> list[dict[str, Any]]:
    cells = {"values": [_column(rows, name) for name in columns]}
    return [{"type": "table", "header": {"values": list(columns)}, "cells": cells}]


_KINDS: Final[Mapping[str, Callable[..., list[dict[str, Any]]]]] = MappingProxyType(
    {
        "area": _series({"type": "scatter", "mode": "lines", "fill": "tozeroy"}),
        "bar": _series({"type": "bar"}),
        "histogram": _build_histogram,
        "line": _series({"type": "scatter", "mode": "lines"}),
        "pie": _build_pie,
        "scatter": _series({"type": "scatter", "mode": "markers"}),
        "table": _build_table,
    }
)


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
    axes = {"xaxis": {"title": {"text": along}}, "yaxis": {"title": {"text": drawn[0] if len(drawn) == 1 else ""}}}
    return layout | axes | ({"barmode": "group"} if kind == "bar" and len(drawn) > 1 else {})
