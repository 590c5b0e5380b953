"""Count calls, and write the counts in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from avionics.tools.executor import Observation


class Metrics:
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

    def to_text(self) -> str:
        """Return all counts."""
        return "\n".join(self._iter_lines()) + "\n"

    def _iter_lines(self) -> Iterator[str]:
        yield "# TYPE avionics_calls_total counter"
        for (tool, outcome), count in sorted(self._calls.items()):
            yield f'avionics_calls_total{{tool="{tool}",outcome="{outcome}"}} {count}'
        yield "# TYPE avionics_call_seconds_total counter"
        for tool, milliseconds in sorted(self._milliseconds.items()):
            yield f'avionics_call_seconds_total{{tool="{tool}"}} {milliseconds / 1000}'
        yield "# TYPE avionics_requests_refused_total counter"
        for status, count in sorted(self._refused.items()):
            yield f'avionics_requests_refused_total{{status="{status}"}} {count}'
