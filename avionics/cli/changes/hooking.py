"""`avionics hook`: run a check before each commit or after each edit of an agent, or remove it again."""

from __future__ import annotations

from pathlib import Path

import click

from avionics.cli import text
from avionics.cli.connecting import carry_out, file_option, get_file, open_records, print_option
from avionics.cli.options import examples, repo_option
from avionics.cli.output.exit_codes import ANSWERED
from avionics.connect.clients import build_program
from avionics.connect.hooks import CLAUDE_CODE, HOOKS, PRE_COMMIT, plan_hook, plan_hook_removal
from avionics.settings import Settings
from avionics.tools.answers.answer import render

_BLOCKED = 2
"""The exit code with which a hook hands its standard error to the agent."""

_hook_argument = click.argument("hook", type=click.Choice(list(HOOKS)), metavar="HOOK")


@click.group("hook", epilog=f"Hooks: {', '.join(HOOKS)}\n\n" + examples("avionics hook install pre-commit"))
def hook_command() -> None:
    """Check before each commit, or after each edit of an agent."""


@hook_command.command(
    "install", epilog=examples("avionics hook install pre-commit", "avionics hook install claude-code")
)
@_hook_argument
@file_option
@print_option
@repo_option
def install_command(hook: str, file: Path | None, only_print: bool, repo: Path) -> int:
    """Install a hook: show the change, then write it."""
    chosen, server = HOOKS[hook], build_program(())
    place = get_file(chosen, repo, file)
    edit = plan_hook(chosen, place, server)
    code = carry_out(edit, chosen.build_text(server), only_print, as_json=False, undo=f"avionics hook remove {hook}")
    if chosen == PRE_COMMIT and edit.before is None and not only_print:
        place.chmod(0o755)
    return code


@hook_command.command("remove", epilog=examples("avionics hook remove pre-commit"))
@_hook_argument
@file_option
@print_option
@repo_option
def remove_command(hook: str, file: Path | None, only_print: bool, repo: Path) -> int:
    """Remove a hook that `avionics hook install` wrote."""
    chosen = HOOKS[hook]
    place = get_file(chosen, repo, file)
    return carry_out(plan_hook_removal(chosen, place, open_records()), None, only_print, as_json=False)


@hook_command.command("run", epilog=examples("avionics hook run claude-code"))
@click.argument("hook", type=click.Choice([CLAUDE_CODE.name]), metavar="HOOK")
@repo_option
def run_command(hook: str, repo: Path) -> int:
    """Check the files on disk as a hook.

    Reports what is broken, and exits with the code that tells the agent.
    """
    from avionics.tools.composite.check_change import answer_check
    from avionics.tools.resolution.baseline import BASELINE, read_baseline
    from avionics.tools.resolution.revision_pair import open_revision_pair
    from avionics.workspace import Workspace

    assert hook == CLAUDE_CODE.name
    with Workspace.open(repo, Settings.from_environment()) as workspace, workspace.pinned_index():
        answer = answer_check(open_revision_pair(workspace, None, None), read_baseline(repo / BASELINE))
    if not answer.errors:
        return ANSWERED
    text.show_notice(render(answer))
    return _BLOCKED
