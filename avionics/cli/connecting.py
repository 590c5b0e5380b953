"""`avionics connect` and `avionics disconnect`: add or remove one entry in an agent client's configuration."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from avionics.cli import text
from avionics.cli.options import examples, json_option, repo_option
from avionics.cli.output.exit_codes import ANSWERED
from avionics.connect.blocks import BLOCKS, Block, plan_block, plan_block_removal
from avionics.connect.changes import FileEdit, apply_change, build_snippet, plan_connection, plan_disconnection
from avionics.connect.clients import CLIENTS, Client, build_program, build_server, require_client
from avionics.connect.files import require_inside
from avionics.connect.records import EntryRecords
from avionics.model import UsageError
from avionics.settings import Settings
from avionics.tools.answers.answer import visible

file_option = click.option(
    "--file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="The configuration file, if it is not in its usual place.",
)  # fmt: skip
print_option = click.option("--print", "only_print", is_flag=True, help="Show the change and write nothing.")


def place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that select the file, and whether to write it."""
    for option in (
        json_option,
        print_option,
        file_option,
        click.option("--user", is_flag=True, help="Use the configuration for all repositories, in the home directory."),
        repo_option,
        click.argument("client", type=click.Choice([*CLIENTS, *BLOCKS]), metavar="CLIENT"),
    ):
        command = option(command)
    return command


@click.command(
    "connect",
    epilog=f"MCP clients: {', '.join(CLIENTS)}\n\nText and language server: {', '.join(BLOCKS)}\n\n"
    + examples("avionics connect claude-code", "avionics connect codex --print", "avionics connect neovim --user"),
)
@place_options
@click.option("--portable", is_flag=True, help="Write no machine-specific paths, for a file that is shared.")
def connect_command(
    client: str, repo: Path, user: bool, file: Path | None, only_print: bool, as_json: bool, portable: bool
) -> int:
    """Let an agent client or an editor use avionics.

    Adds one entry to the client's configuration in this repository, which starts `avionics serve` or `avionics lsp`,
    or a piece of text that tells an agent of it. The change is shown, the rest of the file stays the same to the byte,
    and a backup is kept.
    """
    target = _require_target(client)
    place = get_file(target, repo, file, user=user)
    undo = _build_undo(client, repo, user, file)
    if isinstance(target, Block):
        server = build_program(target.arguments, portable=portable)
        return carry_out(plan_block(target, place, server), target.build_text(server), only_print, as_json, undo)
    asked = target.workspace if portable or user else str(repo.resolve())
    server = build_server(asked, portable=portable)
    return carry_out(plan_connection(target, place, server), build_snippet(target, server), only_print, as_json, undo)


@click.command("disconnect", epilog=examples("avionics disconnect claude-code", "avionics disconnect codex --print"))
@place_options
def disconnect_command(client: str, repo: Path, user: bool, file: Path | None, only_print: bool, as_json: bool) -> int:
    """Remove the entry from a client's configuration."""
    target = _require_target(client)
    place = get_file(target, repo, file, user=user)
    if isinstance(target, Block):
        return carry_out(plan_block_removal(target, place, open_records()), None, only_print, as_json)
    return carry_out(plan_disconnection(target, place, open_records()), None, only_print, as_json)


def _build_undo(client: str, repo: Path, user: bool, file: Path | None) -> str:
    """Return the command that removes the entry from the same file."""
    if file is not None:
        place = ["--file", str(file)]
    elif user:
        place = ["--user"]
    else:
        place = ["--repo", str(repo)] if repo != Path() else []
    return shlex.join(["avionics", "disconnect", client, *place])


def _require_target(name: str) -> Client | Block:
    """Return the client or the block of that name."""
    return BLOCKS[name] if name in BLOCKS else require_client(name)


def get_file(target: Client | Block, repo: Path, file: Path | None, *, user: bool = False) -> Path:
    """Return the file to change; one inside the repository must not be a link that leads out of it."""
    if file is not None:
        return file.absolute()
    if user:
        found = target.get_user_file()
        if found is None:
            raise UsageError(
                f"{target.title} has no known configuration for all repositories", hint="name it with --file"
            )
        return found
    root = repo.resolve()
    inside = target.get_project_file(root)
    if inside is None:
        raise UsageError(f"{target.title} has no configuration in a repository", hint="add --user or --file")
    require_inside(root, inside)
    return inside


def carry_out(change: FileEdit, entry: str | None, only_print: bool, as_json: bool, undo: str = "") -> int:
    """Show the change, make it unless told only to show it, and print the next step.

    `entry` is the entry alone, None if it is removed; `undo` is the command that undoes the change.
    """
    records = open_records()
    if not as_json:
        text.show_text(visible(_describe(change, only_print, is_entry=entry is not None)))
    if not only_print:
        apply_change(change, records)
    is_written = not (only_print or change.is_nothing)
    backup = str(records.get_backup(change.file)) if is_written and entry and change.before is not None else None
    if as_json:
        text.show_json(
            {
                "client": change.target.name,
                "file": str(change.file),
                "changed": is_written,
                "diff": change.to_diff(),
                "backup": backup,
                "entry": entry,
            }
        )
    elif is_written:
        text.show_text(visible(_conclude(change, backup, undo, is_entry=entry is not None)))
    return ANSWERED


def _describe(change: FileEdit, only_print: bool, *, is_entry: bool) -> str:
    """Describe the change, or why there is none."""
    if change.is_nothing:
        return f"{change.file} {'already has the entry' if is_entry else 'has no entry'}; nothing to do"
    return change.to_diff() + ("\n\nnothing was written, because of --print" if only_print else "")


def _conclude(change: FileEdit, backup: str | None, undo: str, *, is_entry: bool) -> str:
    """Describe what was done, and the next step."""
    if change.after is None:
        return f"\n{change.file} contained only the entry and was removed"
    lines = [f"\n{change.file} is written"]
    if backup:
        lines.append(f"backup: {backup}")
    if is_entry:
        lines += [f"next: {change.target.check}", f"to undo: {undo}"]
    return "\n".join(lines)


def open_records() -> EntryRecords:
    """Return what is known of entries that were written."""
    return EntryRecords(Settings.from_environment().cache_directory / "clients")
