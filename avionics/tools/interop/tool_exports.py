"""Tools as others list them: MCP, OpenAI, Anthropic, and the listings of other tool systems.

All are projections of a definition; every schema is JSON Schema 2020-12 with nothing to look up elsewhere.

Knows: what each of them calls what a tool says of itself.
Does not know: how a tool is run, or who may.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Final

from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.results import to_plain
from avionics.model.tools import ToolDefinitionProtocol
from avionics.tools.registries.access import get_required
from avionics.tools.schema.listing import build_listing, build_tool_schema, list_parameters

__all__ = [
    "WIRE_NAME_CHARACTERS",
    "build_anthropic_tool",
    "build_executor_schema",
    "build_listing",
    "build_mcp_annotations",
    "build_mcp_tool",
    "build_openai_tool",
    "build_tool_schema",
    "build_wire_name",
    "build_wire_names",
    "list_parameters",
]

WIRE_NAME_CHARACTERS: Final = 64
"""The longest name all of the model providers take."""

_UNWIRED = re.compile(r"[^A-Za-z0-9_-]")


def build_executor_schema(tool: ToolDefinitionProtocol) -> dict[str, Any]:
    """The tool with `inputSchema`, and `outputSchema` and `examples` where it has them."""
    schema = build_tool_schema(tool)
    plain = {"name": schema.name, "description": schema.description, "inputSchema": schema.parameters}
    if schema.output_schema is not None:
        plain["outputSchema"] = to_plain(schema.output_schema)
    if schema.examples:
        plain["examples"] = to_plain(schema.examples)
    return plain


def build_mcp_tool(tool: ToolDefinitionProtocol) -> dict[str, Any]:
    """The tool for the Model Context Protocol, annotated by its risk."""
    plain = build_executor_schema(tool)
    plain.pop("examples", None)
    return {**plain, "annotations": build_mcp_annotations(tool)}


def build_mcp_annotations(tool: ToolDefinitionProtocol) -> dict[str, bool]:
    """What running the tool may do, in MCP's four words; it meets strangers when it goes to the network."""
    reads = tool.risk_level is RiskLevel.LOW
    return {
        "readOnlyHint": reads,
        "destructiveHint": tool.risk_level is RiskLevel.HIGH,
        "idempotentHint": reads,
        "openWorldHint": Permission.NETWORK_ACCESS in get_required(tool)
        or getattr(tool, "category", None) is ToolDomain.WEB,
    }


def build_openai_tool(tool: ToolDefinitionProtocol, name: str = "") -> dict[str, Any]:
    """The tool as an OpenAI function, under its wire name."""
    schema = build_tool_schema(tool)
    wired = name or build_wire_name(schema.name)
    return {
        "type": "function",
        "function": {"name": wired, "description": schema.description, "parameters": schema.parameters},
    }


def build_anthropic_tool(tool: ToolDefinitionProtocol, name: str = "") -> dict[str, Any]:
    """The tool as Anthropic lists it, under its wire name."""
    schema = build_tool_schema(tool)
    return {
        "name": name or build_wire_name(schema.name),
        "description": schema.description,
        "input_schema": schema.parameters,
    }


def build_wire_name(name: str) -> str:
    """The name as model providers take it, who know no dots and only 64 characters.

    One that must be changed gets a mark made of the whole of it, so that no two become one.
    """
    if len(name) <= WIRE_NAME_CHARACTERS and not _UNWIRED.search(name):
        return name
    mark = sha256(name.encode()).hexdigest()[:6]
    return f"{_UNWIRED.sub('_', name)[: WIRE_NAME_CHARACTERS - 7]}_{mark}"


def build_wire_names(names: Iterable[str]) -> Mapping[str, str]:
    """Wire name → name, for the calls that come back."""
    return {build_wire_name(name): name for name in names}
