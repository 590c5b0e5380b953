"""`avionics plan`: print a change as a patch with its ledger; nothing is applied."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avionics.cli import text
from avionics.cli.options import ANSWERED, NOTHING_FOUND, examples, json_option, repo_option
from avionics.model import UsageError
from avionics.tools.answers.items import plural

if TYPE_CHECKING:
    from avionics.model.knowledge import Definition, Ledger
    from avionics.tools.edits.rename import RenamePlan
    from avionics.tools.edits.workspace_view import WorkspaceView

_NAMED = 50
"""Open places that the text lists; JSON has all."""


@click.group(
    "plan", epilog=examples("avionics plan rename Cart.total sum", "avionics plan rename total sum | git apply")
)
def plan_command() -> None:
    """Plan a change: print it as a patch, with what is known of its completeness. Nothing is written."""


@plan_command.command(
    "rename",
    epilog=examples("avionics plan rename Cart.total sum", "avionics plan rename src/cart.py:12:8 sum -o rename.patch")
    + "\n\nExit codes: 0 complete, 1 places are open, 2 refused or usage error, 3 failed.",
)
@click.argument("symbol")
@click.argument("new", metavar="NEW")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write the patch to a file, byte for byte.")  # fmt: skip
@json_option
@repo_option
def rename_command(symbol: str, new: str, output: Path | None, as_json: bool, repo: Path) -> int:
    """Plan to rename SYMBOL, a name or FILE:LINE:COLUMN, to NEW.

    The plan is complete if every mention of the name is accounted for and nothing can reach it unseen; otherwise the
    open places are listed, and the patch edits the proven ones alone. The new name is tried on a copy in memory
    first: a plan by which it would mean something else anywhere is refused.
    """
    from avionics.settings import Settings
    from avionics.tools.edits.patch import build_patch
    from avionics.tools.edits.rename import RenameRefusedError, plan_rename, prove_rename
    from avionics.tools.edits.workspace_view import WorkspaceView
    from avionics.workspace import Workspace

    with Workspace.open(repo, Settings.from_environment()) as workspace, workspace.pinned_index():
        if workspace.get_index_if_built() is None:
            workspace.index()
        view = WorkspaceView.of(workspace)
        try:
            plan = plan_rename(view, *_find_place(view, symbol))
            texts = prove_rename(view, plan, new)
        except RenameRefusedError as error:
            raise UsageError(f"no plan: {error}", hint="edit by hand, and see `avionics check`") from None
        patch = build_patch({file: view.text(file).content for file in texts}, texts)
    if as_json:
        text.show_json(_to_dict(plan, new, patch))
    else:
        _show(plan, new, patch, output)
    return ANSWERED if plan.is_complete else NOTHING_FOUND


def _find_place(view: WorkspaceView, symbol: str) -> tuple[str, int, int]:
    """Return the place of a definition, or the place that is named."""
    file, line, column = (*symbol.rsplit(":", 2), "", "")[:3]
    if line.isdecimal() and column.isdecimal():
        return file, int(line), int(column)
    found = map(view.code.graph.body_of, view.code.find_definitions(symbol))
    places = sorted({(each.file, each.symbol.qualname): each for each in found}.values(), key=lambda each: each.file)
    if len(places) == 1:
        return places[0].file, places[0].line, places[0].symbol.column
    if not places:
        raise UsageError(f"no symbol is called {symbol!r}", hint="`avionics run locate NAME` finds near names")
    listed = ", ".join(_describe(each) for each in places[:5])
    raise UsageError(f"{len(places)} symbols are called {symbol!r}: {listed}", hint="give FILE:LINE:COLUMN")


def _describe(definition: Definition) -> str:
    return f"{definition.symbol.qualname} ({definition.file}:{definition.line}:{definition.symbol.column})"


def _show(plan: RenamePlan, new: str, patch: str, output: Path | None) -> None:
    """Print what is known as comments, which patch programs pass over, and the patch."""
    for line in _iter_lines(plan, new):
        # A name that holds a line end must not begin a line of its own.
        text.show_text("# " + line.replace("\r", "\\r").replace("\n", "\\n"))
    data = patch.encode("utf-8", "surrogateescape")
    if output is not None:
        output.write_bytes(data)
    elif sys.stdout.isatty():
        text.show_text(patch)
    else:
        # A patch has to hold the bytes of the files; what reads it is no terminal.
        click.echo(data, nl=False)


def _iter_lines(plan: RenamePlan, new: str) -> Iterator[str]:
    files = len({place.file for place in plan.places})
    state = "complete" if plan.is_complete else "not complete: places are open"
    yield f"rename {plan.name} to {new}: {plural(len(plan.places), 'place')} in {plural(files, 'file')}; {state}"
    if plan.ledger is not None:
        counts = ", ".join(f"{count} {name}" for name, count in _count(plan.ledger).items() if count)
        yield f"mentions of {plan.name}: {counts}"
    for file, line, why in plan.open[:_NAMED]:
        yield f"open: {file}:{line} {why}"
    if len(plan.open) > _NAMED:
        yield f"open: {len(plan.open) - _NAMED} more"
    for reason in plan.reasons:
        yield f"open: {reason}"


def _count(ledger: Ledger) -> dict[str, int]:
    return {
        "definitions": ledger.definitions,
        "usages": ledger.usages,
        "possible": ledger.possible,
        "of other things": ledger.others,
        "in text": ledger.text,
        "not examined": ledger.not_examined,
    }


def _to_dict(plan: RenamePlan, new: str, patch: str) -> dict[str, Any]:
    return {
        "name": plan.name,
        "new_name": new,
        "complete": plan.is_complete,
        "places": [f"{place.file}:{place.line}:{place.column}" for place in plan.places],
        "open": [{"file": file, "line": line, "reason": why} for file, line, why in plan.open],
        "reasons": list(plan.reasons),
        "ledger": _count(plan.ledger) if plan.ledger is not None else None,
        "patch": patch,
    }
