"""The executor: the pipeline with the tools of avionics, unless others are given."""

from __future__ import annotations

from avionics.model.tools import ToolCall, ToolRegistryProtocol
from avionics.tools.batch import CallResult
from avionics.tools.catalog import ToolCatalog
from avionics.tools.execution.call_step import Event, Guard, Observation, Observer, PendingCall, Refusal, Stage
from avionics.tools.executor_core import ToolExecutionCore
from avionics.tools.ids import ToolId
from avionics.tools.pipeline import ToolPipeline

__all__ = [
    "CallResult", "Event", "Guard", "Observation", "Observer", "PendingCall", "Refusal", "Stage",
    "ToolExecutionCore", "ToolExecutor",
]  # fmt: skip

_BUILT_IN = frozenset(each.value for each in ToolId)
"""The tools that are synchronous functions, so that they run without an event loop."""


class ToolExecutor(ToolPipeline):
    """A pipeline whose registry is, unless given, the current global catalog."""

    @property
    def registry(self) -> ToolRegistryProtocol:
        """Return the given registry, or the current global catalog."""
        return ToolCatalog.get_instance() if self._given_registry is None else self._given_registry

    def _runs_directly(self, call: ToolCall) -> bool:
        return self._given_registry is None and not self._is_guarded and getattr(call, "name", "") in _BUILT_IN
