"""list_files: list the files and directories in a directory."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.source.paths import summarize_skipped
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.workspace import Workspace


class DirectoryItem(Struct, frozen=True):
    """A directory, and the number of files below it."""

    path: str
    files: int

    def to_text(self) -> str:
        return f"{self.path}/  {plural(self.files, 'file')}"


class FileItem(Struct, frozen=True):
    """A file and its size."""

    file: str
    bytes: int

    def to_text(self) -> str:
        return f"{self.file}  {plural(self.bytes, 'byte')}"


class ListFilesAnswer(Struct, frozen=True):
    """The entries of a directory."""

    path: str
    coverage: Coverage
    directories: tuple[DirectoryItem, ...] = part("directories")
    files: tuple[FileItem, ...] = part("files")

    def headline(self) -> str:
        return f"{self.path}: {plural(self.coverage.found, 'entry')}"


@tool(ToolId.LIST_FILES, accepts="a directory, by default the root", returns="its directories and files")
def list_files(workspace: Workspace, path: str = ".") -> ListFilesAnswer:
    """List the files and directories directly in a directory.

    Args:
        path: The directory, relative to the workspace.
    """
    scope = workspace.source.resolve(path)
    walk = workspace.source.walk(scope)
    prefix = "" if scope == "." else f"{scope}/"
    counts: Counter[str] = Counter()
    files = []
    for file in walk.files:
        name, slash, _ = file.path.removeprefix(prefix).partition("/")
        if slash:
            counts[prefix + name] += 1
        else:
            files.append(FileItem(file.path, file.size))
    directories = tuple(DirectoryItem(name, count) for name, count in sorted(counts.items()))
    here = [entry for entry in walk.skipped if "/" not in entry.path.removeprefix(prefix)]
    total = len(directories) + len(files)
    coverage = Coverage(total, total, reasons=summarize_skipped(here))
    return ListFilesAnswer(scope, coverage, directories, tuple(files))
