"""Registries served to the SDK's client, and tools taken from servers that the SDK runs, over both transports."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from mcp import Client, MCPError, StdioServerParameters

from avionics import Caller, Context, ToolCall, ToolExecutor, ToolRegistry
from avionics.model import RegistrationError, UsageError
from avionics.model.enums import Permission, RiskLevel
from avionics.model.errors import RemoteError
from tests.mcp.conftest import connected_to, serving_at
from tests.timing import PATIENCE_SECONDS

ROOT = Path(__file__).resolve().parents[2]
EVERYTHING = Context(Caller("ada", permissions=frozenset(Permission)))

KITCHEN = '''
from typing import Literal

from avionics import Context, ToolExecutor, ToolRegistry
from avionics.tools.guards import ToolRejection, permitted


class Kitchen(ToolRegistry):
    def transform_args(self, tool, args, user, context):
        if args.get("table") == "locked":
            return ToolRejection("that table is locked")
        return args


registry = Kitchen()


@registry.tool(permissions={"database:read"})
def stock.price(table: str, currency: Literal["EUR", "USD"] = "EUR", *, context: Context) -> dict[str, str]:
    """Look up a price."""
    return {"said": f"{context.caller.id} pays 3 {currency} at {table}"}


@registry.tool(name="cook.soup", risk="high")
def cook_soup(minutes: int) -> dict[str, int]:
    """Cook soup."""
    return {"cooked": minutes}


@registry.tool(groups=["admin"])
def fire(name: str) -> str:
    """Fire somebody."""
    return name


@registry.tool
def fail() -> str:
    """Fail."""
    raise RuntimeError("the stove is cold")


executor = ToolExecutor(registry, guards=(permitted(grants={"database:read"}),))
nothing = 3
'''.replace("def stock.price", "def price")

OTHER = """
import asyncio, os, sys, time
from mcp.server import MCPServer
from mcp.types import ToolAnnotations, ImageContent

server = MCPServer("other")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(left: int, right: int = 1) -> dict[str, int]:
    "Add two numbers."
    return {"sum": left + right}


@server.tool()
def weather(city: str) -> str:
    "Tell the weather\\x1b[2J of a city."
    return f"rain in {city}\\x1b[31m"


@server.tool()
async def sleep(seconds: float) -> str:
    "Sleep."
    await asyncio.sleep(seconds)
    return "awake"


@server.tool()
def leave() -> str:
    "End the server."
    os._exit(3)


@server.tool()
def secret_of_environment() -> str:
    "Tell variables."
    return ",".join(sorted(os.environ))


@server.tool()
def complain() -> str:
    "Raise."
    raise ValueError("no such city")


if sys.argv[1:] == ["http"]:
    server.run("streamable-http", port=int(os.environ["PORT"]))
else:
    server.run("stdio")
