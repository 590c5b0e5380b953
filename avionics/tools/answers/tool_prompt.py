"""The tool list as a planner reads it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from avionics.model.enums import ToolCategory

HEADINGS = {
    ToolCategory.UNIFIED: "UNIFIED (primary entry point)",
    ToolCategory.COMPOSITE: "COMPOSITE (multi-step workflows)",
    ToolCategory.RESILIENT: "RESILIENT (with fallbacks)",
    ToolCategory.STANDALONE: "STANDALONE",
}
"""Sections in order; a category without a heading is never shown."""


class PromptEntry(Protocol):
    """The parts of a tool that the prompt needs."""

    @property
    def category(self) -> ToolCategory:
        """Return the section it belongs to."""
        ...

    def to_prompt_line(self) -> str:
        """Return its line."""
        ...


def build_prompt(entries: Iterable[PromptEntry]) -> str:
    """Return the planner's tool list; within a section the entries keep their order."""
    listed = tuple(entries)
    blocks = ["Available Tools:"]
    for category, heading in HEADINGS.items():
        lines = [entry.to_prompt_line() for entry in listed if entry.category is category]
        if lines:
            blocks.append("\n".join([f"═══ {heading} ═══", *lines]))
    return "\n\n".join(blocks)


def build_prompt_line(name: str, parameters: Iterable[tuple[str, bool]], description: str) -> str:
    """Return a line such as `- locate(symbol, scope?): Find code anywhere`; parameters are (name, required)."""
    spelled = ", ".join(parameter if required else f"{parameter}?" for parameter, required in parameters)
    return f"- {name}({spelled}): {' '.join(description.split())}"
