"""Refused, failing, hanging and cancelled calls: each audited exactly once, and nothing of them runs on."""

from __future__ import annotations

import asyncio
import contextvars
import os
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from avionics.cancellation import CancellationToken, check_cancelled, is_wanted, use_cancellation
from avionics.history.repo import GitRepository
from avionics.model import Caller, DeadlineExceededError, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.source.read import Content
from avionics.source.search.engines import Feed
from avionics.source.search.pattern import parse_pattern
from avionics.source.search.ripgrep import get_ripgrep, ripgrep_engine
from avionics.tools.builtin import DuckdbRunner, RunSqlTool, SqliteRunner
from avionics.tools.builtin.python import PythonTool
from avionics.tools.builtin.shell import ShellTool
from avionics.tools.builtin.web import FetchTool
from avionics.tools.catalog import ToolDefinition
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import EVERYTHING, permitted
from avionics.tools.observers.audit import MemorySink, audited
from avionics.tools.registry import ToolRegistry
from tests.logs import Silent
from tests.timing import HOUR_SECONDS, PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
LIMIT = 0.4


def list_marked(mark):
    """The processes that carry a mark in their command lines."""
    found = []
    for name in os.listdir("/proc"):
        try:
            command = Path(f"/proc/{name}/cmdline").read_bytes() if name.isdigit() else b""
        except OSError:
            continue
        if mark.encode() in command:
            found.append(name)
    return found


def tool_threads():
    return [thread for thread in threading.enumerate() if thread.name == "avionics-tool"]


def build(tool, sink):
    registry = ToolRegistry()
    registry.register_tool(tool)
    return ToolExecutor(registry, (permitted(grants=EVERYTHING),), (audited(sink),), Settings(), Silent())


async def cancel_soon(executor, call, context, has_begun):
    """Cancel a call once it has begun."""
    running = asyncio.create_task(executor.execute(call, context))
    while not has_begun():
        await asyncio.sleep(0.02)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


def end_of(sink):
    (record,) = sink.find_records("tool_result")
    return record["status"], record.get("error_type", "")


def assert_ended(executor, sink, call, how, has_begun):
    """A call that is cancelled or out of time ends at once, is audited once, and leaves no thread."""
    if how == "cancelled":
        asyncio.run(cancel_soon(executor, call, ToolContext(), has_begun))
        assert end_of(sink) == ("cancelled", "")
    else:
        assert executor.run(call, ToolContext(timeout_seconds=LIMIT)).error_type == "deadline"
        assert end_of(sink) == ("error", "deadline")
    wait_until(lambda: not tool_threads())
    assert len(sink.find_records("tool_invocation")) == 1


def program(kind, mark):
    """Return a process tool and a call of it that would take an hour; the mark stands in its command line."""
    code = f"import time; time.sleep(3600)  # {mark}"
    if kind == "shell":
        return ShellTool(Path.cwd()), {"command": f'{Path(sys.executable).name} -c "{code}"'}
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    return PythonTool(), {"code": nested}


@pytest.mark.parametrize("kind", ["shell", "python"])
def test_a_program_out_of_time_is_ended_with_all_it_started(kind):
    sink, mark = MemorySink(), f"overdue-{kind}-{os.getpid()}"
    tool, arguments = program(kind, mark)
    result = build(tool, sink).run(ToolCall(tool.name, arguments), ToolContext(timeout_seconds=1.0))
    assert result.error_type == "deadline"
    assert end_of(sink) == ("error", "deadline")
    wait_until(lambda: not list_marked(mark) and not tool_threads())


@pytest.mark.parametrize("kind", ["shell", "python"])
def test_a_cancelled_program_is_ended_with_all_it_started(kind):
    sink, mark = MemorySink(), f"cancelled-{kind}-{os.getpid()}"
    tool, arguments = program(kind, mark)
    call = ToolCall(tool.name, arguments)
    asyncio.run(cancel_soon(build(tool, sink), call, ToolContext(), lambda: list_marked(mark)))
    assert end_of(sink) == ("cancelled", "")
    wait_until(lambda: not list_marked(mark) and not tool_threads())


