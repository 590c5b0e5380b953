"""grep_search: lines that match a pattern.

Knows: the text of the workspace.
Does not know: what the text means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.model.enums import Certainty
from avionics.model.errors import IndexStateError
from avionics.model.results import Coverage
from avionics.source.globs import compile_glob
from avionics.source.paths import Skipped, SkipReason, summarize_skipped
from avionics.source.search.engines import SearchResult
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.workspace import Workspace

NO_TEXT = frozenset((SkipReason.BINARY, SkipReason.LINK, SkipReason.NOT_REGULAR))
"""What a search of text leaves out by its nature: nothing is missing for it."""


@attrs.frozen
class MatchItem:
    """A line that matches; the column counts characters from 0."""

    file: str
    line: int
    column: int
    text: str

    def to_text(self) -> str:
        """One line."""
        return f"{self.file}:{self.line}  {self.text.strip()}"


@attrs.frozen
class GrepSearchAnswer:
    """The matching lines, by file and line."""

    pattern: str
    engine: str
    files_searched: int
    coverage: Coverage
    matches: tuple[MatchItem, ...] = part("")

    def headline(self) -> str:
        """How many lines match."""
        return f"{self.coverage.found} lines match {self.pattern!r} ({self.files_searched} files searched)"


@tool(ToolId.GREP_SEARCH, accepts="a regular expression", returns="the lines that match it")
def grep_search(
    workspace: Workspace,
    pattern: str,
    path: str = ".",
    glob: str | None = None,
    case_sensitive: bool = True,
    limit: Annotated[int, Bounds(ge=1, le=2_000)] = 200,
) -> GrepSearchAnswer:
    """Search the text of files for a regular expression.

    Args:
        pattern: A regular expression that matches within one line; no look-around, no back-references.
        path: The directory or file to search.
        glob: Only files whose path matches this glob: *.py, src/**/*.ts.
        case_sensitive: Whether upper and lower case differ.
        limit: The most lines to find.
    """
    code = _get_index(workspace)
    files, skipped = _list_files(workspace, code, path)
    if glob is not None:
        matches = compile_glob(glob).fullmatch
        files = [file for file in files if matches(file)]
        skipped = [entry for entry in skipped if matches(entry.path)]
    result = workspace.source.search(
        pattern,
        paths=files,
        case_sensitive=case_sensitive,
        limit=limit,
        narrow=None if code is None else code.narrow,
    )
    unseen = [entry for entry in (*skipped, *result.skipped) if entry.reason not in NO_TEXT]
    return GrepSearchAnswer(
        pattern=pattern,
        engine=result.engine,
        files_searched=result.files_searched,
        coverage=_coverage(result, unseen, case_sensitive),
        matches=tuple(MatchItem(match.file, match.line, match.column, match.text) for match in result.matches),
    )


def _get_index(workspace: Workspace) -> CodeIndex | None:
    """The index, where there is one already, or what is known of a revision: a text search does not wait for more."""
    from avionics.index.stored_contents import build_partial_index
    from avionics.source.revision import RevisionTree

    try:
        indexed, files = workspace.get_index_if_built(), workspace.source
        return (
            build_partial_index(files, workspace.store) if not indexed and isinstance(files, RevisionTree) else indexed
        )
    except IndexStateError:
        return None


def _list_files(workspace: Workspace, code: CodeIndex | None, path: str) -> tuple[Sequence[str], Sequence[Skipped]]:
    """The files at or below a path, and what was skipped there: as the index has just seen them, or seen now."""
    if code is not None:
        place = workspace.source.resolve(path)
        if place == ".":
            return code.paths, code.snapshot.skipped
        start = f"{place}/"
        below = [file for file in code.paths if file.startswith(start)]
        if below:
            return below, [entry for entry in code.snapshot.skipped if entry.path.startswith(start)]
    walk = workspace.source.walk(path)
    return [file.path for file in walk.files], walk.skipped


def _coverage(result: SearchResult, unseen: Sequence[Skipped], case_sensitive: bool) -> Coverage:
    """How much was looked at; a text that was not searched may match."""
    count = len(result.matches)
    reasons = (*((result.truncated,) if result.truncated else ()), *summarize_skipped(unseen))
    certainty = Certainty.AT_LEAST if reasons else Certainty.EXACT
    advice = "search with case_sensitive=false" if not count and case_sensitive else ""
    return Coverage(count, count, certainty, reasons=reasons, next=advice)
