"""Tools with a schema and an `execute(input, context)`: any object with both can be registered.

class CalculatorTool:
    schema = {"name": "CalculatorTool", "description": "Calculates …", "inputSchema": {"type": "object", …}}

    async def execute(self, input, context):
        return {"status": "success", "output": {"result": 4}}
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol, TypeGuard

from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.errors import RegistrationError
from avionics.model.results import ToolResult
from avionics.model.tools import ToolContext, ToolSchema
from avionics.tools.interop.typed_tools import NOBODY
from avionics.tools.registries.self_describing import OwnDefinition
from avionics.tools.schema.from_json_schema import read_json_schema
from avionics.tools.schema.parameters import Parameters


class IToolExecutor(Protocol):
    """The interface of a schema tool."""

    @property
    def schema(self) -> Mapping[str, Any] | ToolSchema:
        """Return name, description, `inputSchema`, and optionally `outputSchema` and `examples`."""

    def execute(self, input: Mapping[str, Any], context: ToolContext) -> Any:
        """Return a dict with `status` and `output` or `error`, a ToolResult, or an awaitable of one."""


def is_schema_tool(tool: object) -> TypeGuard[IToolExecutor]:
    """Return whether an object has the interface of a schema tool."""
    return isinstance(getattr(tool, "schema", None), (Mapping, ToolSchema)) and callable(getattr(tool, "execute", None))


class SchemaTool(OwnDefinition):
    """The definition of a schema tool.

    Raises:
        RegistrationError: Its schema lacks a name, a description or an `inputSchema`.
    """

    def __init__(self, executor: IToolExecutor) -> None:
        self.executor = executor
        schema = _read_schema(executor.schema)
        self.name = schema.name
        self.description = schema.description
        self.output_schema = schema.output_schema
        self.examples = schema.examples
        self.access_groups: Collection[str] = getattr(executor, "access_groups", schema.access_groups)
        self.risk_level: RiskLevel = getattr(executor, "risk_level", RiskLevel.LOW)
        self.category: ToolDomain = getattr(executor, "category", ToolDomain.CUSTOM)
        self.required_permissions: Collection[Permission] = getattr(executor, "required_permissions", frozenset())
        self.timeout_seconds: float | None = getattr(executor, "timeout_seconds", None)
        self._input_schema = schema.parameters

    @property
    def function(self) -> Callable[..., Any]:
        return self._run

    def _read_parameters(self) -> Parameters:
        return read_json_schema(self._input_schema)

    async def _run(self, context: ToolContext = NOBODY, /, **arguments: Any) -> Any:
        outcome = self.executor.execute(arguments, context)
        if inspect.isawaitable(outcome):
            outcome = await outcome
        return _read_outcome(outcome)


def _read_schema(schema: Mapping[str, Any] | ToolSchema) -> ToolSchema:
    """Return the schema, from either of its notations."""
    if isinstance(schema, ToolSchema):
        return schema
    missing = [word for word in ("name", "description", "inputSchema") if not schema.get(word)]
    if missing:
        raise RegistrationError(f"the schema of {schema.get('name') or 'a tool'} lacks {', '.join(missing)}")
    return ToolSchema(
        schema["name"],
        schema["description"],
        schema["inputSchema"],
        output_schema=schema.get("outputSchema"),
        examples=schema.get("examples", ()),
    )


def _read_outcome(outcome: Any) -> Any:
    """Convert a dict with `status` and `output` or `error` to a result; other values are left to the core."""
    if not isinstance(outcome, Mapping) or outcome.get("status") not in ("success", "error") or "data" in outcome:
        return outcome
    metadata = outcome.get("metadata") or {}
    if outcome["status"] == "error":
        return ToolResult(success=False, error=str(outcome.get("error") or ""), metadata=metadata)
    return ToolResult(data=outcome.get("output"), metadata=metadata)
