"""Read agent configurations of either version.

Version 2 lists tools under `data.tools`; version 1 lists knowledge bases under `data.knowledgeBases`, each of which is
a `vectorSearch`. A configuration is a mapping, or a file of JSON or YAML.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, Final

import attrs

from avionics.model.errors import AvionicsError, SourceError, UsageError
from avionics.tools.configured.tool import ToolType, ToolTypeRegistry
from avionics.tools.schema.to_json_schema import build_json_schema

SCHEMA_NAME: Final = "agent_config"
KNOWLEDGE_BASE_TYPE: Final = "vectorSearch"
_LISTS: Final[Mapping[int, str]] = {1: "knowledgeBases", 2: "tools"}


@attrs.frozen
class ToolSpec:
    """The configuration of one tool.

    Attributes:
        place: Its place in the configuration: `data.tools[0]`.
        type: The type of tool; "" if missing.
        config: The whole entry, including `type`.
        is_lenient: Whether unknown fields are only noted: version 1 had no schema.
    """

    place: str
    type: str
    config: Mapping[str, Any]
    is_lenient: bool = False


@attrs.frozen
class BuildFailure:
    """A tool that could not be built."""

    place: str
    type: str
    reason: str


@attrs.frozen
class AgentConfig:
    """The entries of a configuration, in order; invalid ones are failures."""

    version: int
    entries: tuple[ToolSpec | BuildFailure, ...] = ()


def read_agent_config(agent_config: Any) -> AgentConfig:
    """Read a configuration of either version."""
    try:
        agent_config = read_config_file(agent_config) if isinstance(agent_config, PurePath) else agent_config
    except AvionicsError as error:
        return AgentConfig(0, (BuildFailure("agent_config", "", str(error)),))
    version, reason = _read_version(agent_config)
    if reason:
        return AgentConfig(0, (BuildFailure("agent_config", "", reason),))
    name = _LISTS[version]
    entries = agent_config["data"].get(name)
    if entries is None:
        return AgentConfig(version)
    if not isinstance(entries, (list, tuple)):
        reason = f"expected an array, got {type(entries).__name__}"
        return AgentConfig(version, (BuildFailure(f"data.{name}", "", reason),))
    read = (_read_entry(version, f"data.{name}[{number}]", entry) for number, entry in enumerate(entries))
    return AgentConfig(version, tuple(read))


def read_config_file(path: PurePath) -> Any:
    """Return the contents of a JSON or YAML file.

    Raise `SourceError` if the file cannot be read; `UsageError` if it is neither JSON nor YAML, or its name has another
    suffix; `MissingDependencyError` if it is YAML, and PyYAML is not installed.
    """
    try:
        text = Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"the configuration cannot be read: {error}") from None
    if path.suffix.lower() == ".json":
        try:
            return json.loads(text)
        except ValueError as error:
            raise UsageError(f"{path.name} is not JSON: {error}") from None
    if path.suffix.lower() not in (".yaml", ".yml"):
        raise UsageError(f"{path.name} is not a configuration", hint="give a file that ends in .json, .yaml or .yml")
    from avionics.tools.builtin.data import read_yaml

    return read_yaml(text)


def read_tool_config(tool_config: Any, place: str = "tool_config") -> ToolSpec | BuildFailure:
    """Read the configuration of one tool."""
    if not isinstance(tool_config, Mapping):
        return BuildFailure(place, "", f"expected an object, got {type(tool_config).__name__}")
    kind = tool_config.get("type")
    if not isinstance(kind, str) or not kind:
        return BuildFailure(place, "", "type: missing, expected the name of a tool type")
    return ToolSpec(place, kind, dict(tool_config))


def build_config_schema(types: ToolTypeRegistry) -> dict[str, Any]:
    """Return the JSON Schema of a configuration of version 2, with one alternative for every registered type."""
    known = [each for name in types.list_types() if (each := types.get_type(name))]
    names = {each.name: each.name if each.name.endswith("Tool") else f"{each.name}Tool" for each in known}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA_NAME,
        "type": "object",
        "required": ["version", "data"],
        "properties": {
            "schema": {"const": SCHEMA_NAME},
            "version": {"const": 2},
            "data": {
                "type": "object",
                "properties": {
                    "systemPrompt": {"type": "string"},
                    "tools": {"type": "array", "items": {"$ref": "#/$defs/tool"}},
                },
            },
        },
        "$defs": {
            "tool": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in names.values()]},
            **{names[each.name]: _build_type_schema(each) for each in known},
        },
    }


def _build_type_schema(kind: ToolType) -> dict[str, Any]:
    """Return the schema of one type's configuration."""
    schema = build_json_schema(kind.fields)
    described = {"description": kind.description} if kind.description else {}
    return {
        **described,
        **schema,
        "properties": {"type": {"const": kind.name}, **schema["properties"]},
        "required": ["type", *schema.get("required", ())],
        **({"additionalProperties": False} if kind.fields else {}),
    }


def _read_version(agent_config: Any) -> tuple[int, str]:
    """Return the version, and why the configuration cannot be read."""
    if not isinstance(agent_config, Mapping):
        return 0, f"expected an object, got {type(agent_config).__name__}"
    if agent_config.get("schema", SCHEMA_NAME) != SCHEMA_NAME:
        return 0, f"schema: expected {SCHEMA_NAME!r}, got {str(agent_config['schema'])[:40]!r}"
    data = agent_config.get("data")
    if not isinstance(data, Mapping):
        return 0, f"data: expected an object, got {type(data).__name__}"
    version = agent_config.get("version", 1 if "knowledgeBases" in data and "tools" not in data else 2)
    if type(version) is not int or version not in _LISTS:
        return 0, f"version: expected one of {', '.join(map(str, _LISTS))}, got {str(version)[:40]!r}"
    return version, ""


def _read_entry(version: int, place: str, entry: Any) -> ToolSpec | BuildFailure:
    """Read one entry of the list; a knowledge base of version 1 is a vector search."""
    if version == 1 and isinstance(entry, Mapping):
        entry = {**entry, "type": KNOWLEDGE_BASE_TYPE}
    spec = read_tool_config(entry, place)
    return attrs.evolve(spec, is_lenient=version == 1) if isinstance(spec, ToolSpec) else spec
