"""Convert whatever a tool returned to the documented result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from avionics.model.enums import Status
from avionics.model.errors import DeadlineExceededError
from avionics.model.results import Attempt, ToolResult, to_plain
from avionics.model.tools import ToolCall, ToolRegistryProtocol
from avionics.tools.answers.answer import (
    CHARACTERS_PER_TOKEN,
    MAX_HINT_CHARACTERS,
    NOTHING_KEPT,
    StoredRest,
    is_answer,
    to_result,
    visible,
)
from avionics.tools.answers.next_step import NextWriter, write_python
from avionics.tools.ids import ToolId
from avionics.tools.secrets.secret_scan import mask_secrets

_STATUSES: Final[Mapping[str, Status]] = {status.value: status for status in Status}

_MAX_NAMES: Final = 8
"""How many names of tools the error of an unknown one lists."""

_CALLERS_FAULTS: Final = frozenset({"validation_error", "parameter_error"})
"""Errors that another tool would also report, because the arguments are at fault."""


class ResultOptions(Struct, frozen=True, dict=True):
    """How a tool's value becomes a result.

    Attributes:
        budget_tokens: The length limit of the text, 0 for unlimited; None if only data is wanted.
        scrub: Removes secrets before anything is cut.
        keep: Stores what is cut, and describes how to request it.
        shows_secrets: Whether to show credentials found in the repository.
        write: How the reader writes the call that an answer suggests.
    """

    budget_tokens: int | None = None
    scrub: Callable[[Any], Any] | None = None
    keep: Callable[[Any], StoredRest] | None = None
    shows_secrets: bool = False
    write: NextWriter = write_python


DATA_ONLY: Final = ResultOptions()


def build_result(value: Any, finish: ResultOptions = DATA_ONLY) -> ToolResult:
    """Convert a tool's value to a result.

    Results and declared answers are cut to the budget. A dict keeps its own `status`; without one it is the data of a
    success, and with a status but no `data` everything else in it is the data. Any other value is `{"result": value}`.
    """
    if type(value) is not dict and isinstance(value, Iterator):
        value = list(value)
    if finish.scrub:
        value = finish.scrub(value)
    data = _get_normal_data(value)
    if data is not None:
        return _build_plain(Status.SUCCESS, to_plain(data), "", finish)
    if not isinstance(value, (dict, Mapping)):
        if isinstance(value, ToolResult):
            return _cut_result(value, finish)
        if is_answer(value):
            value = value if finish.shows_secrets else mask_secrets(value)
            return to_result(value, finish.budget_tokens or 0, finish.keep, finish.write)
        return _build_plain(Status.SUCCESS, to_plain(value), "", finish)
    plain = to_plain(value)
    word = plain.get("status")
    if type(word) is not str:
        return _build_plain(Status.SUCCESS, plain, "", finish)
    status = _STATUSES.get(word)
    if status is None:
        known = ", ".join(_STATUSES)
        return ToolResult(
            Status.ERROR, error=f"Tool returned the status {word!r}, none of {known}", error_type="tool_error"
        )
    if status is Status.ERROR:
        return _build_error(plain)
    for of_the_format in ("status", "execution_time_ms"):
        plain.pop(of_the_format, None)
    data = plain.pop("data", {})
    message = "" if status is Status.SUCCESS else str(plain.pop("message", f"Tool returned {word}"))
    if plain:
        data = {**plain, **(data if type(data) is dict else {"result": data})}
    return _build_plain(status, data, message, finish)


def _get_normal_data(value: Any) -> dict[Any, Any] | None:
    """Return the data of `{"status": "success", "data": {…}}`, which most tools return; None for anything else."""
    if type(value) is not dict or len(value) != 2:
        return None
    word, data = value.get("status"), value.get("data")
    return data if type(word) is str and word == "success" and type(data) is dict else None


def build_invalid(faults: tuple[str, ...]) -> ToolResult:
    """Return the error result of invalid arguments."""
    return ToolResult(
        Status.ERROR,
        error=f"Parameter validation failed: {'; '.join(faults)}",
        error_type="validation_error",
        validation_errors=faults,
    )


def _build_error(plain: Mapping[str, Any]) -> ToolResult:
    """Return the error of a tool that returned it as a dict."""
    return ToolResult(
        Status.ERROR,
        error=str(plain.get("error") or plain.get("message") or "Tool returned error"),
        error_type=str(plain.get("error_type") or "tool_error"),
        validation_errors=tuple(str(fault) for fault in plain.get("validation_errors") or ()),
        hint=str(plain.get("hint") or ""),
    )


@cache
def _get_encoder() -> Callable[[Any], str]:
    """Return the shared encoder: creating one takes longer than encoding a small answer; plain data has no cycles."""
    from json import encoder

    whole = encoder.JSONEncoder(ensure_ascii=False, check_circular=False)
    build = getattr(encoder, "c_make_encoder", None)
    if build is None:
        return whole.encode
    # `JSONEncoder.encode` creates such an encoder for each value.
    parts = build(
        None, whole.default, encoder.encode_basestring, None, ": ", ", ",
        sort_keys=False, skipkeys=False, allow_nan=True,
    )  # fmt: skip
    return lambda value: "".join(parts(value, 0))


def _build_plain(status: Status, data: Any, message: str, finish: ResultOptions) -> ToolResult:
    """Build the result of plain data: all of the data, and its text cut to the budget, if text is wanted."""
    wraps = type(data) is not dict
    if wraps:
        data = {"result": data}
    if finish.budget_tokens is None:
        return ToolResult(status, data, message, is_wrapped=wraps)
    text, kept = cut_text(visible(_get_encoder()(data)), finish)
    return ToolResult(status, data, message, text=text, rest=kept.handle, is_wrapped=wraps)


def _cut_result(result: ToolResult, finish: ResultOptions) -> ToolResult:
    """Convert a result's data to a plain object, add text if the tool wrote none, and cut the text."""
    data = to_plain(result.data)
    if data is not None:
        wraps = not isinstance(data, dict)
        result = result.evolve(data={"result": data} if wraps else data, is_wrapped=wraps or result.is_wrapped)
    if finish.budget_tokens is None:
        return result
    whole = result.text or (visible(_get_encoder()(to_plain(result.data))) if result.data else "")
    text, kept = cut_text(whole, finish)
    return result if text == result.text else result.evolve(text=text, rest=kept.handle or result.rest)


