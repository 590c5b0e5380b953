"""The commands `run`, `ask` and `status`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from avionics.cli.input.command_line import EXPLAIN, PARAM
from avionics.cli.options import (
    build_option,
    call_options,
    directory_argument,
    examples,
    fleet_option,
    get_given_options,
    json_option,
    no_ignore_option,
)
from avionics.cli.running import run_question, run_tool, show_status
from avionics.cli.shell.values import suggest_tools


@click.command(
    "run",
    epilog=examples(
        "avionics run locate UserService",
        "avionics run read_code --param path=src/app.py --param start_line=10 --param end_line=40",
        "avionics run explore_symbol_usage --param symbol=Flask.route --json --budget 3000",
        "avionics run find_symbol --param name=Flask --rev 2.0.0",
    ),
)
@click.argument("tool", shell_complete=suggest_tools)
@click.argument("value", required=False)
@build_option(PARAM)
@call_options
@fleet_option
def run_command(tool: str, value: str | None, **options: Any) -> int:
    """Run one tool. VALUE is its first parameter.

    Integers, booleans (true, false), arrays and objects (as JSON; an array also by repeating --param) are parsed as the
    tool declares them. `avionics tools` lists the tools.
    """
    return run_tool(tool, value, get_given_options(), options)


@click.command(
    "ask",
    epilog=examples(
        'avionics ask "where are sessions saved?"',
        "avionics ask Flask.route --repo ../flask",
        'avionics ask "where is Flask.route, and who calls it?" --explain',
        'avionics ask "how are sessions signed?" --model qwen3 --base-url http://localhost:11434/v1',
    ),
)
@click.argument("question", nargs=-1, required=True)
@call_options
@build_option(EXPLAIN)
@click.option(
    "--model", metavar="NAME", help="Let a chat model plan and write the answer; it receives the results of the tools."
)
@click.option("--base-url", metavar="URL", help="URL of the model; any OpenAI-compatible endpoint.")
@click.option("--api", type=click.Choice(["openai", "anthropic"]), help="API of the endpoint.  [default: openai]")
@click.option("--key-file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
              help="A file that contains the endpoint's key.")  # fmt: skip
@click.option("--no-tool-calls", is_flag=True, help="For models without tool calls: plan in JSON.")
@fleet_option
def ask_command(question: tuple[str, ...], **options: Any) -> int:
    """Answer a question in words. A symbol, a file or a directory is a question, too."""
    return run_question(question, get_given_options(), options)


@click.command("status", epilog=examples("avionics status", "avionics status ../flask --json"))
@directory_argument
@json_option
@no_ignore_option
def status_command(repo: Path, as_json: bool) -> int:
    """Show what is indexed of a directory, and how fresh it is."""
    return show_status(repo, as_json)
