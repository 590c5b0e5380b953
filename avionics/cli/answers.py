"""Commands that run a tool: `run`, `ask`, `status`.

Knows: how a call reaches the corridor.
Does not know: how an answer is found or shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from avionics.cli import text
from avionics.cli.options import call_options, examples, json_option, repo_option
from avionics.cli.values import parse_parameters
from protocols import Caller, DeadlineExceededError, ToolCall, ToolContext, ToolResult


@click.command(
    "run",
    epilog=examples(
        "avionics run locate --param symbol=UserService",
        "avionics run read_code --param path=src/app.py --param start_line=10 --param end_line=40",
        "avionics run explore_symbol_usage --param symbol=Flask.route --json --budget 3000",
    ),
)
@click.argument("tool")
@click.option("-p", "--param", "given", multiple=True, metavar="KEY=VALUE", help="A parameter; repeat for more.")
@call_options
def run_command(
    tool: str, given: tuple[str, ...], repo: Path, as_json: bool, budget: int | None, timeout: float | None
) -> int:
    """Run one tool.

    Integers, booleans (true, false), arrays and objects (as JSON; an array also by repeating --param)
    are read as the tool declares them. `avionics tools` lists the tools.
    """
    from avionics.tools import tool_catalog

    definition = tool_catalog.get_tool(tool)
    arguments = parse_parameters(given, definition.parameters if definition else {})
    return text.show(call_tool(tool, arguments, repo, _budget(budget, as_json), timeout), as_json)


@click.command(
    "ask",
    epilog=examples(
        'avionics ask "where are sessions saved?"',
        "avionics ask Flask.route --repo ../flask",
        "avionics ask src/flask/cli.py --budget 4000",
    ),
)
@click.argument("question", nargs=-1, required=True)
@call_options
def ask_command(question: tuple[str, ...], repo: Path, as_json: bool, budget: int | None, timeout: float | None) -> int:
    """Ask a question; a symbol, a file or a directory is a question too."""
    arguments = {"query": " ".join(question)}
    return text.show(call_tool("analyze", arguments, repo, _budget(budget, as_json), timeout), as_json)


@click.command("status", epilog=examples("avionics status", "avionics status --repo ../flask --json"))
@repo_option
@json_option
def status_command(repo: Path, as_json: bool) -> int:
    """Show what is known of a directory, and how fresh it is."""
    return text.show(call_tool("get_index_stats", {}, repo, _budget(None, as_json), None), as_json)


def call_tool(
    name: str, arguments: Mapping[str, Any], repo: Path, budget: int | None, timeout: float | None
) -> ToolResult:
    """The result of one call on a directory."""
    from avionics.settings import Settings
    from avionics.tools.executor import ToolExecutor
    from avionics.workspace import Workspace

    settings = Settings.from_environment()
    workspace = Workspace.open(repo, settings)
    context = ToolContext(Caller("cli"), workspace, timeout_seconds=timeout, budget_tokens=budget)
    result = ToolExecutor(settings=settings).run(ToolCall(name, arguments), context)
    if result.error_type != DeadlineExceededError.code:
        # A tool that ran out of time still holds the workspace; it ends with the process.
        workspace.close()
    return result


def _budget(asked: int | None, as_json: bool) -> int | None:
    """The budget of a call: a JSON document is whole unless a budget is given."""
    return 0 if asked is None and as_json else asked
