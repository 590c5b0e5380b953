"""The process: several requests at once, cancellation, and its end together with its client."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest
from lsprotocol import types

from tests.conftest import write_files
from tests.lsp.conftest import FILES, Refused
from tests.processes import children_of, is_running
from tests.timing import PATIENCE_SECONDS, wait_until


def message(**fields):
    body = json.dumps({"jsonrpc": "2.0", **fields}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def initialize(root, process_id=None):
    folders = [{"uri": root.as_uri(), "name": "shop"}]
    params = {"processId": process_id, "capabilities": {}, "rootUri": None, "workspaceFolders": folders}
    return message(id=1, method="initialize", params=params) + message(method="initialized", params={})


@pytest.fixture
def launch(tmp_path):
    """Starts a server process on the shop; however it ends, it leaves no temporary directory."""
    root = write_files(tmp_path / "repository", FILES)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "AVIONICS_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(temporary)}
    started = []

    def run(**more):
        command = [sys.executable, "-m", "avionics.cli", "lsp", "--stdio"]
        started.append(
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, **more)
        )
        return started[-1], root

    yield run
    for each in started:
        each.terminate()
        with each:
            pass
    assert list(temporary.iterdir()) == []


def read(process):
    """Read one message."""
    length = 0
    while line := process.stdout.readline().strip():
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return json.loads(process.stdout.read(length))


def read_answer(process, identity):
    while (found := read(process)).get("id") != identity or "method" in found:
        pass
    return found


def test_shutdown_and_exit_end_it_with_zero(start_own):
    assert start_own().stop() == 0


def test_an_exit_without_shutdown_ends_it_with_one(launch):
    process, root = launch()
    process.stdin.write(initialize(root) + message(method="exit"))
    process.stdin.flush()
    assert process.wait(PATIENCE_SECONDS) == 1


def test_the_end_of_its_input_ends_it(launch):
    process, root = launch()
    process.stdin.write(initialize(root))
    process.stdin.flush()
    read_answer(process, 1)
    process.stdin.close()
    assert process.wait(PATIENCE_SECONDS) in {0, 1}


@pytest.mark.skipif(os.name != "posix", reason="looks for another process by its number")
def test_the_end_of_the_process_that_the_client_names_ends_it(launch):
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as editor:
        process, root = launch()
        process.stdin.write(initialize(root, editor.pid))
        process.stdin.flush()
        read_answer(process, 1)
        assert process.poll() is None
        editor.kill()
    assert process.wait(PATIENCE_SECONDS) == 1


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_signals_that_follow_each_other_end_it_as_one_does(launch, git_repository, tmp_path):
    process, _ = launch(stderr=subprocess.PIPE)
    root = git_repository(FILES).root
    path = root / "shop/app.py"
    opened = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": path.read_text("utf-8")}
    process.stdin.write(initialize(root) + message(method="textDocument/didOpen", params={"textDocument": opened}))
    process.stdin.flush()
    wait_until(lambda: any((tmp_path / "temporary").glob("avionics-*")), "the server reads the history")
    while process.poll() is None:
        process.terminate()
    assert (process.returncode, process.stderr.read()) == (128 + signal.SIGTERM, b"")


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="reads child processes from /proc")
def test_its_worker_processes_end_with_it(launch):
    process, root = launch()
    process.stdin.write(initialize(root))
    at = {"textDocument": {"uri": (root / "shop/app.py").as_uri()}, "position": {"line": 4, "character": 12}}
    process.stdin.write(message(id=2, method="textDocument/definition", params=at))
    process.stdin.flush()
    assert read_answer(process, 2)["result"]
    children = children_of(process.pid)
    assert children
    process.stdin.close()
    process.wait(PATIENCE_SECONDS)
    assert wait_until(lambda: not any(map(is_running, children)))


def test_a_cancelled_request_says_so_and_the_next_is_answered(launch):
    process, root = launch()
    process.stdin.write(initialize(root))
    at = {"textDocument": {"uri": (root / "shop/app.py").as_uri()}, "position": {"line": 4, "character": 12}}
    params = {**at, "context": {"includeDeclaration": True}}
    process.stdin.write(message(id=2, method="textDocument/references", params=params))
    process.stdin.write(message(method="$/cancelRequest", params={"id": 2}))
    process.stdin.write(message(id=3, method="textDocument/definition", params=at))
    process.stdin.flush()
    answers = {}
    while len(answers) < 2:
        found = read(process)
        if found.get("id") in {2, 3} and "method" not in found:
            answers[found["id"]] = found
    assert answers[2]["error"]["code"] == types.LSPErrorCodes.RequestCancelled.value
    assert answers[3]["result"]


def test_many_requests_at_once_are_all_answered(editor):
    params = types.DefinitionParams(**editor.at("shop/app.py", "cart = C|art"))
    asked = [editor.start("textDocument/definition", params) for _ in range(64)]
    assert {tuple(editor.places(editor.result(each))) for each in asked} == {("shop/cart.py:9:6",)}


def test_a_request_of_the_wrong_form_is_refused_and_does_no_harm(launch):
    process, root = launch()
    process.stdin.write(initialize(root))
    process.stdin.write(message(id=2, method="textDocument/definition", params={"textDocument": 3}))
    process.stdin.write(message(id=3, method="textDocument/nothing", params={}))
    at = {"textDocument": {"uri": "untitled:Untitled-1"}, "position": {"line": 0, "character": 0}}
    process.stdin.write(message(id=4, method="textDocument/hover", params=at))
    process.stdin.write(message(id=5, method="shutdown"))
    process.stdin.flush()
    answers = {each: read_answer(process, each) for each in (2, 3, 4, 5)}
    assert [answers[each]["error"]["code"] for each in (2, 3, 4)] == [-32602, -32601, -32803]
    assert answers[5]["result"] is None


def test_requests_at_the_wrong_time_are_refused(launch):
    process, root = launch()
    at = {"textDocument": {"uri": root.as_uri()}, "position": {"line": 0, "character": 0}}
    process.stdin.write(message(id="early", method="textDocument/hover", params=at))
    process.stdin.write(initialize(root) + initialize(root).replace(b'"id": 1', b'"id": 7'))
    process.stdin.write(message(id=8, method="shutdown") + message(id=9, method="textDocument/hover", params=at))
    process.stdin.flush()
    refused = {each: read_answer(process, each).get("error", {}).get("code") for each in ("early", 1, 7, 8, 9)}
    assert refused == {"early": -32002, 1: None, 7: -32600, 8: None, 9: -32600}


def test_what_is_no_message_is_refused_and_the_next_is_answered(launch):
    process, root = launch()
    process.stdin.write(initialize(root))
    for body in (b"{", b"[]", b'{"jsonrpc": "2.0", "id": {}, "method": "shutdown"}', b'{"method": "\xff"}'):
        process.stdin.write(b"content-type: x\r\nCONTENT-LENGTH: %d\r\n\r\n" % len(body) + body)
    process.stdin.write(b"nonsense\r\n\r\n" + message(id=2, method="workspace/symbol", params={"query": "Money"}))
    process.stdin.flush()
    assert [read_answer(process, None)["error"]["code"] for _ in range(4)] == [-32700, -32600, -32600, -32700]
    assert [each["name"] for each in read_answer(process, 2)["result"]] == ["Money"]


HUGE = 10**12


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"Content-Length: 64000001\r\n\r\n" + b" " * 64_000_001, id="a body of more than 64 MB"),
        pytest.param(b"[" * 100_000, id="nested too deep"),
        pytest.param(b'[{"jsonrpc": "2.0", "id": 3, "method": "shutdown"}]', id="a batch, which LSP does not have"),
        pytest.param(b'{"id": %b, "method": "shutdown"}' % (b"9" * 5_000), id="a number of 5,000 digits"),
        pytest.param(b'{"id": 1.5, "method": "shutdown"}', id="half a number for an id"),
    ],
)
def test_a_hostile_message_is_refused_in_words_and_the_next_is_answered(launch, sent):
    process, root = launch()
    framed = sent if sent.startswith(b"Content") else b"Content-Length: %d\r\n\r\n%b" % (len(sent), sent)
    process.stdin.write(initialize(root) + framed)
    process.stdin.write(message(id=2, method="workspace/symbol", params={"query": "Money"}))
    process.stdin.flush()
    error = read_answer(process, None)["error"]
    assert error["code"] in {-32700, -32600}
    assert error["message"]
    assert [each["name"] for each in read_answer(process, 2)["result"]] == ["Money"]


def test_a_length_that_nothing_can_have_is_refused_before_it_is_waited_for(launch):
    process, root = launch()
    process.stdin.write(initialize(root) + b"Content-Length: %d\r\n\r\n{}" % HUGE)
    process.stdin.flush()
    assert "the limit is 64000000" in read_answer(process, None)["error"]["message"]
    process.stdin.close()
    assert process.wait(PATIENCE_SECONDS) == 1


@pytest.mark.parametrize("end", [b"Content-Len", b"Content-Length: 500\r\n\r\n", b'Content-Length: 500\r\n\r\n{"id"'])
def test_the_end_of_its_input_within_a_message_ends_it(launch, end):
    process, root = launch()
    process.stdin.write(initialize(root) + end)
    process.stdin.close()
    assert process.wait(PATIENCE_SECONDS) == 1


def test_headers_without_end_and_answers_to_nothing_are_passed_over(launch):
    process, root = launch()
    process.stdin.write(initialize(root) + b"X-Long: " + b"x" * 20_000_000 + b"\r\n")
    process.stdin.write(b"Content-Length: -5\r\n\r\n" + message(id=99, result={}) + message(id=None, error={}))
    process.stdin.write(message(method="$/cancelRequest", params={"id": 99}) + message(method="$/cancelRequest"))
    process.stdin.write(message(id=2, method="workspace/symbol", params={"query": "Money"}))
    process.stdin.flush()
    assert [each["name"] for each in read_answer(process, 2)["result"]] == ["Money"]


@pytest.mark.parametrize(
    "uri", ["file://[::1", "file:///a%00b", "http://example.org/a.py", f"file:///{'a' * 5_000}", "", "\ud800"]
)
def test_what_is_no_file_is_refused_in_words(launch, uri):
    process, root = launch()
    at = {"textDocument": {"uri": uri}, "position": {"line": HUGE**3, "character": HUGE**3}}
    folders = {"event": {"added": [{"uri": uri, "name": "x"}], "removed": [{"uri": uri, "name": "x"}]}}
    process.stdin.write(initialize(root) + message(method="workspace/didChangeWorkspaceFolders", params=folders))
    process.stdin.write(message(id=2, method="textDocument/definition", params=at))
    process.stdin.write(message(id=3, method="workspace/symbol", params={"query": "Money"}))
    process.stdin.flush()
    assert read_answer(process, 2)["error"]["code"] in {-32803, -32602}
    assert [each["name"] for each in read_answer(process, 3)["result"]] == ["Money"]


@pytest.mark.parametrize(
    "said",
    [{"processId": HUGE**3}, {"rootPath": "a/b"}, {"rootUri": f"file:///{'a' * 5_000}"}, {"rootUri": "file://["}],
)
def test_a_session_begins_whatever_the_client_says_of_itself(launch, said):
    process, _ = launch()
    process.stdin.write(message(id=1, method="initialize", params={"capabilities": {}, **said}))
    process.stdin.flush()
    assert read_answer(process, 1)["result"]["capabilities"]


def test_only_announced_commands_are_run(editor):
    with pytest.raises(Refused, match="unknown command"):
        editor.ask("workspace/executeCommand", types.ExecuteCommandParams("avionics.shell", [{"command": "true"}]))


def test_a_refusal_names_its_reason(editor):
    with pytest.raises(Refused) as refused:
        editor.rename("shop/app.py", "def untyped(th|ing)", "a b")
    assert refused.value.code == types.LSPErrorCodes.RequestFailed.value
