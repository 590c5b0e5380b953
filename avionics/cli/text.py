"""What the command line says: results and errors as text or as one JSON document."""

from __future__ import annotations

import json
from typing import Any

import click

from avionics.cli.options import ANSWERED, ASKED_BADLY, FAILED, NOTHING_FOUND
from avionics.model import AvionicsError, ConfigError, OutsideWorkspaceError, Status, ToolResult, UsageError

REFUSALS = frozenset(
    {
        "tool_not_found", "validation_error", "parameter_error",
        "not_enabled", "permission_denied", "approval_required", "rejected",
        UsageError.code, OutsideWorkspaceError.code, ConfigError.code,
    }
)  # fmt: skip
"""Codes of errors that the caller can mend."""


def show(result: ToolResult, as_json: bool) -> int:
    """Print a result and gives the exit code it stands for."""
    if as_json:
        show_json(result.to_dict())
    elif result.status is Status.ERROR:
        show_error(result)
    else:
        show_text(result.text or result.message)
    return exit_code(result)


def show_json(document: Any) -> None:
    """Print one JSON document, in ASCII: a lone surrogate cannot break the stream."""
    click.echo(json.dumps(document))


def show_text(text: str) -> None:
    """Print text: nothing in it moves a terminal, so there are no colours either."""
    from avionics.tools.answers.answer import visible

    click.echo(visible(text))


def show_error(result: ToolResult) -> None:
    """Print what went wrong, every fault of the parameters, and what to do."""
    from avionics.tools.answers.answer import visible

    faults = [f"  {fault}" for fault in result.validation_errors]
    headline = "the parameters are not right:" if faults else result.error
    lines = [f"error: {headline}", *faults]
    if result.hint:
        lines.append(f"hint: {result.hint}")
    click.echo(visible("\n".join(lines)), err=True)


def error_result(error: AvionicsError) -> ToolResult:
    """Return a failure before the corridor was reached, as a result."""
    return ToolResult(Status.ERROR, error=str(error), error_type=error.code, hint=error.hint)


def exit_code(result: ToolResult) -> int:
    """0 answered, 1 nothing found, 2 asked badly or refused, 3 failed."""
    if result.status is Status.ERROR:
        return ASKED_BADLY if result.error_type in REFUSALS else FAILED
    return NOTHING_FOUND if result.status is Status.NOT_FOUND else ANSWERED
