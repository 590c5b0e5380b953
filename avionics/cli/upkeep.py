"""`avionics gc`, `avionics export`, `avionics import`: maintain the cache and exchange its contents."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avionics.cli import text
from avionics.cli.options import ANSWERED, examples, repo_option
from avionics.model.errors import UsageError
from avionics.tools.answers.items import plural

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@click.command("gc", epilog=examples("avionics gc"))
def gc_command() -> int:
    """Remove unused entries from the cache."""
    from avionics.workspace import Workspace

    with Workspace.open(".") as workspace:
        before = workspace.store.get_size_bytes()
        cleared = workspace.clear()
        after = workspace.store.get_size_bytes()
    text.show_text(
        f"removed {plural(cleared.contents, 'file content')} and {plural(cleared.workspaces, 'directory')}; "
        f"{before / 1e6:.1f} MB before, {after / 1e6:.1f} MB now"
    )
    return ANSWERED


@click.command("export", epilog=examples("avionics export facts.avionics --repo ../flask"))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@repo_option
def export_command(file: Path, repo: Path) -> int:
    """Export the index of a directory to FILE, for others to start from."""
    from avionics.workspace import Workspace

    with Workspace.open(repo) as workspace:
        try:
            count = _write_whole(workspace, file)
        except OSError as error:
            raise UsageError(f"{file} cannot be written: {error.strerror}", hint="name a writable file") from error
    text.show_text(f"exported {plural(count, 'file content')}, {file.stat().st_size / 1e6:.1f} MB: {file}")
    return ANSWERED


def _write_whole(workspace: Workspace, file: Path) -> int:
    """Write a temporary file and rename it, so that FILE is never incomplete."""
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
    """Import an index exported with `avionics export`. Contents are trusted but never executed."""
    from avionics.workspace import Workspace

    with Workspace.open(".") as workspace, file.open("rb") as opened:
        taken = workspace.store.take_contents(opened)
    damaged = f"; {taken.damaged} skipped: damaged, or of another version" if taken.damaged else ""
    text.show_text(f"imported {plural(taken.contents, 'file content')}, {taken.known} already indexed{damaged}")
    return ANSWERED
