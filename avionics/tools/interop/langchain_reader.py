"""Convert LangChain tools from an application's builders to ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from avionics.tools.catalog import ToolDefinition
from avionics.tools.schema.from_json_schema import read_json_schema


def is_langchain_tool(value: object) -> bool:
    """Return whether the value is a LangChain tool."""
    return any(
        base.__module__.startswith("langchain_core.tools") and base.__name__ == "BaseTool" for base in type(value).mro()
    )


def read_langchain_tool(tool: Any) -> ToolDefinition:
    """Return the tool as ours; LangChain runs it, within the executor."""

    async def run(**arguments: Any) -> Any:
        return await tool.ainvoke(arguments)

    schema = tool.tool_call_schema
    plain: Mapping[str, Any] = schema if isinstance(schema, dict) else schema.model_json_schema()
    return ToolDefinition(tool.name, run, read_json_schema(plain, of_model=True), tool.description)
