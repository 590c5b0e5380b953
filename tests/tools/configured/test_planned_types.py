"""The types of the configuration that reach databases, files, servers, mail and calendars: each with a real one."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import closing
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest

from avionics import Caller, Context
from avionics.model import Permission
from avionics.model.secret import Secret
from avionics.tools.builtin import TableStore
from avionics.tools.executor import ToolExecutor
from avionics.tools.factory import HttpEndpoint, MailServer, ToolResources, build_tools, get_config_schema
from avionics.tools.guards import permitted
from avionics.tools.registry import ToolRegistry
from tests.http_servers import QuietHandler, serving, url_of
from tests.timing import wait_until

LOCAL = ("127.0.0.0/8",)
ADA = Context(Caller("ada", permissions=frozenset(Permission)), thread_id="t1")


def find_free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def report_of(resources, *entries, **more):
    config = {"version": 2, "data": {"tools": list(entries)}}
    return asyncio.run(build_tools(config, 7, resources=resources, **more))


def build(resources, entry, **more):
    """The one tool of an entry, and how it is called with everything granted."""
    report = report_of(resources, entry, **more)
    assert report.failures == ()
    (tool,) = report.tools
    registry = ToolRegistry()
    registry.register_tool(tool)
    executor = ToolExecutor(registry, guards=(permitted(),))

    def call(**arguments):
        from avionics import ToolCall

        return executor.run(ToolCall(tool.name, arguments), ADA)

    return tool, call


class Api(QuietHandler):
    """Says what it was asked, and answers searches in the forms of three engines."""

    def do_GET(self):
        asked = urlsplit(self.path)
        query = parse_qs(asked.query)
        if asked.path == "/moved":
            self.send_response(302)
            self.send_header("location", "http://127.0.0.1:1/thief")
            self.end_headers()
            return
        size = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        item = {"title": "Tea", "url": "https://t", "link": "https://t", "content": "hot", "description": "hot"}
        answer = {
            "/search": {"results": [item] * 20, "organic": [{**item, "snippet": "hot"}]},
            "/res/v1/web/search": {"web": {"results": [item]}},
            "/none/search": {"results": []},
        }.get(asked.path, {"method": self.command, "path": asked.path, "query": query, "body": body,
                           "key": self.headers.get("authorization")})  # fmt: skip
        self.server.count += 1
        self.reply(404 if asked.path == "/absent" else 200, json.dumps(answer).encode())

    do_POST = do_DELETE = do_GET


@pytest.fixture
def api():
    with serving(Api) as server:
        server.count = 0
        yield server


@pytest.fixture
def crm(api):
    endpoint = HttpEndpoint(url_of(api), secret=Secret("sk-planted"), allowed_networks=LOCAL)
    return ToolResources(endpoints={"crm": endpoint})


def test_every_planned_type_is_in_the_schema():
    alternatives = get_config_schema()["$defs"]["tool"]["oneOf"]
    assert len(alternatives) >= 10
    schema = get_config_schema()["$defs"]["sqlQueryTool"]
    assert (schema["properties"]["type"], schema["additionalProperties"]) == ({"const": "sqlQuery"}, False)


def test_calculator():
    tool, call = build(ToolResources(), {"type": "calculator"})
    assert (tool.name, call(expression="2 + 2 * (6 / 3)").data) == ("calculator", {"result": 6})


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("CREATE TABLE t(a); INSERT INTO t VALUES (1), (2)")
    connection.close()
    return path


def test_sql_query_reads_a_database_and_writes_where_it_may(database):
    resources = ToolResources(databases={"shop": database})
    tool, call = build(resources, {"type": "sqlQuery", "database": "shop", "name": "ask_shop"})
    assert (tool.name, call(sql="SELECT sum(a) AS s FROM t").data["rows"]) == ("ask_shop", [{"s": 3}])
    assert not call(sql="DELETE FROM t").success
    writer, change = build(resources, {"type": "sqlQuery", "database": "shop", "write": True})
    assert writer.risk_level.value == "high"
    assert change(sql="DELETE FROM t WHERE a = 1").data["rows_affected"] == 1


def test_sql_query_reads_the_files_of_a_folder_into_a_table_for_code(tmp_path):
    pytest.importorskip("duckdb")
    (tmp_path / "orders.csv").write_text("total\n1\n2\n")
    resources = ToolResources(folders={"sales": tmp_path}, tables=TableStore())
    _, ask = build(resources, {"type": "sqlQuery", "folder": "sales"})
    table = ask(sql="SELECT * FROM orders").data["table"]
    tool, run = build(resources, {"type": "codeExecution", "language": "python"})
    assert tool.name == "execute_code"
    assert run(code=f"print(len(open('{table}.jsonl').readlines()))", tables=[table]).data["stdout"] == "2\n"


def test_javascript_runs_in_the_same_sandbox(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("planted")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.json").write_text('{"a": 7}')
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    resources = ToolResources(folders={"notes": folder})
    tool, run = build(resources, {"type": "codeExecution", "language": "javascript", "folder": "notes"})
    assert (tool.name, tool.risk_level.value) == ("execute_code", "high")
    assert tool.required_permissions >= {Permission.CODE_EXECUTE}
    read = "require('fs').readFileSync"
    assert run(code=f"console.log(JSON.parse({read}('{folder}/a.json')).a * 6)").data["stdout"] == "42\n"
    for refused in (
        f"{read}('{secret}')",
        f"require('fs').writeFileSync('{folder}/b', 'x')",
        f"require('fs').chmodSync('{folder}/a.json', 0o777)",
        "require('child_process').execSync('id > /dev/full')",
        "throw new Error('no')",
    ):
        assert run(code=refused).data["exit_code"] == 1, refused
    asked = "require('net').connect(80, '1.1.1.1').on('error', e => console.log('refused', e.code))"
    assert "refused" in run(code=asked).data["stdout"]
    assert "did not end within" in run(code="for (;;) {}", timeout=1).error


def test_javascript_is_refused_where_node_is_missing(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    report = report_of(ToolResources(), {"type": "codeExecution", "language": "javascript"})
    assert report.tools == ()
    assert "Node.js is not installed" in report.failures[0].reason


def test_a_result_is_given_again_as_long_as_a_configuration_says(database):
    resources = ToolResources(databases={"shop": database})
    _, call = build(resources, {"type": "sqlQuery", "database": "shop", "cacheSeconds": 3600})
    before = call(sql="SELECT count(*) AS n FROM t").data
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM t")
    connection.close()
    assert call(sql="SELECT count(*) AS n FROM t").data == before
    assert call(sql="SELECT count(*) AS m FROM t").data["rows"] == [{"m": 0}]


def test_file_operation_stays_in_its_folder_and_does_what_it_may(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("tea")
    (tmp_path / "secret").write_text("planted")
    resources = ToolResources(folders={"notes": folder})
    tool, call = build(resources, {"type": "fileOperation", "folder": "notes"})
    assert (tool.name, tool.risk_level.value) == ("files_notes", "low")
    assert call(operation="read", path="a.txt").data["content"] == "tea"
    assert [each["path"] for each in call(operation="list", path=".").data["entries"]] == ["a.txt"]
    for wrong in (
        {"operation": "read", "path": "../secret"},
        {"operation": "write", "path": "b", "content": "x"},
        {"operation": "read", "path": "a.txt", "content": "x"},
        {"operation": "delete", "path": "a.txt"},
    ):
        assert not call(**wrong).success
    tool, call = build(resources, {"type": "fileOperation", "folder": "notes", "operations": ["write"]})
    assert Permission.FILESYSTEM_WRITE in tool.required_permissions
    assert call(operation="write", path="deep/b.txt", content="milk").success
    assert (folder / "deep" / "b.txt").read_text() == "milk"


CALL = {"type": "apiCall", "endpoint": "crm", "name": "get_customer", "description": "Get a customer"}


def test_api_call_fills_the_path_the_query_and_the_body(crm):
    tool, call = build(crm, {**CALL, "path": "customers/{id}", "parameters": {"id": "string", "limit": "integer?"}})
    got = call(id="a/b ../c", limit=3).data["body"]
    assert got == {
        "method": "GET", "path": "/customers/a%2Fb%20..%2Fc", "query": {"limit": ["3"]}, "body": None,
        "key": "Bearer sk-planted",
    }  # fmt: skip
    assert tool.risk_level.value == "low"
    posted, call = build(crm, {**CALL, "path": "orders", "method": "POST", "parameters": {"sku": "string"}})
    assert (posted.risk_level.value, call(sku="tea").data["body"]["body"]) == ("medium", {"sku": "tea"})


def test_a_credential_goes_to_its_endpoint_and_into_no_result(crm):
    _, call = build(crm, {**CALL, "path": "moved"})
    moved = call()
    assert moved.error == "the server answered 302: "
    _, call = build(crm, {**CALL, "path": "absent"})
    assert (call().error_type, "planted" in repr(call().hint)) == ("remote_error", False)


def test_an_account_without_the_credential_gets_no_tool():
    class Credentials:
        def get_credential(self, account_id, name):
            return {(1, "crm"): "sk-one"}.get((account_id, name))

    resources = ToolResources(endpoints={"crm": HttpEndpoint("https://crm.example.org", credential="crm")})
    failures = report_of(resources, {**CALL, "path": "x"}, db=Credentials()).failures
    assert "this account has no credential 'crm'" in failures[0].reason


def test_private_addresses_are_refused_unless_allowed(api):
    endpoint = HttpEndpoint(f"http://127.0.0.1:{api.server_port}")
    _, call = build(ToolResources(endpoints={"crm": endpoint}), {**CALL, "path": "x"})
    assert not call().success
    assert api.count == 0


@pytest.mark.parametrize("form", ["searxng", "brave", "serper"])
def test_web_search_speaks_the_forms_of_engines(crm, form):
    tool, call = build(crm, {"type": "webSearch", "endpoint": "crm", "form": form, "count": 3})
    results = call(query="tea").data["results"]
    assert tool.name == "web_search"
    assert results[0] == {"title": "Tea", "url": "https://t", "snippet": "hot"}
    assert len(results) <= 3


def test_a_search_without_results_says_so(api):
    endpoint = HttpEndpoint(f"http://127.0.0.1:{api.server_port}/none", allowed_networks=LOCAL)
    _, call = build(ToolResources(endpoints={"s": endpoint}), {"type": "webSearch", "endpoint": "s"})
    assert call(query="tea").status.value == "not_found"


@pytest.fixture
def mail():
    """A mail server, and the messages that it took."""
    controller = pytest.importorskip("aiosmtpd.controller")
    taken = []

    class Handler:
        async def handle_DATA(self, server, session, envelope):
            taken.append(envelope)
            return "250 OK"

    running = controller.Controller(Handler(), hostname="127.0.0.1", port=find_free_port())
    running.start()
    server = MailServer("127.0.0.1", running.port, "none")
    yield ToolResources(mail_servers={"office": server}), taken
    running.stop()


MAIL = {
    "type": "email",
    "server": "office",
    "from": "bot@example.org",
    "allowedRecipients": ["@example.org", "eve@x.de"],
}


@pytest.mark.filterwarnings("ignore")
def test_email_is_sent_to_allowed_recipients_only(mail):
    resources, taken = mail
    tool, call = build(resources, MAIL)
    assert tool.risk_level.value == "high"
    sent = call(to=["ada@example.org", "eve@x.de"], subject="Tea – now", body="Hot.\n.\nReally.")
    assert (sent.data["sent_to"], sent.data["refused"]) == (["ada@example.org", "eve@x.de"], [])
    (envelope,) = taken
    assert envelope.rcpt_tos == ["ada@example.org", "eve@x.de"]
    assert b"Really." in envelope.content
    for wrong in (
        {"to": ["bob@x.de"]}, {"to": ["ada@example.org.evil.de"]}, {"to": ["ada@example.org\nBcc: x@y.de"]},
        {"to": ["a@b, ada@example.org"]}, {"to": []}, {"to": ["ada@example.org"], "subject": "a\r\nBcc: x@y.de"},
    ):  # fmt: skip
        assert not call(**{"subject": "s", "body": "b", **wrong}).success
    assert len(taken) == 1


def test_a_mail_server_that_is_not_there_is_an_error():
    resources = ToolResources(mail_servers={"office": MailServer("127.0.0.1", 1, "none")})
    _, call = build(resources, MAIL)
    assert call(to=["ada@example.org"], subject="s", body="b").error_type == "remote_error"


ICS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//EN
BEGIN:VEVENT
UID:1
SUMMARY:Tea
DTSTART:20260504T150000Z
DTEND:20260504T153000Z
RRULE:FREQ=DAILY;COUNT=3
LOCATION:Kitchen
END:VEVENT
BEGIN:VEVENT
UID:2
SUMMARY:Holiday
DTSTART;VALUE=DATE:20260506
DTEND;VALUE=DATE:20260507
END:VEVENT
END:VCALENDAR
""".replace("\n", "\r\n")


