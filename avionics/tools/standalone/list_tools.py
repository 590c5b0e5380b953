"""list_tools: list the tools for agents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from avionics.model.enums import ToolCategory
from avionics.model.errors import UsageError
from avionics.model.naming import plural
from avionics.model.results import Coverage, complete
from avionics.tools.answers.answer import part
from avionics.tools.answers.tool_prompt import build_prompt_line
from avionics.tools.catalog import ToolCatalog, ToolCatalogEntry
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId

LISTED = tuple(category.value for category in ToolCategory if category is not ToolCategory.INTERNAL)
"""Internal tools serve other tools; agents do not call them."""


class ToolItem(Struct, frozen=True):
    """A tool: its name, its parameters and its purpose."""

    name: str
    category: str
    parameters: Mapping[str, str]
    description: str

    @classmethod
    def of(cls, entry: ToolCatalogEntry[ToolId]) -> ToolItem:
        """Return the item of a catalog entry."""
        return cls(entry.id.value, entry.category.value, entry.parameters, entry.description)

    def to_text(self) -> str:
        parameters = ((name, not kind.endswith("?")) for name, kind in self.parameters.items())
        return build_prompt_line(self.name, parameters, self.description)


class ListToolsAnswer(Struct, frozen=True):
    """The tools, in their fixed order."""

    coverage: Coverage
    tools: tuple[ToolItem, ...] = part("")

    def headline(self) -> str:
        count = plural(self.coverage.found, "tool")
        return f"{count}; those about code also take rev: a commit, tag or branch to ask about"


@tool(ToolId.LIST_TOOLS, accepts="an optional category", returns="tools with their parameters, one line each")
def list_tools(category: Literal["unified", "composite", "resilient", "standalone"] | None = None) -> ListToolsAnswer:
    """List the tools you can ask, with their parameters.

    Args:
        category: Only the tools of this category.

    Raises:
        UsageError: There is no such category.
    """
    catalog = ToolCatalog.get_instance()
    if category is None:
        entries = catalog.get_exposed_entries()
    elif category in LISTED:
        entries = catalog.get_entries_by_category(ToolCategory(category))
    else:
        raise UsageError(f"unknown category {category!r}", hint=f"one of {', '.join(LISTED)}")
    return ListToolsAnswer(complete(len(entries)), tuple(ToolItem.of(entry) for entry in entries))
