"""Print results and errors as text or as one JSON document."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from avionics.cli.output.exit_codes import ANSWERED, ASKED_BADLY, FAILED, NOTHING_FOUND
from avionics.cli.output.session import get_terminal
from avionics.model import AvionicsError, ConfigError, OutsideWorkspaceError, Status, ToolResult, UsageError

REFUSALS = frozenset(
    {
        "tool_not_found", "validation_error", "parameter_error",
        "not_enabled", "permission_denied", "approval_required", "rejected",
        UsageError.code, OutsideWorkspaceError.code, ConfigError.code,
    }
)  # fmt: skip
"""Error codes that the caller can correct."""


def show(result: ToolResult, as_json: bool, repo: Path | None = None) -> int:
    """Print a result and return its exit code; `repo` is the directory that it is about, for links to its files."""
    if as_json:
        show_json(result.to_dict())
    elif result.status is Status.ERROR:
        show_error(result)
    else:
        show_text(result.text or result.message, repo)
    return exit_code(result)


def write(text: str, *, is_error: bool = False, end: str = "\n") -> None:
    """Write text and flush it; do nothing if the process was started without that stream."""
    stream = sys.stderr if is_error else sys.stdout
    if stream is not None:
        print(text, end=end, file=stream, flush=True)


def show_json(document: Any) -> None:
    """Print one JSON document in ASCII, so that a lone surrogate cannot break the stream."""
    write(format_json(document), end="")


def format_json(document: Any) -> str:
    """Return one JSON document in ASCII, on a line."""
    import json

    return json.dumps(document) + "\n"


def show_text(text: str, repo: Path | None = None) -> None:
    """Print text with control characters made visible; on a terminal, with colours and links to files."""
    from avionics.tools.answers.answer import visible

    if repo is not None and (terminal := get_terminal()).is_terminal:
        from avionics.cli.output.printing import show_paged
        from avionics.cli.output.style import choose_style, iter_coloured

        show_paged(list(iter_coloured(visible(text), choose_style("auto", repo, terminal), terminal.columns)))
    else:
        write(visible(text))


def show_notice(text: str) -> None:
    """Print text on standard error, as `show_text` does."""
    from avionics.tools.answers.answer import visible

    write(visible(text), is_error=True)


def show_error(result: ToolResult) -> None:
    """Print the error, every invalid parameter, and the hint."""
    from avionics.tools.answers.result_text import build_text

    write(build_text(result), is_error=True)


def error_result(error: AvionicsError) -> ToolResult:
    """Return a failure before the executor pipeline as a result."""
    return ToolResult(Status.ERROR, error=str(error), error_type=error.code, hint=error.hint)


def exit_code(result: ToolResult) -> int:
    """Return 0 for an answer, 1 for nothing found, 2 for a usage error or denied permission, 3 for a failure."""
    if result.status is Status.ERROR:
        return ASKED_BADLY if result.error_type in REFUSALS else FAILED
    return NOTHING_FOUND if result.status is Status.NOT_FOUND else ANSWERED
