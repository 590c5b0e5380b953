"""Views: registries composed of registries. Nothing is copied, so later registrations are visible.

combined(tool_catalog, filtered(registry, is_read_only), prefixed(other, "other."))
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import attrs

from avionics.model.errors import RegistrationError
from avionics.model.tools import Fallback, ToolDefinitionProtocol, ToolRegistryProtocol
from avionics.tools.registries.tool_override import overlaid, owner_of


@attrs.frozen
class CombinedRegistry:
    """Several registries as one."""

    registries: tuple[ToolRegistryProtocol, ...]

    def has_tool(self, name: str) -> bool:
        """Return whether any of them has a tool of that name."""
        return any(registry.has_tool(name) for registry in self.registries)

    def get_tool(self, name: str) -> ToolDefinitionProtocol | None:
        """Return the tool of that name, or None.

        Raises:
            RegistrationError: Two of them have one in the meantime.
        """
        found = [tool for registry in self.registries if (tool := registry.get_tool(name)) is not None]
        if len(found) > 1:
            owners = " and ".join(owner_of(tool) for tool in found)
            raise RegistrationError(f"{name!r} is registered twice: by {owners}", hint="prefix one of the registries")
        return found[0] if found else None

    def get_tool_names(self) -> tuple[str, ...]:
        """Return the names of all their tools, one registry after the other."""
        return tuple(name for registry in self.registries for name in registry.get_tool_names())


@attrs.frozen
class FilteredRegistry:
    """The tools of a registry that pass a filter."""

    registry: ToolRegistryProtocol
    keep: Callable[[ToolDefinitionProtocol], bool]

    def has_tool(self, name: str) -> bool:
        """Return whether it has a tool of that name that passes the filter."""
        return self.get_tool(name) is not None

    def get_tool(self, name: str) -> ToolDefinitionProtocol | None:
        """Return the tool of that name if it passes the filter, or None."""
        tool = self.registry.get_tool(name)
        return tool if tool is not None and self.keep(tool) else None

    def get_tool_names(self) -> tuple[str, ...]:
        """Return the names of the tools that pass the filter."""
        return tuple(name for name in self.registry.get_tool_names() if self.has_tool(name))


@attrs.frozen
class PrefixedRegistry:
    """A registry whose tools all have a prefix in their names."""

    registry: ToolRegistryProtocol
    prefix: str

    def has_tool(self, name: str) -> bool:
        """Return whether it has a tool of that name without the prefix."""
        return name.startswith(self.prefix) and self.registry.has_tool(name.removeprefix(self.prefix))

    def get_tool(self, name: str) -> ToolDefinitionProtocol | None:
        """Return the tool of that name, renamed, or None."""
        tool = self.registry.get_tool(name.removeprefix(self.prefix)) if name.startswith(self.prefix) else None
        return overlaid(tool, name=name, fallbacks=self._rename(tool)) if tool is not None else None

    def get_tool_names(self) -> tuple[str, ...]:
        """Return the names of all its tools, prefixed."""
        return tuple(f"{self.prefix}{name}" for name in self.registry.get_tool_names())

    def _rename(self, tool: ToolDefinitionProtocol) -> tuple[Fallback, ...]:
        """Return the tool's fallbacks under their names here."""
        return tuple(attrs.evolve(fallback, tool=f"{self.prefix}{fallback.tool}") for fallback in tool.fallbacks)


def combined(*registries: ToolRegistryProtocol) -> CombinedRegistry:
    """Combine several registries.

    Raises:
        RegistrationError: Two of them have a tool of the same name; both owners are named.
    """
    view = CombinedRegistry(registries)
    for one, other in combinations(registries, 2):
        for name in one.get_tool_names():
            if other.has_tool(name):
                view.get_tool(name)
    return view


def filtered(registry: ToolRegistryProtocol, keep: Callable[[ToolDefinitionProtocol], bool]) -> FilteredRegistry:
    """Return the tools of a registry for which `keep` is true."""
    return FilteredRegistry(registry, keep)


def prefixed(registry: ToolRegistryProtocol, prefix: str) -> PrefixedRegistry:
    """Return a registry whose tools all have a prefix in their names."""
    return PrefixedRegistry(registry, prefix)
