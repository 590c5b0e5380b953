"""get_project_tree: show the tree of files and directories of the workspace."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from msgspec import Struct

from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.source.paths import summarize_skipped
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.files.tree_structure import fitting_depth, iter_directories, level
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace


class TreeEntryItem(Struct, frozen=True):
    """A file, or a directory with the number of files below it."""

    path: str
    files: int
    is_directory: bool

    def to_text(self) -> str:
        name = self.path.rpartition("/")[2]
        return f"{'  ' * (level(self.path) - 1)}{name}{f'/  ({self.files})' if self.is_directory else ''}"


class GetProjectTreeAnswer(Struct, frozen=True):
    """The tree to a depth, each entry below its directory."""

    depth: int
    files: int
    coverage: Coverage
    entries: tuple[TreeEntryItem, ...] = part("")

    def headline(self) -> str:
        return f"{plural(self.files, 'file')}, shown to depth {self.depth}; a directory counts all files below it"


@tool(ToolId.GET_PROJECT_TREE, accepts="an optional depth", returns="the tree of directories and files")
def get_project_tree(
    workspace: Workspace, depth: Annotated[int, Bounds(ge=1, le=50)] | None = None
) -> GetProjectTreeAnswer:
    """Show the tree of directories and files.

    Args:
        depth: How many levels to show; by default as many as fit about 120 entries.
    """
    walk = workspace.source.walk()
    paths = walk.paths
    counts = Counter(directory for path in paths for directory in iter_directories(path) if directory)
    shown = depth or fitting_depth(map(level, [*counts, *paths]))
    entries = [TreeEntryItem(path, count, is_directory=True) for path, count in counts.items() if level(path) <= shown]
    entries += [TreeEntryItem(path, 1, is_directory=False) for path in paths if level(path) <= shown]
    entries.sort(key=lambda entry: entry.path.split("/"))
    coverage = Coverage(len(entries), len(entries), reasons=summarize_skipped(walk.skipped))
    return GetProjectTreeAnswer(shown, len(paths), coverage, tuple(entries))
