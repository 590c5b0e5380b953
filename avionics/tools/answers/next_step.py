"""Next steps: the one call that an answer suggests, written as Python by default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from avionics.model.results import NextStep
from avionics.tools.ids import ToolId

NextWriter = Callable[[NextStep], str]
"""Writes a step as the reader would call it; "" when the reader cannot."""

SAME_CALL = ""
"""The tool of a step that repeats the call which gave the answer."""


def suggest(tool: ToolId, purpose: str, **arguments: Any) -> NextStep:
    """Return the step that calls a tool; arguments that are None are left out."""
    return NextStep(tool.value, {name: value for name, value in arguments.items() if value is not None}, purpose)


def suggest_meant(tool: ToolId, names: Sequence[str], parameter: str, **others: Any) -> NextStep | None:
    """Return the step that asks about the most similar of some names instead; None if there are none."""
    return suggest(tool, f"if you mean {names[0]}", **others, **{parameter: names[0]}) if names else None


def suggest_same(purpose: str, **arguments: Any) -> NextStep:
    """Return the step that repeats the call with these arguments added."""
    return NextStep(SAME_CALL, arguments, purpose)


def write_python(step: NextStep) -> str:
    """Write a step as a Python call, for readers whose interface is not known."""
    given = ", ".join(f"{name}={value!r}" for name, value in step.arguments.items())
    call = f"{step.tool}({given})" if step.tool else f"the same call with {given}"
    return f"{call} {step.purpose}"
