"""get_imports: list what a file imports, and the files that the imports lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import ImportItem, plural
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import require_code_file

if TYPE_CHECKING:
    from avionics.workspace import Workspace


class GetImportsAnswer(Struct, frozen=True):
    """The modules that a file imports: those of the workspace, then external ones."""

    path: str
    coverage: Coverage
    imports: tuple[ImportItem, ...] = part("from the workspace", share=2.0)
    external: tuple[ImportItem, ...] = part("external")

    def headline(self) -> str:
        """Say how many modules there are."""
        return f"{self.path} imports from {plural(self.coverage.found, 'module')}"


@tool(ToolId.GET_IMPORTS, accepts="a file", returns="its imports, and the files that they lead to")
def get_imports(workspace: Workspace, path: str) -> GetImportsAnswer:
    """List what a file imports and where each import leads.

    Args:
        path: The file, relative to the workspace; a package means its own file.
    """
    file = require_code_file(workspace.code, workspace.source, path)
    items = ImportItem.of_links(workspace.code.imports(file))
    return GetImportsAnswer(
        file,
        Coverage(len(items), len(items), settled=True),
        tuple(item for item in items if item.target),
        tuple(item for item in items if not item.target),
    )
