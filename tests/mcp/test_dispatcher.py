"""The conversation with one client, message by message, in both eras."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from avionics.mcp.protocol.dispatcher import Dispatcher
from avionics.mcp.protocol.messages import read_message
from avionics.mcp.protocol.service import INVALID_PARAMS, ProtocolError, Service

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
IDENTITY = {"io.modelcontextprotocol/serverInfo": {"name": "small", "version": "7"}}
DONE = {"content": [], "isError": False}


async def list_tools(request, params):
    return {"tools": [], "nextCursor": params.cursor} if params.cursor else {"tools": []}


async def call_tool(request, params):
    if params.name == "hang":
        await asyncio.Event().wait()
    if params.name == "refuse":
        raise ProtocolError(INVALID_PARAMS, "no", {"known": []})
    if params.name == "odd":
        return {"content": [{"type": "text", "text": "\ud800"}]}
    await request.report_progress(1, 2, "half\x85")
    return {}["missing"] if params.name == "break" else DONE


SERVICE = Service(
    "small", "7", {"tools/list": list_tools, "tools/call": call_tool}, lasting=frozenset({"tools/list"})
)  # fmt: skip


def ask(method, identity=1, **params):
    return {"id": identity, "method": method, "params": params}


def enveloped(method, identity=1, meta=META, **params):
    return ask(method, identity, _meta=meta, **params)


def talk(*messages, ended=None):
    """Send messages, and return what the server sent until all but hanging requests were answered."""
    sent = []

    async def run():
        async def send(data):
            sent.append(json.loads(data))

        dispatcher = Dispatcher(SERVICE, send)
        dispatcher.call_at_end(lambda: ended is not None and ended.append(True))
        for message in messages:
            await dispatcher.receive(read_message(json.dumps({"jsonrpc": "2.0", **message}).encode()))
        await dispatcher.drain(0.2)
        await asyncio.sleep(0)
        if ended is not None:
            await dispatcher.close()

    asyncio.run(run())
    return [{name: value for name, value in each.items() if name != "jsonrpc"} for each in sent]


def error(code, message, **more):
    return {"id": 1, "error": {"code": code, "message": message, **more}}


INVALID = error(-32602, "Invalid request parameters", data="")


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (ask("ping"), {"id": 1, "result": {}}),
        (ask("tools/list"), INVALID),
        (ask("no/such"), error(-32601, "Method not found", data="no/such")),
        (ask("prompts/list"), error(-32601, "Method not found", data="prompts/list")),
        (ask("server/discover"), error(-32601, "Method not found", data="server/discover")),
        (ask("initialize"), INVALID),
        (ask("initialize", **{**HELLO, "clientInfo": {"name": 5, "version": "1"}}), INVALID),
        (
            ask("initialize", **{**HELLO, "protocolVersion": "2099-01-01"}),
            {"id": 1, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": False}},
                                 "serverInfo": {"name": "small", "version": "7"}}},
        ),
    ],
)  # fmt: skip
def test_a_connection_is_opened_by_a_handshake(message, answer):
    assert talk(message) == [answer]


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (ask("tools/list"), {"id": 1, "result": {"tools": []}}),
        (ask("tools/list", cursor="x"), {"id": 1, "result": {"tools": [], "nextCursor": "x"}}),
        (ask("tools/call", name="x", arguments=[]), INVALID),
        (ask("tools/call", name="refuse"), error(-32602, "no", data={"known": []})),
        (ask("tools/call", name="odd"), error(-32603, "the answer cannot be encoded")),
        (ask("logging/setLevel", level="debug"), error(-32601, "Method not found", data="logging/setLevel")),
        (
            enveloped("tools/list"),
            error(
                -32600,
                "this connection began with an initialize handshake, so requests with an envelope are not accepted",
            ),
        ),
        ({"id": 1, "result": {}}, None),
        ({"method": "notifications/progress", "params": {}}, None),
    ],
)  # fmt: skip
def test_requests_right_after_a_handshake_are_answered(message, answer):
    assert talk(ask("initialize", 0, **HELLO), message)[1:] == ([answer] if answer else [])


def test_progress_is_reported_to_who_asked_for_it_without_raw_control_characters():
    opened = ask("initialize", 0, **HELLO)
    assert talk(opened, ask("tools/call", name="x"))[1:] == [{"id": 1, "result": DONE}]
    assert talk(opened, ask("tools/call", name="x", _meta={"progressToken": "p"}))[1:] == [
        {"method": "notifications/progress",
         "params": {"progressToken": "p", "progress": 1, "total": 2, "message": "half\x85"}},
        {"id": 1, "result": DONE},
    ]  # fmt: skip


OLD = {**META, "io.modelcontextprotocol/protocolVersion": "2025-01-01"}
UNSUPPORTED = {"supported": ["2026-07-28"], "requested": "2025-01-01"}


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (
            enveloped("tools/list"),
            {"id": 1, "result": {"ttlMs": 3_600_000, "cacheScope": "public", "tools": [], "resultType": "complete",
                                 "_meta": IDENTITY}},
        ),
        (enveloped("tools/call", name="x"), {"id": 1, "result": {**DONE, "resultType": "complete", "_meta": IDENTITY}}),
        (enveloped("ping"), error(-32601, "Method not found", data="ping")),
        (enveloped("tools/call"), INVALID),
        (enveloped("tools/list", meta={**META, "io.modelcontextprotocol/logLevel": "loud"}), INVALID),
        (enveloped("tools/list", meta=OLD), error(-32022, "Unsupported protocol version", data=UNSUPPORTED)),
        (
            ask("tools/list"),
            error(-32602, f"params._meta is missing {', '.join(META)}"),
        ),
        (
            ask("initialize", **HELLO),
            error(-32022, "requests on this connection carry envelopes, so an initialize handshake is not accepted",
                  data={"supported": ["2026-07-28"], "requested": "2025-06-18"}),
        ),
    ],
)  # fmt: skip
def test_a_connection_whose_first_request_has_an_envelope_takes_no_other(message, answer):
    assert talk(enveloped("server/discover", 0), message)[1:] == [answer]


def test_discovery_names_what_is_served():
    assert talk(enveloped("server/discover"))[0]["result"] == {
        "ttlMs": 0, "cacheScope": "private", "supportedVersions": ["2026-07-28"], "resultType": "complete",
        "capabilities": {"tools": {"listChanged": False}}, "_meta": IDENTITY,
    }  # fmt: skip


@pytest.mark.parametrize("named", [7, "7"])
def test_a_cancelled_request_is_never_answered(named):
    cancel = {"method": "notifications/cancelled", "params": {"requestId": named}}
    hang = ask("tools/call", 7, name="hang")
    ended = []
    assert talk(ask("initialize", 0, **HELLO), hang, cancel, ask("ping"), ended=ended)[1:] == [{"id": 1, "result": {}}]
    assert ended == [True]


def test_a_cancellation_that_names_no_request_cancels_none():
    cancel = {"method": "notifications/cancelled", "params": {"requestId": True}}
    assert talk(ask("initialize", 0, **HELLO), ask("tools/call", name="x"), cancel)[1:] == [{"id": 1, "result": DONE}]


def test_a_bug_is_answered_without_its_words_and_logged(caplog):
    with caplog.at_level(logging.ERROR):
        sent = talk(ask("initialize", 0, **HELLO), ask("tools/call", name="break"), ask("ping", 2))
    assert sorted(sent[1:], key=lambda each: each["id"]) == [
        error(-32603, "Internal server error"), {"id": 2, "result": {}},
    ]  # fmt: skip
    assert [record.message for record in caplog.records] == ["tools/call failed"]


def test_who_waits_at_the_end_is_told():
    sent = talk(ask("initialize", 0, **HELLO), ask("tools/call", "last", name="hang"), ended=[])
    assert sent[1:] == [{"id": "last", "error": {"code": -32000, "message": "Connection closed"}}]