"""


@pytest.fixture
def kitchen(tmp_path) -> Path:
    (tmp_path / "kitchen.py").write_text(KITCHEN)
    return tmp_path


@pytest.fixture
def other(tmp_path) -> list[str]:
    """The command of a server that is not ours."""
    (tmp_path / "other.py").write_text(OTHER)
    return [sys.executable, str(tmp_path / "other.py")]


def serving(kitchen: Path, *extra: str, place: str = "kitchen:registry") -> StdioServerParameters:
    arguments = ["-m", "avionics.cli", "serve", "--tools", place, *extra]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return StdioServerParameters(command=sys.executable, args=arguments, cwd=kitchen, env=environment)


@contextlib.contextmanager
def over_http(kitchen: Path, *extra: str):
    """The URL of a registry served over HTTP by the command."""
    given = serving(kitchen, "--transport", "http", "--port", "0", *extra)
    command = [given.command, *given.args]
    with serving_at(subprocess.Popen(command, cwd=kitchen, env=given.env, stderr=subprocess.PIPE)) as url:
        yield url


async def tour(target):
    """The names and answers of the served kitchen."""
    async with Client(target) as client:
        listed = (await client.list_tools()).tools
        priced = await client.call_tool("price", {"table": "window"})
        cooked = await client.call_tool("cook_soup", {"minutes": 5})
        locked = await client.call_tool("price", {"table": "locked"})
        wrong = await client.call_tool("price", {"table": 3, "currency": "DKK"})
        failed = await client.call_tool("fail", {})
        with pytest.raises(MCPError, match="Unknown tool: fire"):
            await client.call_tool("fire", {"name": "bob"})
    return listed, [each.content[0].text for each in (priced, cooked, locked, wrong, failed)]


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_any_registry_is_served_with_its_policy_and_audit(transport, kitchen, run):
    options = ("--grant", "database:read", "--audit", "calls.jsonl")
    if transport == "stdio":
        listed, said = run(tour(serving(kitchen, *options)))
    else:
        with over_http(kitchen, *options) as address:
            listed, said = run(tour(address))
    assert [tool.name for tool in listed] == ["price", "cook_soup", "fail"]
    assert listed[0].input_schema["properties"]["currency"] == {
        "type": "string",
        "enum": ["EUR", "USD"],
        "default": "EUR",
    }
    assert listed[0].input_schema["required"] == ["table"]
    assert (listed[0].annotations.read_only_hint, listed[1].annotations.destructive_hint) == (True, True)
    assert "mcp pays 3 EUR at window" in said[0]
    assert "was not approved" in said[1]
    assert "that table is locked" in said[2]
    assert "table: expected string, got integer 3" in said[3]
    assert "currency" in said[3]
    assert "the stove is cold" in said[4]
    audited = [json.loads(line) for line in (kitchen / "calls.jsonl").read_text().splitlines()]
    ended = [(each["tool"], each["success"]) for each in audited if each["event"] == "tool_result"]
    assert ended == [("price", True), ("cook.soup", False), ("price", False), ("price", False), ("fail", False)]


def test_without_a_grant_clients_may_only_read_the_workspace(kitchen, run):
    async def ask():
        async with Client(serving(kitchen)) as client:
            return await client.call_tool("price", {"table": "window"})

    refused = run(ask())
    assert refused.is_error
    assert "grant database_read" in refused.content[0].text


def test_an_executor_brings_its_own_policy(kitchen, run):
    async def ask():
        async with Client(serving(kitchen, "--results", "both", place="kitchen:executor")) as client:
            schema = (await client.list_tools()).tools[0].output_schema
            return schema, await client.call_tool("cook_soup", {"minutes": 5})

    schema, cooked = run(ask())
    assert cooked.structured_content["data"] == {"cooked": 5}
    assert schema["required"] == ["status"]


def test_tools_about_code_are_served_beside_ones_own(kitchen, run):
    (kitchen / "both.py").write_text(
        "from avionics.tools import tool_catalog\nfrom avionics.tools.registries.registry_views import combined\n"
        "from kitchen import registry as own\nregistry = combined(own, tool_catalog)\n"
    )

    async def ask():
        async with Client(serving(kitchen, "--repo", str(kitchen), place="both:registry")) as client:
            return await client.call_tool("locate", {"symbol": "cook_soup"})

    assert "kitchen.py:" in run(ask()).content[0].text


@pytest.mark.parametrize(
    ("extra", "place", "reason"),
    [
        ((), "kitchen", "invalid --tools 'kitchen'"),
        ((), "missing:registry", "cannot import missing: No module named 'missing'"),
        ((), "kitchen:nothing", "kitchen:nothing is a int, not a ToolRegistry"),
        ((), "kitchen:absent", "kitchen:absent does not exist"),
        (("--grant", "database:read"), "kitchen:executor", "an executor has its own policy"),
        (("--grant", "databse_read"), "kitchen:registry", "did you mean 'database_read'?"),
    ],
)
def test_wrong_places_and_options_are_refused_with_the_reason(extra, place, reason, kitchen):
    given = serving(kitchen, *extra, place=place)
    command = [given.command, *given.args]
    done = subprocess.run(
        command, cwd=kitchen, env=given.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert reason in done.stderr


def test_grants_are_refused_without_tools_of_ones_own(kitchen):
    command = [sys.executable, "-m", "avionics.cli", "serve", "--grant", "database:read"]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, "--grant and --audit are for --tools" in done.stderr) == (2, True)


def test_a_view_and_a_registry_in_the_same_process_are_served(tmp_path, run):
    from avionics.mcp.registries.server import RegistryOptions, build_registry_service
    from avionics.tools.registries.registry_views import prefixed

    registry = ToolRegistry()
    registry.register_tool(lambda_tool())
    service = build_registry_service(ToolExecutor(prefixed(registry, "math.")), RegistryOptions(name="sums"))

    async def ask():
        async with Client(connected_to(service)) as client:
            before = [tool.name for tool in (await client.list_tools()).tools]
            summed = await client.call_tool("math_twice", {"number": 2})
            registry.disable("twice")
            return before, summed, [tool.name for tool in (await client.list_tools()).tools]

    before, summed, after = run(ask())
    assert (before, after) == (["math_twice"], [])
    assert json.loads(summed.content[0].text) == {"result": 4}


def lambda_tool():
    def twice(number: int) -> int:
        """Double a number."""
        return 2 * number

    return twice


@pytest.fixture(scope="module")
def other_address(tmp_path_factory):
    """The URL of the server that is not ours: to start one takes the SDK a second of processor time."""
    program, port = tmp_path_factory.mktemp("other") / "other.py", free_port()
    program.write_text(OTHER)
    command, environment = [sys.executable, str(program), "http"], {**os.environ, "PORT": str(port)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            with add_when_up(ToolRegistry(), url := f"http://127.0.0.1:{port}/mcp"):
                pass
            yield url
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


def free_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def add_when_up(registry, address):
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return registry.add_mcp(address)
        except RemoteError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_tools_of_another_server_run_under_our_policy(transport, other, request):
    registry = ToolRegistry()
    with contextlib.ExitStack() as stack:
        if transport == "stdio":
            taken = stack.enter_context(registry.add_mcp(other, prefix="other."))
        else:
            taken = stack.enter_context(registry.add_mcp(request.getfixturevalue("other_address"), prefix="other."))
        assert taken.names == registry.get_tool_names()
        add = registry.get_tool("other.add")
        assert registry.get_tool_schema("other.add")["parameters"][1] == {
            "name": "right", "type": "integer", "description": "", "required": False, "default": 1,
            "schema": {"type": "integer", "default": 1},
        }  # fmt: skip
        assert (add.risk_level, add.timeout_seconds) == (RiskLevel.MEDIUM, 60)
        assert "\x1b" not in registry.get_tool("other.weather").description
        executor = ToolExecutor(registry)
        refused = executor.run(ToolCall("other.add", {"left": 2}))
        needed = "code_execute" if transport == "stdio" else "network_access"
        assert (refused.error_type, refused.hint) == ("permission_denied", f"grant {needed}")
        assert executor.run(ToolCall("other.add", {"left": 2, "right": 5}), EVERYTHING).data == {"sum": 7}
        wrong = executor.run(ToolCall("other.add", {"left": "2"}), EVERYTHING)
        assert wrong.validation_errors == ("left: expected integer, got string '2'",)
        told = executor.run(ToolCall("other.weather", {"city": "Aarhus"}), EVERYTHING)
        assert "rain in Aarhus" in told.text
        assert "\x1b" not in told.text
        failed = executor.run(ToolCall("other.complain"), EVERYTHING)
        assert (failed.success, "complain" in failed.error) == (False, True)
    assert registry.get_tool_names() == ()


def test_permissions_risk_groups_and_deadline_are_those_of_the_program(other):
    registry = ToolRegistry()
    options = {"permissions": "weather:ask", "risk": "high", "groups": "staff", "timeout_seconds": 0.3}
    with registry.add_mcp(other, only=["add", "sleep"], **options):
        assert registry.get_tool_names() == ("add", "sleep")
        tool = registry.get_tool("add")
        assert (tool.required_permissions, tool.access_groups) == (frozenset({"weather:ask"}), ("staff",))
        executor = ToolExecutor(registry, guards=())
        late = executor.run(ToolCall("sleep", {"seconds": PATIENCE_SECONDS}))
        assert late.error_type == "deadline"
        assert executor.run(ToolCall("add", {"left": 1}), EVERYTHING).data == {"sum": 2}


def test_calls_from_many_loops_share_one_connection_that_is_opened_again_when_the_server_dies(other):
    registry = ToolRegistry()
    with registry.add_mcp(other, permissions=()):
        executor = ToolExecutor(registry)
        calls = [ToolCall("add", {"left": number}, str(number)) for number in range(20)]
        together = asyncio.run(executor.execute_tools(calls))
        assert [each.result.data["sum"] for each in together] == list(range(1, 21))
        found = {}
        threads = [
            threading.Thread(target=lambda n=n: found.update({n: executor.run(ToolCall("add", {"left": n}))}))
            for n in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {n: result.data["sum"] for n, result in found.items()} == {n: n + 1 for n in range(8)}
        died = executor.run(ToolCall("leave"))
        assert (died.success, died.error_type) == (False, "remote_error")
        assert executor.run(ToolCall("add", {"left": 1})).data == {"sum": 2}


def test_a_command_gets_the_variables_it_is_given_and_none_of_our_secrets(other, other_address, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    registry = ToolRegistry()
    registry.register_tool(lambda_tool())
    with registry.add_mcp(other, permissions=(), environment={"CITY": "Aarhus"}):
        told = ToolExecutor(registry).run(ToolCall("secret_of_environment")).text
        with pytest.raises(RegistrationError, match="already registered: add"):
            registry.add_mcp(other_address)
        assert len(registry) == 7
    assert registry.get_tool_names() == ("twice",)
    assert "CITY" in told
    assert "OPENAI_API_KEY" not in told


@pytest.mark.parametrize(
    ("target", "options", "error", "reason"),
    [
        (["/no/such/program"], {}, RemoteError, "cannot connect to the MCP server /no/such/program"),
        ([sys.executable, "-c", "print(1)"], {}, RemoteError, "cannot connect to the MCP server"),
        ("http://127.0.0.1:1/mcp", {}, RemoteError, "cannot connect to the MCP server 127.0.0.1:1"),
        ("", {}, UsageError, "an MCP server is a command or an http"),
        ("http://127.0.0.1:1/mcp", {"environment": {"A": "b"}}, UsageError, "environment is for a command"),
        (["x"], {"headers": {"a": "b"}}, UsageError, "headers are for a URL"),
    ],
)
def test_a_server_that_is_not_there_is_named(target, options, error, reason):
    with pytest.raises(error, match=reason):
        ToolRegistry().add_mcp(target, **options)


def test_a_tool_that_is_wanted_and_not_there_is_named(other_address):
    with pytest.raises(RegistrationError, match="has no tool 'subtract'") as raised:
        ToolRegistry().add_mcp(other_address, only=["subtract"])
    assert "add" in raised.value.hint


def test_our_own_served_registry_comes_back_whole(kitchen):
    given = serving(kitchen, "--grant", "database:read", "--results", "both")
    registry = ToolRegistry()
    command = [given.command, *given.args]
    place = {"PYTHONPATH": f"{ROOT}{os.pathsep}{kitchen}"}
    with registry.add_mcp(command, prefix="k.", permissions=(), environment=place):
        result = ToolExecutor(registry).run(ToolCall("k.price", {"table": "window"}))
    assert result.data["data"] == {"said": "mcp pays 3 EUR at window"}
