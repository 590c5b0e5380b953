"""Tools as this library lists them: name, description, parameters, category and permissions."""

from __future__ import annotations

from typing import Any

from avionics.model.enums import ToolDomain
from avionics.model.grants import read_group_list, read_permissions
from avionics.model.results import to_plain
from avionics.model.tools import ToolDefinitionProtocol, ToolSchema
from avionics.tools.schema.parameters import Parameters, Shape, read_parameters
from avionics.tools.schema.to_json_schema import build_json_schema, build_property


def build_tool_schema(tool: ToolDefinitionProtocol) -> ToolSchema:
    """Return the description of the tool for a model."""
    return ToolSchema(
        tool.name,
        tool.description,
        build_json_schema(read_parameters(tool.parameter_schemas)),
        read_group_list(getattr(tool, "access_groups", ())),
        getattr(tool, "output_schema", None),
        tuple(getattr(tool, "examples", ())),
    )


def build_listing(tool: ToolDefinitionProtocol) -> dict[str, Any]:
    """Return the tool with its category, parameters as a list, and permissions."""
    return {
        "name": tool.name,
        "description": tool.description,
        "category": to_plain(getattr(tool, "category", ToolDomain.CUSTOM)),
        "parameters": list_parameters(read_parameters(tool.parameter_schemas)),
        "permissions": sorted(map(to_plain, read_permissions(getattr(tool, "required_permissions", None)))),
    }


def list_parameters(parameters: Parameters) -> list[dict[str, Any]]:
    """Return name, type, description, required, default and schema of each parameter."""
    return [
        {
            "name": name,
            "type": parameter.shape.kind if isinstance(parameter.shape, Shape) else "any",
            "description": parameter.description,
            "required": parameter.required,
            "default": to_plain(parameter.default),
            "schema": build_property(parameter),
        }
        for name, parameter in parameters.items()
    ]
