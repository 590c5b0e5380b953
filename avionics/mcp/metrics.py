"""Count calls and refused requests of a server."""

from __future__ import annotations

from collections import Counter

from avionics.tools.executor import Observation
from avionics.tools.observers.telemetry import Metric


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
                "avionics_call_seconds_total", "The time that calls took.",
                lambda: [({"tool": tool}, spent / 1000) for tool, spent in sorted(self._milliseconds.copy().items())],
            ),
            Metric(
                "avionics_requests_refused_total", "HTTP requests that were refused.",
                lambda: [({"status": str(status)}, count) for status, count in sorted(self._refused.copy().items())],
            ),
        )  # fmt: skip
