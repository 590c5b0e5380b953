"""grep_search: find lines that match a regular expression."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct, structs

from avionics.model.errors import IndexStateError
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.source.globs import compile_glob
from avionics.source.paths import Skipped, SkipReason, summarize_skipped
from avionics.source.search.engines import Narrowing, SearchResult, SourceMatch
from avionics.tools.answers.answer import part
from avionics.tools.answers.next_step import suggest_same
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.search.pattern import Node
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace

NO_TEXT = frozenset((SkipReason.BINARY, SkipReason.LINK, SkipReason.NOT_REGULAR))
"""Files without text; leaving them out makes no search incomplete."""


class MatchItem(SourceMatch, frozen=True):
    """A line that matches; the column counts characters from 0."""

    def to_text(self) -> str:
        return f"{self.file}:{self.line}  {self.text.strip()}"


class GrepSearchAnswer(Struct, frozen=True):
    """The matching lines, sorted by file and line."""

    pattern: str
    engine: str
    files_searched: int
    coverage: Coverage
    matches: tuple[MatchItem, ...] = part("")

    def headline(self) -> str:
        searched = f"{plural(self.files_searched, 'file')} searched"
        return f"{plural(self.coverage.found, 'line')} matching {self.pattern!r} ({searched})"


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
        limit: The maximum number of lines.
    """
    return search_lines(workspace.source, _get_index(workspace), pattern, path, glob, case_sensitive, limit)


def search_lines(
    source: SourceTree,
    code: CodeIndex | None,
    pattern: str,
    path: str = ".",
    glob: str | None = None,
    case_sensitive: bool = True,
    limit: int = 200,
) -> GrepSearchAnswer:
    """Return the lines that match a pattern; the index, if it is built, excludes files without reading them."""
    files, skipped, large = _list_files(source, code, path)
    if glob is not None:
        matches = compile_glob(glob).fullmatch
        files = [file for file in files if matches(file)]
        skipped = [entry for entry in skipped if matches(entry.path)]
        large = frozenset(filter(matches, large))
    narrow = None if code is None else _narrow_with(code, large)
    result = source.search(
        pattern, paths=sorted({*files, *large}), case_sensitive=case_sensitive, limit=limit, narrow=narrow
    )
    unseen = [entry for entry in (*skipped, *result.skipped) if entry.reason not in NO_TEXT]
    return GrepSearchAnswer(
        pattern=pattern,
        engine=result.engine,
        files_searched=result.files_searched,
        coverage=_cover(result, unseen, case_sensitive),
        matches=tuple(MatchItem(*structs.astuple(match)) for match in result.matches),
    )


def _get_index(workspace: Workspace) -> CodeIndex | None:
    """Return the index if it is already built, or the stored facts of a revision; else None."""
    from avionics.index.stored_contents import build_partial_index
    from avionics.source.revision import RevisionTree

    try:
        indexed, files = workspace.get_index_if_built(), workspace.source
        if indexed or not isinstance(files, RevisionTree):
            return indexed
        return build_partial_index(files, workspace.store, workspace.settings.max_kept_bytes)
    except IndexStateError:
        return None


def _narrow_with(code: CodeIndex, large: frozenset[str]) -> Narrowing:
    """Return the narrowing of the index, extended by files too large to parse."""

    def narrow(pattern: Node) -> Container[str] | None:
        possible = code.narrow(pattern)
        return None if possible is None else large.union(filter(possible.__contains__, code.paths))

    return narrow if large else code.narrow


def _list_files(
    source: SourceTree, code: CodeIndex | None, path: str
) -> tuple[Sequence[str], Sequence[Skipped], frozenset[str]]:
    """Return the files at or below a path, the files that cannot be searched, and those too large to parse."""
    files, skipped = _list_found(source, code, path)
    large = frozenset(entry.path for entry in skipped if entry.reason is SkipReason.TOO_LARGE)
    return files, [entry for entry in skipped if entry.path not in large], large


def _list_found(source: SourceTree, code: CodeIndex | None, path: str) -> tuple[Sequence[str], Sequence[Skipped]]:
    """Return the files at or below a path, and the skipped ones, from the index or from a walk."""
    if code is not None:
        place = source.resolve(path)
        if place == ".":
            return code.paths, code.snapshot.skipped
        start = f"{place}/"
        below = [file for file in code.paths if file.startswith(start)]
        if below:
            return below, [entry for entry in code.snapshot.skipped if entry.path.startswith(start)]
    walk = source.walk(path)
    return [file.path for file in walk.files], walk.skipped


def _cover(result: SearchResult, unseen: Sequence[Skipped], case_sensitive: bool) -> Coverage:
    """Return how complete the matches are: files that were not searched may match."""
    count = len(result.matches)
    reasons = (*((result.truncated,) if result.truncated else ()), *summarize_skipped(unseen))
    following = suggest_same("to match other cases too", case_sensitive=False) if not count and case_sensitive else None
    return Coverage.of(count, is_exact=not reasons, reasons=reasons, next=following)
