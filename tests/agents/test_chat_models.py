"""Chat models over their real HTTP APIs, against a scripted server on loopback."""

from __future__ import annotations

import asyncio
import json

import pytest

from avionics.agents.anthropic_chat import AnthropicChat
from avionics.agents.openai_chat import OpenAIChat
from avionics.agents.transport import Endpoint, Transport
from avionics.model import ConfigError, RemoteError, Secret, ToolCall
from avionics.model.chat import ChatMessage, ChatReply
from avionics.model.seams import ChatModelProtocol
from avionics.tools import tool_catalog


def says(text="", calls=(), **more):
    """One scripted reply."""
    return {"text": text, "calls": calls, **more}


ASKED = (ChatMessage("user", "where is Order?"),)
TOOLS = (tool_catalog.get_tool("locate"),)
KEY = Secret("sk-very-secret")
MODELS = [OpenAIChat, AnthropicChat]


def model_at(kind, server, **more):
    prefix = "/v1" if kind is OpenAIChat else ""
    return kind.at("m", Endpoint(server.url + prefix, KEY, backoff_seconds=0.001), **more)


def reply_of(model, messages=ASKED, tools=TOOLS):
    return asyncio.run(model.reply("You plan.", messages, tools))


@pytest.mark.parametrize("kind", MODELS)
def test_words_and_calls_are_put_together_from_the_stream(kind, chat_server):
    server = chat_server(says("I look at é first", (("locate", {"symbol": "Order"}), ("git_status", "{}"))))
    model = model_at(kind, server)
    assert isinstance(model, ChatModelProtocol)
    reply = reply_of(model)
    assert (reply.text, reply.tokens, reply.faults) == ("I look at é first", 7, ())
    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("locate", {"symbol": "Order"}),
        ("git_status", {}),
    ]
    assert len({call.id for call in reply.calls}) == 2


def test_openai_is_asked_as_its_api_wants(chat_server):
    server = chat_server(says("yes"))
    reply_of(model_at(OpenAIChat, server))
    path, headers, body = server.requests[0]
    assert (path, headers["authorization"]) == ("/v1/chat/completions", "Bearer sk-very-secret")
    assert body["messages"] == [
        {"role": "system", "content": "You plan."}, {"role": "user", "content": "where is Order?"},
    ]  # fmt: skip
    assert body["tools"][0]["function"]["parameters"]["required"] == ["symbol"]
    assert (body["model"], body["stream"]) == ("m", True)


def test_anthropic_is_asked_as_its_api_wants(chat_server):
    server = chat_server(says("yes"))
    reply_of(model_at(AnthropicChat, server))
    path, headers, body = server.requests[0]
    assert (path, headers["x-api-key"], headers["anthropic-version"]) == ("/v1/messages", KEY.reveal(), "2023-06-01")
    assert body["system"] == "You plan."
    assert body["messages"] == [{"role": "user", "content": [{"type": "text", "text": "where is Order?"}]}]
    assert body["tools"][0]["input_schema"]["required"] == ["symbol"]
    assert body["max_tokens"] > 0


CONVERSATION = (
    *ASKED,
    ChatMessage("assistant", "", (ToolCall("locate", {"symbol": "Order"}, "c1"),)),
    ChatMessage("tool", "shop/models.py:11", call_id="c1"),
    ChatMessage("user", "Answer now."),
)


def test_openai_hears_what_its_calls_found(chat_server):
    server = chat_server(says("yes"))
    reply_of(model_at(OpenAIChat, server), CONVERSATION, ())
    messages = server.requests[0][2]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "user"]
    assert json.loads(messages[2]["tool_calls"][0]["function"]["arguments"]) == {"symbol": "Order"}
    assert messages[3] == {"role": "tool", "tool_call_id": "c1", "content": "shop/models.py:11"}
    assert "tools" not in server.requests[0][2]


