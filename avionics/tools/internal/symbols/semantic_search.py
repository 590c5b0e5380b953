"""semantic_search: find code that a phrase describes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from avionics.index.search.query import read_query
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import NameItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.symbols.ranked_search import RankedItem, quote_query, search_ranked
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace


class SemanticSearchAnswer(Struct, frozen=True):
    """The symbols that match, best first; `layers` names the ranking methods."""

    query: str
    layers: tuple[str, ...]
    coverage: Coverage
    results: tuple[RankedItem, ...] = part("")
    near: tuple[NameItem, ...] = part("similar names")

    def headline(self) -> str:
        query = quote_query(self.query)
        if not self.results:
            return f"no match for {query}"
        how = "words only" if len(self.layers) == 1 else f"words and embeddings ({self.layers[1]})"
        return f"{query}: best {len(self.results)}, ranked by {how}"


@tool(ToolId.SEMANTIC_SEARCH, accepts="a phrase", returns="functions and classes it describes, best first")
def semantic_search(
    workspace: Workspace, query: str, limit: Annotated[int, Bounds(ge=1, le=100)] = 10
) -> SemanticSearchAnswer:
    """Search for code that a phrase describes.

    Args:
        query: What the code does, in words.
        limit: The maximum number of results.
    """
    found = search_ranked(workspace, read_query(query), None, limit)
    layers = ("words", found.embeddings.embedder) if found.embeddings and found.embeddings.compared else ("words",)
    return SemanticSearchAnswer(query, layers, found.coverage, found.items, found.near)