def test_calendar_reads_an_ics_file_with_its_recurring_events(tmp_path):
    pytest.importorskip("icalendar")
    (tmp_path / "team.ics").write_text(ICS)
    resources = ToolResources(folders={"calendars": tmp_path})
    tool, call = build(resources, {"type": "calendar", "folder": "calendars", "path": "team.ics"})
    events = call(start="2026-05-05", days=2).data["events"]
    assert [(each["title"], each["start"], each["all_day"]) for each in events] == [
        ("Tea", "2026-05-05T15:00:00+00:00", False),
        ("Holiday", "2026-05-06", True),
        ("Tea", "2026-05-06T15:00:00+00:00", False),
    ]
    assert (tool.name, tool.required_permissions) == ("list_events", {Permission.FILESYSTEM_READ})
    assert not call(start="2026-05-05", days=9999).success


def is_done(request: urllib.request.Request) -> bool:
    try:
        urllib.request.urlopen(request).close()
    except (urllib.error.URLError, ConnectionError):
        return False
    return True


@pytest.fixture
def caldav(tmp_path):
    """A CalDAV server with one calendar."""
    pytest.importorskip("radicale")
    port = find_free_port()
    options = ["--server-hosts", f"127.0.0.1:{port}", "--storage-filesystem-folder", str(tmp_path / "store"),
               "--auth-type", "none", "--config", ""]  # fmt: skip
    with subprocess.Popen([sys.executable, "-m", "radicale", *options], stderr=subprocess.DEVNULL) as process:
        url = f"http://127.0.0.1:{port}"
        for method, path in (("MKCOL", "ada/"), ("MKCALENDAR", "ada/team/")):
            request = urllib.request.Request(f"{url}/{path}", b"", method=method)
            wait_until(partial(is_done, request), "the server has a calendar")
        yield url
        process.terminate()


