"""Convert results to and from those of other kinds of tools, without loss.

Values for which the other kind has no field go into its metadata under the names in `RESERVED`; values for which ours
has no field go into our metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

import attrs

from avionics.model.enums import Status
from avionics.model.results import ToolResult, to_plain
from avionics.model.tools import ToolCall

if TYPE_CHECKING:
    from avionics.tools.schema.from_pydantic import ToolOutput

_STRINGS: Final = ("message", "error_type", "hint", "text", "rest")
_BARE, _UNTEXTED = "avionics.bare", "avionics.untexted"
_COMPONENT = "ui_component"
RESERVED: Final = frozenset({*_STRINGS, "status", "validation_errors", "execution_time_ms", "data", "duration",
                             _BARE, _UNTEXTED, _COMPONENT})  # fmt: skip
"""Names in metadata that carry fields of a result."""

_UNSAID: Final = "tool_error"
"""The code of an error without one."""


@attrs.frozen
class TypedToolResult:
    """The result of a `Tool[T]`.

    Attributes:
        success: Whether the tool succeeded.
        result_for_llm: The text for the model.
        ui_component: The component for a frontend, if any.
        error: The error message, if it failed.
        metadata: Further data.
    """

    success: bool
    result_for_llm: str
    ui_component: Any = None
    error: str | None = None
    metadata: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.frozen
class ExecutionResult:
    """The result of an `IToolExecutor`.

    Attributes:
        status: The outcome.
        output: The output of the tool.
        error: The error message.
        call_id: The call it belongs to.
        tool_name: The tool that ran.
        duration: Whole milliseconds.
        metadata: Further data.
    """

    status: Literal["success", "error"]
    output: Any = None
    error: str | None = None
    call_id: str = ""
    tool_name: str = ""
    duration: int = 0
    metadata: Mapping[str, Any] = attrs.field(factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, with the field names of its specification."""
        plain: dict[str, Any] = {"callId": self.call_id, "toolName": self.tool_name, "status": self.status}
        if self.output is not None:
            plain["output"] = to_plain(self.output)
        if self.error is not None:
            plain["error"] = self.error
        return plain | {"metadata": {**to_plain(self.metadata), "duration": self.duration}}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ExecutionResult:
        """Return the result that `to_dict` described; only the status is required."""
        metadata = dict(plain.get("metadata", {}))
        return cls(
            status="success" if plain.get("status") == "success" else "error",
            output=plain.get("output"),
            error=plain.get("error"),
            call_id=plain.get("callId", ""),
            tool_name=plain.get("toolName", ""),
            duration=metadata.pop("duration", 0),
            metadata=metadata,
        )


def to_output(result: ToolResult) -> ToolOutput:
    """Convert the result to that of a class-based tool."""
    from avionics.tools.schema.from_pydantic import ToolOutput

    data, metadata = _unwrap(result)
    error = result.error or None
    return ToolOutput(success=_succeeded(result), data=data, error=error, metadata=_pack(result, metadata))


def from_output(output: ToolOutput) -> ToolResult:
    """Convert the result of a class-based tool to ours."""
    data, marks = _wrap(output.data)
    return _unpack(output.metadata, marks, success=output.success, error=output.error, data=data)


def to_typed(result: ToolResult, call: ToolCall | None = None) -> TypedToolResult:
    """Convert the result to that of a `Tool[T]`; a call adds its tool's name and arguments to the metadata."""
    metadata = dict(result.metadata)
    component = metadata.pop(_COMPONENT, None)
    text = result.text or _write(result)
    if text and not result.text:
        metadata[_UNTEXTED] = True
    if result.data != {"result": text}:
        metadata["data"] = result.data
    metadata = _pack(result, metadata, "text")
    if call is not None:
        metadata |= {
            "tool_name": call.name, "arguments": dict(call.arguments), "execution_time_ms": result.execution_time_ms
        }  # fmt: skip
    return TypedToolResult(_succeeded(result), text, component, result.error or None, metadata)


def from_typed(typed: TypedToolResult) -> ToolResult:
    """Convert the result of a `Tool[T]` to ours; the data is the text if the metadata has none."""
    metadata, marks = dict(typed.metadata), {}
    text = "" if metadata.pop(_UNTEXTED, False) else typed.result_for_llm
    data = metadata.pop("data") if _is_data(metadata) else {"result": typed.result_for_llm}
    if typed.ui_component is not None:
        marks[_COMPONENT] = typed.ui_component
    result = _unpack(metadata, marks, success=typed.success, error=typed.error, data=data, carries_text=False)
    return attrs.evolve(result, text=text)


