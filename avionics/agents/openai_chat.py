"""Chat models behind the OpenAI API, which most servers speak: hosted ones, Ollama, llama.cpp, vLLM, LM Studio."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, structs

from avionics.agents.transport import Endpoint, Transport, merge_turns, read_arguments, read_reply
from avionics.model.chat import ChatMessage, ChatReply
from avionics.model.errors import RemoteError
from avionics.model.tools import ToolCall, ToolDefinitionProtocol
from avionics.tools.interop.tool_exports import build_openai_tool, build_wire_name, build_wire_names, spell_wire_names

DEFAULT_URL = "https://api.openai.com/v1"


class ChatClient(Struct, frozen=True):
    """A model behind an API; plans are tool calls if `is_native`, else JSON."""

    name: str
    transport: Transport
    is_native: bool = True


class OpenAIChat(ChatClient, frozen=True):
    """A model behind an OpenAI-compatible endpoint."""

    @classmethod
    def at(cls, name: str, endpoint: Endpoint, *, is_native: bool = True) -> OpenAIChat:
        """Return the model at an endpoint."""
        headers = {"authorization": f"Bearer {endpoint.key.reveal()}"} if endpoint.key else {}
        return cls(name, Transport(endpoint, headers), is_native)

    async def reply(
        self, system: str, messages: Sequence[ChatMessage], tools: Sequence[ToolDefinitionProtocol] = ()
    ) -> ChatReply:
        names = spell_wire_names(tool.name for tool in tools)
        turns = merge_turns(tuple(messages))
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": "system", "content": system}, *(_message(turn, names) for turn in turns)],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools and self.is_native:
            body["tools"] = [build_openai_tool(tool, names[tool.name]) for tool in tools]
        return unwire(read_reply(_read, await self.transport.post("/chat/completions", body)), tools)


def _message(message: ChatMessage, names: Mapping[str, str]) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    if not message.calls:
        return {"role": message.role, "content": message.text}
    calls = [{"id": call.id, "type": "function", "function": _function(call, names)} for call in message.calls]
    return {"role": message.role, "content": message.text or None, "tool_calls": calls}


def _function(call: ToolCall, names: Mapping[str, str]) -> dict[str, str]:
    name = names.get(call.name) or build_wire_name(call.name)
    return {"name": name, "arguments": json.dumps(dict(call.arguments))}


def _read(events: Sequence[Any]) -> ChatReply:
    """Assemble the reply from its events."""
    text, tokens = "", 0
    pieces: dict[int, dict[str, str]] = {}
    for event in events:
        if not isinstance(event, Mapping) or "error" in event:
            raise RemoteError(f"the model's server failed: {str(event)[:300]}")
        tokens = (event.get("usage") or {}).get("total_tokens", tokens)
        for choice in event.get("choices") or ():
            message = choice.get("delta") or choice.get("message") or {}
            text += message.get("content") or ""
            for at, call in enumerate(message.get("tool_calls") or ()):
                piece = pieces.setdefault(call.get("index", at), {"id": "", "name": "", "arguments": ""})
                function = call.get("function") or {}
                piece["id"] = call.get("id") or piece["id"]
                piece["name"] = function.get("name") or piece["name"]
                piece["arguments"] += function.get("arguments") or ""
    return build_reply(text, pieces.values(), tokens)


def build_reply(text: str, pieces: Any, tokens: int) -> ChatReply:
    """Build a reply from collected text and calls; a call that cannot be parsed is a fault."""
    calls, faults = [], []
    for number, piece in enumerate(pieces, 1):
        arguments, fault = read_arguments(piece["name"], piece["arguments"])
        if fault:
            faults.append(fault)
        calls.append(ToolCall(piece["name"], arguments, piece["id"] or f"call_{number}"))
    return ChatReply(text, tuple(calls), tuple(faults), tokens)


def unwire(reply: ChatReply, tools: Sequence[ToolDefinitionProtocol]) -> ChatReply:
    """Return the reply with tool names as the catalog has them."""
    names = build_wire_names(tool.name for tool in tools)
    return structs.replace(
        reply, calls=tuple(structs.replace(call, name=names.get(call.name, call.name)) for call in reply.calls)
    )
