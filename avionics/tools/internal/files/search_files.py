"""search_files: find files by name."""

from __future__ import annotations

import re

from msgspec import Struct

from avionics.model.errors import UsageError
from avionics.model.naming import plural
from avionics.model.results import Coverage, complete
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.workspace import Workspace

MAX_QUERY_CHARACTERS = 300
MAX_NEAR = 20


class FoundFileItem(Struct, frozen=True):
    """A file, and how its path matches the query."""

    file: str
    reason: str
    score: float

    def to_text(self) -> str:
        return f"{self.file}  ({self.reason})"


class SearchFilesAnswer(Struct, frozen=True):
    """The files that match, best first."""

    query: str
    coverage: Coverage
    results: tuple[FoundFileItem, ...] = part("")

    def headline(self) -> str:
        return f"{plural(self.coverage.found, 'file')} matching {self.query!r}"


@tool(ToolId.SEARCH_FILES, accepts="a file name or part of one", returns="files, best first")
def search_files(workspace: Workspace, query: str) -> SearchFilesAnswer:
    """Find files by name: exact, in part, or similar.

    Args:
        query: A name, part of a name or path, or words of one.
    """
    wanted = query.strip().strip("/").lower()
    if not wanted or len(wanted) > MAX_QUERY_CHARACTERS:
        raise UsageError(f"not a file name: {query[:80]!r}", hint="give a name or a part of one")
    paths = workspace.source.walk().paths
    rated = [(rating, path) for path in paths if (rating := _rate(path.lower(), wanted)) is not None]
    if not rated:
        near = workspace.source.find_near(wanted, limit=MAX_NEAR)
        rated = [((0.3, "similar"), path) for path in near]
    else:
        rated.sort(key=lambda entry: (-entry[0][0], len(entry[1]), entry[1]))
    results = tuple(FoundFileItem(path, reason, score) for (score, reason), path in rated)
    return SearchFilesAnswer(query, complete(len(results)), results)


def _rate(path: str, wanted: str) -> tuple[float, str] | None:
    """Return the score and the reason of a match with a lower-case path; None if it does not match."""
    name = path.rpartition("/")[2]
    stem = name.partition(".")[0] or name
    letters = _keep_letters(wanted)
    if path == wanted:
        return 1.0, "path"
    if name == wanted:
        return 0.95, "name"
    if path.endswith(f"/{wanted}"):
        return 0.9, "end of the path"
    if stem == wanted:
        return 0.85, "name without extension"
    if letters and letters in (_keep_letters(name), _keep_letters(stem)):
        return 0.8, "same letters"
    if name.startswith(wanted):
        return 0.7, "start of the name"
    if wanted in name:
        return 0.6, "part of the name"
    if wanted in path:
        return 0.5, "part of the path"
    if letters and letters in _keep_letters(name):
        return 0.4, "letters of the name"
    return None


def _keep_letters(text: str) -> str:
    """Return only the letters and digits of a text, so that `user service` equals `user_service`."""
    return re.sub(r"[\W_]+", "", text)
