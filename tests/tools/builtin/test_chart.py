"""Charts: Plotly figures of rows."""

from __future__ import annotations

import pytest

from avionics.tools.builtin.chart import VisualizeDataTool

SALES = [{"month": "Jan", "units": 3}, {"month": "Feb", "units": 5}]


def figure(rows, **arguments):
    output = VisualizeDataTool().execute(rows=rows, **arguments)
    assert output.success, output.error
    return output.data["figure"]


def test_names_and_numbers_are_bars():
    assert figure(SALES, title="Sales") == {
        "data": [{"type": "bar", "name": "units", "x": ["Jan", "Feb"], "y": [3, 5]}],
        "layout": {
            "title": {"text": "Sales"},
            "xaxis": {"title": {"text": "month"}},
            "yaxis": {"title": {"text": "units"}},
        },
    }


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([{"day": "2024-01-01", "n": 1}, {"day": "2024-01-02", "n": 2}], ("scatter", "lines")),
        ([{"a": 1, "b": 2}, {"a": 3, "b": 4}], ("scatter", "markers")),
        ([{"a": 1}, {"a": 3}], ("histogram", None)),
        ([{"a": "x"}, {"a": "y"}], ("table", None)),
    ],
)
def test_the_columns_choose_the_chart(rows, kind):
    (trace,) = figure(rows)["data"]
    assert (trace["type"], trace.get("mode")) == kind


def test_each_drawn_column_is_a_trace():
    rows = [{"m": "Jan", "a": 1, "b": 2}]
    assert [trace["name"] for trace in figure(rows, chart_type="area")["data"]] == ["a", "b"]
    assert figure(rows)["layout"]["barmode"] == "group"


def test_a_pie_has_labels_and_values():
    assert figure(SALES, chart_type="pie")["data"] == [{"type": "pie", "labels": ["Jan", "Feb"], "values": [3, 5]}]


def test_the_figure_is_also_there_for_a_frontend():
    output = VisualizeDataTool().execute(rows=SALES)
    assert output.metadata["ui_component"] == {"type": "chart", "figure": output.data["figure"]}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"rows": SALES, "x": "day"}, "unknown column 'day'"),
        ({"rows": SALES, "y": ["n"]}, "unknown column 'n'"),
        ({"rows": [{"a": "x"}], "chart_type": "bar"}, "a bar chart needs a column of numbers"),
        ({"rows": [{}]}, "there are no columns to draw"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, error):
    assert VisualizeDataTool().execute(**arguments).error == error


def test_no_rows_and_too_many_are_refused():
    for rows in ([], [{"a": 1}] * 10_001):
        assert VisualizeDataTool().execute(rows=rows).metadata["error_type"] == "ValidationError"
