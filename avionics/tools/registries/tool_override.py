"""A tool with some of its words changed: another name, other access groups.

Knows: definitions.
Does not know: registries.
"""

from __future__ import annotations

from typing import Any, cast

from avionics.model.tools import ToolDefinitionProtocol


class ToolOverlay:
    """Everything of a tool but what is said anew; the tool itself stays as it is.

    Args:
        tool: What runs.
        changed: What is said anew, by attribute.
    """

    def __init__(self, tool: ToolDefinitionProtocol, /, **changed: Any) -> None:
        self.original = tool
        self.changed = changed

    def __getattr__(self, name: str) -> Any:
        if name in ("original", "changed"):
            raise AttributeError(name)
        return self.changed[name] if name in self.changed else getattr(self.original, name)


def overlaid(tool: ToolDefinitionProtocol, **changed: Any) -> ToolDefinitionProtocol:
    """The tool with some attributes changed."""
    return cast("ToolDefinitionProtocol", ToolOverlay(tool, **changed))


def owner_of(tool: ToolDefinitionProtocol) -> str:
    """Where a tool comes from, for people: its function or its class."""
    subject: Any = tool
    while isinstance(subject, ToolOverlay):
        subject = subject.original
    subject = getattr(subject, "implementation", subject)
    named = subject if hasattr(subject, "__qualname__") else type(subject)
    return f"{named.__module__}.{named.__qualname__}"
