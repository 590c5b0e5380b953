"""Render results as text for people and models, in every interface."""

from __future__ import annotations

from avionics.model.enums import Status
from avionics.model.results import ToolResult
from avionics.tools.answers.answer import visible


def build_text(result: ToolResult) -> str:
    """Return the text of a result; for a failed call every error and its hint."""
    if result.status is not Status.ERROR:
        return visible(result.text or result.message)
    faults = [f"  {fault}" for fault in result.validation_errors]
    lines = [f"error: {'invalid parameters:' if faults else result.error}", *faults]
    if result.hint:
        lines.append(f"hint: {result.hint}")
    return visible("\n".join(lines))
