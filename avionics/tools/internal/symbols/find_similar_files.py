"""find_similar_files: files that say much the same as a file.

Knows: shared words and imports.
Does not know: who asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.index.analysis import related_symbols as relatedness
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.subject_resolver import require_code_file
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class SimilarFileItem:
    """A file with what it shares."""

    file: str
    score: float
    terms: tuple[str, ...]
    imports: tuple[str, ...]

    def to_text(self) -> str:
        """One line."""
        shared = [f"words: {', '.join(self.terms)}"] if self.terms else []
        shared += [f"imports: {', '.join(self.imports)}"] if self.imports else []
        return f"{self.file}  ({'; '.join(shared)})"


@attrs.frozen
class FindSimilarFilesAnswer:
    """The files most like one, most alike first."""

    path: str
    coverage: Coverage
    files: tuple[SimilarFileItem, ...] = part("")

    def headline(self) -> str:
        """How many, and what likeness means."""
        if not self.files:
            return f"no file shares rare words with {self.path}"
        count = f"{len(self.files)} files" if len(self.files) > 1 else "file"
        return f"the {count} most like {self.path}, by the rare words and imports they share"


@tool(ToolId.FIND_SIMILAR_FILES, accepts="a file", returns="the files most like it, and what they share")
def find_similar_files(
    workspace: Workspace, path: str, limit: Annotated[int, Bounds(ge=1, le=50)] = 10
) -> FindSimilarFilesAnswer:
    """Find the files that are most like a file.

    Args:
        path: The file.
        limit: The most files.
    """
    file = require_code_file(workspace, path)
    found = relatedness.find_similar_files(workspace.code, file, workspace.source.read(file))
    items = tuple(SimilarFileItem(each.file, each.score, each.terms, each.imports) for each in found[:limit])
    return FindSimilarFilesAnswer(file, Coverage(len(found), len(items), settled=True), items)
