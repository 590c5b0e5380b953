"""glob_files: find files whose path matches a pattern."""

from __future__ import annotations

import re

from msgspec import Struct

from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, complete
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import NameItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.workspace import Workspace


class PathItem(Struct, frozen=True):
    """A file."""

    file: str

    def to_text(self) -> str:
        return self.file


class GlobFilesAnswer(Struct, frozen=True):
    """The files that match, sorted by path."""

    pattern: str
    coverage: Coverage
    files: tuple[PathItem, ...] = part("")
    near: tuple[NameItem, ...] = part("similar paths")

    def headline(self) -> str:
        return f"{plural(self.coverage.found, 'file')} matching {self.pattern}"


@tool(ToolId.GLOB_FILES, accepts="a glob: src/**/*.py, *.{js,ts}", returns="the files that match")
def glob_files(workspace: Workspace, pattern: str, path: str = ".") -> GlobFilesAnswer:
    """Find files by a path pattern.

    Args:
        pattern: A glob. `*` stays within a name, `**` spans directories, `{a,b}` are alternatives; without a slash it
            matches names at any depth.
        path: The directory the pattern starts from.
    """
    found = workspace.source.find_paths(pattern, path)
    if found:
        return GlobFilesAnswer(pattern, complete(len(found)), tuple(map(PathItem, found)))
    plain = re.sub(r"[*?{}\[\]]+", "", pattern).strip("/")
    near = workspace.source.find_near(plain) if plain else ()
    return GlobFilesAnswer(
        pattern, Coverage(0, 0, reasons=(Reason(ReasonKind.FILES_IGNORED),)), near=tuple(map(NameItem, near))
    )
