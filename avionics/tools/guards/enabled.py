"""Enable and disable tools per thread.

A thread is a conversation. A disabled tool is neither listed for planning nor run.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage

if TYPE_CHECKING:
    from avionics.model.seams import EnablementProtocol

NameT = TypeVar("NameT", bound=str)


class EnabledTools:
    """Stores which tools are enabled in each thread; safe to share between threads of the process.

    Args:
        default: The tools of a thread without its own setting; None means all.
    """

    def __init__(self, default: Iterable[str] | None = None) -> None:
        self._default = None if default is None else _get_names(default)
        self._threads: dict[str, frozenset[str]] = {}
        self._lock = Lock()

    def is_tool_enabled(self, thread_id: str, tool: str) -> bool:
        names = self._threads.get(thread_id, self._default)
        return names is None or tool in names

    def set_enabled(self, thread_id: str, tools: Iterable[str]) -> None:
        """Enable exactly these tools in the thread."""
        with self._lock:
            self._threads[thread_id] = _get_names(tools)

    def enable(self, thread_id: str, *tools: str) -> None:
        """Enable more tools; a thread with all tools keeps all."""
        with self._lock:
            names = self._threads.get(thread_id, self._default)
            if names is not None:
                self._threads[thread_id] = names | _get_names(tools)

    def forget(self, thread_id: str) -> None:
        """Return the thread to the default."""
        with self._lock:
            self._threads.pop(thread_id, None)


def enabled(state: EnablementProtocol) -> Guard:
    """Refuse tools that are not enabled in the call's thread: `not_enabled`."""

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
    """Return those of the tools that are enabled in the thread, for a planning prompt."""
    return tuple(tool for tool in tools if state.is_tool_enabled(thread_id, _get_name(tool)))


def _get_name(tool: str) -> str:
    """Return the plain name of a tool or of its id."""
    value = getattr(tool, "value", tool)
    return str(value)


def _get_names(tools: Iterable[str]) -> frozenset[str]:
    """Return the plain names of tools or of their ids."""
    return frozenset(_get_name(tool) for tool in tools)
