"""Results of earlier calls, for tools that allow it; only tools of low risk may."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final

from avionics.model.enums import Status
from avionics.model.results import ToolResult, to_plain

MAX_RESULTS: Final = 256
"""The newest are kept."""


class ResultCache:
    """Successful results by call and caller; safe for several threads.

    Args:
        clock: Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[float, ToolResult]] = OrderedDict()

    def get(self, key: Hashable) -> ToolResult | None:
        """Return the result that is kept and not too old, or None."""
        with self._lock:
            until, result = self._kept.get(key, (0.0, None))
            return result if result is not None and self._clock() < until else None

    def put(self, key: Hashable, result: ToolResult, seconds: float) -> None:
        """Keep a result for some seconds, if it is a success."""
        if result.status is not Status.SUCCESS:
            return
        with self._lock:
            self._kept[key] = (self._clock() + seconds, result)
            self._kept.move_to_end(key)
            while len(self._kept) > MAX_RESULTS:
                self._kept.popitem(last=False)


def build_key(step: Any) -> Hashable:
    """Return a key of everything a result depends on: tool, final arguments, caller, thread and budget."""
    import json

    context, caller = step.context, step.context.caller
    arguments = json.dumps(to_plain(step.arguments), sort_keys=True)
    who = (caller.id, caller.role, caller.groups, context.thread_id, context.session_id)
    return (step.tool.name, step.tool.function, arguments, *who, context.budget_tokens)
