"""Audit: record the caller, the arguments and the result of every call, without secrets.

    ToolExecutor(registry, observers=(audited(JsonLinesSink(path)), observed(MemorySink())))

Each call has one `tool_result`, however it ended: answered, refused, failed, out of time or cancelled. Before it there
is one `tool_access` (unless the call was malformed) and, for every tool that ran, one `tool_invocation`.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from time import time
from typing import Any, Final

from avionics.model.enums import Status
from avionics.model.seams import AuditSinkProtocol
from avionics.tools.execution.call_step import Event, Observation, Observer
from avionics.tools.secrets.redaction import Redactor


class MemorySink:
    """Keeps the newest records in memory.

    Args:
        max_records: The number of records; a server runs for weeks.
    """

    def __init__(self, max_records: int = 10_000) -> None:
        self._records: deque[tuple[str, Mapping[str, Any]]] = deque(maxlen=max_records)

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        """Keep the record."""
        self._records.append((event, fields))

    @property
    def records(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """Return the records, oldest first: event and fields."""
        return tuple(self._records)

    def find_records(self, event: str) -> tuple[Mapping[str, Any], ...]:
        """Return the fields of all records of an event, oldest first."""
        return tuple(fields for kind, fields in self.records if kind == event)


class JsonLinesSink:
    """Appends every record to a file, one JSON object per line, written atomically; only its owner may read the file.

    Args:
        path: The file, created when first needed; never a link.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        """Append the record."""
        line = json.dumps({"event": event, **fields}, default=str)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(self._path, flags, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)


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
