"""A server process over HTTP, asked by the SDK's own client and by bare requests."""

from __future__ import annotations

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from mcp import Client

from avionics.mcp.transports.http import Allowance, is_loopback, open_socket
from avionics.model import UsageError
from avionics.model.secret import NO_SECRET, Secret
from avionics.tools import EXPOSED_TOOL_IDS
from tests.timing import PATIENCE_SECONDS

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
CALL = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "tools/call",
    "params": {
        "name": "locate",
        "arguments": {"symbol": "Cart"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}
MODERN = {**ACCEPT, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "locate"}


def ask(address, method="GET", path="/mcp", body=None, **headers):
    """Status, headers and text of one request."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE_SECONDS)
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
    connection.request(method, path, data, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, response.headers, text


def call(address, body=CALL, **headers):
    return ask(address, "POST", body=body, **{**MODERN, **headers})


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_the_sdks_client_is_served_in_both_eras(era, address, run):
    async def tour():
        async with Client(address, mode=era) as client:
            assert client.session.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[era]
            assert len((await client.list_tools()).tools) == len(EXPOSED_TOOL_IDS)
            found = await client.call_tool("locate", {"symbol": "Cart.add"})
            assert "shop/cart.py:4" in found.content[0].text
            wrong = await client.call_tool("locate", {})
            assert wrong.content[0].text == "error: invalid parameters:\n  symbol: missing, expected string"
            text = await client.read_resource("avionics://repository/file/shop/__init__.py")
            assert text.contents[0].text == ""

    run(tour())


def test_health_and_counts_can_be_asked_for(launcher, shop):
    with launcher.http(shop) as address:
        assert ask(address, path="/healthz")[::2] == (200, "ok\n")
        assert call(address)[0] == 200
        assert call(address, host="evil.example")[0] == 421
        counts = ask(address, path="/metrics")[2]
    assert 'avionics_calls_total{tool="locate",outcome="success"} 1\n' in counts
    assert 'avionics_requests_refused_total{status="421"} 1\n' in counts


def test_other_names_and_pages_from_elsewhere_are_turned_away(address):
    port = urlsplit(address).port
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", "[::1]", "LOCALHOST"):
        assert call(address, host=host)[0] == 200
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost:80@evil", ""):
        assert call(address, host=host)[0] == 421
    for origin in (f"http://localhost:{port}", "http://127.0.0.1:9"):
        assert call(address, origin=origin)[0] == 200
    for origin in ("http://evil.example", "null", "http://localhost.evil.example", "http://[::1", ""):
        assert call(address, origin=origin)[0] == 403
    assert ask(address, path="/healthz", host="evil.example")[0] == 421


def test_a_token_is_asked_for_once_there_is_one(launcher, shop):
    with launcher.http(shop, extra=("--token", "open sesame")) as address:
        refused = call(address)
        assert (refused[0], refused[1]["www-authenticate"]) == (401, "Bearer")
        for shown in ("open sesame", "Bearer open", "Basic open sesame", "Bearer \xff"):
            assert call(address, authorization=shown)[0] == 401
        assert call(address, authorization="Bearer open sesame")[0] == 200
        assert ask(address, path="/metrics")[0] == 401
        assert ask(address, path="/healthz")[0] == 200


def test_messages_that_cannot_be_served_are_answered_under_their_id(address):
    deep = json.dumps(CALL).replace('"Cart"', "[" * 50_000 + "]" * 50_000).encode()
    long = json.dumps(CALL).replace("Cart", "x" * 5_000_000).encode()
    for headers in (MODERN, ACCEPT):
        for body, status, identity, code in (
            (b'{"jsonrpc":"2.0","id":7,', 400, 7, -32700),
            (b'{"jsonrpc":"2.0","id":7}', 400, 7, -32600),
            (b"[]", 400, None, -32600),
            (deep, 400, 7, -32700),
            (long, 413, 7, -32600),
        ):
            answer = ask(address, "POST", body=body, **headers)
            document = json.loads(answer[2])
            assert (answer[0], document["id"], document["error"]["code"]) == (status, identity, code)
    surrogate = json.loads(call(address, {**CALL, "params": {**CALL["params"], "arguments": {"symbol": "\ud800"}}})[2])
    assert surrogate["result"]["content"][0]["text"].startswith("no match for '?'")


def test_many_calls_at_once_are_all_answered(address):
    with ThreadPoolExecutor(32) as threads:
        outcomes = list(threads.map(lambda number: call(address, {**CALL, "id": number}), range(64)))
    assert [json.loads(text)["id"] for _, _, text in outcomes] == list(range(64))


def test_a_server_that_others_can_reach_needs_a_token():
    with pytest.raises(UsageError, match="must show a token"):
        open_socket("0.0.0.0", 0, NO_SECRET)
    open_socket("0.0.0.0", 0, Secret("x")).close()


def test_an_address_that_is_taken_is_a_refusal_that_names_the_fix():
    with open_socket("127.0.0.1", 0, NO_SECRET) as taken, pytest.raises(UsageError, match="cannot listen") as refusal:
        open_socket("127.0.0.1", taken.getsockname()[1], NO_SECRET)
    assert refusal.value.hint == "choose another --port"


def test_loopback_is_told_from_the_rest():
    assert all(is_loopback(host) for host in ("localhost", "127.0.0.1", "127.9.9.9", "::1"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "example.org", "10.0.0.1", ""))


def test_requests_beyond_the_allowance_are_too_many():
    allowance = Allowance(5)
    assert [allowance.is_spent() for _ in range(7)] == [False] * 5 + [True] * 2
