"""The factory: build tools from configurations.

    tools = await create_tools_from_agent_config(agent_config=config, account_id=1, db=db, auth_token=token)

An invalid entry costs only its own tool: it is left out, the reason is logged, and `build_tools` returns it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any, Final

from avionics.model.seams import LoggerProtocol
from avionics.model.tools import ToolDefinitionProtocol
from avionics.tools.configured.agent_config import (
    BuildFailure,
    build_config_schema,
    read_agent_config,
    read_tool_config,
)
from avionics.tools.configured.calendar import CALENDAR
from avionics.tools.configured.knowledge import KnowledgeBase, KnowledgeText, open_knowledge_base
from avionics.tools.configured.local_tools import CALCULATOR, CODE_EXECUTION, FILE_OPERATION, SQL_QUERY
from avionics.tools.configured.mail import EMAIL
from avionics.tools.configured.remote_tools import API_CALL, WEB_SEARCH
from avionics.tools.configured.resources import HttpEndpoint, MailServer, ToolResources
from avionics.tools.configured.tool import Builder, ConfiguredTool, ToolType, ToolTypeRegistry
from avionics.tools.configured.tool_builder import TAG, BuildContext, ToolBuilder, ToolBuildReport
from avionics.tools.configured.vector_search import VECTOR_SEARCH, VECTOR_SEARCH_WITH_RERANKING
from avionics.tools.log import standard_logger

__all__ = [
    "BuildFailure", "ConfiguredTool", "HttpEndpoint", "KnowledgeBase", "KnowledgeText", "MailServer",
    "ToolBuildReport", "ToolResources", "ToolType", "ToolTypeRegistry", "build_tool", "build_tools",
    "create_tool_from_config", "create_tools_from_agent_config", "get_config_schema", "open_knowledge_base",
    "register_tool_type", "tool_types",
]  # fmt: skip

tool_types: Final = ToolTypeRegistry(
    (
        VECTOR_SEARCH, VECTOR_SEARCH_WITH_RERANKING, SQL_QUERY, CALCULATOR, CODE_EXECUTION, FILE_OPERATION, API_CALL,
        WEB_SEARCH, EMAIL, CALENDAR,
    )
)  # fmt: skip
"""The tool types of this process: those of avionics, and any that the application registers."""


def register_tool_type(
    name: str, build: Builder, fields: Mapping[str, Any] | None = None, description: str = "", *, replace: bool = False
) -> None:
    """Register a type of tool for configurations.

    Args:
        name: The value of `type`.
        build: `async def build(tool_config, account_id, db, auth_token=None, **context)`; returns the tool or None.
        fields: The fields of the configuration: names to strings such as "integer?", or `Parameter`s. They are
            validated before the builder runs, and are part of the configuration's schema.
        description: The purpose of such a tool.
        replace: Whether to replace a registered type instead of raising.

    Raises:
        ConfigError: Another type has that name, or a field cannot be parsed.
    """
    tool_types.add_type(ToolType(name, build, fields or {}, description), replace=replace)


def get_config_schema(types: ToolTypeRegistry = tool_types) -> dict[str, Any]:
    """Return the JSON Schema of agent configurations, with one alternative per registered type."""
    return build_config_schema(types)


async def create_tools_from_agent_config(
    agent_config: Mapping[str, Any] | PurePath,
    account_id: int | str = 0,
    db: Any = None,
    auth_token: str | None = None,
    **context: Any,
) -> list[ToolDefinitionProtocol]:
    """Return all tools of an agent's configuration, of either version.

    Tools that cannot be built are logged and left out.

    Args:
        agent_config: The configuration, or the path of its JSON or YAML file.
        account_id: The account whose credentials and local indexes are used.
        db: The application's database; its `get_credential(account_id, name)`, if any, provides credentials.
        auth_token: The token for servers without a key in the settings.
        **context: Further arguments of builders; ours use `settings`, `logger` and `resources`, the resources that
            tools may use.
    """
    return list((await build_tools(agent_config, account_id, db, auth_token, **context)).tools)


async def create_tool_from_config(
    tool_config: Mapping[str, Any],
    account_id: int | str = 0,
    db: Any = None,
    auth_token: str | None = None,
    **context: Any,
) -> ToolDefinitionProtocol | None:
    """Return the tool of one entry, or None and log why. The arguments are those of a whole configuration."""
    return next(iter((await build_tool(tool_config, account_id, db, auth_token, **context)).tools), None)


async def build_tools(
    agent_config: Mapping[str, Any] | PurePath,
    account_id: int | str = 0,
    db: Any = None,
    auth_token: str | None = None,
    *,
    types: ToolTypeRegistry = tool_types,
    **context: Any,
) -> ToolBuildReport:
    """Build tools of known types as `create_tools_from_agent_config` does; return why some are missing."""
    log: LoggerProtocol = context.get("logger") or standard_logger()
    config = read_agent_config(agent_config)
    log.debug(f"{TAG} Creating tools from agent config v{config.version}")
    log.debug(f"{TAG} Found {len(config.entries)} tools (v{config.version} format)")
    builder = ToolBuilder(BuildContext(account_id, db, auth_token, types, context), log)
    for entry in config.entries:
        await builder.build(entry)
    report = builder.get_report()
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
    """Build a tool as `create_tool_from_config`, and return the reason if there is none."""
    builder = ToolBuilder(
        BuildContext(account_id, db, auth_token, types, context), context.get("logger") or standard_logger()
    )
    await builder.build(read_tool_config(tool_config))
    return builder.get_report()
