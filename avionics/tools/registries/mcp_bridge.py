"""Connect registries to the Model Context Protocol.

`avionics.mcp` is a layer above this one, and needs an extra that may not be installed, so it is imported by name when
it is first used.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from avionics.model.errors import MissingDependencyError


def add_mcp_tools(registry: Any, target: Any, **options: Any) -> Any:
    """Register the tools of another server, as `ToolRegistry.add_mcp` describes."""
    return _load("client").add_tools(registry, target, **options)


def serve_over_mcp(registry: Any, **options: Any) -> None:
    """Serve a registry, as `RegistryBase.serve` describes."""
    _load("serving").serve_registry(registry, **options)


def _load(module: str) -> ModuleType:
    try:
        return import_module(f"avionics.mcp.registries.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("avionics"):
            raise
        raise MissingDependencyError(
            f"the Model Context Protocol needs the package {error.name!r}", hint="pip install 'avionics[mcp]'"
        ) from None
