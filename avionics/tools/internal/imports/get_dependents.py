"""get_dependents: find the files that depend on a file, directly and through others."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.knowledge import ModuleLink
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.imports.get_dependencies import MAX_LEVELS, count_levels, cover_levels, walk_links
from avionics.tools.resolution.path_resolver import require_code_file
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace


class DependentItem(Struct, frozen=True):
    """A dependent: its distance in imports, and the import on the way to it."""

    file: str
    line: int
    level: int
    target: str

    def to_text(self) -> str:
        return f"{self.level} {self.file}:{self.line} imports {self.target}"


class GetDependentsAnswer(Struct, frozen=True):
    """The dependents of a file: nearest first, on each level product code first."""

    path: str
    summary: str
    coverage: Coverage
    dependents: tuple[DependentItem, ...] = part("by level")

    def headline(self) -> str:
        return f"{self.path} is used by {self.summary}"


@tool(ToolId.GET_DEPENDENTS, accepts="a file", returns="the files that need it, by level")
def get_dependents(
    workspace: Workspace, path: str, depth: Annotated[int, Bounds(ge=1, le=MAX_LEVELS)] | None = None
) -> GetDependentsAnswer:
    """Find the files that depend on a file, directly and through others: what a change to it may break.

    Args:
        path: The file, relative to the workspace; a package means its own file.
        depth: How many imports away to go; no limit by default.
    """
    file = require_code_file(workspace.code, workspace.source, path)
    importers = _map_importers(workspace.code)
    steps, is_whole = walk_links(
        file, lambda each: importers.get(each, ()), lambda link: link.file, depth or MAX_LEVELS
    )
    items = sorted(
        (DependentItem(link.file, link.line, level, str(link.target)) for level, link in steps),
        key=lambda item: (item.level, role_of(item.file), item.file),
    )
    tests = sum(role_of(item.file) is FileRole.TEST for item in items)
    return GetDependentsAnswer(
        file,
        count_levels(item.level for item in items) + (f" ({tests} in tests)" if tests else ""),
        cover_levels(len(items), depth, is_whole=is_whole),
        tuple(items),
    )


def _map_importers(code: CodeIndex) -> dict[str, list[ModuleLink]]:
    """Return file → imports that resolve to it; reading all at once is faster than file by file."""
    code.load_facts(code.files)
    found: defaultdict[str, list[ModuleLink]] = defaultdict(list)
    for path in code.files:
        for link in code.imports(path):
            if link.target and link.target != path:
                found[link.target].append(link)
    return found
