"""The values between the caller of a tool and the executor pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct, field, structs

from avionics.model.enums import RiskLevel
from avionics.model.errors import ConfigError
from avionics.model.grants import Grant, read_group_list, read_groups, read_optional_permissions


class ToolCall(Struct, frozen=True):
    """One request to run a tool by name."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""


CallWriter = Callable[[ToolCall], str]
"""Writes a call as the reader of an answer makes it; "" when that reader cannot."""


class Caller(Struct, frozen=True):
    """The caller of a tool.

    Attributes:
        id: A stable name.
        role: "planner" (sees tools), "traverser" (runs them), or "" for a person or program.
        groups: Its access groups.
        permissions: Its permissions; None means all.
    """

    id: str = "anonymous"
    role: str = ""
    groups: frozenset[str] = frozenset()
    permissions: frozenset[Grant] | None = None

    def __post_init__(self) -> None:
        structs.force_setattr(self, "groups", read_groups(self.groups))
        structs.force_setattr(self, "permissions", read_optional_permissions(self.permissions))

    @property
    def group_memberships(self) -> frozenset[str]:
        """Return `groups`, under the name that tools written for a user expect."""
        return self.groups


class ToolContext(Struct, frozen=True):
    """The circumstances of a call; concurrent calls never share one.

    Attributes:
        caller: The caller.
        workspace: The value for tools that take a `workspace`.
        thread_id: The conversation.
        request_id: The request.
        trace_id: The trace it belongs to.
        timeout_seconds: The time limit of the call; None uses the setting.
        answer_seconds: When the tool answers with what it has; None uses most of `timeout_seconds`, or the setting.
        budget_tokens: The length limit of the answer's text; None uses the setting, 0 is unlimited.
        metadata: Any data of the application.
        session_id: The session, if threads have several.
        agent_memory: The application's memory of earlier questions, if any.
        observability_provider: The application's metrics and tracing, if any.
        write_call: How the reader of the answer writes the call that it suggests; None writes it as Python.
    """

    caller: Caller = Caller()
    workspace: Any = None
    thread_id: str = ""
    request_id: str = ""
    trace_id: str = ""
    timeout_seconds: float | None = None
    answer_seconds: float | None = None
    budget_tokens: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    session_id: str = ""
    agent_memory: Any = None
    observability_provider: Any = None
    write_call: CallWriter | None = None

    @property
    def user(self) -> Caller:
        """Return the caller."""
        return self.caller

    @property
    def user_id(self) -> str:
        """Return the name of the caller."""
        return self.caller.id

    @property
    def conversation_id(self) -> str:
        """Return the conversation."""
        return self.thread_id


class ToolSchema(Struct, frozen=True):
    """A tool as described to a model.

    Attributes:
        name: Its name.
        description: For the model.
        parameters: JSON Schema of the arguments.
        access_groups: Who may use it; empty means everyone.
        output_schema: JSON Schema of its output, if declared.
        examples: `{"input": …, "output": …}` each.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    access_groups: tuple[str, ...] = ()
    output_schema: Mapping[str, Any] | None = None
    examples: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        structs.force_setattr(self, "access_groups", read_group_list(self.access_groups))
        structs.force_setattr(self, "examples", tuple(self.examples))

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """Return `parameters`, under the name that tools with an output schema use."""
        return self.parameters


class Fallback(Struct, frozen=True):
    """A tool to call instead of one that found nothing.

    Attributes:
        tool: Its name.
        renamed: Maps a parameter of this tool to its name in that tool, `{"name": "symbol"}`; parameters that tool
            does not have are dropped.
        on: The outcomes after which it is called: not_found, error or deadline.

    Raises:
        ConfigError: There is no outcome, or another one.
    """

    tool: str
    renamed: Mapping[str, str] = field(default_factory=dict)
    on: frozenset[str] = frozenset({"not_found"})

    def __post_init__(self) -> None:
        on = read_groups(self.on)
        hint = "one or more of not_found, error, deadline"
        if not on:
            raise ConfigError("a fallback needs an outcome after which it is tried", hint=hint)
        if unknown := on - {"not_found", "error", "deadline"}:
            raise ConfigError(f"a fallback cannot be tried on {', '.join(sorted(unknown))}", hint=hint)
        structs.force_setattr(self, "on", on)


@runtime_checkable
class ToolDefinitionProtocol(Protocol):
    """What the executor needs to know about a tool."""

    @property
    def name(self) -> str:
        """Return the name."""

    @property
    def description(self) -> str:
        """Return the description in one line."""

    @property
    def function(self) -> Callable[..., Any]:
        """Return the function to run."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Return name → type, for people and planners."""

    @property
    def parameter_schemas(self) -> Mapping[str, Any]:
        """Return name → schema against which arguments are validated."""

    @property
    def risk_level(self) -> RiskLevel:
        """Return the risk of running it."""

    @property
    def fallbacks(self) -> tuple[Fallback, ...]:
        """Return the tools to call, in order, if it finds nothing."""

    @property
    def timeout_seconds(self) -> float | None:
        """Return its own time limit, if any."""


@runtime_checkable
class ToolRegistryProtocol(Protocol):
    """What the executor needs from a registry."""

    def has_tool(self, name: str) -> bool:
        """Return whether a tool of that name is registered."""

    def get_tool(self, name: str) -> ToolDefinitionProtocol | None:
        """Return the tool of that name, or None."""

    def get_tool_names(self) -> tuple[str, ...]:
        """Return the names of all registered tools."""
