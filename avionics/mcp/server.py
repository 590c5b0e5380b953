"""The server: one object for every revision of the protocol and every transport.

Knows: which part answers which request.
Does not know: transports, or any answer.
"""

from __future__ import annotations

from typing import Any

import attrs
from mcp.server import CacheHint, Server

import avionics
from avionics.mcp.answers import Contents
from avionics.mcp.calls import Calls
from avionics.mcp.metrics import Metrics
from avionics.mcp.projection import INSTRUCTIONS, find_tools
from avionics.mcp.prompts import Prompts, build_prompt_texts
from avionics.mcp.repositories import Repositories
from avionics.mcp.resources import Resources
from avionics.settings import Settings
from avionics.tools import tool_catalog
from avionics.tools.executor import ToolExecutor
from avionics.tools.ids import EXPOSED_TOOL_IDS, ToolId

_LASTING = CacheHint(ttl_ms=3_600_000, scope="public")
"""Lists change with the version only; an hour spares asking again within a conversation."""


@attrs.frozen
class ServerOptions:
    """What a server offers.

    Attributes:
        tools: The tools that are listed and can be called.
        contents: What of a result is sent.
    """

    tools: frozenset[ToolId] = EXPOSED_TOOL_IDS
    contents: Contents = Contents.BOTH


def build_server(
    repositories: Repositories, settings: Settings, options: ServerOptions | None = None, metrics: Metrics | None = None
) -> Server[Any]:
    """The server that answers questions about the repositories."""
    options = options or ServerOptions()
    observers = (metrics.observe,) if metrics else ()
    calls = Calls(
        tool_catalog,
        find_tools(tool_catalog, options.tools, repositories.names),
        repositories,
        ToolExecutor(tool_catalog, observers=observers, settings=settings),
        settings.max_concurrent_calls,
        options.contents,
    )
    prompts = Prompts(build_prompt_texts(tool_catalog, options.tools))
    resources = Resources(repositories, calls)
    return Server(
        "avionics",
        version=avionics.__version__,
        instructions=INSTRUCTIONS,
        cache_hints={
            "tools/list": _LASTING,
            "prompts/list": _LASTING,
            "resources/list": _LASTING,
            "resources/templates/list": _LASTING,
            "server/discover": _LASTING,
        },
        get_tool_input_schema=calls.get_input_schema,
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get_prompt,
    )
