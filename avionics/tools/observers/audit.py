"""Audit: record the caller, the arguments and the result of every call, without secrets.

    ToolExecutor(registry, observers=(audited(JsonLinesSink(path)), observed(MemorySink())))

Each call has one `tool_result`, however it ended: answered, refused, failed, out of time or cancelled. Before it there
is one `tool_access` (unless the call was malformed) and, for every tool that ran, one `tool_invocation`.
"""

from __future__ import annotations

from time import time
from typing import Any, Final

from avionics.model.enums import Status
from avionics.model.seams import AuditSinkProtocol
from avionics.tools.execution.call_step import Event, Observation, Observer
from avionics.tools.secrets.redaction import Redactor

OBSERVATION: Final = "TOOL_EXECUTION"
CANCELLED: Final = "cancelled"


def audited(
    sink: AuditSinkProtocol,
    *,
    access: bool = True,
    invocations: bool = True,
    results: bool = True,
    redactor: Redactor | None = None,
) -> Observer:
    """Return an observer that records calls.

    Args:
        sink: Receives the records.
        access: Whether to record the guards' decisions: `granted`, and the `reason` of a refusal.
        invocations: Whether to record the final arguments.
        results: Whether to record ends: `success`, `status`, `error_type`, `error`, `duration_ms` and
            `result_characters`.
        redactor: Removes secrets.
    """
    switches = {Event.ACCESS: access, Event.INVOCATION: invocations, Event.RESULT: results}
    cleaner = redactor or Redactor()

    def tell(observation: Observation) -> None:
        sink.record(*build_record(observation, cleaner))

    return Observer(tell, frozenset(moment for moment, wanted in switches.items() if wanted))


def observed(sink: AuditSinkProtocol, redactor: Redactor | None = None) -> Observer:
    """Return an observer that records every attempt as one `TOOL_EXECUTION` observation with its outcome."""
    cleaner = redactor or Redactor()

    def tell(observation: Observation) -> None:
        sink.record(OBSERVATION, build_observation(observation, cleaner))

    return Observer(tell)


def build_record(observation: Observation, redactor: Redactor) -> tuple[str, dict[str, Any]]:
    """Return the audit record of an event: its name and fields; `at` is in seconds since 1970."""
    call, context = observation.call, observation.context
    record: dict[str, Any] = {
        "at": time(),
        "call_id": call.id,
        "tool": str(call.name),
        "caller": context.caller.id,
        "role": context.caller.role,
        "thread_id": context.thread_id,
        "request_id": context.request_id,
        "trace_id": context.trace_id,
    }
    if observation.moment is Event.INVOCATION:
        record["arguments"] = redactor.redact(observation.arguments)
        return "tool_invocation", record
    if observation.moment is Event.ACCESS:
        refusal = observation.refusal
        record["granted"] = refusal is None
        if refusal:
            record |= {"error_type": refusal.error_type, "reason": redactor.redact_text(refusal.reason)}
        return "tool_access", record
    result = observation.result
    record["success"] = result is not None and result.status is not Status.ERROR
    record["status"] = result.status.value if result else CANCELLED
    record["duration_ms"] = round(observation.seconds * 1000, 3)
    record["result_characters"] = len(result.text) if result else 0
    if result and result.status is Status.ERROR:
        record |= {"error_type": result.error_type, "error": redactor.redact_text(result.error or "")}
    return "tool_result", record


def build_observation(observation: Observation, redactor: Redactor) -> dict[str, Any]:
    """Return one attempt to run a tool, and its outcome."""
    call, context, result = observation.call, observation.context, observation.result
    record: dict[str, Any] = {
        "type": OBSERVATION,
        "threadId": context.thread_id,
        "traceId": context.trace_id,
        "callId": call.id,
        "toolName": str(call.name),
        "arguments": redactor.redact(call.arguments),
        "status": result.status.value if result else CANCELLED,
        "metadata": {"duration": round(observation.seconds * 1000, 3)},
    }
    if result and result.status is Status.ERROR:
        record |= {"error": redactor.redact_text(result.error or ""), "errorType": result.error_type}
    elif result:
        record["output"] = redactor.redact(result.data or {})
    return record
