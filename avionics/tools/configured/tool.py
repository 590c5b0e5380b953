"""Configured tools as values: what runs, and the way into the corridor for whoever holds only the tool."""

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
    """A tool made from a configuration.

    Attributes:
        required_permissions: What a caller must have been granted.
    """

    required_permissions: frozenset[Permission] = field(default=frozenset())

    @classmethod
    def of(cls, function: Callable[..., Any], name: str, description: str) -> ConfiguredTool:
        """The tool that runs a typed function; the `Args:` of its docstring describe the parameters."""
        return cls(name, function, read_signature(function), description)

    async def execute(
        self, arguments: Mapping[str, Any], context: ToolContext | None = None, executor: ToolExecutor | None = None
    ) -> ToolResult:
        """The result of a call through the corridor.

        Args:
            arguments: What to call it with.
            context: The circumstances.
            executor: One's own corridor, which knows the tool; one for this tool alone unless given.
        """
        return await (executor or self._open_corridor()).execute(ToolCall(self.name, arguments), context)

    def to_langchain(self, executor: ToolExecutor | None = None, context: ToolContext | None = None) -> Any:
        """The tool as LangChain's `StructuredTool`; its calls go through the corridor too.

        Raises:
            MissingDependencyError: langchain-core is not installed.
        """
        from avionics.tools.interop.langchain import build_langchain_tool

        return build_langchain_tool(self, executor or self._open_corridor(), context)

    def _open_corridor(self) -> ToolExecutor:
        """A corridor that knows this tool alone."""
        registry = ToolRegistry()
        registry.register_tool(self)
        return ToolExecutor(registry)
