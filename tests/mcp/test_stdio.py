"""A server process over standard input and output, asked by the SDK's own client and by bare lines."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client, MCPError

from avionics.mcp.answers import Contents
from avionics.mcp.calls import CallLimits
from avionics.mcp.repositories import Repositories, ServedRepository
from avionics.mcp.server import ServerOptions, build_service
from avionics.tools import tool_catalog
from tests.mcp.conftest import connected_to
from tests.processes import children_of
from tests.timing import PATIENCE_SECONDS, wait_until

PATIENT = ServerOptions(contents=Contents.BOTH, limits=CallLimits(patience_seconds=PATIENCE_SECONDS))
IMPATIENT = ServerOptions(contents=Contents.BOTH, limits=CallLimits(patience_seconds=0))
"""Servers whose calls wait for the first reading as long as it takes, and not at all."""

ERAS = ["legacy", "auto"]
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
on_linux = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")


def line(identity, method, **params) -> bytes:
    message = {"jsonrpc": "2.0", "id": identity, "method": method, "params": {"_meta": ENVELOPE, **params}}
    return json.dumps(message).encode() + b"\n"


def call(identity, tool, **arguments) -> bytes:
    return line(identity, "tools/call", name=tool, arguments=arguments)


def answers(output: bytes) -> dict:
    return {answer["id"]: answer for answer in map(json.loads, output.splitlines())}


def read_answers(process, asked: bytes, count: int) -> dict:
    """The answers to what is asked. The input ends only after they are there: what runs then has seconds to finish."""
    watchdog = threading.Timer(PATIENCE_SECONDS, process.kill)
    watchdog.start()
    writer = threading.Thread(target=lambda: (process.stdin.write(asked), process.stdin.flush()))
    writer.start()
    output = b""
    while len(answers(output)) < count and (answer := process.stdout.readline()):
        output += answer
    writer.join()
    rest, _ = process.communicate()
    watchdog.cancel()
    return answers(output + rest)


@pytest.mark.parametrize("era", ERAS)
def test_the_sdks_client_is_served_in_both_eras(era, launcher, shop, run):
    async def tour():
        async with Client(launcher.stdio(shop), mode=era) as client:
            assert client.session.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[era]
            assert "grep" in client.instructions
            assert [tool.name for tool in (await client.list_tools()).tools][:2] == ["analyze", "locate"]
            found = await client.call_tool("locate", {"symbol": "Cart.add"})
            assert found.content[0].text.startswith("'Cart.add': 1 match by exact name")
            assert "shop/cart.py:4" in found.content[0].text
            assert found.structured_content is None
            wrong = await client.call_tool("locate", {"symbol": 3, "budget": "much"})
            assert wrong.is_error
            assert wrong.content[0].text.splitlines()[1:] == [
                "  symbol: expected string, got integer 3",
                "  budget: expected integer, got string 'much'",
            ]
            with pytest.raises(MCPError, match="Unknown tool: grep") as unknown:
                await client.call_tool("grep", {})
            assert unknown.value.code == -32602
            assert str(unknown.value).startswith("Unknown tool: grep; the tools are analyze, locate, ")

    run(tour())


@pytest.mark.parametrize("era", ERAS)
def test_files_symbols_and_prompts_can_be_read(era, launcher, shop, run):
    async def tour():
        async with Client(launcher.stdio(shop), mode=era) as client:
            assert [str(each.uri) for each in (await client.list_resources()).resources] == [
                "avionics://repository/tree"
            ]
            templates = (await client.list_resource_templates()).resource_templates
            assert [each.uri_template for each in templates] == [
                "avionics://{repo}/file/{+path}",
                "avionics://{repo}/symbol/{+name}",
            ]
            for address, text in (
                ("avionics://repository/tree", "cart.py"),
                ("avionics://repository/file/shop/cart.py", 'class Cart:\n    """What'),
                ("avionics://repository/symbol/Cart.add", "shop/cart.py:4"),
            ):
                assert text in (await client.read_resource(address)).contents[0].text
            for address in (
                "avionics://repository/file/shop/nothing.py",
                "avionics://repository/file/../secret",
                "avionics://repository/symbol/nothing_of_this_name",
                "avionics://elsewhere/tree",
                "avionics://repository/page/1",
                "file:///etc/passwd",
            ):
                with pytest.raises(MCPError, match="Unknown resource") as unknown:
                    await client.read_resource(address)
                assert unknown.value.code == -32602
            names = [prompt.name for prompt in (await client.list_prompts()).prompts]
            assert names == ["plan", "explain_repository", "find_place", "impact_of_change"]
            plan = await client.get_prompt("plan", {"question": "who calls Cart?"})
            assert "- locate(symbol, scope?)" in plan.messages[0].content.text
            assert "who calls Cart?" in plan.messages[0].content.text
            for name in ("find_place", "nothing"):
                with pytest.raises(MCPError):
                    await client.get_prompt(name, {})

    run(tour())


