"""Describe tools in other formats: MCP, OpenAI, Anthropic, and the listings of other tool systems.

All are generated from a definition; every schema is JSON Schema 2020-12 without external references.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.results import to_plain
from avionics.model.tools import ToolDefinitionProtocol
from avionics.tools.guards.access import get_required
from avionics.tools.schema.listing import build_listing, build_tool_schema, list_parameters

__all__ = [
    "WIRE_NAME_CHARACTERS", "build_anthropic_tool", "build_executor_schema", "build_listing",
    "build_mcp_annotations", "build_mcp_tool", "build_openai_tool", "build_tool_schema", "build_wire_name",
    "build_wire_names", "list_parameters", "spell_wire_names",
]  # fmt: skip

WIRE_NAME_CHARACTERS: Final = 64
"""The longest name that all model providers accept."""

_UNWIRED = re.compile(r"[^A-Za-z0-9_-]")


def build_executor_schema(tool: ToolDefinitionProtocol) -> dict[str, Any]:
    """Return the tool with `inputSchema`, and `outputSchema` and `examples` where it has them."""
    schema = build_tool_schema(tool)
    plain = {"name": schema.name, "description": schema.description, "inputSchema": schema.parameters}
    if schema.output_schema is not None:
        plain["outputSchema"] = to_plain(schema.output_schema)
    if schema.examples:
        plain["examples"] = to_plain(schema.examples)
    return plain


def build_mcp_tool(tool: ToolDefinitionProtocol) -> dict[str, Any]:
    """Return the tool for the Model Context Protocol, annotated by its risk."""
    plain = build_executor_schema(tool)
    plain.pop("examples", None)
    return {**plain, "annotations": build_mcp_annotations(tool)}


def build_mcp_annotations(tool: ToolDefinitionProtocol) -> dict[str, bool]:
    """Return MCP's four annotations for the tool's risk; `openWorldHint` is true if it uses the network."""
    reads = tool.risk_level is RiskLevel.LOW
    return {
        "readOnlyHint": reads,
        "destructiveHint": tool.risk_level is RiskLevel.HIGH,
        "idempotentHint": reads,
        "openWorldHint": Permission.NETWORK_ACCESS in get_required(tool)
        or getattr(tool, "category", None) is ToolDomain.WEB,
    }


def build_openai_tool(tool: ToolDefinitionProtocol, name: str = "") -> dict[str, Any]:
    """Return the tool as an OpenAI function, under its wire name."""
    schema = build_tool_schema(tool)
    wired = name or build_wire_name(schema.name)
    return {
        "type": "function",
        "function": {"name": wired, "description": schema.description, "parameters": schema.parameters},
    }


def build_anthropic_tool(tool: ToolDefinitionProtocol, name: str = "") -> dict[str, Any]:
    """Return the tool as Anthropic lists it, under its wire name."""
    schema = build_tool_schema(tool)
    return {
        "name": name or build_wire_name(schema.name),
        "description": schema.description,
        "input_schema": schema.parameters,
    }


def build_wire_name(name: str) -> str:
    """Return the name for model providers, which accept no dots and only 64 characters: `filesystem_read_file`.

    A name that is too long ends with a digest of the whole. For several tools, use `spell_wire_names`, because two
    names may result in the same one here.
    """
    plain = _UNWIRED.sub("_", name)
    return plain if len(plain) <= WIRE_NAME_CHARACTERS else _mark(name)


def spell_wire_names(names: Iterable[str]) -> dict[str, str]:
    """Return name → wire name, all different: names that would collide get a digest as suffix."""
    listed = tuple(dict.fromkeys(names))
    plain = {name: build_wire_name(name) for name in listed}
    count = Counter(plain.values())
    return {name: wire if wire == name or count[wire] == 1 else _mark(name) for name, wire in plain.items()}


def build_wire_names(names: Iterable[str]) -> dict[str, str]:
    """Return wire name → name, for the returning calls."""
    return {wire: name for name, wire in spell_wire_names(names).items()}


def _mark(name: str) -> str:
    """Return the name as providers accept it, with a digest of the original."""
    return f"{_UNWIRED.sub('_', name)[: WIRE_NAME_CHARACTERS - 7]}_{sha256(name.encode()).hexdigest()[:6]}"
