"""get_importers: which files import a file.

Knows: imports and where they lead.
Does not know: what is done with the names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from avionics.index.places import Standing, standing_of
from avionics.tools.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.items import ImportItem
from avionics.tools.subjects import require_code_file
from protocols.results import Coverage, complete

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class GetImportersAnswer:
    """The imports that lead to a file, those in product code first; `summary` counts them all."""

    path: str
    summary: str
    coverage: Coverage
    importers: tuple[ImportItem, ...] = part("")

    def headline(self) -> str:
        """How many files import it."""
        return f"{self.path}: {self.summary}"


@tool(ToolId.GET_IMPORTERS, accepts="a file", returns="the imports that lead to it, with their lines")
def get_importers(workspace: Workspace, path: str) -> GetImportersAnswer:
    """List who imports a file.

    Args:
        path: The file, relative to the workspace; a package means its own file.
    """
    file = require_code_file(workspace, path)
    links = workspace.code.importers(file)
    ordered = sorted(links, key=lambda link: (standing_of(link.file), link.file, link.line))
    files = {link.file for link in links}
    tests = sum(standing_of(each) is Standing.TEST for each in files)
    summary = f"imported by {len(files)} files ({tests} tests)" if files else "no import statement leads to it"
    onward = next((link.file for link in ordered if link.file.endswith("/__init__.py")), "")
    advice = f"get_importers(path={onward!r}): it may pass names on" if onward else ""
    return GetImportersAnswer(file, summary, complete(len(links), advice), tuple(map(ImportItem.of, ordered)))
