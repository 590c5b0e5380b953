"""The `avionics` command as click reads and explains it: the sub-commands and their help."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

import avionics
from avionics.cli.input.command_line import is_ignoring
from avionics.cli.options import examples
from avionics.cli.output.exit_codes import ANSWERED, INTERRUPTED

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_VERBS = "verbs.commands"

MODULES = {
    "ask": "answers",
    "def": _VERBS,
    "refs": _VERBS,
    "callers": _VERBS,
    "callees": _VERBS,
    "path": _VERBS,
    "outline": _VERBS,
    "map": "verbs.mapping",
    "search": _VERBS,
    "grep": _VERBS,
    "history": _VERBS,
    "diff": _VERBS,
    "impact": _VERBS,
    "tests": _VERBS,
    "unused": _VERBS,
    "imports": _VERBS,
    "importers": _VERBS,
    "run": "answers",
    "tools": "descriptions",
    "prompt": "descriptions",
    "check": "changes.checking",
    "explain": "changes.checking",
    "review": "changes.reviewing",
    "plan": "changes.planning",
    "hook": "changes.hooking",
    "contract": "architecture.contract",
    "matrix": "architecture.pictures",
    "flow": "architecture.pictures",
    "hotspots": "architecture.pictures",
    "changes": "architecture.pictures",
    "report": "architecture.pictures",
    "index": "indexing",
    "status": "answers",
    "watch": "warm.command",
    "bench": "bench",
    "gc": "upkeep.commands",
    "export": "upkeep.commands",
    "import": "upkeep.commands",
    "serve": "serving",
    "lsp": "serving",
    "connect": "connecting",
    "disconnect": "connecting",
    "fleet": "fleet",
    "doctor": "doctor",
    "docs": "descriptions",
    "man": "shell.manual",
    "completion": "shell.completion",
    "complete": "shell.completion",
}
"""Sub-command → its module, in the order of the help text."""

_MEANT = {"mcp": "serve", "server": "serve", "usages": "refs", "references": "refs", "find": "ask", "query": "ask"}
"""Names of commands in other programs → their names here."""

_GROUPS = {
    "ask": "Questions",
    "run": "Tools",
    "check": "Rules",
    "matrix": "Pictures",
    "index": "Index",
    "serve": "Agents and editors",
    "doctor": "Help",
}
"""The first sub-command of each group of the help text → the title of the group."""


class Commands(click.Group):
    """The sub-commands, each imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's own signature
        """Return the names of the sub-commands."""
        return list(MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return the sub-command of that name, or None."""
        if cmd_name not in MODULES:
            return None
        module = import_module(f"avionics.cli.{MODULES[cmd_name]}")
        named = getattr(module, f"{cmd_name}_command", None)
        command = named or module.build_verb_command(cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sub-commands in groups."""
        names = list(MODULES)
        starts = [names.index(first) for first in _GROUPS]
        for (title, start), end in zip(zip(_GROUPS.values(), starts, strict=True), [*starts[1:], None], strict=True):
            found = [(name, self.get_command(ctx, name)) for name in names[start:end]]
            commands = [(name, command) for name, command in found if command and not command.hidden]
            with formatter.section(title):
                formatter.write_dl([(name, command.get_short_help_str(65)) for name, command in commands])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Return the sub-commands that begin with what is typed, without importing them."""
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name) for name in MODULES if name.startswith(incomplete) and name != "complete"]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; `--repo DIR` may stand before the sub-command as well as after it.

        Raise `UsageError` if another option of a sub-command stands before it.
        """
        moved: list[str] = []
        while args and (args[0] == "--repo" or args[0].startswith("--repo=")):
            length = 2 if args[0] == "--repo" else 1
            moved += args[:length]
            args = args[length:]
        if args and not args[0].startswith("-"):
            args = [args[0], *moved, *args[1:]]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as refusal:
            hint = "options follow the command, see avionics COMMAND --help"
            raise click.UsageError(
                f"there is no option {refusal.option_name} before a command\nhint: {hint}", None
            ) from None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the sub-command that is named. Raise `UsageError`, with similar names, if there is none."""
        import shlex

        if args[0] not in MODULES and not args[0].startswith("-"):
            from difflib import get_close_matches

            from avionics.tools.ids import ToolId

            meant = _MEANT.get(args[0])
            near = [meant] if meant else get_close_matches(args[0], MODULES, n=2, cutoff=0.5)
            hint = f"did you mean {' or '.join(near)}?" if near else "avionics --help lists the commands"
            if " " in args[0]:
                hint = "ask it: avionics ask " + shlex.quote(args[0])
            elif any(args[0] == each.value for each in ToolId):
                hint = f"it is a tool: avionics run {args[0]}, see avionics tools {args[0]}"
            raise click.UsageError(f"there is no command {args[0]!r}\nhint: {hint}", None)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Return the exit code of the sub-command; show an expected error like a failed call."""
        from avionics.cli.text import error_result, show
        from avionics.model import AvionicsError

        try:
            return super().invoke(ctx)
        except AvionicsError as error:
            return show(error_result(error), as_json=ctx.obj)


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=examples(
        'avionics ask "where are sessions saved?"',
        "avionics refs Flask.route --no-tests",
        "avionics run locate SessionInterface --json",
    )
    + "\n\nExit codes: 0 answered, 1 nothing found, 2 usage error or permission denied, 3 failed.",
)
@click.version_option(avionics.__version__, message="%(prog)s %(version)s")
@click.pass_context
def group(context: click.Context) -> None:
    """Answer questions about a codebase, with citations."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run_with_click(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    as_json = "--json" in arguments
    is_ignoring.set(True)
    try:
        with group.make_context("avionics", arguments, obj=as_json) as context:
            return int(group.invoke(context) or ANSWERED)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.Abort:
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as asked:
        click.echo(asked.format_message(), err=True)
        return asked.exit_code
    except click.ClickException as refusal:
        return refuse(refusal, as_json)


def refuse(refusal: click.ClickException, as_json: bool) -> int:
    """Show an error of click like a refused call; the hint names the help."""
    from avionics.cli.text import error_result, show
    from avionics.model import UsageError

    context = getattr(refusal, "ctx", None)
    hint = f"see {context.command_path} --help" if context else ""
    return show(error_result(UsageError(refusal.format_message(), hint=hint)), as_json)
