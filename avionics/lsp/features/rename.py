"""Build the edits of a rename; it is refused unless all places that name the definition are known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from avionics.lsp.messages import RequestFailedError
from avionics.lsp.types import (
    DocumentReplacements,
    DocumentVersion,
    Position,
    RenamePlaceholder,
    TextReplacement,
    WorkspaceEdit,
)
from avionics.lsp.view import View
from avionics.tools.edits.edit_plan import EditRefusedError
from avionics.tools.edits.rename import RenamePlan, plan_rename, prove_rename, require_complete


def prepare_rename(view: View, file: str, position: Position) -> RenamePlaceholder:
    """Return the range and the name to rename. Raise `RequestFailedError` unless every place is known."""
    with _refused():
        plan = _plan(view, file, position)
    return RenamePlaceholder(view.range(plan.occurrence.place), plan.name)


def build_rename(view: View, file: str, position: Position, new_name: str, *, is_versioned: bool) -> WorkspaceEdit:
    """Return the edits of a rename that has been proven, with the versions of documents if the client takes them.

    Raises:
        RequestFailedError: Not every place is known, or the new name is invalid or would mean something else somewhere.
    """
    with _refused():
        plan = _plan(view, file, position)
        if new_name == plan.name:
            return WorkspaceEdit(changes={})
        prove_rename(view, plan, new_name)
    edits = {
        file: [TextReplacement(view.range(place), new_name) for place in places]
        for file, places in plan.by_file().items()
    }
    if not is_versioned:
        return WorkspaceEdit(changes={view.uri(file): each for file, each in edits.items()})
    return WorkspaceEdit(
        document_changes=[
            DocumentReplacements(DocumentVersion(view.uri(file), view.version(file)), list(each))
            for file, each in edits.items()
        ]
    )


def _plan(view: View, file: str, position: Position) -> RenamePlan:
    """Return every place that a rename at a position must edit."""
    plan = plan_rename(view, file, *view.text(file).place_of(position))
    require_complete(plan)
    return plan


@contextmanager
def _refused() -> Iterator[None]:
    """Tell the client why a rename is refused."""
    try:
        yield
    except EditRefusedError as error:
        raise RequestFailedError(str(error)) from None
