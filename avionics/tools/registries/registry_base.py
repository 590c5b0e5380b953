"""What every registry answers, whichever way it finds its tools: listings, schemas, and the transform of arguments."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from avionics.model.enums import ToolCategory, ToolDomain
from avionics.model.errors import RegistrationError
from avionics.model.grants import Grant, read_permissions
from avionics.model.results import ToolResult
from avionics.model.tools import Caller, ToolCall, ToolContext, ToolDefinitionProtocol, ToolRegistryProtocol, ToolSchema
from avionics.tools.guards.access import get_required, is_visible
from avionics.tools.guards.transformed import ArgumentTransform

if TYPE_CHECKING:
    from avionics.tools.pipeline import ToolPipeline


class RegistryBase(ArgumentTransform):
    """The interface that registries, views and the catalog share; subclasses say which tools there are."""

    @abstractmethod
    def has_tool(self, name: str) -> bool:
        """Return whether there is a tool of that name."""

    @abstractmethod
    def get_tool(self, name: str) -> Any:
        """Return the tool of that name, or None."""

    @abstractmethod
    def get_tool_names(self) -> tuple[str, ...]:
        """Return the names of all tools."""

    @abstractmethod
    def disable(self, *names: str) -> None:
        """Hide tools until they are enabled. Raise `RegistrationError`, a `ValueError`, if there is no such tool."""

    @abstractmethod
    def enable(self, *names: str) -> None:
        """Show tools again that `disable` hid; ignore other names."""

    def __len__(self) -> int:
        return len(self.get_tool_names())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.has_tool(name)

    def __bool__(self) -> bool:
        return True

    def is_registered(self, name: str) -> bool:
        """Return whether there is a tool of that name."""
        return self.has_tool(name)

    def list_types(self) -> tuple[str, ...]:
        """Return the names of all tools."""
        return self.get_tool_names()

    def list_tools(
        self, category: ToolDomain | ToolCategory | None = None, permission: Grant | None = None
    ) -> list[Any]:
        """Return all tools, or those of a category, or those that need a permission."""
        wanted = read_permissions(permission)
        tools = [tool for name in self.get_tool_names() if (tool := self.get_tool(name)) is not None]
        return [
            tool
            for tool in tools
            if (category is None or getattr(tool, "category", None) == category) and wanted <= get_required(tool)
        ]

    def get_tool_schema(self, name: str) -> dict[str, Any] | None:
        """Return name, description, category, parameters and permissions of a tool, or None."""
        from avionics.tools.schema.listing import build_listing

        tool = self.get_tool(name)
        return None if tool is None else build_listing(tool)

    def get_all_schemas(self) -> list[dict[str, Any]]:
        """Return name, description, category, parameters and permissions of every tool."""
        from avionics.tools.schema.listing import build_listing

        return [build_listing(tool) for tool in self.list_tools()]

    def get_schemas(self, user: Any = None) -> list[ToolSchema]:
        """Return the schemas, for a model, of the tools that a user may use; without a user, of those for everyone.

        Args:
            user: A Caller, or any object with `group_memberships`.
        """
        from avionics.tools.schema.listing import build_tool_schema

        caller = user if isinstance(user, Caller) else Caller(groups=getattr(user, "group_memberships", frozenset()))
        return [build_tool_schema(tool) for tool in self.list_tools() if is_visible(tool, caller)]

    def get_grants(self, name: str) -> frozenset[Grant]:  # noqa: ARG002  a view asks the registry that has the tool
        """Return the permissions that callers of a tool have if they state none of their own."""
        return frozenset()

    async def execute(self, call: ToolCall, context: ToolContext | None = None) -> ToolResult:
        """Run a call through an executor with the default guards.

        The metadata of the result names the tool, its arguments and how long it took.
        """
        result = await _open_pipeline(self, call.name).execute(call, context)
        about = {"execution_time_ms": result.execution_time_ms, "tool_name": call.name, "arguments": call.arguments}
        return result.evolve(metadata={**result.metadata, **about})

    def execute_tool(self, name: str, /, **kwargs: Any) -> ToolResult:
        """Run a tool with these arguments and wait for it, with the guards of `execute`; `data` is its return value.

        Errors of the tool are not raised. Raise `RegistrationError` (also a `ValueError`) if no tool of that name is
        registered.
        """
        if not self.has_tool(name):
            raise RegistrationError(f"there is no tool {name!r}", hint=f"known: {', '.join(self.get_tool_names())}")
        result = _open_pipeline(self, name).run_blocking(ToolCall(name, kwargs))
        about = {} if result.success else {"error_type": result.error_type}
        return result.evolve(
            data=result.output, is_wrapped=False, execution_time_ms=0, text="",
            metadata={**result.metadata, **about},
        )  # fmt: skip

    def serve(self, **options: Any) -> None:
        """Serve these tools over the Model Context Protocol until the client leaves, or the process is told to end.

        Every call goes through an executor; without `grants` clients may read the workspace and nothing else, and
        nobody approves calls of high risk.

        Args:
            **options: `transport` ("stdio" or "http"), `host`, `port`; `grants`, `guards` and `observers`, or an
                `executor` of your own; `options`, `settings` and `announce`. All are those of
                `avionics.mcp.registries.serving.serve_registry`.

        Raises:
            MissingDependencyError: `avionics[mcp]` is not installed.
        """
        from avionics.tools.registries.mcp_bridge import load_mcp

        load_mcp("serving").serve_registry(self, **options)


def get_grants_of(registry: ToolRegistryProtocol, name: str) -> frozenset[Grant]:
    """Return the permissions that a registry grants the callers of a tool; () without `get_grants`."""
    get_grants = getattr(registry, "get_grants", None)
    return frozenset() if get_grants is None else frozenset(get_grants(name))


def _open_pipeline(registry: RegistryBase, name: str) -> ToolPipeline:
    """Return a pipeline with its own guards, and the grants of a tool."""
    from avionics.tools.pipeline import ToolPipeline

    return ToolPipeline(registry, logger=getattr(registry, "_logger", None), grants=registry.get_grants(name))


def transform_through(
    registry: ToolRegistryProtocol,
    tool: ToolDefinitionProtocol,
    args: Mapping[str, Any],
    user: Caller,
    context: ToolContext,
) -> Any:
    """Return the arguments as a registry transforms them; unchanged without `transform_args`."""
    transform = getattr(registry, "transform_args", None)
    return args if transform is None else transform(tool, args, user, context)
