"""The data chain: files → run_sql → a handle → Python, chart, summary; no row passes through the model."""

from __future__ import annotations

import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest

from avionics import Caller, Context, ToolCall, ToolExecutor, ToolRegistry
from avionics.model import Permission, UsageError
from avionics.tools.builtin import DuckdbFilesRunner, RunSqlTool, TableStore, build_data_tools
from avionics.tools.builtin.tables.store import Table
from avionics.tools.guards import permitted

pytest.importorskip("duckdb")

EVERYTHING = frozenset(Permission)
ADA = Context(Caller("ada", permissions=EVERYTHING), thread_id="t1")


@pytest.fixture
def folder(tmp_path) -> Path:
    import duckdb

    place = tmp_path / "granted"
    (place / "deep").mkdir(parents=True)
    orders = "\n".join(f"{n},{'north' if n % 3 else 'south'},{n * 1.5}" for n in range(1, 2001))
    (place / "orders.csv").write_text(f"id,region,total\n{orders}\n")
    (place / "events.jsonl").write_text('{"id": 1, "tags": ["a", "b"]}\n{"id": 2, "tags": null}\n')
    duckdb.sql("SELECT range AS id, range * 0.5 AS price FROM range(50)").write_parquet(str(place / "prices.parquet"))
    (place / "deep" / "it's-odd.csv").write_text("a\n1\n")
    (tmp_path / "secret.csv").write_text("password\nplanted\n")
    (place / "link.csv").symlink_to(tmp_path / "secret.csv")
    return place


@pytest.fixture
def executor(folder):
    registry = ToolRegistry()
    registry.register_tools(build_data_tools(DuckdbFilesRunner(folder)))
    return ToolExecutor(registry, guards=(permitted(),))


def ask(executor, tool, context=ADA, **arguments):
    return executor.run(ToolCall(tool, arguments), context)


def test_csv_json_lines_and_parquet_are_tables(folder):
    tool = RunSqlTool(DuckdbFilesRunner(folder))
    shown = tool.execute(sql="SHOW TABLES").data["rows"]
    assert [row["name"] for row in shown] == ["deep_it_s_odd", "events", "orders", "prices"]
    joined = "SELECT o.region, sum(p.price) AS price FROM orders o JOIN prices p USING (id) GROUP BY 1 ORDER BY 1"
    assert tool.execute(sql=joined).data["rows"] == [
        {"region": "north", "price": 408.5},
        {"region": "south", "price": 204},
    ]
    assert tool.execute(sql="SELECT tags FROM events ORDER BY id").data["rows"] == [
        {"tags": ["a", "b"]},
        {"tags": None},
    ]
    assert tool.execute(sql="SELECT a FROM deep_it_s_odd").data["rows"] == [{"a": 1}]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM link",
        "SELECT * FROM read_csv('{folder}/link.csv')",
        "SELECT * FROM '{folder}/../secret.csv'",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('/*')",
        "COPY (SELECT 1) TO '{folder}/orders.csv'",
        "COPY (SELECT 1) TO '{folder}/new.csv'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{folder}/orders.csv'",
        "ATTACH '{folder}/new.duckdb'",
        "CREATE TABLE x AS SELECT 1",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        "SELECT 1; SELECT 2",
        "DROP VIEW orders",
        "",
    ],
)
def test_nothing_but_the_files_of_the_folder_can_be_read_and_nothing_written(folder, sql):
    before = {path.name: path.read_bytes() for path in folder.glob("*.*")}
    refused = RunSqlTool(DuckdbFilesRunner(folder)).execute(sql=sql.format(folder=folder))
    assert not refused.success
    assert "planted" not in str(refused)
    assert {path.name: path.read_bytes() for path in folder.glob("*.*")} == before


def test_a_folder_that_is_none_is_refused(folder):
    with pytest.raises(UsageError):
        DuckdbFilesRunner(folder / "orders.csv")


def test_a_handle_passes_from_sql_to_python_chart_and_summary(executor):
    asked = ask(executor, "run_sql", sql="SELECT region, sum(total) AS total FROM orders GROUP BY 1 ORDER BY 1")
    assert asked.data["table"] == "table_1"
    code = "import json\nprint(sum(json.loads(line)['total'] for line in open('table_1.jsonl')))"
    ran = ask(executor, "python.execute", code=code, tables=["table_1"])
    assert ran.data["stdout"] == "3001500.0\n"
    drawn = ask(executor, "visualize_data", table="table_1", title="Sales <by> region")
    picture = drawn.metadata["ui_component"]["picture"]
    assert picture.count("<rect") == 1 + 2
    assert "Sales &lt;by&gt; region" in picture
    assert picture not in drawn.text
    summary = ask(executor, "summarize_table", table="table_1").data
    assert summary["columns"]["region"] == {
        "type": "text",
        "missing": 0,
        "distinct": 2,
        "min": "north",
        "max": "south",
        "most_frequent": {"north": 1, "south": 1},
    }
    assert summary["columns"]["total"]["mean"] == 1500750


def test_rows_stay_behind_the_handle(executor):
    asked = ask(executor, "run_sql", sql="SELECT * FROM orders ORDER BY id")
    assert (len(asked.data["rows"]), asked.data["row_count"], asked.data["truncated"]) == (20, 2000, True)
    counted = "print(sum(1 for line in open('table_1.jsonl')))"
    assert ask(executor, "python.execute", code=counted, tables=["table_1"]).data["stdout"] == "2000\n"


