"""get_importers: which files import a file.

Knows: imports and where they lead.
Does not know: what is done with the names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from avionics.index.model.file_roles import FileRole, is_directory_file, role_of
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import ImportItem, plural
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.subject_resolver import require_code_file

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
    items = ImportItem.of_links(sorted(links, key=lambda link: (role_of(link.file), link.file, link.line)))
    files = {link.file for link in links}
    tests = sum(role_of(each) is FileRole.TEST for each in files)
    summary = f"imported by {plural(len(files), 'file')}" if files else "no import statement leads to it"
    advice = f"get_importers(path={onward!r}): it may pass names on" if (onward := _package_of(file, files)) else ""
    return GetImportersAnswer(
        file,
        f"{summary} ({tests} in tests)" if tests else summary,
        Coverage(len(items), len(items), next=advice, settled=True),
        items,
    )


def _package_of(file: str, importers: Iterable[str]) -> str:
    """The file of the innermost package around a file that imports it, "" for none."""
    packages = (
        each for each in importers if is_directory_file(each) and file.startswith(f"{each.rpartition('/')[0] or each}/")
    )
    return max(packages, key=len, default="")
