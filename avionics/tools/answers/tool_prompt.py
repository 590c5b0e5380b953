"""The tool list as a planner reads it."""

from __future__ import annotations

from collections.abc import Iterable

from avionics.model.enums import ToolCategory

HEADINGS = {
    ToolCategory.UNIFIED: "UNIFIED (primary entry point)",
    ToolCategory.COMPOSITE: "COMPOSITE (multi-step workflows)",
    ToolCategory.RESILIENT: "RESILIENT (with fallbacks)",
    ToolCategory.STANDALONE: "STANDALONE",
}
"""Sections in order; a category without a heading is never shown."""


def build_prompt(tools: Iterable[tuple[ToolCategory, str]]) -> str:
    """Return the planner's tool list; each tool is given as its category and its line."""
    listed = tuple(tools)
    blocks = ["Available Tools:"]
    for category, heading in HEADINGS.items():
        lines = [line for of, line in listed if of is category]
        if lines:
            blocks.append("\n".join([f"═══ {heading} ═══", *lines]))
    return "\n\n".join(blocks)


def build_prompt_line(name: str, parameters: Iterable[tuple[str, bool]], description: str) -> str:
    """Return a line such as `- locate(symbol, scope?): Find code anywhere`; parameters are (name, required)."""
    spelled = ", ".join(parameter if required else f"{parameter}?" for parameter, required in parameters)
    return f"- {name}({spelled}): {' '.join(description.split())}"
