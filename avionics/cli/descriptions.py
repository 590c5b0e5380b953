"""Commands that describe the toolkit: `tools`, `prompt`, `docs`."""

from __future__ import annotations

import click

from avionics.cli import text
from avionics.cli.options import examples, json_option
from avionics.cli.output.exit_codes import ANSWERED
from avionics.cli.shell.values import suggest_tools
from avionics.model import ToolCategory


@click.command("tools", epilog=examples("avionics tools", "avionics tools find_path", "avionics tools --json"))
@click.argument("tool", required=False, metavar="[TOOL]", shell_complete=suggest_tools)
@json_option
def tools_command(tool: str | None, as_json: bool) -> int:
    """List the tools, or describe one with its parameters."""
    from avionics.tools import tool_catalog

    if as_json:
        text.show_json(tool_catalog.to_dict())
        return ANSWERED
    if tool is not None:
        from avionics.cli.document import describe_tool

        text.show_text(describe_tool(tool_catalog, tool))
        return ANSWERED
    for category in ToolCategory:
        entries = tool_catalog.get_entries_by_category(category)
        text.show_text(
            "\n".join([f"{category.value} ({len(entries)}):", *(entry.to_prompt_line() for entry in entries)])
        )
    return ANSWERED


@click.command("prompt", epilog=examples("avionics prompt", "avionics prompt --profile minimal"))
@click.option(
    "--profile", type=click.Choice(["exposed", "minimal", "review", "all"]), default="exposed", show_default=True,
    help="The set of tools to describe.",
)  # fmt: skip
def prompt_command(profile: str) -> int:
    """Print the description of the tools for a planner."""
    from avionics.tools import tool_catalog
    from avionics.tools.ids import PROFILES

    click.echo(tool_catalog.generate_planner_prompt(PROFILES[profile]))
    return ANSWERED


@click.command("docs", epilog=examples("avionics docs > docs/tools.md"))
def docs_command() -> int:
    """Print docs/tools.md."""
    from avionics.cli.document import tools_document
    from avionics.tools import tool_catalog

    click.echo(tools_document(tool_catalog), nl=False)
    return ANSWERED
