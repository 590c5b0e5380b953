"""`avionics gc`, `avionics export`, `avionics import`: maintain the cache and exchange its contents."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import click

from avionics.cli import text
from avionics.cli.options import examples, repo_option
from avionics.cli.output.exit_codes import ANSWERED, NOTHING_FOUND
from avionics.model.errors import MissingDependencyError, UsageError
from avionics.model.naming import list_first, plural
from avionics.scratch import replacing
from avionics.workspace import Workspace


@click.command("gc", epilog=examples("avionics gc"))
def gc_command() -> int:
    """Remove unused entries from the cache."""
    with Workspace.open(".") as workspace:
        before = workspace.store.get_size_bytes()
        cleared = workspace.clear()
        after = workspace.store.get_size_bytes()
    text.show_text(
        f"removed {plural(cleared.contents, 'file content')} and {plural(cleared.workspaces, 'directory')}; "
        f"{before / 1e6:.1f} MB before, {after / 1e6:.1f} MB now"
    )
    return ANSWERED


_FACTS, _SCIP = "facts", "scip"


@click.command(
    "export",
    epilog=examples(
        "avionics export facts.avionics --repo ../shop", "avionics export --format scip --output index.scip"
    ),
)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The same as FILE.")
@click.option(
    "--format",
    "form",
    type=click.Choice((_FACTS, _SCIP)),
    default=_FACTS,
    show_default=True,
    help="facts: for other copies of avionics. scip: for code hosts and other readers of SCIP.",
)
@repo_option
def export_command(file: Path | None, output: Path | None, form: str, repo: Path) -> int:
    """Export the index of a directory to FILE. Others can start from it."""
    target = output or file or (Path("index.scip") if form == _SCIP else None)
    if target is None or (output and file):
        raise UsageError("missing output file", hint="avionics export facts.avionics")
    with Workspace.open(repo) as workspace:
        try:
            with replacing(target) as made:
                count = (_write_scip if form == _SCIP else _write_facts)(workspace, made)
        except OSError as error:
            raise UsageError(f"{target} cannot be written: {error.strerror}", hint="name a writable file") from error
    what = "document" if form == _SCIP else "file content"
    text.show_text(f"exported {plural(count, what)}, {target.stat().st_size / 1e6:.1f} MB: {target}")
    return ANSWERED


def _write_facts(workspace: Workspace, file: IO[bytes]) -> int:
    entries = workspace.code.snapshot.entries.values()
    return workspace.store.write_contents({entry.blob_id for entry in entries if entry.blob_id}, file)


def _write_scip(workspace: Workspace, file: IO[bytes]) -> int:
    try:
        from avionics.cli.upkeep.scip_writing import write_scip
    except ImportError as error:
        raise _build_missing_scip_error() from error
    return write_scip(workspace, file)


@click.command("import", epilog=examples("avionics import facts.avionics", "avionics import index.scip --repo ../shop"))
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@repo_option
def import_command(file: Path, repo: Path) -> int:
    """Import an index from FILE.

    FILE was written by `avionics export`, or is a compiler's SCIP index of the directory.

    Contents are trusted but never executed. A SCIP index counts for the files whose text it describes.
    """
    from avionics.store.transfer import MAGIC

    with Workspace.open(repo) as workspace, file.open("rb") as opened:
        if opened.peek(len(MAGIC))[: len(MAGIC)] != MAGIC:
            return _import_scip(workspace, opened)
        taken = workspace.store.take_contents(opened)
    damaged = f"; {taken.damaged} skipped: damaged, or of another version" if taken.damaged else ""
    text.show_text(f"imported {plural(taken.contents, 'file content')}, {taken.known} already indexed{damaged}")
    return ANSWERED


def _import_scip(workspace: Workspace, file: IO[bytes]) -> int:
    try:
        from avionics.index.scip.importing import import_index
    except ImportError as error:
        raise _build_missing_scip_error() from error
    from avionics.index.model.compiler_facts import CompilerFactStore

    workspace.index()
    store = CompilerFactStore(workspace.settings.cache_directory)
    try:
        report = import_index(file, workspace.code, store)
    except OSError as error:
        raise UsageError(f"the cache cannot be written: {error}", hint="set AVIONICS_CACHE_DIR") from error
    text.show_text(f"imported the proven usages of {plural(report.names, 'name')} in {plural(report.files, 'file')}")
    if report.differing:
        shown = list_first(report.differing)
        text.show_text(f"ignored {plural(len(report.differing), 'file')} that changed since it was indexed: {shown}")
    if report.missing:
        text.show_text(f"ignored {plural(report.missing, 'file')} that this directory does not have")
    return ANSWERED if report.files else NOTHING_FOUND


def _build_missing_scip_error() -> MissingDependencyError:
    return MissingDependencyError("protobuf is not installed", hint="pip install 'avionics[scip]'")
