"""Convert tools to and from LangChain; langchain-core is an optional extra."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from avionics.model.errors import importing
from avionics.model.tools import ToolCall, ToolContext, ToolDefinitionProtocol
from avionics.tools.catalog import ToolDefinition
from avionics.tools.executor import ToolExecutor
from avionics.tools.interop.tool_exports import build_wire_name
from avionics.tools.schema.from_json_schema import read_json_schema
from avionics.tools.schema.parameters import read_parameters
from avionics.tools.schema.to_json_schema import build_json_schema

if TYPE_CHECKING:
    from langchain_core.tools import StructuredTool


def is_langchain_tool(value: object) -> bool:
    """Return whether the value is a LangChain tool."""
    bases = type(value).mro()
    return any(each.__module__.startswith("langchain_core.tools") and each.__name__ == "BaseTool" for each in bases)


def read_langchain_tool(tool: Any) -> ToolDefinition:
    """Return the tool as ours; LangChain runs it, within the executor."""

    async def run(**arguments: Any) -> Any:
        return await tool.ainvoke(arguments)

    schema = tool.tool_call_schema
    plain: Mapping[str, Any] = schema if isinstance(schema, dict) else schema.model_json_schema()
    return ToolDefinition(tool.name, run, read_json_schema(plain, of_model=True), tool.description)


def build_langchain_tool(
    tool: ToolDefinitionProtocol, executor: ToolExecutor, context: ToolContext | None = None
) -> StructuredTool:
    """Return a LangChain StructuredTool whose calls go through the executor and return the documented result.

    Raise `MissingDependencyError` if langchain-core is not installed.
    """
    with importing("LangChain tools need langchain-core", hint="pip install 'avionics[langchain]'"):
        from langchain_core.tools import StructuredTool

    def run(**arguments: Any) -> dict[str, Any]:
        return executor.run_blocking(ToolCall(tool.name, arguments), context).to_dict()

    async def run_async(**arguments: Any) -> dict[str, Any]:
        return (await executor.execute(ToolCall(tool.name, arguments), context)).to_dict()

    return StructuredTool(
        name=build_wire_name(tool.name),
        description=tool.description,
        args_schema=build_json_schema(read_parameters(tool.parameter_schemas)),
        func=run,
        coroutine=run_async,
    )
