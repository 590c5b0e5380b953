"""`avionics completion SHELL`: scripts that complete commands, options, symbols, files and revisions.

The scripts pass the words of the line to `avionics complete`, which prints one candidate per line with its description.
"""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem, ShellComplete

from avionics.cli.options import examples
from avionics.cli.output.exit_codes import ANSWERED
from avionics.cli.shell.values import find_files

SHELLS = ("bash", "zsh", "fish")
"""Shells with a script in the file `completion.SHELL`."""
_FILE_TYPES = {"file", "dir"}


@click.command(
    "completion",
    epilog=examples(
        'eval "$(avionics completion bash)"',
        "avionics completion zsh > ~/.zfunc/_avionics",
        "avionics completion fish > ~/.config/fish/completions/avionics.fish",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion_command(shell: str) -> int:
    """Print the script that completes words in a shell.

    It completes commands, options, symbols and files.
    """
    click.echo(Path(__file__).with_name(f"completion.{shell}").read_text("utf-8"), nl=False)
    return ANSWERED


@click.command("complete", hidden=True, epilog=examples("avionics complete -- refs Ca"))
@click.argument("words", nargs=-1)
def complete_command(words: tuple[str, ...]) -> int:
    """Print the values that the last word can have, one a line, each with its description after a tab."""
    for item in suggest(list(words[:-1]), words[-1] if words else ""):
        click.echo(f"{item.value}\t{item.help}" if item.help else item.value)
    return ANSWERED


def suggest(words: list[str], incomplete: str) -> list[CompletionItem]:
    """Return the values that can replace `incomplete` on a line that has the given words before it."""
    from avionics.cli.shell.group import group

    try:
        items = ShellComplete(group, {}, "avionics", "").get_completions(words, incomplete)
    except click.ClickException:
        return []
    found = [item for item in items if item.type not in _FILE_TYPES]
    if len(found) < len(items):
        found += [CompletionItem(path) for path in find_files(Path(), incomplete)]
    return [item for item in found if "\n" not in item.value and "\t" not in item.value]
