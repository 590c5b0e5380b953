"""run_sql: SQLite and DuckDB, read-only by the engine's word."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from avionics.model.enums import Permission, RiskLevel
from avionics.tools.builtin import DuckdbRunner, RunSqlTool, SqliteRunner

SCRIPT = ("CREATE TABLE t (id INTEGER, name TEXT)", "INSERT INTO t VALUES (1, 'Ada'), (2, 'Bob'), (3, NULL)")


@pytest.fixture
def sqlite_path(tmp_path):
    path = tmp_path / "a b?.sqlite"
    connection = sqlite3.connect(path)
    for statement in SCRIPT:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def duckdb_path(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in SCRIPT:
            connection.execute(statement)
    return path


@pytest.fixture(params=["sqlite", "duckdb"])
def runner(request):
    """Makes a runner of either engine."""
    path = request.getfixturevalue(f"{request.param}_path")
    kind = {"sqlite": SqliteRunner, "duckdb": DuckdbRunner}[request.param]
    return lambda **options: kind(path, **options)


def ask(runner, sql, **options):
    return RunSqlTool(runner, **options).execute(sql=sql)


def test_rows_come_by_column_name(runner):
    output = ask(runner(), "SELECT id, name AS who FROM t ORDER BY id")
    assert output.data == {
        "columns": ["id", "who"],
        "rows": [{"id": 1, "who": "Ada"}, {"id": 2, "who": "Bob"}, {"id": 3, "who": None}],
        "row_count": 3,
        "truncated": False,
    }
    assert output.metadata["ui_component"]["type"] == "dataframe"


def test_rows_are_capped(runner):
    output = ask(runner(), "SELECT id FROM t ORDER BY id", max_rows=2)
    assert (output.data["rows"], output.data["truncated"]) == ([{"id": 1}, {"id": 2}], True)


WRITING = (
    "INSERT INTO t VALUES (4, 'Eve')", "UPDATE t SET id = 0", "DELETE FROM t", "DROP TABLE t",
    "CREATE TABLE u (x INTEGER)", "INSERT INTO t VALUES (4, 'x') RETURNING id", "ALTER TABLE t ADD COLUMN c TEXT",
    "WITH x AS (SELECT 1) DELETE FROM t",
)  # fmt: skip


def test_what_writes_is_refused(runner):
    before = ask(runner(), "SELECT * FROM t").data
    assert [sql for sql in (*WRITING, "nonsense", "") if ask(runner(), sql).success] == []
    assert ask(runner(), "SELECT * FROM t").data == before
    assert before["row_count"] == 3


def test_a_writing_runner_writes_and_says_so(runner):
    tool = RunSqlTool(runner(read_only=False))
    assert tool.execute(sql="INSERT INTO t VALUES (4, 'Eve')").success
    assert tool.execute(sql="SELECT count(*) AS n FROM t").data["rows"] == [{"n": 4}]
    assert tool.risk_level is RiskLevel.HIGH
    assert tool.required_permissions == {Permission.DATABASE_READ, Permission.DATABASE_WRITE}


def test_a_statement_that_goes_on_is_ended(runner):
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    output = ask(runner(timeout_seconds=0.3), endless)
    assert output.metadata["error_type"] == "DeadlineExceededError"


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH '{other}' AS o",
        "SELECT load_extension('x')",
        "PRAGMA query_only = OFF",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA writable_schema = ON",
        "SELECT 1; DELETE FROM t",
        "BEGIN IMMEDIATE",
        "SELECT randomblob(1000000000)",
        "SELECT replace(printf('%1000000d', 1), ' ', printf('%1000000d', 1))",
        "CREATE TEMP TABLE x AS SELECT 1",
        "SAVEPOINT s",
        "VACUUM",
        "VACUUM INTO '{other}'",
    ],
)
def test_sqlite_reaches_nothing_else(sqlite_path, tmp_path, sql):
    assert not ask(SqliteRunner(sqlite_path), sql.format(other=tmp_path / "new.sqlite")).success
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a b?.sqlite"]


def test_a_writing_sqlite_attaches_no_other_file(sqlite_path, tmp_path):
    assert not ask(SqliteRunner(sqlite_path, read_only=False), f"ATTACH '{tmp_path}/new.sqlite' AS o").success


def test_sqlite_describes_its_tables(sqlite_path):
    output = ask(SqliteRunner(sqlite_path), "PRAGMA table_info(t)")
    assert [row["name"] for row in output.data["rows"]] == ["id", "name"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('{secret}')",
        "SELECT * FROM read_csv('{secret}')",
        "COPY t TO '{new}'",
        "ATTACH '{new}' AS o",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "EXPORT DATABASE '{new}'",
    ],
)
def test_duckdb_reaches_nothing_else(duckdb_path, tmp_path, sql):
    (tmp_path / "secret.csv").write_text("planted")
    output = ask(DuckdbRunner(duckdb_path), sql.format(secret=tmp_path / "secret.csv", new=tmp_path / "new"))
    assert not output.success
    assert not (tmp_path / "new").exists()


def test_a_missing_database_is_not_made(runner, tmp_path):
    kind = type(runner())
    assert not ask(kind(tmp_path / "none"), "SELECT 1").success
    assert not ask(kind(tmp_path / "none", read_only=False), "SELECT 1").success
    assert not (tmp_path / "none").exists()


def test_values_json_has_not_are_made_plain(sqlite_path):
    output = ask(SqliteRunner(sqlite_path), "SELECT x'00ff' AS b, 9e999 AS f, printf('%20000d', 1) AS s")
    (row,) = output.data["rows"]
    assert (row["b"], row["f"], len(row["s"])) == ("<2 bytes>", None, 10_000)


def test_results_are_saved_whole_where_a_directory_is_given(runner, tmp_path):
    (tmp_path / "results").mkdir()
    tool = RunSqlTool(runner(), output=tmp_path / "results", max_rows=1)
    output = tool.execute(sql="SELECT id, name FROM t ORDER BY id")
    assert (len(output.data["rows"]), output.data["row_count"], output.data["truncated"]) == (1, 3, True)
    assert (tmp_path / "results" / output.data["file"]).read_text() == "id,name\n1,Ada\n2,Bob\n3,\n"
    assert tool.required_permissions == {Permission.DATABASE_READ, Permission.FILESYSTEM_WRITE}


def test_a_tool_can_have_a_name_and_description_of_its_own(runner):
    tool = RunSqlTool(runner(), custom_tool_name="ask_sales", custom_tool_description="Ask the sales database")
    assert (tool.get_schema()["name"], tool.get_schema()["description"]) == ("ask_sales", "Ask the sales database")
    assert RunSqlTool(runner()).name == "run_sql"


def test_one_statement_means_one(runner):
    output = ask(runner(read_only=False), "DELETE FROM t WHERE id = 1; DELETE FROM t WHERE id = 2")
    assert not output.success
    assert ask(runner(), "SELECT count(*) AS n FROM t").data["rows"] == [{"n": 3}]


def test_no_column_is_lost_to_another_of_its_name(runner):
    output = ask(runner(), "SELECT a.id, b.id FROM t a, t b WHERE a.id = 1 AND b.id = 2")
    assert (output.data["columns"], output.data["rows"]) == (["id", "id_2"], [{"id": 1, "id_2": 2}])


def test_how_many_rows_changed_is_reported(runner):
    output = ask(runner(read_only=False), "UPDATE t SET name = 'x' WHERE id < 3")
    assert (output.data["rows_affected"], output.data["rows"]) == (2, [])
    assert "rows_affected" not in ask(runner(), "SELECT 1").data


def test_full_text_tables_can_be_read(sqlite_path):
    with closing(sqlite3.connect(sqlite_path)) as connection, connection:
        connection.execute("CREATE VIRTUAL TABLE notes USING fts5(text)")
        connection.execute("INSERT INTO notes VALUES ('a quick fox'), ('a lazy dog')")
    connection.close()
    found = ask(SqliteRunner(sqlite_path), "SELECT text FROM notes WHERE notes MATCH 'fox'")
    assert found.data["rows"] == [{"text": "a quick fox"}]
    for sql in ("INSERT INTO notes VALUES ('x')", "UPDATE sqlite_master SET type = 'x'", "DROP TABLE notes"):
        assert not ask(SqliteRunner(sqlite_path), sql).success


HUNGRY = {
    "rows": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 200) SELECT zeroblob(9999999) FROM c",
    "columns": f"SELECT {', '.join(['zeroblob(9999999)'] * 200)}",
    "texts": f"SELECT {', '.join(['hex(zeroblob(999999))'] * 50)}",
    "many": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 999) SELECT hex(zeroblob(9999)) FROM c",
}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", HUNGRY)
def test_a_result_takes_bounded_memory(sqlite_path, kind):
    # ru_maxrss would be inherited from the process that started this one.
    code = (
        "import re, sys\nfrom avionics.tools.builtin import RunSqlTool, SqliteRunner\n"
        "RunSqlTool(SqliteRunner(sys.argv[1])).execute(sql=sys.argv[2])\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    done = subprocess.run([sys.executable, "-c", code, sqlite_path, HUNGRY[kind]], capture_output=True, check=True)
    assert int(done.stdout) < 150_000  # KiB of the whole process
