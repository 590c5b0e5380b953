"""The messages between an agent and a chat model."""

from __future__ import annotations

from msgspec import Struct

from avionics.model.tools import ToolCall


class ChatMessage(Struct, frozen=True):
    """One turn of a conversation.

    Attributes:
        role: "user", "assistant", or "tool" for the result of a tool.
        text: The text of the turn.
        calls: The tool calls of an assistant.
        call_id: The call that a tool result belongs to.
    """

    role: str
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


class ChatReply(Struct, frozen=True):
    """The reply of a model.

    Attributes:
        text: Its text.
        calls: Its tool calls.
        faults: What is malformed in its tool calls.
        tokens: The tokens of the exchange, if the server reports them.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    faults: tuple[str, ...] = ()
    tokens: int = 0
