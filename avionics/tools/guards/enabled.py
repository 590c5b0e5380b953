"""Enabled: which tools are switched on in which thread.

A thread is a conversation. What is not switched on is neither listed for planning nor run.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import TypeVar

from avionics.model.seams import EnablementProtocol
from avionics.model.tools import ToolRegistryProtocol
from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage
from avionics.tools.registries.registry_views import FilteredRegistry

NameT = TypeVar("NameT", bound=str)


class EnabledTools:
    """Holds which tools are switched on in each thread; safe to share between threads of the process.

    Args:
        default: What is on in a thread nobody has said anything about; None is everything.
    """

    def __init__(self, default: Iterable[str] | None = None) -> None:
        self._default = None if default is None else _names(default)
        self._threads: dict[str, frozenset[str]] = {}
        self._lock = Lock()

    def is_tool_enabled(self, thread_id: str, tool: str) -> bool:
        """Whether the tool is switched on in the thread."""
        names = self._threads.get(thread_id, self._default)
        return names is None or tool in names

    def set_enabled(self, thread_id: str, tools: Iterable[str]) -> None:
        """Switch on these tools in the thread, and no others."""
        with self._lock:
            self._threads[thread_id] = _names(tools)

    def enable(self, thread_id: str, *tools: str) -> None:
        """Switch on more tools; in a thread where everything is on, everything stays on."""
        with self._lock:
            names = self._threads.get(thread_id, self._default)
            if names is not None:
                self._threads[thread_id] = names | _names(tools)

    def forget(self, thread_id: str) -> None:
        """Forget the thread: the default holds again."""
        with self._lock:
            self._threads.pop(thread_id, None)


def enabled(state: EnablementProtocol) -> Guard:
    """Refuses what is not switched on in the call's thread: `not_enabled`."""

    def check(step: PendingCall) -> Decision:
        if state.is_tool_enabled(step.context.thread_id, step.tool.name):
            return step
        return Refusal(
            "not_enabled",
            f"{step.tool.name} is not enabled in this conversation",
            hint="use a tool that is listed, or have it enabled",
        )

    return Guard(check, Stage.WHO)


def find_enabled(state: EnabledTools, thread_id: str, tools: Iterable[NameT]) -> tuple[NameT, ...]:
    """Those of the tools that are switched on in the thread, for a planning prompt."""
    return tuple(tool for tool in tools if state.is_tool_enabled(thread_id, _name(tool)))


def build_enabled_view(registry: ToolRegistryProtocol, state: EnabledTools, thread_id: str) -> ToolRegistryProtocol:
    """The registry as one thread sees it: what is not switched on is not there."""
    return FilteredRegistry(registry, lambda tool: state.is_tool_enabled(thread_id, tool.name))


def _name(tool: str) -> str:
    """The plain name of a tool or of its id."""
    value = getattr(tool, "value", tool)
    return str(value)


def _names(tools: Iterable[str]) -> frozenset[str]:
    """The plain names of tools or of their ids."""
    return frozenset(_name(tool) for tool in tools)
