"""search_code: the functions and classes a text is about.

Knows: ranked search.
Does not know: how symbols are ranked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import NameItem, plural
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.ranked_search import RankedItem, quote_query, search_ranked
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class SearchCodeAnswer:
    """The symbols that match, best first."""

    query: str
    coverage: Coverage
    results: tuple[RankedItem, ...] = part("")
    near: tuple[NameItem, ...] = part("names like it")

    def headline(self) -> str:
        """How many match, in how many files."""
        asked = quote_query(self.query)
        if not self.results:
            return f"nothing matches {asked}"
        files = len({item.file for item in self.results})
        return f"{asked}: best {len(self.results)}, in {plural(files, 'file')}"


@tool(
    ToolId.SEARCH_CODE,
    accepts="an issue, an error message, a traceback, a phrase or a half-remembered name",
    returns="functions, classes and module parts, best first, with lines, signature and why they match",
)
def search_code(
    workspace: Workspace,
    query: str,
    path: str | None = None,
    limit: Annotated[int, Bounds(ge=1, le=100)] = 10,
) -> SearchCodeAnswer:
    """Search for the code a text is about.

    Args:
        query: Any text: the first line counts double; tracebacks, paths and code names are understood.
        path: A directory or file to stay within.
        limit: The most results.
    """
    found = search_ranked(workspace, query, path, limit)
    return SearchCodeAnswer(query, found.coverage, found.items, found.near)
