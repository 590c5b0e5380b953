"""Views: registries composed of registries. Nothing is copied, so later registrations are visible.

combined(tool_catalog, filtered(registry, is_read_only), prefixed(other, "other."))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import attrs
from msgspec import structs

from avionics.model.errors import RegistrationError
from avionics.model.grants import Grant
from avionics.model.seams import EnablementProtocol
from avionics.model.tools import Caller, Fallback, ToolContext, ToolDefinitionProtocol, ToolRegistryProtocol
from avionics.tools.registries.registry_base import RegistryBase, get_grants_of, transform_through
from avionics.tools.registries.tool_override import overlaid, owner_of


@attrs.frozen(slots=False)
class CombinedRegistry(RegistryBase):
    """Several registries as one."""

    registries: tuple[ToolRegistryProtocol, ...]

    def has_tool(self, name: str) -> bool:
        return any(registry.has_tool(name) for registry in self.registries)

    def get_tool(self, name: str) -> ToolDefinitionProtocol | None:
        """Return the tool of that name, or None. Raise `RegistrationError` if two of them have one in the meantime."""
        found = [tool for registry in self.registries if (tool := registry.get_tool(name)) is not None]
        if len(found) > 1:
            owners = " and ".join(owner_of(tool) for tool in found)
            raise RegistrationError(f"{name!r} is registered twice: by {owners}", hint="prefix one of the registries")
        return found[0] if found else None

    def get_tool_names(self) -> tuple[str, ...]:
        """Return the names of all their tools, one registry after the other."""
        return tuple(name for registry in self.registries for name in registry.get_tool_names())

    def transform_args(
        self, tool: ToolDefinitionProtocol, args: Mapping[str, Any], user: Caller, context: ToolContext
    ) -> Any:
        """Return the arguments as the registry that owns the tool transforms them."""
        return transform_through(self._get_owner(tool.name), tool, args, user, context)

    def get_grants(self, name: str) -> frozenset[Grant]:
        """Return the permissions that the registry that owns the tool grants its callers."""
        return get_grants_of(self._get_owner(name), name) if self.has_tool(name) else frozenset()

    def disable(self, *names: str) -> None:
        """Hide tools in the registries that have them."""
        for name in names:
            _switch(self._get_owner(name), "disable", name)

    def enable(self, *names: str) -> None:
        for registry in self.registries:
            if hasattr(registry, "enable"):
                registry.enable(*names)

    def _get_owner(self, name: str) -> ToolRegistryProtocol:
        for registry in self.registries:
            if registry.has_tool(name):
                return registry
        raise RegistrationError(f"there is no tool {name!r}")


@attrs.frozen(slots=False)
class RegistryView(RegistryBase):
    """The tools of another registry that pass a filter, if there is one, under names with a prefix."""

    registry: ToolRegistryProtocol
    keep: Callable[[ToolDefinitionProtocol], bool] | None = None
    prefix: str = ""

    def has_tool(self, name: str) -> bool:
        if self.keep is not None:
            return self.get_tool(name) is not None
        return name.startswith(self.prefix) and self.registry.has_tool(self._strip_prefix(name))

    def get_tool(self, name: str) -> ToolDefinitionProtocol | None:
        tool = self.registry.get_tool(self._strip_prefix(name)) if name.startswith(self.prefix) else None
        if tool is None or (self.keep is not None and not self.keep(tool)):
            return None
        return overlaid(tool, name=name, fallbacks=self._rename(tool)) if self.prefix else tool

    def get_tool_names(self) -> tuple[str, ...]:
        names = (f"{self.prefix}{name}" for name in self.registry.get_tool_names())
        return tuple(name for name in names if self.keep is None or self.has_tool(name))

    def transform_args(
        self, tool: ToolDefinitionProtocol, args: Mapping[str, Any], user: Caller, context: ToolContext
    ) -> Any:
        """Return the arguments as the underlying registry transforms them, under the tool's original name."""
        original = self.registry.get_tool(self._strip_prefix(tool.name))
        if original is None:
            raise RegistrationError(f"there is no tool {tool.name!r}")
        return transform_through(self.registry, original, args, user, context)

    def get_grants(self, name: str) -> frozenset[Grant]:
        """Return the permissions that the underlying registry grants the callers of a tool."""
        return get_grants_of(self.registry, self._strip_prefix(name))

    def disable(self, *names: str) -> None:
        """Hide tools in the underlying registry; refuse names that this view does not have."""
        for name in names:
            if not self.has_tool(name):
                raise RegistrationError(f"there is no tool {name!r}")
            _switch(self.registry, "disable", self._strip_prefix(name))

    def enable(self, *names: str) -> None:
        _switch(self.registry, "enable", *(self._strip_prefix(name) for name in names if name.startswith(self.prefix)))

    def _strip_prefix(self, name: str) -> str:
        """Return the name that the underlying registry knows."""
        return name.removeprefix(self.prefix)

    def _rename(self, tool: ToolDefinitionProtocol) -> tuple[Fallback, ...]:
        """Return the tool's fallbacks under their names here."""
        return tuple(structs.replace(fallback, tool=f"{self.prefix}{fallback.tool}") for fallback in tool.fallbacks)


def combined(*registries: ToolRegistryProtocol) -> CombinedRegistry:
    """Combine registries. Raise `RegistrationError` if two have a tool of the same name; it names both owners."""
    view = CombinedRegistry(registries)
    for one, other in combinations(registries, 2):
        for name in one.get_tool_names():
            if other.has_tool(name):
                view.get_tool(name)
    return view


def filtered(registry: ToolRegistryProtocol, keep: Callable[[ToolDefinitionProtocol], bool]) -> RegistryView:
    """Return the tools of a registry for which `keep` is true."""
    return RegistryView(registry, keep)


def build_enabled_view(registry: ToolRegistryProtocol, state: EnablementProtocol, thread_id: str) -> RegistryView:
    """Return the registry as one thread sees it, without disabled tools."""
    return filtered(registry, lambda tool: state.is_tool_enabled(thread_id, tool.name))


def prefixed(registry: ToolRegistryProtocol, prefix: str) -> RegistryView:
    """Return a registry whose tools all have a prefix in their names."""
    return RegistryView(registry, prefix=prefix)


def _switch(registry: ToolRegistryProtocol, method: str, *names: str) -> None:
    """Disable or enable tools in a registry. Raise `RegistrationError` if the registry cannot switch tools off."""
    switch = getattr(registry, method, None)
    if switch is None:
        raise RegistrationError(f"{type(registry).__name__} cannot {method} tools")
    switch(*names)
