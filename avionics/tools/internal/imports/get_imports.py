"""get_imports: what a file imports, and which files of the workspace that leads to.

Knows: imports and where they lead.
Does not know: what is done with the names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import ImportItem, plural
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.subject_resolver import require_code_file

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class GetImportsAnswer:
    """The modules a file imports: those that lead to files of the workspace, then those that lead out of it."""

    path: str
    coverage: Coverage
    imports: tuple[ImportItem, ...] = part("from the workspace", share=2.0)
    external: tuple[ImportItem, ...] = part("from outside")

    def headline(self) -> str:
        """How many there are."""
        return f"{self.path} imports from {plural(self.coverage.found, 'module')}"


@tool(ToolId.GET_IMPORTS, accepts="a file", returns="its imports, and the files they lead to")
def get_imports(workspace: Workspace, path: str) -> GetImportsAnswer:
    """List what a file imports and where each import leads.

    Args:
        path: The file, relative to the workspace; a package means its own file.
    """
    file = require_code_file(workspace, path)
    items = ImportItem.of_links(workspace.code.imports(file))
    return GetImportsAnswer(
        file,
        Coverage(len(items), len(items), settled=True),
        tuple(item for item in items if item.target),
        tuple(item for item in items if not item.target),
    )
