"""Configured tools as values that can also run themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from threading import RLock
from typing import Any, TypeAlias

import attrs

from avionics.model.enums import Permission
from avionics.model.errors import ConfigError
from avionics.model.results import ToolResult
from avionics.model.tools import ToolCall, ToolContext
from avionics.tools.catalog import ToolDefinition
from avionics.tools.declare import read_signature
from avionics.tools.executor import ToolExecutor
from avionics.tools.interop.langchain import build_langchain_tool
from avionics.tools.registry import ToolRegistry
from avionics.tools.schema.parameters import ANYTHING, Parameter, Parameters, build_parameters, read_parameters

Builder: TypeAlias = Callable[..., Awaitable[Any]]
"""`async def build(tool_config, account_id, db, auth_token=None, **context)` → a tool, or None without a reason."""


def _read_fields(fields: Mapping[str, Any] | Iterable[Parameter]) -> Parameters:
    """Return the fields; others are judged apart, since configurations of version 1 may have them."""
    read = read_parameters(fields) if isinstance(fields, Mapping) else build_parameters(fields)
    return Parameters(read.by_name, ANYTHING)


@attrs.frozen
class ToolType:
    """One kind of configured tool.

    Attributes:
        name: The value of `type`.
        fields: The other fields of its configuration: names to strings such as "integer?", or `Parameter`s.
        description: The purpose of such a tool.
        find_conflicts: Returns conflicts between the fields, once each is valid.
    """

    name: str
    build: Builder
    fields: Parameters = attrs.field(factory=lambda: build_parameters(()), converter=_read_fields)
    description: str = ""
    find_conflicts: Callable[[Mapping[str, Any]], tuple[str, ...]] = lambda _config: ()

    def find_faults(self, config: Mapping[str, Any]) -> tuple[str, ...]:
        """Return every problem of a configuration, each naming its field."""
        return self.fields.find_faults(config) or self.find_conflicts(config)

    def find_unknown(self, config: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the unknown fields, which may be misspelt."""
        return tuple(str(name) for name in config if name not in self.fields and name != "type")


class ToolTypeRegistry:
    """The known types; safe to share between threads."""

    def __init__(self, types: Iterable[ToolType] = ()) -> None:
        self._types: dict[str, ToolType] = {}
        self._lock = RLock()
        for each in types:
            self.add_type(each)

    def add_type(self, added: ToolType, *, replace: bool = False) -> None:
        """Register a type; registering the same type twice is harmless.

        Raise `ConfigError` if its name is invalid, or another type has it and `replace` is false.
        """
        if not isinstance(added.name, str) or not added.name or not callable(added.build):
            raise ConfigError("a tool type needs a name and a callable builder")
        with self._lock:
            before = self._types.get(added.name, added)
            if before != added and not replace:
                raise ConfigError(
                    f"the tool type {added.name!r} is already registered", hint="pass replace=True to replace the first"
                )
            self._types[added.name] = added

    def remove_type(self, name: str) -> None:
        """Remove a type; ignore an unknown one."""
        with self._lock:
            self._types.pop(name, None)

    def get_type(self, name: str) -> ToolType | None:
        """Return the type of that name, or None."""
        with self._lock:
            return self._types.get(name)

    def is_registered(self, name: str) -> bool:
        """Return whether there is a type of that name."""
        return self.get_type(name) is not None

    def list_types(self) -> tuple[str, ...]:
        """Return the names of all types, in order of registration."""
        with self._lock:
            return tuple(self._types)


class ConfiguredTool(ToolDefinition, frozen=True, eq=False):
    """A tool built from a configuration, and the permissions that a caller needs."""

    required_permissions: frozenset[Permission] = frozenset()

    @classmethod
    def of(cls, function: Callable[..., Any], name: str, description: str) -> ConfiguredTool:
        """Return the tool that runs a typed function; `Args:` in its docstring describe the parameters."""
        return cls(name, function, read_signature(function), description)

    async def execute(
        self, arguments: Mapping[str, Any], context: ToolContext | None = None, executor: ToolExecutor | None = None
    ) -> ToolResult:
        """Run a call through an executor that knows the tool, by default one for this tool alone."""
        return await (executor or self._open_executor()).execute(ToolCall(self.name, arguments), context)

    def to_langchain(self, executor: ToolExecutor | None = None, context: ToolContext | None = None) -> Any:
        """Return the tool as LangChain's `StructuredTool`, whose calls also go through the executor.

        Raise `MissingDependencyError` if langchain-core is not installed.
        """
        return build_langchain_tool(self, executor or self._open_executor(), context)

    def _open_executor(self) -> ToolExecutor:
        """Return an executor that knows only this tool."""
        registry = ToolRegistry()
        registry.register_tool(self)
        return ToolExecutor(registry)