def test_a_refused_program_is_never_started():
    sink, mark = MemorySink(), f"refused-{os.getpid()}"
    tool, arguments = program("shell", mark)
    nobody = ToolContext(Caller("eve", permissions=frozenset()))
    assert build(tool, sink).run(ToolCall(tool.name, arguments), nobody).error_type == "permission_denied"
    assert end_of(sink) == ("error", "permission_denied")
    assert not list_marked(mark)
    assert not tool_threads()


def test_a_failing_tool_leaves_no_thread():
    def broken():
        raise KeyError("lost")

    sink = MemorySink()
    build(ToolDefinition("broken", broken, {}, "Fail"), sink).run(ToolCall("broken"))
    assert end_of(sink) == ("error", "tool_error")
    wait_until(lambda: not tool_threads())


def test_a_query_of_a_database_is_interrupted(tmp_path):
    import sqlite3

    sqlite3.connect(tmp_path / "a.db").close()
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    sink = MemorySink()
    tool = RunSqlTool(SqliteRunner(tmp_path / "a.db", timeout_seconds=HOUR_SECONDS))
    call, context = ToolCall("run_sql", {"sql": endless}), ToolContext(timeout_seconds=LIMIT)
    assert build(tool, sink).run(call, context).error_type == "deadline"
    assert end_of(sink) == ("error", "deadline")
    wait_until(lambda: not tool_threads())


@pytest.mark.parametrize("how", ["cancelled", "overdue"])
def test_a_query_of_duckdb_is_interrupted(tmp_path, how):
    duckdb = pytest.importorskip("duckdb")
    duckdb.connect(str(tmp_path / "a.db")).close()
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT (x + 1) % 1000003 FROM n) SELECT count(*) FROM n"
    sink, tool = MemorySink(), RunSqlTool(DuckdbRunner(tmp_path / "a.db", timeout_seconds=HOUR_SECONDS))
    assert_ended(build(tool, sink), sink, ToolCall("run_sql", {"sql": endless}), how, tool_threads)
    # Nobody holds the file any more.
    duckdb.connect(str(tmp_path / "a.db")).close()


@pytest.mark.parametrize("how", ["cancelled", "overdue"])
@pytest.mark.parametrize(
    "says", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx"], ids=["nothing", "a beginning"]
)
def test_a_request_that_is_never_answered_is_hung_up(says, how):
    """The server sees its end, and no thread waits for it."""
    asked, ended = threading.Event(), threading.Event()

    def never_answer():
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(says)
            asked.set()
            connection.settimeout(PATIENCE_SECONDS)
            if connection.recv(65_536) == b"":
                ended.set()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=never_answer, daemon=True)
        server.start()
        arguments = {"url": f"http://127.0.0.1:{listening.getsockname()[1]}/", "timeout": 300}
        sink = MemorySink()
        executor = build(FetchTool(["127.0.0.0/8"]), sink)
        assert_ended(executor, sink, ToolCall("web.fetch", arguments), how, asked.is_set)
        assert ended.wait(PATIENCE_SECONDS)
        server.join(PATIENCE_SECONDS)


def test_a_server_that_never_shakes_hands_is_hung_up():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sink = MemorySink()
        call = ToolCall("web.fetch", {"url": f"https://127.0.0.1:{listening.getsockname()[1]}/", "timeout": 300})
        assert_ended(build(FetchTool(["127.0.0.0/8"]), sink), sink, call, "overdue", None)


