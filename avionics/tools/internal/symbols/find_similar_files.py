"""find_similar_files: find the files most similar to a file."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct, structs

from avionics.index.analysis import related_symbols
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import require_code_file
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace


class SimilarFileItem(related_symbols.SimilarFile, frozen=True):
    """A similar file, and the words and imports that both have."""

    def to_text(self) -> str:
        shared = [f"words: {', '.join(self.terms)}"] if self.terms else []
        shared += [f"imports: {', '.join(self.imports)}"] if self.imports else []
        return f"{self.file}  ({'; '.join(shared)})"


class FindSimilarFilesAnswer(Struct, frozen=True):
    """The files most similar to one, most similar first."""

    path: str
    coverage: Coverage
    files: tuple[SimilarFileItem, ...] = part("")

    def headline(self) -> str:
        count = plural(len(self.files), "file") if self.files else "no file"
        return f"{count} similar to {self.path}, by shared rare words and imports"


@tool(ToolId.FIND_SIMILAR_FILES, accepts="a file", returns="the most similar files, and what they share")
def find_similar_files(
    workspace: Workspace, path: str, limit: Annotated[int, Bounds(ge=1, le=50)] = 10
) -> FindSimilarFilesAnswer:
    """Find the files that are most similar to a file.

    Args:
        path: The file.
        limit: The maximum number of files.
    """
    file = require_code_file(workspace.code, workspace.source, path)
    found = related_symbols.find_similar_files(workspace.code, file, workspace.source.read(file))
    items = tuple(SimilarFileItem(*structs.astuple(each)) for each in found[:limit])
    return FindSimilarFilesAnswer(file, Coverage(len(found), len(items), settled=True), items)
