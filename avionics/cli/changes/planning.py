"""`avionics plan`: print a change as a patch with its ledger; nothing is applied."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import click

from avionics.cli import text
from avionics.cli.options import examples, json_option, output_option, repo_option
from avionics.cli.output.exit_codes import ANSWERED, NOTHING_FOUND
from avionics.model import UsageError
from avionics.model.enums import is_class
from avionics.model.naming import plural
from avionics.settings import Settings
from avionics.tools.internal.symbols.find_references import describe_ledger
from avionics.tools.resolution.symbol_resolver import build_unknown

if TYPE_CHECKING:
    from avionics.model.knowledge import Definition, Ledger
    from avionics.tools.edits.edit_plan import EditPlan
    from avionics.tools.edits.workspace_view import WorkspaceView

_CODES = "\n\nExit codes: 0 complete, 1 incomplete, 2 refused or usage error, 3 failed."
_NAMED = 50
"""Open places that the text lists; JSON has all."""


@click.group(
    "plan", epilog=examples("avionics plan rename Cart.total sum", "avionics plan rename total sum | git apply")
)
def plan_command() -> None:
    """Plan a change and print it as a patch.

    The patch is preceded by what is known of its completeness. No file is changed.
    """


@plan_command.command(
    "rename",
    epilog=examples("avionics plan rename Cart.total sum", "avionics plan rename src/cart.py:12:8 sum -o rename.patch")
    + _CODES,
)
@click.argument("symbol")
@click.argument("new", metavar="NEW")
@output_option
@json_option
@repo_option
def rename_command(symbol: str, new: str, output: Path | None, as_json: bool, repo: Path) -> int:
    """Plan to rename SYMBOL to NEW.

    SYMBOL is a name or FILE:LINE:COLUMN.

    The plan is complete if every mention of the name is accounted for and nothing can use the symbol without its name.
    Otherwise it lists the open places, and the patch edits only the proven ones. The new name is tried on a copy in
    memory first, and refused if it would mean something else anywhere.
    """
    from avionics.tools.edits.rename import plan_rename, prove_rename

    with _open_view(repo) as view:
        plan = plan_rename(view, *_find_place(view, symbol))
        texts = prove_rename(view, plan, new)
        files = plural(len({place.file for place in plan.places}), "file")
        title = f"rename {plan.name} to {new}: {plural(len(plan.places), 'place')} in {files}"
        places = [f"{place.file}:{place.line}:{place.column}" for place in plan.places]
        return _show(view, plan, title, texts, output, {"new_name": new, "places": places} if as_json else None)


@plan_command.command(
    "change-signature",
    epilog=examples(
        "avionics plan change-signature Cart.add '(item, count=1)'",
        "avionics plan change-signature Cart.add '(item, count, price)' --value price=0",
    )
    + _CODES,
)
@click.argument("symbol")
@click.argument("parameters", metavar="PARAMETERS")
@click.option("--value", "values", multiple=True, metavar="NAME=EXPRESSION",
              help="The argument that existing calls pass for a new parameter.")  # fmt: skip
@output_option
@json_option
@repo_option
def signature_command(
    symbol: str, parameters: str, values: tuple[str, ...], output: Path | None, as_json: bool, repo: Path
) -> int:
    """Plan to give SYMBOL the parameters PARAMETERS.

    SYMBOL is the name of a function or FILE:LINE:COLUMN.

    PARAMETERS is a parameter list in the syntax of the language; the receiver of a method (`self`) is optional. The
    patch matches arguments with parameters by name, reorders them, and removes those of removed parameters. Calls
    that need a value for a new parameter are open unless --value gives it. The result is tried on a copy in memory
    first, and places where `avionics check` reports an error are open as well.
    """
    from avionics.tools.edits.signature import plan_signature

    given = {name: value for name, sign, value in (each.partition("=") for each in values) if sign and value}
    if len(given) < len(values):
        raise UsageError("--value takes NAME=EXPRESSION", hint="for example --value price=0")
    with _open_view(repo) as view:
        plan = plan_signature(view, _require_definition(view, symbol), parameters, given)
        files = plural(len(plan.texts), "file")
        title = f"change the parameters of {plan.name}: {plural(plan.places, 'place')} in {files}"
        extra = {"parameters": parameters, "places": plan.places} if as_json else None
        return _show(view, plan, title, plan.texts, output, extra)


@plan_command.command(
    "move",
    epilog=examples("avionics plan move Cart shop/models.py", "avionics plan move src/cart.py:12:6 src/models.py")
    + _CODES,
)
@click.argument("symbol")
@click.argument("target", metavar="FILE")
@output_option
@json_option
@repo_option
def move_command(symbol: str, target: str, output: Path | None, as_json: bool, repo: Path) -> int:
    """Plan to move SYMBOL to FILE.

    SYMBOL is a name or FILE:LINE:COLUMN, FILE a path from the root of the repository.

    The definition moves with what it imports, and files that import it import it from FILE. The result is tried on a
    copy in memory: a name that would mean something else there, a usage that would not lead to the definition, and what
    `avionics check` reports are open.
    """
    from avionics.tools.edits.move import plan_move

    path = PurePosixPath(target)
    if path.is_absolute() or ".." in path.parts or not path.suffix:
        raise UsageError(
            f"{target!r} is not a file of the repository", hint="give its path from the root, such as src/cart.py"
        )
    with _open_view(repo) as view:
        plan = plan_move(view, _require_definition(view, symbol), str(path))
        title = f"move {plan.name} to {path}: {plural(len(plan.texts), 'file')}"
        return _show(view, plan, title, plan.texts, output, {"target": str(path)} if as_json else None)


@contextmanager
def _open_view(repo: Path) -> Iterator[WorkspaceView]:
    """Yield the files as they are on disk, indexed; a change that is refused is a usage error."""
    from avionics.tools.edits.edit_plan import EditRefusedError
    from avionics.tools.edits.workspace_view import WorkspaceView
    from avionics.workspace import Workspace

    with Workspace.open(repo, Settings.from_environment()) as workspace, workspace.pinned_index():
        if workspace.get_index_if_built() is None:
            workspace.index()
        try:
            with closing(WorkspaceView.of(workspace)) as view:
                yield view
        except EditRefusedError as error:
            raise UsageError(f"no plan: {error}", hint="edit by hand, then run `avionics check`") from None


def _require_definition(view: WorkspaceView, symbol: str) -> Definition:
    """Return the definition that a symbol or place names."""
    from avionics.tools.edits.occurrences import find_definitions, find_targets, get_occurrence

    file, line, column = _find_place(view, symbol)
    occurrence = get_occurrence(view.code, view.text(file), file, line, column)
    targets = find_targets(view.code, occurrence) if occurrence is not None else ()
    found = dict.fromkeys(each for target in targets for each in find_definitions(view.code, target))
    exact = [each for each in found if (each.file, each.line, each.symbol.column) == (file, line, column)]
    chosen = exact or list(found)
    if len(chosen) != 1:
        raise UsageError(f"{symbol!r} does not name one definition", hint="give FILE:LINE:COLUMN of its name")
    return chosen[0]


def _find_place(view: WorkspaceView, symbol: str) -> tuple[str, int, int]:
    """Return the place of a definition, or the place that is named; a class is meant before its constructors."""
    file, line, column = (*symbol.rsplit(":", 2), "", "")[:3]
    if line.isdecimal() and column.isdecimal():
        return file, int(line), int(column)
    found = map(view.code.graph.body_of, view.code.find_definitions(symbol))
    named = {(each.file, each.symbol.qualname): each for each in found}
    classes = [key for key, each in named.items() if is_class(each.kind)]
    constructors = {(file, f"{qualname}.{qualname.rpartition('.')[2]}") for file, qualname in classes}
    places = sorted((each for key, each in named.items() if key not in constructors), key=lambda each: each.file)
    if len(places) == 1:
        return places[0].file, places[0].line, places[0].symbol.column
    if not places:
        raise build_unknown(view.code, symbol)
    listed = ", ".join(_describe(each) for each in places[:5])
    raise UsageError(f"{len(places)} symbols are named {symbol!r}: {listed}", hint="give FILE:LINE:COLUMN")


def _describe(definition: Definition) -> str:
    return f"{definition.symbol.qualname} ({definition.file}:{definition.line}:{definition.symbol.column})"


def _show(
    view: WorkspaceView,
    plan: EditPlan,
    title: str,
    texts: Mapping[str, str],
    output: Path | None,
    extra: Mapping[str, Any] | None,
) -> int:
    """Print what is known as comments, which patch programs pass over, and the patch; JSON with `extra` if given."""
    from avionics.tools.edits.patch import build_patch

    patch = build_patch({file: view.text(file).content for file in texts}, texts)
    if extra is not None:
        text.show_json(_to_dict(plan, patch, extra))
        return ANSWERED if plan.is_complete else NOTHING_FOUND
    for line in _iter_lines(plan, title):
        # A name with a line break must not start a new line of the patch.
        text.show_text("# " + line.replace("\r", "\\r").replace("\n", "\\n"))
    data = patch.encode("utf-8", "surrogateescape")
    if output is not None:
        output.write_bytes(data)
    elif sys.stdout.isatty():
        text.show_text(patch)
    else:
        # A patch must contain the exact bytes of the files; it is not printed for a terminal.
        click.echo(data, nl=False)
    return ANSWERED if plan.is_complete else NOTHING_FOUND


def _iter_lines(plan: EditPlan, title: str) -> Iterator[str]:
    yield f"{title}; {'complete' if plan.is_complete else 'incomplete: some places are open'}"
    if plan.ledger is not None:
        yield describe_ledger(plan.ledger)
    for file, line, why in plan.open[:_NAMED]:
        yield f"open: {file}:{line} {why}"
    if len(plan.open) > _NAMED:
        yield f"open: {len(plan.open) - _NAMED} more"
    for reason in plan.reasons:
        yield f"open: {reason}"


def _to_dict(plan: EditPlan, patch: str, extra: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": plan.name,
        **extra,
        "complete": plan.is_complete,
        "open": [{"file": file, "line": line, "reason": why} for file, line, why in plan.open],
        "reasons": list(plan.reasons),
        "ledger": _count(plan.ledger) if plan.ledger is not None else None,
        "patch": patch,
    }


def _count(ledger: Ledger) -> dict[str, int]:
    return {
        "definitions": ledger.definitions,
        "usages": ledger.usages,
        "possible": ledger.possible,
        "of other things": ledger.others,
        "in text": ledger.text,
        "not examined": ledger.not_examined,
    }
