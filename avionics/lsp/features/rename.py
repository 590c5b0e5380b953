"""Renaming: a proven rename as edits of the protocol; refused where a place that names the thing may be unknown."""

from __future__ import annotations

from lsprotocol import types

from avionics.lsp.view import View
from avionics.tools.edits.rename import RenamePlan, plan_rename, prove_rename, require_complete


def plan_rename_at(view: View, file: str, position: types.Position) -> RenamePlan:
    """Return every place that a rename at a position must edit.

    Raises:
        EditRefusedError: Not every place is known, or there is nothing to rename.
    """
    plan = plan_rename(view, file, *view.text(file).place_of(position))
    require_complete(plan)
    return plan


def build_rename(view: View, plan: RenamePlan, new_name: str, *, is_versioned: bool) -> types.WorkspaceEdit:
    """Return the edits of a rename that has been proven.

    Args:
        view: What the plan was made in.
        plan: The places.
        new_name: What to write there.
        is_versioned: Whether the client takes edits that name the version of a document.

    Raises:
        EditRefusedError: The new name is no name, or would mean something else somewhere.
    """
    if new_name == plan.name:
        return types.WorkspaceEdit(changes={})
    prove_rename(view, plan, new_name)
    edits = {
        file: [types.TextEdit(view.range(place), new_name) for place in places]
        for file, places in plan.by_file().items()
    }
    if not is_versioned:
        return types.WorkspaceEdit(changes={view.uri(file): each for file, each in edits.items()})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(view.uri(file), view.version(file)), list(each)
            )
            for file, each in edits.items()
        ]
    )