def test_calendar_adds_and_lists_events_of_a_caldav_server(caldav):
    resources = ToolResources(endpoints={"dav": HttpEndpoint(caldav, allowed_networks=LOCAL)})
    entry = {"type": "calendar", "endpoint": "dav", "path": "ada/team"}
    tool, add = build(resources, {**entry, "write": True})
    assert (tool.name, tool.risk_level.value) == ("add_event", "medium")
    assert add(title="Tea\nEND:VEVENT", start="2026-05-04T17:00:00+02:00", minutes=30, place="Kitchen").success
    assert not add(title="Tea", start="2026-05-04T17:00:00").success
    _, events = build(resources, entry)
    assert events(start="2026-05-04").data["events"] == [
        {
            "title": "Tea\nEND:VEVENT", "start": "2026-05-04T15:00:00+00:00", "end": "2026-05-04T15:30:00+00:00",
            "place": "Kitchen", "all_day": False,
        }
    ]  # fmt: skip
    assert events(start="2026-06-01").data["events"] == []


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"type": "sqlQuery"}, "give either database or folder"),
        ({"type": "sqlQuery", "database": "x"}, "unknown database 'x'"),
        ({"type": "sqlQuery", "folder": "f", "write": True}, "write: files of a folder can only be queried"),
        ({"type": "sqlQuery", "database": "x", "path": "/etc/passwd"}, "unknown field 'path'"),
        ({"type": "fileOperation", "folder": "../etc"}, "unknown folder '../etc'"),
        ({"type": "fileOperation", "folder": "f", "operations": ["delete"]}, "operations"),
        ({"type": "codeExecution", "language": "cobol"}, "language"),
        ({**CALL, "path": "a/{id}"}, "path: {id} is not a required parameter"),
        ({**CALL, "path": "x", "url": "http://thief"}, "unknown field 'url'"),
        ({**CALL, "endpoint": "none", "path": "x"}, "unknown endpoint 'none' (there are crm)"),
        ({"type": "webSearch", "endpoint": "crm", "form": "bing"}, "form"),
        ({"type": "email", "server": "office", "from": "a@b"}, "allowedRecipients: missing"),
        ({**MAIL, "from": "a@b\nBcc: c@d"}, "from"),
        ({"type": "calendar", "path": "x"}, "give either folder or endpoint"),
        ({"type": "calendar", "folder": "f", "path": "../x.ics"}, "leads out of the folder"),
        ({"type": "calendar", "folder": "f", "path": "x.ics", "write": True}, "by CalDAV only"),
        ({"type": "vectorSearch", "index": "i", "namespace": "n", "provider": "pinecone"}, "has no key for pinecone"),
        ({"type": "vectorSearchWithReranking", "index": "i", "namespace": "n", "topK": 3, "topN": 4},
         "topN: 4 results cannot be kept of 3 candidates (topK)"),
        ({"type": "vectorSearch", "index": "i", "namespace": "n", "topk": 3}, "did you mean topK?"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_when_it_is_set_up(entry, reason, crm, tmp_path):
    resources = ToolResources(folders={"f": tmp_path}, endpoints=crm.endpoints)
    report = report_of(resources, entry)
    assert report.tools == ()
    assert reason in report.failures[0].reason


def test_a_path_of_a_configuration_does_not_leave_its_endpoint(crm):
    _, call = build(crm, {**CALL, "path": "../admin"})
    assert "leads out of the endpoint" in call().error


@pytest.mark.parametrize("name", ["agent.yaml", "agent.json"])
def test_a_configuration_may_be_a_file_of_yaml_or_json(tmp_path, name):
    text = {
        "agent.yaml": "version: 2\ndata:\n  tools:\n    - type: calculator\n",
        "agent.json": '{"version": 2, "data": {"tools": [{"type": "calculator"}]}}',
    }[name]
    (tmp_path / name).write_text(text)
    assert [tool.name for tool in asyncio.run(build_tools(tmp_path / name)).tools] == ["calculator"]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.yaml", "a: [", "not YAML"),
        ("a.json", "{", "a.json is not JSON"),
        ("a.toml", "a = 1", "is not a configuration"),
        ("none.yaml", None, "cannot be read"),
    ],
)
def test_a_file_that_is_no_configuration_says_why(tmp_path, name, text, reason):
    if text is not None:
        (tmp_path / name).write_text(text)
    assert reason in asyncio.run(build_tools(tmp_path / name)).failures[0].reason


