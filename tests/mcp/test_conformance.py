"""The official conformance suite's fixtures, served by the product's code; the suite itself where it is installed.

`npm i node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector` brings it; put
node_modules/.bin first on the PATH. tests/bench/bench_mcp.py runs it too, against the product's own tools.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client, MCPError, types

ROOT = Path(__file__).resolve().parents[2]
SERVER = Path(__file__).parent / "conformance_server.py"

NOT_OURS = {
    "2025-11-25": {
        "tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums",
    },
    "2026-07-28": {
        "server-stateless", "input-required-result-basic-elicitation", "input-required-result-basic-sampling",
        "input-required-result-basic-list-roots", "input-required-result-request-state",
        "input-required-result-multiple-input-requests", "input-required-result-multi-round",
        "input-required-result-non-tool-request", "input-required-result-result-type",
        "input-required-result-tampered-state", "input-required-result-capability-check",
    },
}  # fmt: skip
"""Scenarios that need a server which asks its client: for words of a model, for input, for its directories."""


def find_suite() -> str | None:
    """The suite's program, where it and a Node that runs it are installed."""
    program, node = shutil.which("conformance"), shutil.which("node")
    if not program or not node:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = re.match(r"v(\d+)", version)
    return program if major and int(major[1]) >= 22 else None


async def set_level(client, level):
    # The SDK's own method warns that the newest revision has it no more.
    request = types.SetLevelRequest(params=types.SetLevelRequestParams(level=level))
    await client.session.send_request(request, types.EmptyResult)


@pytest.fixture
def address(launcher, shop) -> Iterator[str]:
    """A server with the suite's fixtures."""
    command = [sys.executable, str(SERVER), str(shop)]
    environment = {**launcher.environment(), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
        line = process.stderr.readline()
        assert line.startswith("serving at "), line + process.stderr.read()
        yield line.split()[-1]
        process.terminate()
        process.communicate(timeout=10)


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_what_the_suite_asks_for_is_served_in_both_eras(era, address, run):
    told, logged = [], []

    async def progress(done, total, _message):
        told.append((done, total))

    async def logging(params):
        logged.append((params.level, params.data))

    async def tour():
        async with Client(address, mode=era, logging_callback=logging) as client:
            await client.call_tool("test_tool_with_logging", {})
            assert logged == []
            if era == "legacy":
                await set_level(client, "info")
                await client.call_tool("test_tool_with_logging", {})
                assert logged == [("info", f"step {number}") for number in range(3)]
            await client.call_tool("test_tool_with_progress", {}, progress_callback=progress)
            assert told == [(0, 100), (50, 100), (100, 100)]
            image = await client.call_tool("test_image_content", {})
            assert (image.content[0].type, image.content[0].mime_type) == ("image", "image/png")
            wrong = await client.call_tool("test_error_handling", {})
            assert wrong.is_error
            assert wrong.content[0].text == "error: This tool intentionally returns an error for testing"
            text = await client.read_resource("test://template/123/data")
            assert '"id": "123"' in text.contents[0].text
            prompt = await client.get_prompt("test_prompt_with_arguments", {"arg1": "a", "arg2": "b"})
            assert prompt.messages[0].content.text == "a b"
            with pytest.raises(MCPError, match="arg2: missing, expected string"):
                await client.get_prompt("test_prompt_with_arguments", {"arg1": "a"})

    run(tour())


@pytest.mark.skipif(not find_suite(), reason="needs node ≥ 22 and @modelcontextprotocol/conformance on the PATH")
@pytest.mark.parametrize("revision", NOT_OURS)
def test_the_official_suite_passes_but_where_a_server_must_ask_its_client(revision, address):
    command = [find_suite(), "server", "--url", address, "--suite", "all", "--spec-version", revision]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    outcome = dict(re.findall(r"^[✓✗] ([\w-]+): \d+ passed, (\d+) failed$", done.stdout + done.stderr, re.MULTILINE))
    assert outcome, done.stdout[-2000:] + done.stderr[-2000:]
    assert {name for name, failed in outcome.items() if failed != "0"} == NOT_OURS[revision] & set(outcome)
