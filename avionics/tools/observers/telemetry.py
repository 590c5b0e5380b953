"""Export OpenTelemetry spans of finished calls and the metrics of a process, if its API is installed.

Without an SDK the API does nothing; the application chooses the SDK and the destination of spans and metrics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import time_ns
from typing import Any

from msgspec import Struct

from avionics.model.errors import AvionicsError, importing
from avionics.tools.execution.call_step import Observation


class Metric(Struct, frozen=True):
    """A metric that a process reports.

    Attributes:
        name: Its name, as Prometheus writes it: a counter ends in `_total`.
        description: What is counted.
        read: Returns the current values, each with its labels. Any thread may call it. It may raise `AvionicsError`.
    """

    name: str
    description: str
    read: Callable[[], Iterable[tuple[Mapping[str, str], float]]]

    @property
    def is_counter(self) -> bool:
        """Return whether the number only grows."""
        return self.name.endswith("_total")

    @property
    def unit(self) -> str:
        """Return the unit as UCUM writes it."""
        return "s" if "_seconds" in self.name else "1"

    def list_values(self) -> list[tuple[Mapping[str, str], float]]:
        """Return the current values, or none if they cannot be read, so that other metrics are still exported."""
        try:
            return list(self.read())
        except AvionicsError:
            return []


def to_prometheus(metrics: Iterable[Metric]) -> str:
    """Return numbers in the text format of Prometheus."""
    return "".join(f"{line}\n" for metric in metrics for line in _iter_lines(metric))


def _iter_lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.description}"
    yield f"# TYPE {metric.name} {'counter' if metric.is_counter else 'gauge'}"
    for labels, value in metric.list_values():
        listed = ",".join(f'{name}="{label}"' for name, label in labels.items())
        shown = f"{{{listed}}}" if listed else ""
        yield f"{metric.name}{shown} {value:.10g}"


def export_metrics(metrics: Iterable[Metric], meter: Any = None) -> bool:
    """Make numbers instruments of OpenTelemetry; return False if its API is not installed.

    Args:
        metrics: The numbers.
        meter: Creates the instruments; the global provider's meter "avionics" by default.
    """
    try:
        from opentelemetry.metrics import Observation, get_meter
    except ImportError:
        return False

    def build_callback(metric: Metric) -> Callable[[Any], Iterable[Observation]]:
        def observe(_options: Any) -> Iterable[Observation]:
            return [Observation(value, dict(labels)) for labels, value in metric.list_values()]

        return observe

    meter = meter or get_meter("avionics")
    for metric in metrics:
        create = meter.create_observable_counter if metric.is_counter else meter.create_observable_gauge
        name = metric.name.removesuffix("_total")
        create(name, [build_callback(metric)], unit=metric.unit, description=metric.description)
    return True


class OpenTelemetrySink:
    """Creates a span `execute_tool {name}` for every `tool_result`, with the times of the record.

    The span is a child of the one that was current at the call.

    Args:
        tracer: Creates the spans; the global provider's tracer "avionics" by default.

    Raises:
        MissingDependencyError: OpenTelemetry's API is not installed.
    """

    def __init__(self, tracer: Any = None) -> None:
        with importing("opentelemetry is not installed", hint="pip install 'avionics[otel]'"):
            from opentelemetry import trace
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


class CallCounts:
    """Counts calls by tool and outcome, their time, and refused requests."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, str]] = Counter()
        self._milliseconds: Counter[str] = Counter()
        self._refused: Counter[int] = Counter()

    def observe(self, observation: Observation) -> None:
        """Count a finished call."""
        result = observation.result
        tool = observation.call.name
        self._calls[tool, result.status.value if result else "cancelled"] += 1
        self._milliseconds[tool] += result.execution_time_ms if result else 0

    def count_refusal(self, http_status: int) -> None:
        """Count a refused request."""
        self._refused[http_status] += 1

    def list_metrics(self) -> tuple[Metric, ...]:
        """Return the counts."""
        return (
            Metric(
                "avionics_calls_total", "Finished calls.",
                lambda: [({"tool": tool, "outcome": outcome}, count)
                         for (tool, outcome), count in sorted(self._calls.copy().items())],
            ),
            Metric(
                "avionics_call_seconds_total", "The duration of calls.",
                lambda: [({"tool": tool}, spent / 1000) for tool, spent in sorted(self._milliseconds.copy().items())],
            ),
            Metric(
                "avionics_requests_refused_total", "HTTP requests that were refused.",
                lambda: [({"status": str(status)}, count) for status, count in sorted(self._refused.copy().items())],
            ),
        )  # fmt: skip
