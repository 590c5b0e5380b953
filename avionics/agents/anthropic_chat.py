"""Chat models behind Anthropic's API."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from avionics.agents.openai_chat import ChatClient, build_reply, unwire
from avionics.agents.transport import Endpoint, Transport, merge_turns, read_reply
from avionics.model.chat import ChatMessage, ChatReply
from avionics.model.errors import RemoteError
from avionics.model.tools import ToolDefinitionProtocol
from avionics.tools.interop.tool_exports import build_anthropic_tool, build_wire_name, spell_wire_names

DEFAULT_URL = "https://api.anthropic.com"
_VERSION = "2023-06-01"
_MAX_TOKENS = 4_096
"""The length limit of one reply, which the API requires; even a long answer needs only a fifth of it."""


class AnthropicChat(ChatClient, frozen=True):
    """A model behind Anthropic's API."""

    @classmethod
    def at(cls, name: str, endpoint: Endpoint, *, is_native: bool = True) -> AnthropicChat:
        """Return the model at an endpoint."""
        headers = {"anthropic-version": _VERSION, **({"x-api-key": endpoint.key.reveal()} if endpoint.key else {})}
        return cls(name, Transport(endpoint, headers), is_native)

    async def reply(
        self, system: str, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinitionProtocol] = ()
    ) -> ChatReply:
        names = spell_wire_names(tool.name for tool in tools)
        has_calls = any(message.calls for message in messages)
        body: dict[str, Any] = {
            "model": self.name,
            "max_tokens": _MAX_TOKENS,
            "system": system,
            "messages": _turns(merge_turns(tuple(messages)), names),
            "stream": True,
        }
        if tools and self.is_native:
            body["tools"] = [build_anthropic_tool(tool, names[tool.name]) for tool in tools]
        elif has_calls:
            # The API requires the tools of earlier calls, even if none may be called now.
            body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in _called(messages)]
            body["tool_choice"] = {"type": "none"}
        return unwire(read_reply(_read, await self.transport.post("/v1/messages", body)), tools)


def _called(messages: Sequence[ChatMessage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(build_wire_name(call.name) for message in messages for call in message.calls))


def _turns(messages: Sequence[ChatMessage], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the conversation as alternating turns; results of tools are turns of the user."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"].extend(_blocks(message, names))
        else:
            turns.append({"role": role, "content": _blocks(message, names)})
    return turns


def _blocks(message: ChatMessage, names: Mapping[str, str]) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.call_id, "content": message.text}]
    blocks = [{"type": "text", "text": message.text}] if message.text else []
    calls = [
        {
            "type": "tool_use",
            "id": call.id,
            "name": names.get(call.name) or build_wire_name(call.name),
            "input": dict(call.arguments),
        }
        for call in message.calls
    ]
    return [*blocks, *calls]


def _read(events: Sequence[Any]) -> ChatReply:
    """Assemble the reply from its events."""
    text, tokens = "", 0
    pieces: dict[int, dict[str, str]] = {}
    for event in events:
        kind = event["type"]
        if kind == "error":
            raise RemoteError(f"the model's server failed: {str(event)[:300]}")
        if kind == "message":
            return _read_whole(event)
        if kind == "content_block_start" and event["content_block"]["type"] == "tool_use":
            block = event["content_block"]
            pieces[event["index"]] = {"id": block["id"], "name": block["name"], "arguments": ""}
        elif kind == "content_block_delta":
            delta = event["delta"]
            text += delta.get("text", "") if delta["type"] == "text_delta" else ""
            if delta["type"] == "input_json_delta":
                pieces[event["index"]]["arguments"] += delta["partial_json"]
        usage = event.get("usage") or (event.get("message") or {}).get("usage") or {}
        tokens += usage.get("input_tokens", 0) if kind == "message_start" else 0
        tokens += usage.get("output_tokens", 0) if kind == "message_delta" else 0
    return build_reply(text, pieces.values(), tokens)


def _read_whole(message: Mapping[str, Any]) -> ChatReply:
    """Return the reply of a server that does not stream."""
    text = "".join(block["text"] for block in message["content"] if block["type"] == "text")
    calls = [
        {"id": block["id"], "name": block["name"], "arguments": json.dumps(block["input"])}
        for block in message["content"]
        if block["type"] == "tool_use"
    ]
    usage = message.get("usage") or {}
    return build_reply(text, calls, usage.get("input_tokens", 0) + usage.get("output_tokens", 0))
