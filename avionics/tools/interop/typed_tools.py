"""Tools that receive their arguments as one typed value, and the context.

class SearchDocuments(Tool[SearchArgs]):
    name = "search_documents"
    description = "Search internal documents by keyword"

    def get_args_schema(self) -> type[SearchArgs]:
        return SearchArgs

    async def execute(self, context: ToolContext, args: SearchArgs) -> ToolResult: ...
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, Generic, TypeVar

from avionics.model.enums import Permission, ToolDomain
from avionics.model.results import ToolResult
from avionics.model.tools import ToolContext, ToolSchema
from avionics.tools.execution.result_builder import build_invalid
from avionics.tools.interop.tool_exports import build_tool_schema
from avionics.tools.registries.self_describing import OwnDefinition
from avionics.tools.schema.from_pydantic import BaseModel, ModelChecked, read_model
from avionics.tools.schema.parameters import Parameters

__all__ = ["Tool"]

T = TypeVar("T", bound=BaseModel)

NOBODY: Final = ToolContext()
"""The context of a call without one."""


class Tool(ModelChecked, OwnDefinition, ABC, Generic[T]):
    """A tool whose arguments are a pydantic model."""

    category: ToolDomain = ToolDomain.CUSTOM
    required_permissions: Collection[Permission] = frozenset()

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the name for callers."""

    @property
    @abstractmethod
    def description(self) -> str:
        """Return the description for the model that chooses tools."""

    @property
    def access_groups(self) -> list[str]:
        """Return who may use it; empty means everyone."""
        return []

    @abstractmethod
    def get_args_schema(self) -> type[T]:
        """Return the pydantic model of its arguments."""

    @abstractmethod
    async def execute(self, context: ToolContext, args: T) -> ToolResult:
        """Run the tool; may raise anything."""

    def get_schema(self) -> ToolSchema:
        """Return the tool as described to a model."""
        return build_tool_schema(self)

    @property
    def function(self) -> Callable[..., Any]:
        """Return the function that the executor runs; its first argument is the call's context."""
        return self._run

    def _read_parameters(self) -> Parameters:
        return read_model(self.get_args_schema())

    def _build_input(self, arguments: Mapping[str, Any]) -> T:
        return self.get_args_schema().model_validate(arguments)

    async def _run(self, context: ToolContext = NOBODY, /, **arguments: Any) -> Any:
        """Run one call of the executor, which handles what `execute` raises."""
        faults, args = self._read_input(arguments)
        return build_invalid(faults) if args is None else await self.execute(context, args)
