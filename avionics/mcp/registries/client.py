"""Add the tools of other servers to a registry.

The declarations of another server are untrusted data: names are changed so that a registry accepts them, control
characters in descriptions are made visible, and annotations such as `readOnlyHint` are ignored. The program sets risk,
permissions, groups and the deadline.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from mcp import types
from msgspec import Struct

from avionics.mcp.registries.connection import Connection, McpEndpoint
from avionics.model.enums import Permission, RiskLevel, Status
from avionics.model.errors import ConfigError, RegistrationError
from avionics.model.grants import Grant, read_group_list, read_permissions
from avionics.model.results import ToolResult
from avionics.tools.answers.answer import visible
from avionics.tools.catalog import ToolDefinition, require_member
from avionics.tools.registry import ToolRegistry
from avionics.tools.schema.from_json_schema import find_output_faults, read_json_schema
from avionics.tools.schema.parameters import Parameters

MAX_DESCRIPTION_CHARACTERS: Final = 2_000
MAX_RESULT_CHARACTERS: Final = 10_000_000
CONNECT_SECONDS: Final = 30.0

_UNNAMEABLE: Final = re.compile(r"[^A-Za-z0-9_.-]")


class McpTools(Struct, frozen=True):
    """The tools of one server, as they were registered."""

    names: tuple[str, ...]
    connection: Connection
    registry: ToolRegistry

    def __enter__(self) -> McpTools:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the tools from the registry and end the connection."""
        for name in self.names:
            self.registry.unregister_tool(name)
        self.connection.close()


def add_tools(
    registry: ToolRegistry,
    target: str | Sequence[str],
    *,
    prefix: str = "",
    permissions: Grant | Iterable[Grant] | None = None,
    risk: RiskLevel | str = RiskLevel.MEDIUM,
    groups: str | Iterable[str] = (),
    timeout_seconds: float = 60.0,
    only: Collection[str] | None = None,
    environment: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> McpTools:
    """Register the tools of another server; see `ToolRegistry.add_mcp`."""
    endpoint = McpEndpoint.parse(target, environment, headers)
    connection = Connection(endpoint)
    with contextlib.ExitStack() as undo:
        undo.callback(connection.close)
        listed = connection.list_tools(CONNECT_SECONDS)
        wanted = _select(listed, only, endpoint)
        policy = {
            "required_permissions": _choose_permissions(permissions, endpoint),
            "risk_level": require_member(RiskLevel, risk),
            "access_groups": read_group_list(groups),
            "timeout_seconds": timeout_seconds,
        }
        tools = [_build_tool(connection, tool, prefix, policy) for tool in wanted]
        _require_free(registry, tools)
        registry.register_tools(tools)
        undo.pop_all()
    return McpTools(tuple(tool.name for tool in tools), connection, registry)


def read_call_result(result: types.CallToolResult) -> ToolResult:
    """Return a server's answer: its structured content, or its blocks, as data; its texts as text."""
    blocks = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
    structured = result.structured_content
    data = dict(structured) if isinstance(structured, Mapping) else {"content": blocks}
    size = len(json.dumps(data)) if structured is not None else sum(len(json.dumps(block)) for block in blocks)
    if size > MAX_RESULT_CHARACTERS:
        return ToolResult(
            Status.ERROR,
            error=f"the MCP server answered {size} characters, more than {MAX_RESULT_CHARACTERS}",
            error_type="output_error",
            hint="ask for less",
        )
    text = visible("\n".join(map(_show, blocks)))
    if result.is_error:
        return ToolResult(Status.ERROR, error=text or "the tool failed without a reason", error_type="tool_error")
    return ToolResult(Status.SUCCESS, data=data, text=text)


def _show(block: Mapping[str, Any]) -> str:
    """Return a block as text; blocks of other kinds are named, not shown."""
    kind = block.get("type")
    if kind == "text":
        return str(block["text"])
    resource = block.get("resource", block)
    if "text" in resource:
        return str(resource["text"])
    place = resource.get("uri", "")
    size = len(str(resource.get("data") or resource.get("blob") or ""))
    return f"[{kind} {resource.get('mimeType', '')} {place or f'{size} characters in data'}]"


def _select(listed: list[types.Tool], only: Collection[str] | None, endpoint: McpEndpoint) -> list[types.Tool]:
    """Return the selected tools. Raise `RegistrationError` if one of them does not exist."""
    if only is None:
        return listed
    names = {tool.name for tool in listed}
    missing = sorted(set(only) - names)
    if missing:
        reason = f"the MCP server {endpoint} has no tool {', '.join(map(repr, missing))}"
        raise RegistrationError(reason, hint=f"it has {', '.join(sorted(names))[:500]}")
    return [tool for tool in listed if tool.name in only]


def _choose_permissions(given: Grant | Iterable[Grant] | None, endpoint: McpEndpoint) -> frozenset[Grant]:
    """Return the permissions that calls need: by default those of a program or of the network."""
    if given is not None:
        return read_permissions(given)
    return frozenset({Permission.NETWORK_ACCESS if endpoint.url else Permission.CODE_EXECUTE})


def _build_tool(connection: Connection, listed: types.Tool, prefix: str, policy: Mapping[str, Any]) -> ToolDefinition:
    parameters = _read_parameters(listed.input_schema)
    described = visible(listed.description or listed.title or "").strip()[:MAX_DESCRIPTION_CHARACTERS]
    return ToolDefinition(
        _UNNAMEABLE.sub("_", f"{prefix}{listed.name}"),
        _build_function(connection, listed.name),
        parameters,
        described or f"{listed.name}, a tool of {connection.endpoint}",
        parameters,
        output_schema=_read_output_schema(listed.output_schema),
        **policy,
    )


def _build_function(connection: Connection, name: str) -> Callable[..., Any]:
    async def call_remote_tool(**arguments: Any) -> ToolResult:
        return read_call_result(await connection.call(name, arguments))

    return call_remote_tool


def _read_parameters(schema: Mapping[str, Any]) -> Parameters:
    """Return the parameters; constraints that this library cannot validate are left to the server."""
    try:
        return read_json_schema(schema)
    except ConfigError:
        return read_json_schema(schema, of_model=True)


def _read_output_schema(schema: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return the output schema if results can be validated against it."""
    if schema is None:
        return None
    try:
        find_output_faults(schema, None)
    except ConfigError:
        return None
    return schema


def _require_free(registry: ToolRegistry, tools: Sequence[ToolDefinition]) -> None:
    """Raise `RegistrationError` if a name is taken, so that either all tools are registered or none."""
    names = [tool.name for tool in tools]
    taken = sorted({name for name in names if registry.has_tool(name) or names.count(name) > 1})
    if taken:
        raise RegistrationError(f"already registered: {', '.join(taken)}", hint="give another prefix")
