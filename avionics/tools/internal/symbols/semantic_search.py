"""semantic_search: code that a phrase describes.

Knows: ranked search.
Does not know: how symbols are ranked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import attrs

from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import NameItem
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.ranked_search import RankedItem, quote_query, search_ranked
from avionics.tools.schema.parameters import Bounds

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class SemanticSearchAnswer:
    """The symbols that match, best first; `layers` says what ranked them."""

    query: str
    layers: tuple[str, ...]
    coverage: Coverage
    results: tuple[RankedItem, ...] = part("")
    near: tuple[NameItem, ...] = part("names like it")

    def headline(self) -> str:
        """How many match, and what ranked them."""
        asked = quote_query(self.query)
        if not self.results:
            return f"nothing matches {asked}"
        how = "words alone" if len(self.layers) == 1 else f"words, and a little by meaning ({self.layers[1]})"
        return f"{asked}: best {len(self.results)}, ranked by {how}"


@tool(ToolId.SEMANTIC_SEARCH, accepts="a phrase", returns="functions and classes it describes, best first")
def semantic_search(
    workspace: Workspace, query: str, limit: Annotated[int, Bounds(ge=1, le=100)] = 10
) -> SemanticSearchAnswer:
    """Search for code that a phrase describes.

    Args:
        query: What the code does, in words.
        limit: The most results.
    """
    found = search_ranked(workspace, query, None, limit)
    layers = ("words", found.likeness.embedder) if found.likeness and found.likeness.compared else ("words",)
    return SemanticSearchAnswer(query, layers, found.coverage, found.items, found.near)
