"""Build the server: one object for every revision of the protocol and every transport."""

from __future__ import annotations

from functools import partial
from typing import Any

import attrs
from mcp import types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

import avionics
from avionics.mcp.answers import Contents
from avionics.mcp.calls import CallLimits, CallRunner
from avionics.mcp.features.completions import Completions
from avionics.mcp.features.prompts import Prompts, build_prompt_texts
from avionics.mcp.features.resources import Resources
from avionics.mcp.features.subscriptions import Subscriptions
from avionics.mcp.logs import Logs
from avionics.mcp.metrics import Metrics
from avionics.mcp.projection import INSTRUCTIONS, find_tools
from avionics.mcp.repositories import Repositories
from avionics.settings import Settings
from avionics.tools import tool_catalog
from avionics.tools.executor import ToolExecutor
from avionics.tools.ids import EXPOSED_TOOL_IDS, ToolId

_LASTING = CacheHint(ttl_ms=3_600_000, scope="public")
"""Seconds that clients may cache lists, which change with the version only."""


@attrs.frozen
class ServerOptions:
    """What a server offers.

    Attributes:
        tools: The tools that are listed and can be called.
        contents: What of a result is sent.
        limits: How long calls may take; a shorter limit of the settings holds.
        completion_seconds: How long a completion waits for the first reading: its user is typing.
        look_seconds: How often a resource that somebody follows is looked at.
    """

    tools: frozenset[ToolId] = EXPOSED_TOOL_IDS
    contents: Contents = Contents.TEXT
    limits: CallLimits = attrs.field(factory=CallLimits)
    completion_seconds: float = 1.0
    look_seconds: float = 2.0


@attrs.frozen
class Parts:
    """The parts that answer the requests of one server."""

    calls: CallRunner
    prompts: Prompts
    resources: Resources
    completions: Completions
    subscriptions: Subscriptions
    logs: Logs


def build_server(
    repositories: Repositories, settings: Settings, options: ServerOptions | None = None, metrics: Metrics | None = None
) -> Server[Any]:
    """Return the server that answers questions about the repositories."""
    options = options or ServerOptions()
    observers = (metrics.observe,) if metrics else ()
    logs = Logs()
    limits = options.limits
    calls = CallRunner(
        tool_catalog,
        find_tools(tool_catalog, options.tools, repositories.names),
        repositories,
        ToolExecutor(tool_catalog, observers=observers, settings=settings),
        settings.max_concurrent_calls,
        options.contents,
        logs,
        attrs.evolve(
            limits,
            deadline_seconds=min(limits.deadline_seconds, settings.timeout_seconds),
            answer_seconds=min(limits.answer_seconds, settings.answer_seconds),
        ),
    )
    prompts = Prompts(build_prompt_texts(tool_catalog, options.tools))
    resources = Resources(repositories, calls)
    subscriptions = Subscriptions(resources.read_text, resources.require, options.look_seconds)
    completions = Completions(repositories, options.completion_seconds)
    return join_parts(Parts(calls, prompts, resources, completions, subscriptions, logs))


def join_parts(parts: Parts) -> Server[Any]:
    """Return a server composed of the parts that answer."""
    server = Server[Any](
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
        get_tool_input_schema=parts.calls.get_input_schema,
        on_list_tools=parts.calls.list_tools,
        on_call_tool=parts.calls.call_tool,
        on_list_resources=parts.resources.list_resources,
        on_list_resource_templates=parts.resources.list_templates,
        on_read_resource=parts.resources.read,
        on_subscribe_resource=parts.subscriptions.subscribe,
        on_unsubscribe_resource=parts.subscriptions.unsubscribe,
        on_subscriptions_listen=parts.subscriptions.listen,
        on_list_prompts=parts.prompts.list_prompts,
        on_get_prompt=parts.prompts.get_prompt,
        on_completion=parts.completions.complete,
    )
    # As an argument of the constructor the SDK warns of it, since the newest revision has it no more.
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, parts.logs.set_level)
    server.add_request_handler("server/discover", types.RequestParams, partial(_discover, server))
    return server


async def _discover(
    server: Server[Any], request: ServerRequestContext[Any, Any], _params: types.RequestParams
) -> types.DiscoverResult:
    """Return the capabilities; the SDK would also announce changing lists, which this server does not have."""
    able = server.get_capabilities(protocol_version=request.protocol_version)
    for part in (able.tools, able.prompts, able.resources):
        if part:
            part.list_changed = False
    return types.DiscoverResult(
        supported_versions=list(MODERN_PROTOCOL_VERSIONS), capabilities=able, instructions=server.instructions
    )