def test_a_connection_that_is_never_accepted_is_given_up():
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listening:
        address = listening.getsockname()
        waiting = [socket.socket() for _ in range(8)]
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(address)
        sink = MemorySink()
        call = ToolCall("web.fetch", {"url": f"http://127.0.0.1:{address[1]}/", "timeout": 300})
        assert_ended(build(FetchTool(["127.0.0.0/8"]), sink), sink, call, "overdue", None)
        for each in waiting:
            each.close()


@pytest.mark.parametrize("how", ["cancelled", "overdue"])
def test_a_loop_that_looks_ends_where_it_looks(how):
    seen, begun = [], threading.Event()

    def count():
        try:
            while True:
                begun.set()
                check_cancelled()
                time.sleep(0.005)
        finally:
            seen.append(is_wanted())

    sink = MemorySink()
    executor = build(ToolDefinition("count", count, {}, "Count"), sink)
    assert_ended(executor, sink, ToolCall("count"), how, begun.is_set)
    assert seen == [False]


def test_siblings_of_a_cancelled_call_are_still_wanted():
    wanted, begun, may_end = [], threading.Barrier(3), threading.Event()

    def slow():
        begun.wait(PATIENCE_SECONDS)
        may_end.wait(PATIENCE_SECONDS)
        wanted.append(is_wanted())
        return {}

    async def both():
        executor = build(ToolDefinition("slow", slow, {}, "Wait"), MemorySink())
        first = asyncio.create_task(executor.execute(ToolCall("slow")))
        second = asyncio.create_task(executor.execute(ToolCall("slow")))
        await asyncio.to_thread(begun.wait, PATIENCE_SECONDS)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        may_end.set()
        await second

    asyncio.run(both())
    wait_until(lambda: len(wanted) == 2)
    assert sorted(wanted) == [False, True]


def test_a_cancelled_text_search_ends_its_process():
    program = get_ripgrep(Settings(), Path("/nowhere"))
    if program is None:
        pytest.skip("rg is not installed")
    mark = f"needle{os.getpid()}"

    def endless(paths):
        while True:
            yield Content("a.py", b"hay\n" * 1000)
            time.sleep(0.01)

    def search():
        feed = Feed(("a.py",), endless)
        return list(ripgrep_engine(program)(parse_pattern(mark), feed, time.monotonic() + HOUR_SECONDS))

    sink = MemorySink()
    executor = build(ToolDefinition("search", search, {}, "Search"), sink)
    asyncio.run(cancel_soon(executor, ToolCall("search"), ToolContext(), lambda: list_marked(mark)))
    assert end_of(sink) == ("cancelled", "")
    wait_until(lambda: not list_marked(mark) and not tool_threads())


def test_a_cancelled_git_command_is_ended(git_repository, tmp_path):
    repository = GitRepository(git_repository({"a.py": "x = 1"}).root, Settings(cache_directory=tmp_path / "cache"))
    mark = f"avionics-mark-{os.getpid()}"
    reading = threading.Event()

    def log():
        with repository.stream("log", f"--format={mark}%h") as output:
            output.read()
            reading.set()
            while is_wanted():
                time.sleep(0.01)
        return {}

    sink = MemorySink()
    executor = build(ToolDefinition("log", log, {}, "Log"), sink)
    asyncio.run(cancel_soon(executor, ToolCall("log"), ToolContext(), reading.is_set))
    assert end_of(sink) == ("cancelled", "")
    wait_until(lambda: not list_marked(mark) and not tool_threads())


def test_an_index_that_nobody_waits_for_is_not_built_and_the_next_who_asks_has_it(workspace):
    files = {f"shop/m{number}.py": f"def f{number}(x):\n    return x + {number}\n" for number in range(60)}
    here, stop = workspace(files), CancellationToken()
    stop.set()
    context = contextvars.copy_context()
    context.run(use_cancellation, stop)
    with pytest.raises(DeadlineExceededError):
        context.run(lambda: here.code)
    assert here.code.files == tuple(sorted(files))
    assert [each.file for each in here.code.find_definitions("f7")] == ["shop/m7.py"]
