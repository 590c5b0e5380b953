"""Configured tools as values that can also run themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from avionics.model.enums import Permission
from avionics.model.results import ToolResult
from avionics.model.tools import ToolCall, ToolContext
from avionics.tools.catalog import ToolDefinition
from avionics.tools.declare import read_signature
from avionics.tools.executor import ToolExecutor
from avionics.tools.registry import ToolRegistry


@dataclass(frozen=True)
class ConfiguredTool(ToolDefinition):
    """A tool built from a configuration.

    Attributes:
        required_permissions: The permissions that a caller needs.
    """

    required_permissions: frozenset[Permission] = field(default=frozenset())

    @classmethod
    def of(cls, function: Callable[..., Any], name: str, description: str) -> ConfiguredTool:
        """Return the tool that runs a typed function; `Args:` in its docstring describe the parameters."""
        return cls(name, function, read_signature(function), description)

    async def execute(
        self, arguments: Mapping[str, Any], context: ToolContext | None = None, executor: ToolExecutor | None = None
    ) -> ToolResult:
        """Run a call through the executor.

        Args:
            arguments: The arguments.
            context: The circumstances.
            executor: An executor that knows the tool; by default one for this tool alone.
        """
        return await (executor or self._open_executor()).execute(ToolCall(self.name, arguments), context)

    def to_langchain(self, executor: ToolExecutor | None = None, context: ToolContext | None = None) -> Any:
        """Return the tool as LangChain's `StructuredTool`, whose calls also go through the executor.

        Raises:
            MissingDependencyError: langchain-core is not installed.
        """
        from avionics.tools.interop.langchain import build_langchain_tool

        return build_langchain_tool(self, executor or self._open_executor(), context)

    def _open_executor(self) -> ToolExecutor:
        """Return an executor that knows only this tool."""
        registry = ToolRegistry()
        registry.register_tool(self)
        return ToolExecutor(registry)
