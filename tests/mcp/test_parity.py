"""The same question has the same answer through the command line and through the protocol."""

from __future__ import annotations

import json
import re

import pytest
from mcp import Client

from avionics.cli.main import main
from avionics.mcp.answers import Contents, build_call_result, clean
from avionics.mcp.repositories import Repositories
from avionics.mcp.server import ServerOptions, build_service
from avionics.model import Status, ToolResult
from avionics.tools import PROFILES
from tests.mcp.conftest import connected_to

QUESTIONS = [
    ("analyze", {"query": "who calls Cart.add?"}),
    ("locate", {"symbol": "Cart"}),
    ("locate", {"symbol": "Crat"}),
    ("explore_symbol_usage", {"symbol": "Cart.add"}),
    ("read_code", {"path": "shop/cart.py", "symbol": "Cart.total"}),
    ("read_code", {"path": "../outside.py"}),
    ("explain_code_history", {}),
    ("find_related", {"reference": "shop/cart.py"}),
    ("git_status", {}),
    ("locate", {"symbl": "Cart"}),
    ("locate", {"symbol": "Cart", "rev": "HEAD"}),
    ("read_code", {"path": "shop/cart.py", "rev": "nowhere"}),
    ("map_module", {"path": "shop", "depth": 9}),
]


def asked(tool, arguments, *options):
    given = [word for name, value in arguments.items() for word in ("--param", f"{name}={value}")]
    return ["run", tool, *given, *options]


def timeless(plain):
    """Without what differs from run to run, and the suggestion, which each interface writes in its own syntax."""
    if isinstance(plain, dict):
        return {
            name: timeless(value)
            for name, value in plain.items()
            if name not in {"execution_time_ms", "milliseconds", "refreshed", "next"}
        }
    return [timeless(value) for value in plain] if isinstance(plain, list) else plain


def without_next(text):
    """Without the call that is suggested, which each interface writes in its own syntax."""
    return re.sub(r"^next: .*$", "next", text, flags=re.MULTILINE)


@pytest.mark.parametrize(("tool", "arguments"), QUESTIONS)
def test_both_doors_give_the_same_data_and_text(tool, arguments, shop, settings, run, capsys, monkeypatch):
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(settings.cache_directory))
    repo = ("--repo", str(shop))
    main(asked(tool, arguments, *repo, "--json", "--budget", "2000"))
    data = json.loads(capsys.readouterr().out)
    main(asked(tool, arguments, *repo))
    printed = capsys.readouterr()
    repositories = Repositories.open([shop], settings)

    async def ask():
        options = ServerOptions(contents=Contents.BOTH)
        async with Client(connected_to(build_service(repositories, settings, options))) as client:
            return await client.call_tool(tool, arguments)

    result = run(ask())
    assert timeless(result.structured_content) == timeless(data)
    assert without_next(result.content[0].text + "\n") == without_next(printed.out + printed.err)
    assert result.is_error == (data["status"] == "error")
    assert repositories.close(5)


def test_a_server_can_leave_out_either_form(shop, settings, run):
    repositories = Repositories.open([shop], settings)

    async def ask(contents):
        options = ServerOptions(PROFILES["exposed"], contents)
        async with Client(connected_to(build_service(repositories, settings, options))) as client:
            tools = await client.list_tools()
            result = await client.call_tool("locate", {"symbol": "Cart"})
            return tools.tools[0].output_schema, len(result.content), result.structured_content is not None

    assert run(ask(Contents.TEXT)) == (None, 1, False)
    assert run(ask(Contents.DATA)) == ({"type": "object", "required": ["status"]}, 0, True)
    assert repositories.close(5)


def test_what_no_utf8_can_carry_is_made_plain():
    assert clean({"a\udcff": ["\udc80", 1, None]}) == {"a?": ["?", 1, None]}
    result = build_call_result(ToolResult(Status.ERROR, error="no \udcff", hint="h"))
    assert result["content"][0]["text"] == "error: no \\u{dcff}\nhint: h"
    assert json.dumps(result, ensure_ascii=False).encode()
