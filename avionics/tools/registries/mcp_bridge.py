"""Connect registries to the Model Context Protocol.

`avionics.mcp` is a layer above this one, and needs an extra that may not be installed, so it is imported by name when
it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from avionics.model.errors import MissingDependencyError


def load_mcp(module: str) -> Any:
    """Return a module of `avionics.mcp.registries`. Raise `MissingDependencyError` if its packages are missing."""
    try:
        return import_module(f"avionics.mcp.registries.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("avionics"):
            raise
        raise MissingDependencyError(
            f"the Model Context Protocol needs the package {error.name!r}", hint="pip install 'avionics[mcp]'"
        ) from None