def test_a_score_floor_leaves_out_what_is_not_similar(tmp_path):
    from avionics.settings import EndpointSettings
    from avionics.tools.factory import KnowledgeText, open_knowledge_base

    settings = EndpointSettings(vectors_directory=tmp_path)
    entry = {"type": "vectorSearch", "index": "i", "namespace": "n"}
    base = asyncio.run(open_knowledge_base(entry, 7, settings=settings))
    base.add([KnowledgeText("tea", "How to make tea"), KnowledgeText("tax", "Filing an annual statement")])
    for floor, found in ((None, ["tea", "tax"]), (0.3, ["tea"]), (1.0, [])):
        given = {**entry, "minScore": floor} if floor is not None else entry
        _, call = build(None, given, settings=settings)
        assert [each["id"] for each in call(query="make tea").data["results"]] == found


def test_a_whole_configuration_becomes_langchain_tools_in_one_call(database):
    pytest.importorskip("langchain_core")
    resources = ToolResources(databases={"shop": database})
    report = report_of(resources, {"type": "calculator"}, {"type": "sqlQuery", "database": "shop"})
    calculator, query = report.to_langchain(context=ADA)
    assert calculator.invoke({"expression": "6 / 3"})["data"] == {"result": 2}
    assert query.invoke({"sql": "SELECT sum(a) AS s FROM t"})["data"]["rows"] == [{"s": 3}]