def test_long_texts_are_cut_where_they_are_shown_and_kept_whole(executor):
    asked = ask(executor, "run_sql", sql="SELECT repeat('x', 50000) AS long")
    assert len(asked.data["rows"][0]["long"]) <= 10_000
    counted = "import json\nprint(len(json.loads(open('table_1.jsonl').read())['long']))"
    assert ask(executor, "python.execute", code=counted, tables=["table_1"]).data["stdout"] == "50000\n"


@pytest.mark.parametrize("other", [Context(Caller("eve", permissions=EVERYTHING), thread_id="t1"),
                                   Context(Caller("ada", permissions=EVERYTHING), thread_id="t2")])  # fmt: skip
def test_a_handle_is_of_one_caller_in_one_thread(executor, other):
    ask(executor, "run_sql", sql="SELECT 1 AS a")
    for tool, more in (("summarize_table", {}), ("visualize_data", {}), ("python.execute", {"code": "1"})):
        given = {"tables": ["table_1"]} if tool == "python.execute" else {"table": "table_1"}
        refused = ask(executor, tool, other, **given, **more)
        assert (refused.success, refused.error) == (False, "there is no table 'table_1' in this thread")


@pytest.mark.parametrize("handle", ["table_9", "../secret", "/etc/passwd", ""])
def test_a_handle_is_no_path(executor, handle):
    assert not ask(executor, "python.execute", code="1", tables=[handle]).success


def test_the_oldest_tables_make_way():
    store = TableStore(max_tables=2)
    tables = [store.put(("a",), [(n,)]) for n in range(3)]
    assert [isinstance(_get(store, each.handle), Table) for each in tables] == [False, True, True]
    directory = tables[0].path.parent
    store.close()
    assert not directory.exists()


def _get(store, handle):
    try:
        return store.get(handle)
    except UsageError:
        return None


@pytest.mark.parametrize("kind", ["bar", "line", "scatter", "area", "pie", "histogram", "table"])
@pytest.mark.parametrize("form", ["svg", "png", "html"])
def test_every_chart_has_every_form(executor, kind, form):
    rows = [{"month": f"2024-0{n}-01", "sales": n * n - 9, "cost": n / 3 if n != 4 else None} for n in range(1, 9)]
    drawn = ask(executor, "visualize_data", rows=rows, chart_type=kind, format=form, title="Sales & <costs>")
    if kind == "pie" and not drawn.success:
        pytest.fail(drawn.error)
    picture = drawn.metadata["ui_component"]["picture"]
    if form == "png":
        from io import BytesIO

        from PIL import Image

        image = Image.open(BytesIO(b64decode(picture)))
        assert image.size == (1600, 960)
        assert len(image.getcolors(1 << 20)) > 10
    else:
        from xml.etree import ElementTree as ET

        svg = picture[picture.index("<svg") : picture.index("</svg>") + 6]
        assert len(list(ET.fromstring(svg))) > 10
        assert "<costs>" not in picture
        assert "script" not in picture.lower()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({}, "give either a table or rows"),
        ({"table": "table_1", "rows": [{"a": 1}]}, "give either a table or rows"),
        ({"rows": [{"a": "x", "b": "y"}], "chart_type": "bar"}, "a bar chart needs a column of numbers"),
        ({"rows": [{"a": "x", "b": -1}], "chart_type": "pie", "y": ["b"]}, "there are no positive numbers to draw"),
    ],
)
def test_what_cannot_be_drawn_says_why(executor, arguments, reason):
    assert reason in ask(executor, "visualize_data", **arguments).error


def test_pictures_are_saved_where_a_directory_is_given(tmp_path):
    from avionics.tools.builtin.chart import VisualizeDataTool

    tool = VisualizeDataTool(TableStore(), tmp_path)
    drawn = tool.execute(rows=[{"a": "x", "b": 1}], format="png")
    assert (tmp_path / drawn.data["file"]).read_bytes().startswith(b"\x89PNG")
    assert tool.required_permissions == {Permission.FILESYSTEM_WRITE}


HUNGRY = (
    "SELECT repeat('x', 500000000)",
    "SELECT length(repeat('x', 900000000))",
    "SELECT repeat('x', 1000000) FROM range(1000)",
    "SELECT list(range) FROM range(50000000)",
    "SELECT string_agg(repeat('x', 1000), '') FROM range(1000000)",
)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound the memory of a process")
@pytest.mark.parametrize("sql", HUNGRY)
def test_duckdb_takes_bounded_memory(folder, sql):
    code = (
        "import resource, sys\nfrom avionics.tools.builtin import DuckdbFilesRunner, RunSqlTool\n"
        "peak = lambda: int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
        "before = peak()\n"
        "said = RunSqlTool(DuckdbFilesRunner(sys.argv[1])).execute(sql=sys.argv[2]).error\n"
        "print(peak() - before)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
        "print(said)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, folder, sql], capture_output=True, check=True)
    grown, worker, said = done.stdout.decode().split(maxsplit=2)
    assert int(grown) < 30_000  # KiB above what importing takes
    assert int(worker) < 150_000
    assert "memory" in said.lower() or "long" in said.lower()


def test_wide_results_end_at_a_number_of_bytes(folder):
    sql = "SELECT repeat('x', 5000) AS a FROM range(9000)"
    found = DuckdbFilesRunner(folder).run(sql, 100_000)
    assert found.is_truncated
    assert 3_500 < len(found.rows) < 4_000
