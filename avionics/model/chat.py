"""What passes between an agent and a chat model."""

from __future__ import annotations

import attrs

from avionics.model.tools import ToolCall


@attrs.frozen
class ChatMessage:
    """One turn of a conversation.

    Attributes:
        role: "user", "assistant", or "tool" for what a tool gave back.
        text: What was said.
        calls: The calls an assistant asked for.
        call_id: Which of them a tool answers.
    """

    role: str
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""


@attrs.frozen
class ChatReply:
    """What a model said.

    Attributes:
        text: Its words.
        calls: The calls it asks for.
        faults: What is malformed in the calls it meant to ask for.
        tokens: What the exchange cost, as far as the server says.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    faults: tuple[str, ...] = ()
    tokens: int = 0