def to_execution(result: ToolResult, call: ToolCall | None = None) -> ExecutionResult:
    """Convert the result to that of an `IToolExecutor`; a call adds its id and the tool's name."""
    output, metadata = _unwrap(result)
    return ExecutionResult(
        status="success" if _succeeded(result) else "error",
        output=output,
        error=result.error or None,
        call_id=call.id if call else metadata.pop("callId", ""),
        tool_name=call.name if call else metadata.pop("toolName", ""),
        duration=result.execution_time_ms,
        metadata=_pack(result, metadata, "execution_time_ms"),
    )


def from_execution(execution: ExecutionResult) -> ToolResult:
    """Convert the result of an `IToolExecutor` to ours."""
    data, marks = _wrap(execution.output)
    names = {"callId": execution.call_id, "toolName": execution.tool_name}
    marks |= {name: value for name, value in names.items() if value}
    result = _unpack(execution.metadata, marks, success=execution.status == "success", error=execution.error, data=data)
    return attrs.evolve(result, execution_time_ms=execution.duration)


def _succeeded(result: ToolResult) -> bool:
    """Return whether the result is not an error; finding nothing is no failure."""
    return result.status is not Status.ERROR


def _wrap(data: Any) -> tuple[Mapping[str, Any] | None, dict[str, Any]]:
    """Return the data as an object, and a mark if it was not one."""
    if data is None or isinstance(data, Mapping):
        return to_plain(data), {}
    return {"result": to_plain(data)}, {_BARE: True}


def _unwrap(result: ToolResult) -> tuple[Any, dict[str, Any]]:
    """Return the data as the tool returned it, and the metadata without the mark."""
    metadata = dict(result.metadata)
    data = result.data
    if metadata.pop(_BARE, False) and data is not None and data.keys() == {"result"}:
        return data["result"], metadata
    return None if data is None else dict(data), metadata


def _pack(result: ToolResult, metadata: Mapping[str, Any], *carried: str) -> dict[str, Any]:
    """Return the metadata with every field of the result that is set and has no other place."""
    said: dict[str, Any] = {word: getattr(result, word) for word in (*_STRINGS, "execution_time_ms")}
    said["validation_errors"] = list(result.validation_errors)
    said["status"] = result.status.value if result.status in (Status.PARTIAL, Status.NOT_FOUND) else ""
    if result.status is Status.ERROR and result.error_type == _UNSAID:
        said["error_type"] = ""
    return {**metadata, **{word: value for word, value in said.items() if value and word not in carried}}


def _unpack(
    metadata: Mapping[str, Any],
    marks: Mapping[str, Any],
    *,
    success: bool,
    error: str | None,
    data: Mapping[str, Any] | None,
    carries_text: bool = True,
) -> ToolResult:
    """Build a result from the fields in the metadata; the rest stays metadata."""
    rest = dict(metadata)
    words = _STRINGS if carries_text else tuple(word for word in _STRINGS if word != "text")
    fields: dict[str, Any] = {word: rest.pop(word) for word in words if _is_text(rest.get(word))}
    if type(rest.get("execution_time_ms")) is int and rest["execution_time_ms"] > 0:
        fields["execution_time_ms"] = rest.pop("execution_time_ms")
    if _is_texts(rest.get("validation_errors")):
        fields["validation_errors"] = tuple(rest.pop("validation_errors"))
    status = Status.SUCCESS if success else Status.ERROR
    if success and rest.get("status") in (Status.PARTIAL.value, Status.NOT_FOUND.value):
        status = Status(rest.pop("status"))
    if not success:
        fields.setdefault("error_type", _UNSAID)
    return ToolResult(status, data=data, error=error or "", metadata={**rest, **marks}, **fields)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and value != [] and all(isinstance(item, str) for item in value)


def _is_data(metadata: Mapping[str, Any]) -> bool:
    return "data" in metadata and (metadata["data"] is None or isinstance(metadata["data"], Mapping))


def _write(result: ToolResult) -> str:
    """Return the text for a model of a result without text."""
    data = result.data or {}
    if data.keys() == {"result"} and isinstance(data["result"], str):
        return data["result"]
    if result.status is Status.ERROR:
        return result.error
    return json.dumps(to_plain(data), ensure_ascii=False)