def test_what_was_asked_before_the_input_ended_is_answered_and_the_process_ends(launcher, shop):
    with launcher.start(shop) as process:
        output, noise = process.communicate(
            call(1, "locate", symbol="Cart") + call("b", "git_status"), timeout=PATIENCE_SECONDS
        )
    assert (process.returncode, noise) == (0, b"")
    assert {identity: answer["result"]["isError"] for identity, answer in answers(output).items()} == {
        1: False,
        "b": False,
    }


def test_every_request_that_can_be_seen_to_have_an_id_is_answered(launcher, shop):
    deep = b"[" * 50_000 + b"]" * 50_000
    lines = [
        line(1, "server/discover"),
        b'{"jsonrpc":"2.0","id":2,"method":',
        b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"locate","arguments":{"symbol":'
        + deep
        + b"}}}",
        b'{"method":"x","params":{"text":"' + b"x" * 5_000_000 + b'"},"jsonrpc":"2.0","id":4}',
        call(5, "locate", symbol="\ud800"),
        call(6, "locate", symbol="x" * 1_000_000),
        call("s\ud800", "locate", symbol="x"),
        line(8, "no/such/method"),
        line(9, "tools/call", name=5),
        line(10, "tools/call", name="\udfff"),
        b"",
        b"not JSON at all",
        b'[{"jsonrpc":"2.0","id":11},' + line(12, "tools/list").strip() + b"]",
        line(13, "resources/read", uri="avionics://repository/file/\udc80"),
        line(14, "prompts/get", name="plan", arguments={"question": "\udc80"}),
        call(15, "locate", symbol={"deep": [None, 1e308, -(2**70)]}),
    ]
    expected = {
        1: "result", 2: -32700, 3: -32700, 4: -32600, 5: "result", 6: "result", "s\ud800": -32600, 8: -32601,
        9: -32602, 10: -32602, None: -32700, 11: -32600, 12: "result", 13: -32602, 14: "result", 15: "result",
    }  # fmt: skip
    with launcher.start(shop) as process:
        found = read_answers(process, b"\n".join(each.strip() for each in lines) + b"\n", len(expected))
    assert process.returncode == 0
    assert {
        identity: answer["error"]["code"] if "error" in answer else "result" for identity, answer in found.items()
    } == expected


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_ends_the_process_cleanly(name, launcher, shop):
    with launcher.start(shop) as process:
        process.stdin.write(line(1, "server/discover"))
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(getattr(signal, name))
        assert process.wait(PATIENCE_SECONDS) == 0
        assert process.stderr.read() == b""


def test_a_client_that_is_gone_ends_the_process(launcher, shop):
    with launcher.start(shop) as process:
        process.stdout.close()
        process.stdin.write(line(1, "server/discover"))
        process.stdin.flush()
        assert process.wait(PATIENCE_SECONDS) == 0


def test_several_repositories_are_told_apart_by_name(launcher, git_repository, run):
    one = git_repository({"one.py": "def only_here(): ...\n"}, "first").root
    two = git_repository({"two.py": "def only_there(): ...\n"}, "second").root

    async def ask():
        async with Client(launcher.stdio(one, two, extra=("--results", "both"))) as client:
            here = await client.call_tool("locate", {"symbol": "only_here", "repo": "first"})
            there = await client.call_tool("locate", {"symbol": "only_there", "repo": "second"})
            nowhere = await client.call_tool("locate", {"symbol": "only_there"})
            listing = await client.call_tool("list_tools", {})
            text = await client.read_resource("avionics://second/file/two.py")
        return here, there, nowhere, listing, text

    here, there, nowhere, listing, text = run(ask())
    assert [each.structured_content["data"]["citations"] for each in (here, there)] == [["one.py:1"], ["two.py:1"]]
    assert nowhere.structured_content["validation_errors"] == ["repo: missing, expected string"]
    assert not listing.is_error
    assert text.contents[0].text.strip() == "def only_there(): ..."


def many_files(count: int) -> dict[str, str]:
    body = "\n\n".join(f"def function_{{n}}_{index}(a):\n    return function_{{n}}_0(a)" for index in range(60))
    return {f"package/module_{number}.py": body.replace("{n}", str(number)) for number in range(count)}


@pytest.fixture
def may_read(monkeypatch) -> Iterator[threading.Event]:
    """Hold every first reading at its first progress report until the event is set."""
    event, note = threading.Event(), ServedRepository._note

    def hold(repository, *progress):
        note(repository, *progress)
        event.wait(PATIENCE_SECONDS)

    monkeypatch.setattr(ServedRepository, "_note", hold)
    yield event
    event.set()


def test_the_first_reading_is_reported_and_the_answer_comes_after_it(settings, directory, run, may_read):
    repositories = Repositories.open([directory(many_files(100))], settings)
    service = build_service(repositories, settings)
    seen = []

    async def progress(done, total, message):
        seen.append((done, total, message))
        may_read.set()

    async def ask():
        async with Client(connected_to(service)) as client:
            return await client.call_tool("locate", {"symbol": "function_99_0"}, progress_callback=progress)

    assert "package/module_99.py:1" in run(ask()).content[0].text
    assert seen == sorted(seen)
    assert seen[0][1:] == (100, f"reading repository: {int(seen[0][0])} of 100 files")
    assert repositories.close(PATIENCE_SECONDS)


def test_what_is_asked_meanwhile_is_answered_from_what_is_there_and_says_so(settings, directory, run, may_read):
    repositories = Repositories.open([directory(many_files(280))], settings)
    service = build_service(repositories, settings, IMPATIENT)

    async def ask():
        async with Client(connected_to(service)) as client:
            questions = [
                ("locate", {"symbol": "function_1_1"}),
                ("analyze", {"query": "where is function_1_1?"}),
                ("read_code", {"path": "package/module_1.py", "start_line": 1, "end_line": 1}),
                ("map_module", {"path": "."}),
            ]
            answers = await asyncio.gather(*(client.call_tool(*question) for question in questions))
            may_read.set()
            while not repositories.get(None).is_read:
                await asyncio.sleep(0.01)
            return [*answers, await client.call_tool(*questions[0])]

    found, asked, read, nothing, after = run(ask())
    for each in (found, asked):
        assert each.structured_content["status"] == "partial"
        assert each.structured_content["data"]["stopgap"].startswith("still reading repository")
        assert "package/module_1.py:4" in each.structured_content["data"]["citations"]
        assert each.structured_content["data"]["coverage"]["certainty"] == "unknown"
        assert each.content[0].text.startswith("[still reading repository")
        assert "complete" not in each.content[0].text
    assert read.structured_content["status"] == "success"
    assert nothing.structured_content["status"] == "partial"
    assert after.structured_content["data"]["citations"] == ["package/module_1.py:4"]
    assert "stopgap" not in after.structured_content["data"]
    assert repositories.close(PATIENCE_SECONDS)


def test_a_question_about_a_name_need_not_wait_until_all_is_read(settings, directory, run, may_read):
    small = {f"package/small_{number}.py": f"a = {number}\n" for number in range(1_500)}
    repositories = Repositories.open([directory(many_files(2) | small)], settings)
    service = build_service(repositories, settings, PATIENT)

    async def ask():
        async with Client(connected_to(service)) as client:
            found = await client.call_tool("explore_symbol_usage", {"symbol": "function_1_0"})
            return found, repositories.get(None).is_read

    found, is_read = run(ask())
    assert not is_read
    may_read.set()
    assert found.structured_content["data"]["coverage"]["found"] == 60
    assert {place.partition(":")[0] for place in found.structured_content["data"]["citations"]} == {
        "package/module_1.py"
    }
    assert "stopgap" not in found.structured_content["data"]
    assert repositories.close(PATIENCE_SECONDS)


def test_a_cancelled_call_is_never_answered_and_the_next_one_is(launcher, directory):
    root = directory(many_files(280))
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    with launcher.start(root) as process:
        process.stdin.write(call(1, "locate", symbol="function_1_1"))
        process.stdin.write(json.dumps(cancel).encode() + b"\n" + call(2, "list_tools"))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 2
        output, _ = process.communicate(call(3, "locate", symbol="function_1_1"), timeout=PATIENCE_SECONDS)
    assert set(answers(output)) == {3}


@on_linux
def test_no_process_outlives_a_server_that_is_killed(launcher, directory):
    root = directory(many_files(600))
    with launcher.start(root) as process:
        process.stdin.write(call(1, "locate", symbol="function_1_1"))
        process.stdin.flush()
        children = wait_until(lambda: children_of(process.pid), "the server reads with processes")
        process.kill()
    wait_until(lambda: not [child for child in children if Path(f"/proc/{child}").exists()], "they have ended")


@on_linux
def test_a_server_that_is_told_to_end_while_it_reads_leaves_nothing_behind(launcher, directory):
    root = directory(many_files(600))
    with launcher.start(root) as process:
        process.stdin.write(call(1, "locate", symbol="function_1_1"))
        process.stdin.flush()
        children = wait_until(lambda: children_of(process.pid), "the server reads with processes")
        process.terminate()
        assert process.wait(PATIENCE_SECONDS) == 0
    wait_until(lambda: not [child for child in children if Path(f"/proc/{child}").exists()], "they have ended")


@on_linux
def test_calls_one_after_another_and_many_at_once_leak_nothing(launcher, shop):
    with launcher.start(shop) as process:

        def ask(first, count):
            process.stdin.write(b"".join(call(first + n, "locate", symbol="Cart") for n in range(count)))
            process.stdin.flush()
            return {json.loads(process.stdout.readline())["id"] for _ in range(count)}

        for warming in range(4):
            assert ask(warming * 32, 32) == set(range(warming * 32, warming * 32 + 32))
        before, memory, readers = held_by(process.pid), memory_of(process.pid), children_of(process.pid)
        for number in range(200):
            assert ask(1_000 + number, 1) == {1_000 + number}
        assert ask(2_000, 32) == set(range(2_000, 2_032))
        wait_until(lambda: held_by(process.pid) <= before, f"no more than {before} descriptors and threads are held")
        assert memory_of(process.pid) - memory <= 4_000
        assert children_of(process.pid) == readers, "the one process that reads files, and no other"
        process.communicate(timeout=PATIENCE_SECONDS)
        wait_until(lambda: not any(Path(f"/proc/{reader}").exists() for reader in readers), "the readers have ended")


def held_by(pid: int) -> tuple[int, int]:
    """Descriptors and threads."""
    return len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))


