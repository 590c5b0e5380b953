"""Telemetry: OpenTelemetry spans of finished calls, if its API is installed.

Without an SDK the API does nothing; the application chooses the SDK and the destination of spans.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import time_ns
from typing import Any

from avionics.model.errors import MissingDependencyError


class OpenTelemetrySink:
    """Creates a span `execute_tool {name}` for every `tool_result`, with the times of the record.

    The span is a child of the one that was current at the call.

    Args:
        tracer: Creates the spans; the global provider's tracer "avionics" by default.

    Raises:
        MissingDependencyError: OpenTelemetry's API is not installed.
    """

    def __init__(self, tracer: Any = None) -> None:
        try:
            from opentelemetry import trace
        except ImportError as error:
            raise MissingDependencyError(
                "opentelemetry is not installed", hint="pip install 'avionics[otel]'"
            ) from error
        self._trace = trace
        self._tracer = tracer or trace.get_tracer("avionics")

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        """Create the span of a finished call; ignore other records."""
        if event != "tool_result":
            return
        ended = time_ns()
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": fields["tool"],
            "gen_ai.tool.call.id": fields["call_id"],
            "gen_ai.conversation.id": fields["thread_id"],
            "avionics.status": fields["status"],
            "avionics.result_characters": fields["result_characters"],
            "error.type": fields.get("error_type", "" if fields["success"] else fields["status"]),
        }
        span = self._tracer.start_span(
            f"execute_tool {fields['tool']}",
            kind=self._trace.SpanKind.INTERNAL,
            attributes={name: value for name, value in attributes.items() if value != ""},
            start_time=ended - int(fields["duration_ms"] * 1e6),
        )
        if not fields["success"]:
            span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, fields.get("error", fields["status"])))
        span.end(ended)
