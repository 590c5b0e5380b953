"""The open registry: tools of any kind, found by name.

registry = ToolRegistry()
registry.register_tool(TextTransform)
ToolExecutor(registry).run(ToolCall("text.transform", {"text": "hello"}))
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import RLock
from typing import Any, Final, cast

from avionics.model.enums import RiskLevel, ToolCategory, ToolDomain
from avionics.model.errors import RegistrationError
from avionics.model.grants import Grant, read_group_list, read_permissions
from avionics.model.seams import LoggerProtocol
from avionics.model.tools import ToolDefinitionProtocol
from avionics.tools.function_tools import get_function_tool
from avionics.tools.function_tools import tool as declare_tool
from avionics.tools.guards.access import get_required
from avionics.tools.interop.langchain import is_langchain_tool, read_langchain_tool
from avionics.tools.log import standard_logger
from avionics.tools.registries.registry_base import RegistryBase
from avionics.tools.registries.self_describing import OwnDefinition
from avionics.tools.registries.tool_override import overlaid, owner_of
from avionics.tools.schema.from_json_schema import find_output_faults
from avionics.tools.schema.parameters import read_parameters

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")


class ToolRegistry(RegistryBase):
    """Tools by name; a `ToolRegistryProtocol`, safe to share between threads.

    Args:
        logger: Receives warnings about replaced tools; the standard library's logging by default.
    """

    def __init__(self, logger: LoggerProtocol | None = None, *, grants: Grant | Iterable[Grant] = ()) -> None:
        self._logger = logger
        self._grants = read_permissions(grants)
        self._disabled: frozenset[str] = frozenset()
        self._tools: dict[str, ToolDefinitionProtocol] = {}
        self._lock = RLock()

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

    def tool(self, function: Callable[..., Any] | None = None, **options: Any) -> Any:
        """Register the decorated function as a tool; it stays as it is.

        Takes the arguments of `avionics.tool`, and raises what it or `register_tool` raises.
        """

        def register(given: Callable[..., Any]) -> Callable[..., Any]:
            self.register_tool(declare_tool(given, **options))
            return given

        return register if function is None else register(function)

    def register_tools(self, tools: Iterable[Any], *, replace: bool = False) -> None:
        """Register each of the tools in order, up to the first that fails."""
        for tool in tools:
            self.register_tool(tool, replace=replace)

    def register_local_tool(
        self, tool: Any, access_groups: str | Iterable[str] | None = None, *, replace: bool = False
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
        local = found if access_groups is None else overlaid(found, access_groups=read_group_list(access_groups))
        self._add(local, replace=replace)

    def add_mcp(self, target: str | Sequence[str], **options: Any) -> Any:
        """Register the tools of another MCP server, which every call reaches through the executor like any other tool.

        The server's declarations are not trusted: its annotations are ignored, and risk, permissions and the deadline
        are those given here. The schemas of its tools are kept. Blocks until the server has listed them.

        Args:
            target: An http(s) URL, or a command as text or as a list of words.
            **options: `prefix` of the names; `permissions` that a call needs (NETWORK_ACCESS for a URL, CODE_EXECUTE
                for a command); `risk` ("medium"); `groups`; `timeout_seconds` of a call (60); `only`, the tools to
                take, by the server's names; `environment` of a command; `headers` for a URL.

        Returns:
            The registered `names`; `close()` removes them and ends the connection.

        Raises:
            RemoteError: The server cannot be reached.
            RegistrationError: A name is taken; nothing is registered then.
            MissingDependencyError: `avionics[mcp]` is not installed.
        """
        from avionics.tools.registries.mcp_bridge import load_mcp

        return load_mcp("client").add_tools(self, target, **options)

    def unregister_tool(self, name: str) -> bool:
        """Remove a tool and return whether there was one."""
        with self._lock:
            self._disabled -= {name}
            return self._tools.pop(name, None) is not None

    def clear(self) -> None:
        """Remove all tools."""
        with self._lock:
            self._disabled = frozenset()
            self._tools.clear()

    def has_tool(self, name: str) -> bool:
        return name in self._tools and name not in self._disabled

    def get_tool(self, name: str) -> Any:
        """Return the object registered under a name, or None."""
        return None if name in self._disabled else self._tools.get(name)

    def get_tool_names(self) -> tuple[str, ...]:
        """Return the names of all registered tools, in order of registration."""
        with self._lock:
            return tuple(name for name in self._tools if name not in self._disabled)

    def disable(self, *names: str) -> None:
        with self._lock:
            for name in names:
                if name not in self._tools:
                    raise RegistrationError(f"there is no tool {name!r}", hint=f"known: {', '.join(self._tools)}")
                self._disabled |= {name}

    def enable(self, *names: str) -> None:
        with self._lock:
            self._disabled -= frozenset(names)

    def get_grants(self, name: str) -> frozenset[Grant]:  # noqa: ARG002  the same for all its tools
        """Return the permissions of callers that state none of their own."""
        return self._grants

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
            hint="use 1 to 128 letters, digits, underscores, dots and hyphens",
        )
    if not isinstance(description, str) or not description.strip():
        raise RegistrationError(f"the tool {name!r} has no description; it is what the planner reads")
    category, risk = getattr(made, "category", None), made.risk_level
    for kinds, given in (((ToolDomain, ToolCategory), category), ((RiskLevel,), risk)):
        known = [member.value for kind in kinds for member in kind]
        if given is not None and given not in known:
            raise RegistrationError(f"{name!r}: unknown {kinds[0].__name__} {given!r}; one of {', '.join(known)}")
    again = [word for word in ("cache_seconds", "retries") if getattr(made, word, 0)]
    if again and risk != RiskLevel.LOW:
        reason = f"{name!r} has {risk} risk, so {' and '.join(again)} cannot be used"
        raise RegistrationError(reason, hint="only tools of low risk are cached or retried")
    get_required(made)
    output_schema = getattr(made, "output_schema", None)
    if output_schema is not None:
        find_output_faults(output_schema, None)
    faults = [fault for example in getattr(made, "examples", ()) for fault in _find_example_faults(made, example)]
    if faults:
        raise RegistrationError(f"an example of {name!r} does not fit its schema: {'; '.join(faults)}")
    return made


def _build_tool(tool: Any) -> ToolDefinitionProtocol:
    """Return an instance of a class, or a definition for a tool that is not one itself."""
    place = getattr(tool, "__qualname__", type(tool).__qualname__)
    if inspect.isfunction(tool) or inspect.ismethod(tool):
        return get_function_tool(tool)
    if isinstance(tool, type):
        tool = _instantiate(tool)
    if is_langchain_tool(tool):
        return read_langchain_tool(tool)
    if isinstance(tool, OwnDefinition):
        return cast("ToolDefinitionProtocol", tool)
    if hasattr(tool, "schema") and hasattr(tool, "execute"):
        from avionics.tools.interop.schema_tools import SchemaTool, is_schema_tool

        if is_schema_tool(tool):
            return SchemaTool(tool)
    if not isinstance(tool, ToolDefinitionProtocol):
        raise RegistrationError(
            f"{place} is not a tool",
            hint="give a documented function with types, a BaseTool, a Tool, or an object with a schema and execute()",
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
    output_schema = getattr(tool, "output_schema", None)
    if output_schema is None or "output" not in example:
        return faults
    return (*faults, *find_output_faults(output_schema, example["output"]))
