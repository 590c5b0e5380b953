"""get_imports: list what a file or directory imports, and the files that the imports lead to."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import ImportItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import get_directory, require_code_file

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace


class GetImportsAnswer(Struct, frozen=True):
    """The modules that a file or directory imports: those of the workspace, then external ones."""

    path: str
    coverage: Coverage
    imports: tuple[ImportItem, ...] = part("from the workspace", share=2.0)
    external: tuple[ImportItem, ...] = part("external")

    def headline(self) -> str:
        return f"{self.path} imports from {plural(self.coverage.found, 'module')}"


@tool(ToolId.GET_IMPORTS, accepts="a file or directory", returns="its imports, and the files that they lead to")
def get_imports(workspace: Workspace, path: str) -> GetImportsAnswer:
    """List the imports of a file, or of the product code of a directory, and the file that each resolves to.

    Args:
        path: The file or directory, relative to the workspace; a Python package means its own file.
    """
    code = workspace.code
    directory = get_directory(code, workspace.source, path)
    named = directory or require_code_file(code, workspace.source, path)
    items = _list_outside(code, directory) if directory else ImportItem.of_links(code.imports(named))
    return GetImportsAnswer(
        named,
        Coverage(len(items), len(items), settled=True),
        tuple(item for item in items if item.target),
        tuple(item for item in items if not item.target),
    )


def _list_outside(code: CodeIndex, directory: str) -> tuple[ImportItem, ...]:
    """Return the imports of a directory's product files from outside it, the most imported first."""
    files = [file for file in code.files if is_within(file, directory) and role_of(file) is FileRole.PRODUCT]
    links = [each for file in files for each in code.imports(file) if not is_within(each.target or "", directory)]
    counts = Counter((each.module, each.target) for each in links)
    first: dict[tuple[str, str | None], ImportItem] = {}
    for item in ImportItem.of_links(links):
        key = item.module, item.target
        known = first.setdefault(key, item)
        first[key] = structs.replace(known, names=tuple(dict.fromkeys((*known.names, *item.names))))
    return tuple(sorted(first.values(), key=lambda item: -counts[item.module, item.target]))
