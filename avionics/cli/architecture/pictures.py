"""`avionics map`, `matrix`, `flow`, `hotspots`, `changes` and `report`: pictures as SVG, Mermaid or one HTML page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from avionics.cli import text
from avionics.cli.options import directory_argument, examples, output_option, repo_option, revision_option
from avionics.cli.output.exit_codes import NOTHING_FOUND
from avionics.cli.output.printing import write_document
from avionics.model import UsageError

if TYPE_CHECKING:
    from avionics.cli.architecture.gallery import Gallery
    from avionics.model.knowledge import Definition
    from avionics.pictures.drawing import Picture
    from avionics.pictures.page import PageSection
    from avionics.workspace import Workspace

CommandT = TypeVar("CommandT", bound=Callable[..., object])

link_option = click.option(
    "--link", metavar="URL", default="{path}#L{line}", show_default=True,
    help="The URL that a click opens, such as vscode://file/home/me/repo/{path}:{line} or https://forge/repo/blob/main/{path}#L{line}.",
)  # fmt: skip
format_option = click.option(
    "--format", "form", type=click.Choice(["svg", "mermaid", "page"]), default="svg", show_default=True,
    help="The output format; a page is HTML.",
)  # fmt: skip


def picture_options(command: CommandT) -> CommandT:
    """Add the options that every picture has."""
    for option in (output_option, link_option, format_option, revision_option, repo_option):
        command = option(command)
    return command


def draw_map(repo: Path, rev: str | None, form: str, link: str, output: Path | None) -> int:
    """Draw the layers of the packages or directories, and the imports between them."""
    from avionics.pictures import mermaid
    from avionics.pictures.page import PageSection

    with _open_gallery(repo, rev, link) as (_, gallery):
        if form == "mermaid":
            return write_document(mermaid.write_map(gallery.structure), output)
        picture = gallery.draw_map()
        inside = gallery.draw_inside() if form == "page" else ()
        return _show(picture, form, output, PageSection("map", picture, inside))


@click.command("matrix", epilog=examples("avionics matrix -o matrix.svg"))
@picture_options
def matrix_command(repo: Path, rev: str | None, form: str, link: str, output: Path | None) -> int:
    """Draw the dependency structure matrix: who imports whom. Cycles are framed."""
    with _open_gallery(repo, rev, link) as (_, gallery):
        return _show(gallery.draw_matrix(), form, output)


@click.command(
    "flow", epilog=examples("avionics flow Flask.wsgi_app -o flow.svg", "avionics flow --from main --to Cart.add")
)
@click.argument("symbol", required=False)
@click.option("--from", "start", metavar="SYMBOL", help="The symbol where paths of calls begin.")
@click.option("--to", "goal", metavar="SYMBOL", help="The symbol where paths of calls end.")
@picture_options
def flow_command(
    symbol: str | None, start: str | None, goal: str | None, repo: Path, rev: str | None, form: str, link: str,
    output: Path | None,
) -> int:  # fmt: skip
    """Draw the calls around SYMBOL, or the paths between two symbols.

    A path is a chain of calls that is proven to lead from the symbol of --from to that of --to.
    """
    from avionics.pictures import mermaid

    if (symbol is None) == (start is None or goal is None):
        raise UsageError("give a symbol, or both --from and --to", hint="avionics flow --help shows examples")
    with _open_gallery(repo, rev, link) as (workspace, gallery):
        if symbol is not None:
            definition = _require_symbol(workspace, symbol)
            flow = gallery.build_flow(definition)
            title = f"Calls around {definition.symbol.qualname}"
        else:
            first, last = _require_symbol(workspace, start or ""), _require_symbol(workspace, goal or "")
            paths = gallery.find_paths(first, last)
            title = f"Calls from {first.symbol.qualname} to {last.symbol.qualname}"
            if not paths:
                text.show_text(f"no proven path of calls from {first.symbol.qualname} to {last.symbol.qualname}")
                return NOTHING_FOUND
            (flow,) = paths
        if form == "mermaid":
            return write_document(mermaid.write_flow(flow), output)
        draw = gallery.draw_paths if symbol is None else gallery.draw_flow
        return _show(draw(flow, title), form, output)


@click.command("hotspots", epilog=examples("avionics hotspots -o hotspots.svg"))
@picture_options
def hotspots_command(repo: Path, rev: str | None, form: str, link: str, output: Path | None) -> int:
    """Draw files by size, recent commits and authors. Names the ten worst."""
    with _open_gallery(repo, rev, link) as (_, gallery):
        return _show(gallery.draw_hotspots(), form, output)


@click.command("changes", epilog=examples("avionics changes HEAD~5 -o changes.svg", "avionics changes main..HEAD"))
@click.argument("revisions", metavar="BASE[..HEAD]")
@picture_options
def changes_command(revisions: str, repo: Path, rev: str | None, form: str, link: str, output: Path | None) -> int:
    """Draw what a change touches, and what imports that. Without HEAD, the files on the disk are compared."""
    from avionics.pictures import mermaid

    base, _, head = revisions.partition("..")
    with _open_gallery(repo, rev or head or None, link) as (_, gallery):
        if form == "mermaid":
            touched, reached, _title = gallery.find_changed(base, head or None)
            return write_document(mermaid.write_map(gallery.structure, frozenset(touched), frozenset(reached)), output)
        return _show(gallery.draw_changes(base, head or None), form, output)


@click.command("report", epilog=examples("avionics report -o report.html"))
@directory_argument
@revision_option
@link_option
@output_option
def report_command(repo: Path, rev: str | None, link: str, output: Path | None) -> int:
    """Write one HTML page with all pictures of a repository. The page says what they do not show."""
    from avionics.pictures.page import write_page

    with _open_gallery(repo, rev, link) as (_, gallery):
        return write_document(write_page(gallery.name, gallery.sections(), gallery.list_unseen()), output)


@contextmanager
def _open_gallery(repo: Path, rev: str | None, link: str) -> Iterator[tuple[Workspace, Gallery]]:
    from avionics.cli.architecture.gallery import Gallery
    from avionics.workspace import Workspace

    with Workspace.open(repo) as opened:
        workspace = opened if rev is None else opened.at(rev)
        with workspace.pinned_index():
            yield workspace, Gallery(workspace, link)


def _show(picture: Picture, form: str, output: Path | None, section: PageSection | None = None) -> int:
    """Write a picture in a format; Mermaid has no such picture, so its table is written.

    `section` is the picture as a part of a page, if it has further ones.
    """
    from avionics.pictures import mermaid
    from avionics.pictures.page import PageSection, write_page

    if form == "page":
        document = write_page(picture.title, (section or PageSection("picture", picture),))
    else:
        document = mermaid.write_table(picture.table) if form == "mermaid" else picture.to_svg()
    return write_document(document, output)


def _require_symbol(workspace: Workspace, name: str) -> Definition:
    """Return the definition of a name. Raise `UsageError` if there is none, or several."""
    from avionics.tools.resolution.symbol_resolver import build_unknown

    found = workspace.code.find_definitions(name)
    if len({(each.file, each.symbol.qualname) for each in found}) == 1:
        return found[0]
    if not found:
        raise build_unknown(workspace.code, name)
    places = ", ".join(each.label for each in found[:5])
    raise UsageError(
        f"{len(found)} symbols are named {name!r}: {places}", hint=f"name its file too, as in {found[0].file}:{name}"
    )
