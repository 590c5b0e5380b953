"""Offer the tools of any registry over the protocol; every call goes through an executor."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import Struct, field

import avionics
from avionics.mcp.answers import Contents, build_call_result
from avionics.mcp.logs import Logs
from avionics.mcp.projection import build_output_schema
from avionics.mcp.protocol.params import CallParams, ListParams
from avionics.mcp.protocol.service import Handler, McpRequest, Result, Service, raise_unknown_tool
from avionics.model.results import to_plain
from avionics.model.tools import Caller, ToolCall, ToolContext, ToolDefinitionProtocol
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards.access import is_visible
from avionics.tools.interop.tool_exports import build_mcp_tool, build_wire_names


class RegistryOptions(Struct, frozen=True):
    """The options of a server of a registry, including the caller that its clients act as.

    Attributes:
        caller: The caller of every call; the executor's guards decide by it.
        workspace: The directory that tools about code are asked about, if any.
        max_concurrent: How many calls run at a time; the others wait.
    """

    caller: Caller = field(default_factory=lambda: Caller("mcp"))
    workspace: Any = None
    contents: Contents = Contents.TEXT
    max_concurrent: int = 8
    name: str = "avionics"


class RegistryCalls:
    """Lists and runs the tools that an executor's registry has at the time of a request."""

    def __init__(self, executor: ToolExecutor, options: RegistryOptions, logs: Logs) -> None:
        self._executor = executor
        self._options = options
        self._logs = logs
        self._turns = asyncio.Semaphore(options.max_concurrent)

    async def list_tools(self, _request: McpRequest, _params: ListParams) -> Result:
        """Return the tools that are visible to the caller, in the registry's order."""
        found = ((wire_name, self._executor.registry.get_tool(name)) for wire_name, name in self._map_names().items())
        return {"tools": [self._build(tool, wire_name) for wire_name, tool in found if tool is not None]}

    async def call_tool(self, request: McpRequest, params: CallParams) -> Result:
        """Run a call and return its result. Raise `ProtocolError` if there is no tool of that name for the caller."""
        names = self._map_names()
        name = names.get(params.name)
        if name is None:
            raise_unknown_tool(params.name, list(names))
        options = self._options
        context = ToolContext(options.caller, options.workspace, request_id=request.identity)
        async with self._turns:
            result = await self._executor.execute(ToolCall(name, params.arguments or {}, request.identity), context)
        await self._logs.send_outcome(request, params.name, result)
        return build_call_result(result, options.contents)

    def get_input_schema(self, name: str) -> dict[str, Any] | None:
        """Return the input schema of a listed tool; None for an unknown one."""
        names = self._map_names()
        tool = self._executor.registry.get_tool(names[name]) if name in names else None
        return None if tool is None else dict(build_mcp_tool(tool)["inputSchema"])

    def _map_names(self) -> dict[str, str]:
        """Return wire name → name of the tools that the caller sees."""
        registry, caller = self._executor.registry, self._options.caller
        names = registry.get_tool_names()
        return build_wire_names(
            name for name in names if (tool := registry.get_tool(name)) and is_visible(tool, caller)
        )

    def _build(self, tool: ToolDefinitionProtocol, wire_name: str) -> dict[str, Any]:
        plain = build_mcp_tool(tool)
        output_schema = plain.pop("outputSchema", None)
        if self._options.contents is not Contents.TEXT:
            # Results are sent as the result document; the tool's own schema describes its `data`.
            plain["outputSchema"] = build_output_schema()
            if output_schema is not None:
                plain["outputSchema"]["properties"] = {"data": output_schema}
        return dict(to_plain({**plain, "name": wire_name}))


def build_registry_service(executor: ToolExecutor, options: RegistryOptions) -> Service:
    """Return the service of the tools that an executor runs."""
    logs = Logs()
    calls = RegistryCalls(executor, options, logs)
    handlers: dict[str, Handler] = {
        "tools/list": calls.list_tools,
        "tools/call": calls.call_tool,
        "logging/setLevel": logs.set_level,
    }
    return Service(options.name, avionics.__version__, handlers, get_input_schema=calls.get_input_schema)
