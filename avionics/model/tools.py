"""Calls, callers and tool definitions: what passes between a caller and the executor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

import attrs

from avionics.model.enums import RiskLevel
from avionics.model.errors import ConfigError
from avionics.model.grants import Grant, read_group_list, read_groups, read_optional_permissions


@attrs.frozen
class ToolCall:
    """One request to run a tool by name."""

    name: str
    arguments: Mapping[str, Any] = attrs.field(factory=dict)
    id: str = ""


@attrs.frozen
class Caller:
    """Who is asking.

    Attributes:
        id: A stable name.
        role: "planner" (sees tools), "traverser" (executes), or "" for a person or program.
        groups: Access groups the caller belongs to.
        permissions: What the caller has been granted. None states nothing: the caller then has what the executor
            grants to everyone, which is reading the workspace unless the executor says more.
    """

    id: str = "anonymous"
    role: str = ""
    groups: frozenset[str] = attrs.field(default=frozenset(), converter=read_groups)
    permissions: frozenset[Grant] | None = attrs.field(default=None, converter=read_optional_permissions)

    @property
    def group_memberships(self) -> frozenset[str]:
        """`groups`, as tools written for a user know them."""
        return self.groups


@attrs.frozen
class ToolContext:
    """The circumstances of a call; concurrent calls never share one.

    Attributes:
        caller: Who asks.
        workspace: What tools that take a `workspace` are given.
        thread_id: The conversation.
        request_id: The request.
        trace_id: The trace it belongs to.
        timeout_seconds: The call's own limit; None takes the setting.
        budget_tokens: How long the answer's text may be; None takes the setting, 0 means whole.
        metadata: Whatever the product around it wants to pass on.
        session_id: The session, where threads have several.
        agent_memory: What remembers earlier questions, if anything does.
        observability_provider: Where a tool may measure and trace, if anywhere.
    """

    caller: Caller = Caller()
    workspace: Any = None
    thread_id: str = ""
    request_id: str = ""
    trace_id: str = ""
    timeout_seconds: float | None = None
    budget_tokens: int | None = None
    metadata: Mapping[str, Any] = attrs.field(factory=dict)
    session_id: str = ""
    agent_memory: Any = None
    observability_provider: Any = None

    @property
    def user(self) -> Caller:
        """Who asks."""
        return self.caller

    @property
    def user_id(self) -> str:
        """Who asks, by name."""
        return self.caller.id

    @property
    def conversation_id(self) -> str:
        """The conversation."""
        return self.thread_id


@attrs.frozen
class ToolSchema:
    """A tool as a model is told of it.

    Attributes:
        name: As callers write it.
        description: For the model.
        parameters: JSON Schema of the arguments.
        access_groups: Who may use it; empty is everyone.
        output_schema: JSON Schema of what it gives, if it says.
        examples: `{"input": …, "output": …}` each.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    access_groups: tuple[str, ...] = attrs.field(default=(), converter=read_group_list)
    output_schema: Mapping[str, Any] | None = None
    examples: tuple[Mapping[str, Any], ...] = attrs.field(default=(), converter=tuple)

    @property
    def input_schema(self) -> Mapping[str, Any]:
        """`parameters`, as tools that also describe their output call them."""
        return self.parameters


def _require_outcomes(_fallback: object, _attribute: object, on: frozenset[str]) -> None:
    unknown = on - {"not_found", "error", "deadline"}
    if unknown or not on:
        raise ConfigError(
            f"a fallback is never asked on {', '.join(sorted(unknown)) or 'nothing'}",
            hint="one or more of not_found, error, deadline",
        )


@attrs.frozen
class Fallback:
    """A tool to ask instead of one that found nothing.

    Attributes:
        tool: Its name.
        renamed: What our parameters are called there: {"name": "symbol"}; those it does not have are left out.
        on: When it is asked: "not_found", "error" (the tool failed) and "deadline" (it took too long).
    """

    tool: str
    renamed: Mapping[str, str] = attrs.field(factory=dict)
    on: frozenset[str] = attrs.field(
        default=frozenset({"not_found"}), converter=read_groups, validator=_require_outcomes
    )


@runtime_checkable
class ToolDefinitionProtocol(Protocol):
    """What the corridor needs to know of a tool."""

    @property
    def name(self) -> str:
        """As callers write it."""
        ...

    @property
    def description(self) -> str:
        """One line."""
        ...

    @property
    def function(self) -> Callable[..., Any]:
        """What runs."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Name → kind, for people and planners."""
        ...

    @property
    def parameter_schemas(self) -> Mapping[str, Any]:
        """Name → what arguments are judged by."""
        ...

    @property
    def risk_level(self) -> RiskLevel:
        """What running it may do."""
        ...

    @property
    def fallbacks(self) -> tuple[Fallback, ...]:
        """What to ask instead when it finds nothing, in order."""
        ...

    @property
    def timeout_seconds(self) -> float | None:
        """Its own limit, if it has one."""
        ...


@runtime_checkable
class ToolRegistryProtocol(Protocol):
    """What the corridor needs of a registry."""

    def has_tool(self, name: str) -> bool:
        """Whether a tool of that name is registered."""
        ...

    def get_tool(self, name: str) -> ToolDefinitionProtocol | None:
        """The tool of that name, or None."""
        ...

    def get_tool_names(self) -> tuple[str, ...]:
        """The names of all registered tools."""
        ...
