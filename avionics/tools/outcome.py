"""Outcomes: whatever a tool returned, as the one documented result.

Knows: answers, plain data, the result format.
Does not know: how the tool was run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from avionics.tools.answer import CHARACTERS_PER_TOKEN, is_answer, to_result, visible
from protocols.enums import Status
from protocols.results import ToolResult, to_plain

_STATUSES: Final[Mapping[str, Status]] = {status.value: status for status in Status}
_OF_THE_FORMAT: Final = frozenset({"status", "data", "execution_time_ms"})


def build_result(value: Any, budget_tokens: int | None = None) -> ToolResult:
    """What a tool returned as a result.

    A result stays as it is and a declared answer is cut to the budget. A dict keeps its own `status`; without one it
    is the data of a success, and with a status but no `data` everything else in it is the data. Any other value is
    `{"result": value}`.

    Args:
        value: What the tool returned.
        budget_tokens: The length of the text, 0 for whole; None when only data is wanted.
    """
    if isinstance(value, ToolResult):
        return value
    if not isinstance(value, Mapping):
        if is_answer(value):
            return to_result(value, budget_tokens or 0)
        value = {"result": value}
    plain = to_plain(value)
    word = plain.get("status")
    if not isinstance(word, str):
        return ToolResult(Status.SUCCESS, data=plain, text=_build_text(plain, budget_tokens))
    status = _STATUSES.get(word)
    if status is None:
        known = ", ".join(_STATUSES)
        return ToolResult(
            Status.ERROR, error=f"Tool returned the status {word!r}, none of {known}", error_type="tool_error"
        )
    if status is Status.ERROR:
        return _build_error(plain)
    rest = {key: item for key, item in plain.items() if key not in _OF_THE_FORMAT}
    message = "" if status is Status.SUCCESS else str(rest.pop("message", f"Tool returned {word}"))
    data = plain.get("data", {})
    rest |= data if isinstance(data, dict) else {"result": data}
    return ToolResult(status, data=rest, message=message, text=_build_text(rest, budget_tokens))


def build_invalid(faults: tuple[str, ...]) -> ToolResult:
    """The error result of arguments that cannot be run with."""
    return ToolResult(
        Status.ERROR,
        error=f"Parameter validation failed: {'; '.join(faults)}",
        error_type="validation_error",
        validation_errors=faults,
    )


def _build_error(plain: Mapping[str, Any]) -> ToolResult:
    """The error a tool returned as a dict."""
    return ToolResult(
        Status.ERROR,
        error=str(plain.get("error") or plain.get("message") or "Tool returned error"),
        error_type=str(plain.get("error_type") or "tool_error"),
        validation_errors=tuple(str(fault) for fault in plain.get("validation_errors") or ()),
        hint=str(plain.get("hint") or ""),
    )


@cache
def _encoder() -> Callable[[Any], str]:
    """One encoder for all: building one takes longer than encoding a small answer."""
    import json

    return json.JSONEncoder(ensure_ascii=False).encode


def _build_text(data: Mapping[str, Any], budget_tokens: int | None) -> str:
    """Plain data as text, cut to the budget; nothing when no text is wanted."""
    if budget_tokens is None:
        return ""
    text = visible(_encoder()(data))
    room = int(budget_tokens * CHARACTERS_PER_TOKEN)
    if not budget_tokens or len(text.encode()) <= room:
        return text
    note = f"\n[cut to about {budget_tokens} tokens]"
    return text.encode()[: max(0, room - len(note))].decode(errors="ignore") + note
