"""The factory: tools from configurations.

    tools = await create_tools_from_agent_config(agent_config=config, account_id=1, db=db, auth_token=token)

A configuration that is wrong in one place costs that one tool: it is left out, the reason is logged, and `build_tools`
gives it as a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from avionics.model.seams import LoggerProtocol
from avionics.model.tools import ToolDefinitionProtocol
from avionics.tools.configured.agent_config import (
    BuildFailure,
    build_config_schema,
    read_agent_config,
    read_tool_config,
)
from avionics.tools.configured.knowledge import KnowledgeBase, KnowledgeText, open_knowledge_base
from avionics.tools.configured.tool import ConfiguredTool
from avionics.tools.configured.tool_builder import TAG, BuildContext, ToolBuilder, ToolBuildReport
from avionics.tools.configured.tool_type import Builder, ToolType, ToolTypeRegistry
from avionics.tools.configured.vector_search import VECTOR_SEARCH
from avionics.tools.configured.vector_search_with_reranking import VECTOR_SEARCH_WITH_RERANKING
from avionics.tools.log import standard_logger

__all__ = [
    "BuildFailure",
    "ConfiguredTool",
    "KnowledgeBase",
    "KnowledgeText",
    "ToolBuildReport",
    "ToolType",
    "ToolTypeRegistry",
    "build_tool",
    "build_tools",
    "create_tool_from_config",
    "create_tools_from_agent_config",
    "get_config_schema",
    "open_knowledge_base",
    "register_tool_type",
    "tool_types",
]

tool_types: Final = ToolTypeRegistry((VECTOR_SEARCH, VECTOR_SEARCH_WITH_RERANKING))
"""The types of this process: those of avionics, and whatever the product registers."""


def register_tool_type(
    name: str,
    build: Builder,
    fields: Mapping[str, Any] | None = None,
    description: str = "",
    *,
    replace: bool = False,
) -> None:
    """Make a type of tool known, so that configurations can ask for it.

    Args:
        name: What `type` says.
        build: `async def build(tool_config, account_id, db, auth_token=None, **context)`; gives the tool or None.
        fields: What the configuration must hold: names to strings such as "integer?", or `Parameter`s. They are
            checked before the builder is asked, and stand in the configuration's schema.
        description: What such a tool is for.
        replace: Take the place of the type registered before, instead of refusing.

    Raises:
        ConfigError: Another type has that name, or a field says nothing we can read.
    """
    tool_types.add_type(ToolType(name, build, fields or {}, description), replace=replace)


def get_config_schema(types: ToolTypeRegistry = tool_types) -> dict[str, Any]:
    """The JSON Schema of agent configurations, with one alternative for every registered type."""
    return build_config_schema(types)


async def create_tools_from_agent_config(
    agent_config: Mapping[str, Any],
    account_id: int | str = 0,
    db: Any = None,
    auth_token: str | None = None,
    **context: Any,
) -> list[ToolDefinitionProtocol]:
    """All tools an agent's configuration asks for, of either version; what cannot be made is logged and left out.

    Args:
        agent_config: The configuration.
        account_id: Whose credentials, and whose local indexes.
        db: The product's database; one with `get_credential(account_id, name)` is asked for credentials.
        auth_token: What servers are asked with that have no key of their own in the settings.
        **context: What builders are given besides; ours take `settings` and `logger`.
    """
    return list((await build_tools(agent_config, account_id, db, auth_token, **context)).tools)


async def create_tool_from_config(
    tool_config: Mapping[str, Any],
    account_id: int | str = 0,
    db: Any = None,
    auth_token: str | None = None,
    **context: Any,
) -> ToolDefinitionProtocol | None:
    """The tool one entry asks for, or None; why is logged. The arguments are those of a whole configuration."""
    return next(iter((await build_tool(tool_config, account_id, db, auth_token, **context)).tools), None)


async def build_tools(
    agent_config: Mapping[str, Any],
    account_id: int | str = 0,
    db: Any = None,
    auth_token: str | None = None,
    *,
    types: ToolTypeRegistry = tool_types,
    **context: Any,
) -> ToolBuildReport:
    """`create_tools_from_agent_config`, with the reasons for what is missing; `types` are those of this process."""
    log: LoggerProtocol = context.get("logger") or standard_logger()
    config = read_agent_config(agent_config)
    log.debug(f"{TAG} Creating tools from agent config v{config.version}")
    log.debug(f"{TAG} Found {len(config.entries)} tools (v{config.version} format)")
    workshop = ToolBuilder(BuildContext(account_id, db, auth_token, types, context), log)
    for entry in config.entries:
        await workshop.build(entry)
    report = workshop.get_report()
    log.debug(f"{TAG} Created {len(report.tools)} tools successfully")
    return report


async def build_tool(
    tool_config: Mapping[str, Any],
    account_id: int | str = 0,
    db: Any = None,
    auth_token: str | None = None,
    *,
    types: ToolTypeRegistry = tool_types,
    **context: Any,
) -> ToolBuildReport:
    """`create_tool_from_config`, with the reason where there is no tool."""
    workshop = ToolBuilder(
        BuildContext(account_id, db, auth_token, types, context), context.get("logger") or standard_logger()
    )
    await workshop.build(read_tool_config(tool_config))
    return workshop.get_report()
