"""What an application answers over HTTP beside the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import attrs

from avionics.tools.observers.telemetry import Metric


@attrs.frozen
class Routes:
    """What an application answers beside the protocol.

    Attributes:
        hooks: Path → what answers a POST there: headers and body to the status. It checks who asks; no token is needed.
        is_ready: Whether calls can be answered now.
        metrics: The application's own numbers.
    """

    hooks: Mapping[str, Callable[[Mapping[str, str], bytes], int]] = attrs.field(factory=dict)
    is_ready: Callable[[], bool] = lambda: True
    metrics: tuple[Metric, ...] = ()
