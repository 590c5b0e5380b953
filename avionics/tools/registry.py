"""The open registry: tools of any kind, found by name.

registry = ToolRegistry()
registry.register_tool(TextTransform)
ToolExecutor(registry).run(ToolCall("text.transform", {"text": "hello"}))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, cast

from avionics.model.enums import Permission, ToolCategory, ToolDomain
from avionics.model.errors import RegistrationError
from avionics.model.seams import LoggerProtocol
from avionics.model.tools import Caller, ToolCall, ToolContext, ToolDefinitionProtocol, ToolSchema
from avionics.tools.guards.permitted import is_visible
from avionics.tools.interop.tool_exports import build_listing, build_tool_schema
from avionics.tools.log import standard_logger
from avionics.tools.registries.self_describing import OwnDefinition
from avionics.tools.registries.tool_override import overlaid, owner_of
from avionics.tools.schema.from_json_schema import find_schema_faults
from avionics.tools.schema.parameters import read_parameters

if TYPE_CHECKING:
    from avionics.tools.schema.from_pydantic import ToolOutput

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")


class ToolRegistry:
    """Tools by name; a `ToolRegistryProtocol`, safe to share between threads.

    Args:
        logger: Receives warnings about replaced tools; the standard library's logging by default.
    """

    def __init__(self, logger: LoggerProtocol | None = None) -> None:
        self._logger = logger
        self._tools: dict[str, ToolDefinitionProtocol] = {}
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __bool__(self) -> bool:
        return True

    def register_tool(self, tool: Any, *, replace: bool = False) -> None:
        """Register a tool under its own name.

        Args:
            tool: A class that can be called without arguments, or an instance: of `BaseTool`, of `Tool`, with a schema
                and `execute(input, context)`, or a `ToolDefinition`.
            replace: Whether to replace a registered tool, with a warning, instead of raising.

        Raises:
            RegistrationError: It is not a tool, has no valid name or description, an example does not fit its schema,
                or the name is taken; also a ValueError.
        """
        self._add(_require_tool(tool), replace=replace)

    def register_tools(self, tools: Iterable[Any], *, replace: bool = False) -> None:
        """Register each of the tools in order, up to the first that fails."""
        for tool in tools:
            self.register_tool(tool, replace=replace)

    def register_local_tool(
        self, tool: Any, access_groups: Iterable[str] | None = None, *, replace: bool = False
    ) -> None:
        """Register a tool for these access groups, whatever its own are; the tool itself is unchanged.

        Args:
            tool: As for `register_tool`.
            access_groups: Who may use it here; empty means everyone, None keeps the tool's own.
            replace: Whether to replace a registered tool instead of raising.

        Raises:
            RegistrationError: As for `register_tool`.
        """
        found = _require_tool(tool)
        local = found if access_groups is None else overlaid(found, access_groups=tuple(access_groups))
        self._add(local, replace=replace)

    def unregister_tool(self, name: str) -> bool:
        """Remove a tool and return whether there was one."""
        with self._lock:
            return self._tools.pop(name, None) is not None

    def clear(self) -> None:
        """Remove all tools."""
        with self._lock:
            self._tools.clear()

    def has_tool(self, name: str) -> bool:
        """Return whether a tool of that name is registered."""
        return name in self

    def get_tool(self, name: str) -> Any:
        """Return the object registered under that name, or None."""
        return self._tools.get(name)

    def get_tool_names(self) -> tuple[str, ...]:
        """Return the names of all registered tools, in order of registration."""
        with self._lock:
            return tuple(self._tools)

    def list_tools(
        self, category: ToolDomain | ToolCategory | None = None, permission: Permission | None = None
    ) -> list[Any]:
        """Return all registered tools, or those of a category, or those that need a permission."""
        with self._lock:
            tools = list(self._tools.values())
        return [
            tool
            for tool in tools
            if (category is None or getattr(tool, "category", None) == category)
            and (permission is None or permission in getattr(tool, "required_permissions", ()))
        ]

    def execute_tool(self, name: str, /, **kwargs: Any) -> ToolOutput:
        """Run a tool with these arguments, outside of any event loop, without guards.

        Errors of the tool are not raised.

        Raises:
            RegistrationError: No tool of that name is registered; also a ValueError.
        """
        from avionics.tools.base import BaseTool
        from avionics.tools.executor import ToolExecutor
        from avionics.tools.interop.result_adapters import to_output

        tool = self.get_tool(name)
        if tool is None:
            raise RegistrationError(f"there is no tool {name!r}", hint=f"known: {', '.join(self.get_tool_names())}")
        if isinstance(tool, BaseTool):
            return tool.execute(**kwargs)
        return to_output(ToolExecutor(self, guards=(), logger=self._logger).run(ToolCall(name, kwargs)))

    def get_tool_schema(self, name: str) -> dict[str, Any] | None:
        """Return name, description, category, parameters and permissions of a tool, or None."""
        tool = self.get_tool(name)
        return None if tool is None else build_listing(tool)

    def get_all_schemas(self) -> list[dict[str, Any]]:
        """Return name, description, category, parameters and permissions of every tool."""
        return [build_listing(tool) for tool in self.list_tools()]

    def get_schemas(self, user: Any = None) -> list[ToolSchema]:
        """Return the tools that a user may use, as described to a model.

        Without a user these are the tools for everyone.

        Args:
            user: A Caller, or any object with `group_memberships`.
        """
        caller = user if isinstance(user, Caller) else Caller(groups=frozenset(getattr(user, "group_memberships", ())))
        return [build_tool_schema(tool) for tool in self.list_tools() if is_visible(tool, caller)]

    def transform_args(
        self,
        tool: ToolDefinitionProtocol,  # noqa: ARG002  what a subclass decides by
        args: Mapping[str, Any],
        user: Caller,  # noqa: ARG002
        context: ToolContext,  # noqa: ARG002
    ) -> Any:
        """Return the arguments of a call for that user; a subclass may change them or return a `ToolRejection`.

        Use it as a guard: `ToolExecutor(registry, guards=(transformed(registry.transform_args),))`.
        """
        return args

    def _add(self, tool: ToolDefinitionProtocol, *, replace: bool) -> None:
        """Register the tool under its name, unless that is taken."""
        with self._lock:
            before = self._tools.get(tool.name)
            if before is not None and not replace:
                raise RegistrationError(
                    f"{tool.name!r} is registered twice: by {owner_of(before)} and {owner_of(tool)}",
                    hint="pass replace=True to replace the first",
                )
            self._tools[tool.name] = tool
        if before is not None:
            logger = self._logger or standard_logger()
            logger.warning(f"tool {tool.name!r} replaced: {owner_of(before)} by {owner_of(tool)}")


def _require_tool(tool: Any) -> ToolDefinitionProtocol:
    """Return the tool as a valid definition."""
    made = _build_tool(tool)
    name, description = made.name, made.description
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise RegistrationError(
            f"{owner_of(made)}: {str(name)[:150]!r} is not a valid tool name",
            hint="1 to 128 letters, digits, underscores, dots and hyphens",
        )
    if not isinstance(description, str) or not description.strip():
        raise RegistrationError(f"the tool {name!r} has no description; it is what the planner reads")
    faults = [fault for example in getattr(made, "examples", ()) for fault in _find_example_faults(made, example)]
    if faults:
        raise RegistrationError(f"an example of {name!r} does not fit its schema: {'; '.join(faults)}")
    return made


def _build_tool(tool: Any) -> ToolDefinitionProtocol:
    """Return an instance of a class, or a definition for a tool that is not one itself."""
    place = getattr(tool, "__qualname__", type(tool).__qualname__)
    if isinstance(tool, type):
        tool = _instantiate(tool)
    if isinstance(tool, OwnDefinition):
        return cast("ToolDefinitionProtocol", tool)
    if hasattr(tool, "schema") and hasattr(tool, "execute"):
        from avionics.tools.interop.schema_tools import SchemaTool, is_schema_tool

        if is_schema_tool(tool):
            return SchemaTool(tool)
    if not isinstance(tool, ToolDefinitionProtocol):
        raise RegistrationError(
            f"{place} is not a tool",
            hint="give a BaseTool, a Tool, what has a schema and execute(), or for a function "
            "ToolDefinition(name, function, read_signature(function), description)",
        )
    return tool


def _instantiate(tool_class: Callable[[], Any]) -> Any:
    """Return an instance of a tool class."""
    try:
        return tool_class()
    except TypeError as error:
        raise RegistrationError(
            f"{tool_class.__qualname__} cannot be instantiated: {error}", hint="give an instance"
        ) from error


def _find_example_faults(tool: ToolDefinitionProtocol, example: Mapping[str, Any]) -> tuple[str, ...]:
    """Return every problem of an example against the schemas of its tool."""
    faults = read_parameters(tool.parameter_schemas).find_faults(example.get("input", {}))
    promised = getattr(tool, "output_schema", None)
    if promised is None or "output" not in example:
        return faults
    return (*faults, *find_schema_faults(promised, example["output"], "output"))
