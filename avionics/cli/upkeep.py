"""`avionics gc`, `avionics export`, `avionics import`: the store's size, and its contents taken elsewhere."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avionics.cli import text
from avionics.cli.options import ANSWERED, examples, repo_option
from avionics.model.errors import UsageError

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@click.command("gc", epilog=examples("avionics gc"))
def gc_command() -> int:
    """Drop stored facts that no repository has any more; never necessary."""
    from avionics.workspace import Workspace

    with Workspace.open(".") as workspace:
        before = workspace.store.get_size_bytes()
        cleared = workspace.clear()
        after = workspace.store.get_size_bytes()
    text.show_text(
        f"{cleared.contents} contents and {cleared.workspaces} directories forgotten; "
        f"{before / 1e6:.1f} MB before, {after / 1e6:.1f} MB now"
    )
    return ANSWERED


@click.command("export", epilog=examples("avionics export facts.avionics --repo ../flask"))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@repo_option
def export_command(file: Path, repo: Path) -> int:
    """Write what is known of a directory's files to FILE, for others to start from."""
    from avionics.workspace import Workspace

    with Workspace.open(repo) as workspace:
        try:
            count = _write_whole(workspace, file)
        except OSError as error:
            raise UsageError(f"{file} cannot be written: {error.strerror}", hint="name a file you may write") from error
    text.show_text(f"{count} contents in {file.stat().st_size / 1e6:.1f} MB: {file}")
    return ANSWERED


def _write_whole(workspace: Workspace, file: Path) -> int:
    """Write the file beside its place first, so that no half of one is ever there."""
    with tempfile.NamedTemporaryFile(dir=file.absolute().parent, prefix=f".{file.name}.", delete=False) as made:
        try:
            entries = workspace.code.snapshot.entries.values()
            count = workspace.store.write_contents({entry.blob_id for entry in entries if entry.blob_id}, made)
            made.close()
            os.replace(made.name, file)
        finally:
            Path(made.name).unlink(missing_ok=True)
    return count


@click.command("import", epilog=examples("avionics import facts.avionics"))
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def import_command(file: Path) -> int:
    """Take in what an exported FILE knows; what it says is believed, nothing in it is executed."""
    from avionics.workspace import Workspace

    with Workspace.open(".") as workspace, file.open("rb") as opened:
        taken = workspace.store.take_contents(opened)
    damaged = f"; {taken.damaged} left out: damaged, or of another version" if taken.damaged else ""
    text.show_text(f"{taken.contents} contents taken in, {taken.known} were known{damaged}")
    return ANSWERED