def memory_of(pid: int) -> int:
    """Kilobytes resident."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


class Stalled:
    """A tool that does not answer before it is stopped."""

    def __init__(self, tool):
        self._tool = tool

    def __getattr__(self, name):
        return getattr(self._tool, name)

    @staticmethod
    async def function(workspace, symbol, scope=None):
        await asyncio.sleep(PATIENCE_SECONDS)


def test_at_its_deadline_a_call_is_answered_from_the_text(settings, shop, run, monkeypatch):
    get_tool = tool_catalog.get_tool
    monkeypatch.setattr(
        tool_catalog, "get_tool", lambda name: Stalled(get_tool(name)) if name == "locate" else get_tool(name)
    )
    repositories = Repositories.open([shop], settings)

    async def ask(deadline_seconds):
        limits = CallLimits(patience_seconds=PATIENCE_SECONDS, deadline_seconds=deadline_seconds)
        async with Client(connected_to(build_service(repositories, settings, ServerOptions(limits=limits)))) as client:
            return await client.call_tool("locate", {"symbol": "Cart.add"})

    # The search of the text has the same deadline, which a loaded machine may need longer than three seconds to meet.
    for deadline_seconds in (3, 10, 30):
        text = run(ask(deadline_seconds)).content[0].text
        if "grep_search did not answer" not in text:
            break
    assert text.startswith(f"[locate did not answer within {deadline_seconds} s; this is only a text search")
    assert "shop/cart.py:1" in text
    assert repositories.close(PATIENCE_SECONDS)
