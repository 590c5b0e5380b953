"""The tool system: the catalog with every tool, and the names needed to use it.

Knows: which tools there are.
Does not know: what any of them does.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from avionics.model.enums import RiskLevel, ToolCategory
from avionics.model.errors import ConfigError
from avionics.tools.catalog import (
    EXPOSED_TOOL_IDS,
    PROFILES,
    ToolCatalog,
    ToolCatalogEntry,
    ToolDefinition,
    ToolId,
    is_exposed_tool,
    resolve_tool_id,
)

__all__ = [
    "EXPOSED_TOOL_IDS", "PROFILES", "READ_ONLY", "TOOL_MODULES", "Approvals", "AsyncBaseTool", "BaseTool", "Bounds",
    "Caller", "Context", "EnabledTools", "Fallback", "JsonLinesSink", "MemorySink", "Permission",
    "RegistrationError", "RiskLevel", "Tool", "ToolCall", "ToolCatalog", "ToolCatalogEntry", "ToolCategory",
    "ToolContext", "ToolDefinition", "ToolExecutor", "ToolId", "ToolInput", "ToolOutput", "ToolRegistry",
    "ToolRejection", "ToolResult", "ToolSchema", "approved", "audited", "build_enabled_view", "combined",
    "create_simple_tool", "create_tool_from_config", "create_tools_from_agent_config", "enabled", "fill_catalog",
    "filtered", "is_exposed_tool", "observed", "permitted", "prefixed", "register_tool_type", "resolve_tool_id",
    "tool", "tool_catalog", "transformed",
]  # fmt: skip

_PACKAGES: Final[Mapping[str, str]] = {
    "composite": "check_architecture check_change compare_revisions explain_code_history explore_symbol_usage "
    "find_path find_unused impact_of_change locate map_module tests_for_change trace_entry_point",
    "internal.files": "get_project_tree glob_files grep_search list_files read_file search_files tree_structure",
    "internal.imports": "get_dependencies get_dependents get_importers get_imports",
    "internal.symbols": "find_references find_similar_files find_symbol get_file_symbols parse_symbols semantic_search",
    "internal.workspace": "get_index_stats get_session_state git_blame git_diff git_log save_session_state",
    "resilient": "find_related read_code",
    "standalone": "git_status list_tools",
    "unified": "analyze search_code",
}
"""Package → its tools."""

TOOL_MODULES: Final = tuple(f"{package}.{name}" for package, names in _PACKAGES.items() for name in names.split())
"""Every tool, by package and name, sorted."""

_EXPORTS: Final[Mapping[str, tuple[str, ...]]] = {
    "avionics": ("Context",),
    "avionics.model.enums": ("Permission",),
    "avionics.model.errors": ("RegistrationError",),
    "avionics.model.results": ("ToolResult",),
    "avionics.model.tools": ("Caller", "Fallback", "ToolCall", "ToolContext", "ToolSchema"),
    "avionics.tools.base": ("AsyncBaseTool", "BaseTool", "ToolInput", "ToolOutput", "create_simple_tool"),
    "avionics.tools.executor": ("ToolExecutor",),
    "avionics.tools.factory": ("create_tool_from_config", "create_tools_from_agent_config", "register_tool_type"),
    "avionics.tools.function_tools": ("tool",),
    "avionics.tools.guards": (
        "Approvals",
        "EnabledTools",
        "READ_ONLY",
        "ToolRejection",
        "approved",
        "enabled",
        "permitted",
        "transformed",
    ),
    "avionics.tools.interop.typed_tools": ("Tool",),
    "avionics.tools.observers.audit": ("JsonLinesSink", "MemorySink", "audited", "observed"),
    "avionics.tools.registries.registry_views": ("build_enabled_view", "combined", "filtered", "prefixed"),
    "avionics.tools.registry": ("ToolRegistry",),
    "avionics.tools.schema.parameters": ("Bounds",),
}
"""Module → further names that programs need from it; it is imported when one is first used."""
_HOMES: Final = {name: module for module, names in _EXPORTS.items() for name in names}

if TYPE_CHECKING:
    tool_catalog: ToolCatalog[ToolId]
    from avionics.model.enums import Permission
    from avionics.model.errors import RegistrationError
    from avionics.model.results import ToolResult
    from avionics.model.tools import Caller, Fallback, ToolCall, ToolContext, ToolSchema
    from avionics.model.tools import ToolContext as Context
    from avionics.tools.base import AsyncBaseTool, BaseTool, ToolInput, ToolOutput, create_simple_tool
    from avionics.tools.executor import ToolExecutor
    from avionics.tools.factory import create_tool_from_config, create_tools_from_agent_config, register_tool_type
    from avionics.tools.function_tools import tool
    from avionics.tools.guards import (
        READ_ONLY,
        Approvals,
        EnabledTools,
        ToolRejection,
        approved,
        enabled,
        permitted,
        transformed,
    )
    from avionics.tools.interop.typed_tools import Tool
    from avionics.tools.observers.audit import JsonLinesSink, MemorySink, audited, observed
    from avionics.tools.registries.registry_views import build_enabled_view, combined, filtered, prefixed
    from avionics.tools.registry import ToolRegistry
    from avionics.tools.schema.parameters import Bounds
else:

    def __getattr__(name: str) -> Any:
        """Return the current instance for `tool_catalog`, also after a reset."""
        if name == "tool_catalog":
            return ToolCatalog.get_instance()
        if name in _HOMES:
            return getattr(import_module(_HOMES[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def fill_catalog(catalog: ToolCatalog[ToolId]) -> None:
    """Register every tool of avionics in a catalog; the module of a tool is imported at its first use."""
    for path in TOOL_MODULES:
        catalog.register_later(ToolId(path.rpartition(".")[2]), partial(_load, path, catalog))


def _load(path: str, catalog: ToolCatalog[ToolId]) -> None:
    """Import the module of a tool and register its declaration."""
    from avionics.tools.declare import get_declaration

    module = import_module(f"avionics.tools.{path}")
    declaration = get_declaration(getattr(module, path.rpartition(".")[2]))
    if declaration is None:
        raise ConfigError(f"avionics.tools.{path} declares no tool")
    declaration.register_in(catalog)


fill_catalog(ToolCatalog.get_instance())
