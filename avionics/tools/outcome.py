"""Outcomes: whatever a tool returned, as the one documented result.

Knows: answers, plain data, the result format.
Does not know: how the tool was run, or where what is cut is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import attrs

from avionics.tools.answer import (
    CHARACTERS_PER_TOKEN,
    MAX_HINT_CHARACTERS,
    NOTHING_KEPT,
    Kept,
    is_answer,
    to_result,
    visible,
)
from protocols.enums import Status
from protocols.results import Attempt, ToolResult, to_plain

_STATUSES: Final[Mapping[str, Status]] = {status.value: status for status in Status}
_OF_THE_FORMAT: Final = frozenset({"status", "data", "execution_time_ms"})


@attrs.frozen
class Finish:
    """How a tool's value becomes a result.

    Attributes:
        budget_tokens: The length of the text, 0 for whole; None when only data is wanted.
        scrub: Takes secrets out, before anything is cut.
        keep: Keeps what is cut, and says how to ask for it.
    """

    budget_tokens: int | None = None
    scrub: Callable[[Any], Any] | None = None
    keep: Callable[[Any], Kept] | None = None


DATA_ONLY: Final = Finish()


def build_result(value: Any, finish: Finish = DATA_ONLY) -> ToolResult:
    """What a tool returned as a result.

    A result stays as it is and a declared answer is cut to the budget. A dict keeps its own `status`; without one it
    is the data of a success, and with a status but no `data` everything else in it is the data. Any other value is
    `{"result": value}`.
    """
    if finish.scrub:
        value = finish.scrub(value)
    if not isinstance(value, (dict, Mapping)):
        if isinstance(value, ToolResult):
            return value
        if is_answer(value):
            return to_result(value, finish.budget_tokens or 0, finish.keep)
        value = {"result": value}
    plain = to_plain(value)
    word = plain.get("status")
    if not isinstance(word, str):
        return _build_plain(Status.SUCCESS, plain, "", finish)
    status = _STATUSES.get(word)
    if status is None:
        known = ", ".join(_STATUSES)
        return ToolResult(
            Status.ERROR, error=f"Tool returned the status {word!r}, none of {known}", error_type="tool_error"
        )
    if status is Status.ERROR:
        return _build_error(plain)
    data = plain.get("data", {})
    rest = {key: item for key, item in plain.items() if key not in _OF_THE_FORMAT}
    message = "" if status is Status.SUCCESS else str(rest.pop("message", f"Tool returned {word}"))
    rest |= data if isinstance(data, dict) else {"result": data}
    return _build_plain(status, rest, message, finish)


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


def _build_plain(status: Status, data: Mapping[str, Any], message: str, finish: Finish) -> ToolResult:
    """Plain data as a result: the data whole, its text cut to the budget; no text when none is wanted."""
    if finish.budget_tokens is None:
        return ToolResult(status, data, message)
    text, kept = cut_text(visible(_encoder()(data)), finish)
    return ToolResult(status, data, message, text=text, rest=kept.handle)


def cut_text(text: str, finish: Finish) -> tuple[str, Kept]:
    """As much of a text as the budget allows, and where the rest of it is kept, if it is."""
    room = int((finish.budget_tokens or 0) * CHARACTERS_PER_TOKEN)
    if not room or len(text) * 4 <= room or len(text.encode()) <= room:
        return text, NOTHING_KEPT
    note = f"\n[cut to about {finish.budget_tokens} tokens]"
    spare = 0 if finish.keep is None else MAX_HINT_CHARACTERS
    shown = text.encode()[: max(0, room - len(note) - spare)].decode(errors="ignore")
    kept = finish.keep(text[len(shown) :]) if finish.keep else NOTHING_KEPT
    return f"{shown}{note}" + (f"\nnext: {kept.hint}" if kept.hint else ""), kept


def build_attempt(name: str, result: ToolResult) -> Attempt:
    """One tool's part in an answer that several tools were asked for."""
    coverage = (result.data or {}).get("coverage")
    found = coverage.get("found", 0) if isinstance(coverage, Mapping) else 0
    outcome = f"{result.error_type}: {result.error}" if result.status is Status.ERROR else result.status.value
    return Attempt(name, outcome, found, result.execution_time_ms)


def with_attempts(result: ToolResult, attempts: list[Attempt]) -> ToolResult:
    """The result with the tools asked before its own attempts."""
    data = dict(result.data or {})
    data["attempt_history"] = [*to_plain(attempts), *data.get("attempt_history", ())]
    return attrs.evolve(result, data=data, execution_time_ms=sum(attempt.milliseconds for attempt in attempts))
