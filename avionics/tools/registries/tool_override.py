"""A tool with some attributes replaced, such as its name or its access groups."""

from __future__ import annotations

from typing import Any, cast

from avionics.model.tools import ToolDefinitionProtocol


class ToolOverlay:
    """A view of a tool with some attributes replaced; the tool itself is unchanged."""

    def __init__(self, tool: ToolDefinitionProtocol, /, **changed: Any) -> None:
        self.original = tool
        self.changed = changed

    def __getattr__(self, name: str) -> Any:
        if name in ("original", "changed"):
            raise AttributeError(name)
        return self.changed[name] if name in self.changed else getattr(self.original, name)


def _forward(name: str) -> property:
    """Return a property that looks an attribute up as if the class did not have it."""
    return property(lambda overlay: overlay.__getattr__(name))


# Since Python 3.12, `isinstance` looks for the members of a protocol without asking `__getattr__`.
for _member in (each for each in vars(ToolDefinitionProtocol) if not each.startswith("_")):
    setattr(ToolOverlay, _member, _forward(_member))


def overlaid(tool: ToolDefinitionProtocol, **changed: Any) -> ToolDefinitionProtocol:
    """Return the tool with some attributes replaced."""
    return cast("ToolDefinitionProtocol", ToolOverlay(tool, **changed))


def owner_of(tool: object) -> str:
    """Return where a tool comes from, for messages: its function or its class."""
    subject: Any = tool
    while isinstance(subject, ToolOverlay):
        subject = subject.original
    subject = getattr(subject, "implementation", subject)
    named = subject if hasattr(subject, "__qualname__") else type(subject)
    return f"{named.__module__}.{named.__qualname__}"
