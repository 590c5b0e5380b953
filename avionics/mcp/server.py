"""Build the service of the MCP server, for every revision of the protocol and every transport."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

import avionics
from avionics.mcp.answers import Contents
from avionics.mcp.calls import CallLimits, CallRunner
from avionics.mcp.features.completions import Completions
from avionics.mcp.features.prompts import Prompts, build_prompt_texts
from avionics.mcp.features.resources import Resources
from avionics.mcp.features.subscriptions import Subscriptions
from avionics.mcp.logs import Logs
from avionics.mcp.projection import INSTRUCTIONS, build_tool_list
from avionics.mcp.protocol.service import Service
from avionics.mcp.repositories import Repositories
from avionics.settings import Settings
from avionics.tools import tool_catalog
from avionics.tools.executor import ToolExecutor
from avionics.tools.ids import EXPOSED_TOOL_IDS, ToolId
from avionics.tools.observers.telemetry import CallCounts

_LASTING = frozenset({"tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover"})
"""Methods whose results clients may cache, because they change only with the version."""


class ServerOptions(Struct, frozen=True):
    """The options of a server.

    Attributes:
        tools: The tools that are listed and can be called.
        contents: Which form of a result is sent: text, data or both.
        limits: How long calls may take; a shorter limit in the settings takes precedence.
        completion_seconds: How long a completion waits for the first indexing while the user is typing.
        look_seconds: How often a resource with subscribers is checked for changes, in seconds.
    """

    tools: frozenset[ToolId] = EXPOSED_TOOL_IDS
    contents: Contents = Contents.TEXT
    limits: CallLimits = CallLimits()
    completion_seconds: float = 1.0
    look_seconds: float = 2.0


class Parts(Struct, frozen=True):
    """The parts that answer the requests of one server."""

    calls: CallRunner
    prompts: Prompts
    resources: Resources
    completions: Completions
    subscriptions: Subscriptions
    logs: Logs


def build_service(
    repositories: Repositories,
    settings: Settings,
    options: ServerOptions | None = None,
    counts: CallCounts | None = None,
) -> Service:
    """Return the service that answers questions about the repositories."""
    options = options or ServerOptions()
    observers = (counts.observe,) if counts else ()
    logs = Logs()
    limits = options.limits
    calls = CallRunner(
        tool_catalog,
        build_tool_list(tool_catalog, options.tools, repositories.names),
        repositories,
        ToolExecutor(tool_catalog, observers=observers, settings=settings),
        settings.max_concurrent_calls,
        options.contents,
        logs,
        replace(
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


def join_parts(parts: Parts) -> Service:
    """Return a service composed of the parts that answer."""
    return Service(
        "avionics",
        avionics.__version__,
        {
            "tools/list": parts.calls.list_tools,
            "tools/call": parts.calls.call_tool,
            "resources/list": parts.resources.list_resources,
            "resources/templates/list": parts.resources.list_templates,
            "resources/read": parts.resources.read,
            "resources/subscribe": parts.subscriptions.subscribe,
            "resources/unsubscribe": parts.subscriptions.unsubscribe,
            "subscriptions/listen": parts.subscriptions.listen,
            "prompts/list": parts.prompts.list_prompts,
            "prompts/get": parts.prompts.get_prompt,
            "completion/complete": parts.completions.complete,
            "logging/setLevel": parts.logs.set_level,
        },
        INSTRUCTIONS,
        _LASTING,
        parts.calls.get_input_schema,
    )