def cut_text(text: str, finish: ResultOptions) -> tuple[str, StoredRest]:
    """Return as much of a text as the budget allows, and where the rest is stored, if it is."""
    # One byte less, because an estimate of the tokens may round up.
    room = max(0, int((finish.budget_tokens or 0) * CHARACTERS_PER_TOKEN) - 1)
    if not room or len(text) * 4 <= room or len(text.encode()) <= room:
        return text, NOTHING_KEPT
    note = f"\n[cut to about {finish.budget_tokens} tokens]"
    spare = 0 if finish.keep is None else MAX_HINT_CHARACTERS
    shown = text.encode()[: max(0, room - len(note) - spare)].decode(errors="ignore")
    kept = finish.keep(text[len(shown) :]) if finish.keep else NOTHING_KEPT
    return f"{shown}{note}" + (f"\nnext: {kept.hint}" if kept.hint else ""), kept


def build_attempt(name: str, result: ToolResult) -> Attempt:
    """Describe one tool's part in an answer of several tools."""
    coverage = (result.data or {}).get("coverage")
    found = coverage.get("found", 0) if isinstance(coverage, Mapping) else 0
    outcome = f"{result.error_type}: {result.error}" if result.status is Status.ERROR else result.status.value
    return Attempt(name, outcome, found, result.execution_time_ms)


def get_fallback_reason(result: ToolResult) -> str:
    """Return why another tool may be asked instead: "not_found", "error" or "deadline", or "" if none may."""
    if result.status is Status.NOT_FOUND:
        return "not_found"
    if result.status is not Status.ERROR or result.error_type in _CALLERS_FAULTS:
        return ""
    return "deadline" if result.error_type == DeadlineExceededError.code else "error"


def with_attempts(result: ToolResult, attempts: list[Attempt]) -> ToolResult:
    """Return the result with the attempts of earlier tools before its own."""
    data = dict(result.data or {})
    data["attempt_history"] = [*to_plain(attempts), *data.get("attempt_history", ())]
    return result.evolve(data=data, execution_time_ms=sum(attempt.milliseconds for attempt in attempts))


def hold_to_schema(result: ToolResult, schema: Mapping[str, Any], tool_name: str) -> ToolResult:
    """Return the result, or an error if it does not match the tool's output schema.

    The schema describes the data; for values other than objects, which results hold under `result`, it describes the
    value.
    """
    from avionics.tools.schema.from_json_schema import find_output_faults

    if result.status is not Status.SUCCESS:
        return result
    faults = find_output_faults(schema, result.data or {})
    if faults and result.is_wrapped:
        faults = find_output_faults(schema, result.output)
    if not faults:
        return result
    return ToolResult(
        Status.ERROR,
        error=f"{tool_name} gave what its output schema does not allow: {'; '.join(faults)}",
        error_type="output_error",
        execution_time_ms=result.execution_time_ms,
    )


def build_malformed(call: object, context: object) -> ToolResult:
    """Return the error for an object that is not a call, or a call in an object that is not a context."""
    given, wanted, hint = context, "Context", 'Context(Caller("ada"))'
    if not isinstance(call, ToolCall):
        given, wanted, hint = call, "ToolCall", 'ToolCall(name, {"parameter": value}, id)'
    return ToolResult(
        Status.ERROR, error=f"expected a {wanted}, got {type(given).__name__}", error_type="validation_error", hint=hint
    )


def build_not_found(name: str, registry: ToolRegistryProtocol, is_seen: Callable[[str], bool]) -> ToolResult:
    """Build the error for an unknown tool, with the names of similar or some other tools that the caller sees."""
    from difflib import get_close_matches

    asked = str(name)[:80]
    names = registry.get_tool_names()
    near = [each for each in get_close_matches(asked, names, n=_MAX_NAMES) if is_seen(each)][:3]
    if near:
        hint = f"did you mean {' or '.join(near)}?"
    elif ToolId.LIST_TOOLS.value in names:
        hint = f"{ToolId.LIST_TOOLS.value} (`avionics tools`) names them all"
    else:
        seen = list(islice(filter(is_seen, names), _MAX_NAMES + 1))
        hint = f"known: {', '.join(seen[:_MAX_NAMES])}{', …' if len(seen) > _MAX_NAMES else ''}" if seen else ""
    return ToolResult(Status.ERROR, error=f"there is no tool {asked!r}", error_type="tool_not_found", hint=hint)
