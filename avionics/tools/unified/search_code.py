"""search_code: find the functions and classes that a text is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from avionics.index.search.query import read_query
from avionics.model.naming import plural
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import NameItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.symbols.ranked_search import RankedItem, quote_query, search_ranked
from avionics.tools.resolution.path_resolver import require_scope
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.workspace import Workspace


class SearchCodeAnswer(Struct, frozen=True):
    """The symbols that match, best first."""

    query: str
    coverage: Coverage
    results: tuple[RankedItem, ...] = part("")
    near: tuple[NameItem, ...] = part("similar names")

    def headline(self) -> str:
        """Return how many results match, and in how many files."""
        query = quote_query(self.query)
        if not self.results:
            return f"no match for {query}"
        files = len({item.file for item in self.results})
        return f"{query}: best {len(self.results)}, in {plural(files, 'file')}"


@tool(
    ToolId.SEARCH_CODE,
    accepts="an issue, an error message, a traceback, a phrase or a half-remembered name",
    returns="functions, classes and module parts, best first, with lines, signature and why they match",
)
def search_code(
    workspace: Workspace, query: str, path: str | None = None, limit: Annotated[int, Bounds(ge=1, le=100)] = 10
) -> SearchCodeAnswer:
    """Search for the code that a text describes or names.

    Args:
        query: Any text: the first line counts double; tracebacks, paths and code names are understood.
        path: A directory or file to stay within.
        limit: The maximum number of results.
    """
    scope = require_scope(workspace.code, workspace.source, path)
    found = search_ranked(workspace, read_query(query), scope, limit)
    return SearchCodeAnswer(query, found.coverage, found.items, found.near)