def test_anthropic_hears_what_its_calls_found_in_turns_of_two(chat_server):
    server = chat_server(says("yes"))
    reply_of(model_at(AnthropicChat, server), CONVERSATION, ())
    body = server.requests[0][2]
    assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
    assert [block["type"] for block in body["messages"][2]["content"]] == ["tool_result", "text"]
    assert (body["tools"][0]["name"], body["tool_choice"]) == ("locate", {"type": "none"})


@pytest.mark.parametrize("kind", MODELS)
def test_a_server_that_does_not_stream_is_understood(kind, chat_server):
    server = chat_server(says("yes", (("locate", {"symbol": "x"}),), is_streamed=False))
    assert reply_of(model_at(kind, server)) == ChatReply("yes", (ToolCall("locate", {"symbol": "x"}, "c0"),), tokens=7)


@pytest.mark.parametrize("kind", MODELS)
def test_arguments_that_are_no_object_are_a_fault(kind, chat_server):
    server = chat_server(says("", (("locate", '{"symbol": '), ("locate", "[1]"))))
    faults = reply_of(model_at(kind, server)).faults
    assert faults[0].startswith("the arguments of locate are not JSON")
    assert faults[1] == "the arguments of locate are not an object"


@pytest.mark.parametrize("kind", MODELS)
def test_a_model_without_tool_calls_is_offered_none(kind, chat_server):
    server = chat_server(says("yes"))
    reply_of(model_at(kind, server, is_native=False))
    assert "tools" not in server.requests[0][2]


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_server_is_asked_again(status, chat_server):
    server = chat_server(says("slow down", status=status), says("slow down", status=status), says("yes"))
    assert reply_of(model_at(OpenAIChat, server)).text == "yes"
    assert len(server.requests) == 3


def test_the_server_says_how_long_to_wait(chat_server):
    server = chat_server(says("", status=429, headers=(("retry-after", "3"),)), says("", status=503), says("yes"))
    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)

    transport = Transport(Endpoint(server.url, backoff_seconds=0.5), {}, sleep)
    assert asyncio.run(OpenAIChat("m", transport).reply("", ASKED)) == ChatReply("yes", tokens=7)
    assert pauses == [3.0, 1.0]


@pytest.mark.parametrize(
    ("say", "said", "asked"),
    [
        (says("no such model sk-very-secret", status=404), "answered 404: no such model ***", 1),
        (says("bad key sk-very-secret", status=401), "refused the key (401)", 1),
        (says("busy", status=503), "answered 503: busy", 4),
        (says("", status=307, headers=(("location", "http://127.0.0.1:1/"),)), "answered 307", 1),
    ],
)
def test_a_refusal_is_passed_on_without_the_key(say, said, asked, chat_server):
    server = chat_server(say)
    with pytest.raises(RemoteError) as error:
        reply_of(model_at(OpenAIChat, server))
    assert said in str(error.value)
    assert KEY.reveal() not in f"{error.value!r}{error.value.hint}{error.value.__context__}"
    assert len(server.requests) == asked


def test_a_server_that_is_not_there_is_said(chat_server):
    endpoint = Endpoint("http://127.0.0.1:1/v1", KEY, attempts=2, backoff_seconds=0.001)
    with pytest.raises(RemoteError, match=r"127.0.0.1 did not answer"):
        reply_of(OpenAIChat.at("m", endpoint))


@pytest.mark.parametrize("url", ["", "localhost:80", "ftp://x", "http://", "http://[x"])
def test_what_is_no_url_is_refused(url):
    with pytest.raises(ConfigError):
        reply_of(OpenAIChat.at("m", Endpoint(url)))


@pytest.mark.parametrize(
    "raw", ["[1]", "{", '{"choices": 3}', '{"choices": ["x"]}', '{"error": {"message": "overloaded"}}', "[" * 100_000]
)
@pytest.mark.parametrize("kind", MODELS)
def test_an_answer_in_another_form_is_said(kind, raw, chat_server):
    with pytest.raises(RemoteError):
        reply_of(model_at(kind, chat_server(says(raw=raw))))
