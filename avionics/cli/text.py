"""What the command line says: results and errors as text or as one JSON document.

Knows: terminals, exit codes.
Does not know: how a result came to be.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import click

from avionics.cli.options import ANSWERED, ASKED_BADLY, FAILED, NOTHING_FOUND
from protocols import AvionicsError, ConfigError, OutsideWorkspaceError, Status, ToolResult, UsageError

REFUSALS = frozenset(
    {
        "tool_not_found", "validation_error", "parameter_error",
        "not_enabled", "permission_denied", "approval_required", "rejected",
        UsageError.code, OutsideWorkspaceError.code, ConfigError.code,
    }
)  # fmt: skip
"""Codes of errors that the caller can mend."""

_PLACE = re.compile(r"^(\s*)([^\s:]+:\d+(?:-\d+)?)", re.MULTILINE)
_TITLE = re.compile(r"^\S.*\(\d+(?: of \d+)?\):$", re.MULTILINE)
_ASIDE = re.compile(r"^(?:\[.*\]|next: .*)$", re.MULTILINE)


def show(result: ToolResult, as_json: bool) -> int:
    """Prints a result and gives the exit code it stands for."""
    if as_json:
        show_json(result.to_dict())
    elif result.status is Status.ERROR:
        show_error(result)
    else:
        show_text(result.text or result.message)
    return exit_code(result)


def show_json(document: Any) -> None:
    """Prints one JSON document, in ASCII: a lone surrogate cannot break the stream."""
    click.echo(json.dumps(document))


def show_text(text: str) -> None:
    """Prints text, coloured on a terminal."""
    click.echo(colored(text) if sys.stdout.isatty() else text)


def show_error(result: ToolResult) -> None:
    """Prints what went wrong, every fault of the parameters, and what to do."""
    faults = [f"  {fault}" for fault in result.validation_errors]
    headline = "the parameters are not right:" if faults else result.error
    lines = [f"{click.style('error', fg='red')}: {headline}", *faults]
    if result.hint:
        lines.append(f"{click.style('hint', fg='yellow')}: {result.hint}")
    click.echo("\n".join(lines), err=True)


def error_result(error: AvionicsError) -> ToolResult:
    """A failure before the corridor was reached, as a result."""
    return ToolResult(Status.ERROR, error=str(error), error_type=error.code, hint=error.hint)


def exit_code(result: ToolResult) -> int:
    """0 answered, 1 nothing found, 2 asked badly or refused, 3 failed."""
    if result.status is Status.ERROR:
        return ASKED_BADLY if result.error_type in REFUSALS else FAILED
    return NOTHING_FOUND if result.status is Status.NOT_FOUND else ANSWERED


def colored(text: str) -> str:
    """Places, titles and asides told apart by colour."""
    text = _PLACE.sub(lambda match: match[1] + click.style(match[2], fg="cyan"), text)
    text = _TITLE.sub(lambda match: click.style(match[0], bold=True), text)
    return _ASIDE.sub(lambda match: click.style(match[0], dim=True), text)
