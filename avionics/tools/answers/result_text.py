"""Results as text: what a person or a model reads of them, through whichever interface."""

from __future__ import annotations

from avionics.model.enums import Status
from avionics.model.results import ToolResult
from avionics.tools.answers.answer import visible


def build_text(result: ToolResult) -> str:
    """Return the text of a result; of a failed call every fault, and what to do."""
    if result.status is not Status.ERROR:
        return visible(result.text or result.message)
    faults = [f"  {fault}" for fault in result.validation_errors]
    lines = [f"error: {'invalid parameters:' if faults else result.error}", *faults]
    if result.hint:
        lines.append(f"hint: {result.hint}")
    return visible("\n".join(lines))
