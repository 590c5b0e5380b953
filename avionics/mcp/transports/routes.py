"""HTTP routes that an application adds to the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from avionics.tools.observers.telemetry import Metric


class Routes(Struct, frozen=True):
    """The routes and metrics that an application adds to the protocol.

    Attributes:
        hooks: Path → the handler of a POST there, which returns a status for headers and body. It authenticates
            requests itself; no token is needed.
        is_ready: Whether calls can be answered now.
        metrics: The application's own numbers.
    """

    hooks: Mapping[str, Callable[[Mapping[str, str], bytes], int]] = field(default_factory=dict)
    is_ready: Callable[[], bool] = lambda: True
    metrics: tuple[Metric, ...] = ()
