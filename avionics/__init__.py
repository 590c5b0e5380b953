"""avionics: code intelligence for agents, as a tool system and a code-analysis engine.

    from avionics import Context, ToolExecutor, ToolRegistry, tool

Knows: its version, and where the front door of the tool system leads.
Does not know: everything else, until asked: importing avionics imports nothing heavy.
"""

from __future__ import annotations

__version__ = "0.1.0"
__all__ = ["Caller", "Context", "ToolCall", "ToolExecutor", "ToolRegistry", "ToolResult", "tool"]

# Type checkers treat this name like typing.TYPE_CHECKING. Importing typing would slow down commands that `avionics
# watch` answers.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from avionics.model.results import ToolResult
    from avionics.model.tools import Caller, ToolCall
    from avionics.model.tools import ToolContext as Context
    from avionics.tools.executor import ToolExecutor
    from avionics.tools.function_tools import tool
    from avionics.tools.registry import ToolRegistry

_HOMES = {
    "Caller": ("avionics.model.tools", "Caller"),
    "Context": ("avionics.model.tools", "ToolContext"),
    "ToolCall": ("avionics.model.tools", "ToolCall"),
    "ToolExecutor": ("avionics.tools.executor", "ToolExecutor"),
    "ToolRegistry": ("avionics.tools.registry", "ToolRegistry"),
    "ToolResult": ("avionics.model.results", "ToolResult"),
    "tool": ("avionics.tools.function_tools", "tool"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)
