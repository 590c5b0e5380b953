"""The tools about a fleet as a registry, which a server can offer."""

from __future__ import annotations

from avionics.model.results import ToolResult
from avionics.tools.fleet.fleet_tools import FleetTools
from avionics.tools.ids import ToolId
from avionics.tools.registry import ToolRegistry


def build_fleet_registry(fleet: FleetTools) -> ToolRegistry:
    """Return a registry of the questions that a fleet answers."""
    registry = ToolRegistry()

    @registry.tool
    def ask(question: str) -> ToolResult:
        """Answer a question in words about the repositories of a fleet.

        Args:
            question: The question, such as "who uses Cart.add?".
        """
        return fleet.answer(question)

    @registry.tool
    def locate(symbol: str) -> ToolResult:
        """Find code by name in the repositories of a fleet.

        Args:
            symbol: A name, a dotted name, part of a path, or text.
        """
        return fleet.run(ToolId.LOCATE, {"symbol": symbol})

    @registry.tool
    def search_code(query: str, limit: int = 5) -> ToolResult:
        """Search the repositories of a fleet for the code a text is about.

        Args:
            query: Any text.
            limit: The maximum number of results of a repository.
        """
        return fleet.run(ToolId.SEARCH_CODE, {"query": query, "limit": limit})

    @registry.tool
    def refs(symbol: str, owner: str | None = None) -> ToolResult:
        """List who uses a function, class or method, in every repository that imports its package.

        Args:
            symbol: The name of a definition, such as Cart.add.
            owner: The repository that defines it, if several do.
        """
        return fleet.ask_usages(symbol, owner)

    @registry.tool
    def impact(symbols: list[str], owner: str | None = None) -> ToolResult:
        """List who uses any of some definitions that are about to change, in every repository.

        Args:
            symbols: The names of the definitions.
            owner: The repository that defines them, if several do.
        """
        return fleet.ask_impact(symbols, owner)

    @registry.tool
    def list_repositories() -> ToolResult:
        """List the repositories of the fleet, each with its revision and the age of its snapshot."""
        return fleet.list_repositories()

    return registry
