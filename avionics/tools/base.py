"""Class-based tools: a name, a description, an input model and `_execute`.

    class TextTransform(BaseTool):
        name = "text.transform"
        description = "Transforms text to upper or lower case"
        input_model = TextInput

        def _execute(self, input_data: TextInput) -> str:
            return input_data.text.upper()

`execute()` is for callers that hold the tool and never raises. Through a registry and the corridor the same steps run
under deadline, guards and audit, and a fault keeps its code and its hint.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from avionics.model.enums import Permission, ToolDomain
from avionics.model.errors import RegistrationError
from avionics.model.results import ToolResult
from avionics.tools.execution.result_builder import build_invalid
from avionics.tools.executor_core import Containment
from avionics.tools.interop.result_adapters import from_output
from avionics.tools.interop.tool_exports import build_listing, list_parameters
from avionics.tools.registries.self_describing import OwnDefinition
from avionics.tools.schema.from_pydantic import (
    OpenInput,
    ToolInput,
    ToolOutput,
    ToolParameter,
    ValidationError,
    find_faults,
    read_model,
)
from avionics.tools.schema.parameters import Parameters

__all__ = [
    "AsyncBaseTool",
    "BaseTool",
    "ToolCategory",
    "ToolInput",
    "ToolOutput",
    "ToolParameter",
    "create_simple_tool",
]

ToolCategory: TypeAlias = ToolDomain
"""What class-based tools call the domain they are about."""

_UNNAMED, _UNDESCRIBED = "base_tool", "Base tool class"


class BaseTool(OwnDefinition, ABC):
    """A tool that checks, runs and wraps; subclasses say what it is and implement `_execute`.

    Attributes:
        name: How callers write it; required.
        description: For the model that chooses tools; required.
        category: What it is about.
        required_permissions: What a caller must have been granted.
        input_model: What judges the parameters.
        access_groups: Who may use it; empty is everyone.

    Raises:
        RegistrationError: It has no name, no description or no input model; also a ValueError.
    """

    name: str = _UNNAMED
    description: str = _UNDESCRIBED
    category: ToolDomain = ToolDomain.CUSTOM
    required_permissions: Collection[Permission] = frozenset()
    input_model: type[ToolInput] = ToolInput
    access_groups: Collection[str] = ()

    def __init__(self) -> None:
        place = f"{type(self).__module__}.{type(self).__qualname__}"
        if not isinstance(self.name, str) or self.name in ("", _UNNAMED):
            raise RegistrationError(f"{place}: a tool needs a name", hint='name = "area.what_it_does"')
        description = self.description
        if not isinstance(description, str) or description == _UNDESCRIBED or not description.strip():
            raise RegistrationError(f"{place}: a tool needs a description; it is what the planner reads")
        if not (isinstance(self.input_model, type) and issubclass(self.input_model, ToolInput)):
            raise RegistrationError(f"{place}: input_model is no subclass of ToolInput")

    def execute(self, /, **kwargs: Any) -> ToolOutput:
        """Validate, run and wrap; whatever goes wrong is a ToolOutput with `success=False`, nothing is raised."""
        with Containment() as held:
            return _wrap(self._execute(self._admit(kwargs)))
        return _build_failure(held.error)

    @abstractmethod
    def _execute(self, input_data: Any) -> Any:
        """The tool's own work; may raise anything, and what is no ToolOutput is wrapped in one."""

    def _validate(self, input_data: Any) -> None:
        """Judge the fields together, once each is valid; override it to raise ValueError."""

    def validate_input(self, /, **kwargs: Any) -> ToolInput:
        """The input model made of the arguments.

        Raises:
            ValidationError: Pydantic's own; the arguments are not valid.
        """
        return self.input_model.model_validate(kwargs)

    def get_parameters(self) -> list[ToolParameter]:
        """The parameters the input model declares; none where it is ToolInput itself."""
        return [ToolParameter(**row) for row in list_parameters(self.parameter_schemas)]

    def get_schema(self) -> dict[str, Any]:
        """Name, description, category, parameters and permissions as plain data."""
        return build_listing(self)

    @property
    def function(self) -> Callable[..., Any]:
        """What the corridor runs."""
        return self._run

    def get_misuse(self, arguments: Mapping[str, Any]) -> str | None:
        """Everything the input model and `_validate` find wrong with well-formed arguments, or None."""
        return "; ".join(self._judge(arguments)[0]) or None

    def _read_parameters(self) -> Parameters:
        return read_model(self.input_model)

    def _admit(self, arguments: Mapping[str, Any]) -> ToolInput:
        """The arguments as the input model, judged together."""
        checked = self.validate_input(**arguments)
        self._validate(checked)
        return checked

    def _judge(self, arguments: Mapping[str, Any]) -> tuple[tuple[str, ...], ToolInput | None]:
        """All faults, or the input model."""
        try:
            return (), self._admit(arguments)
        except ValidationError as error:
            return find_faults(error), None
        except ValueError as error:
            return (str(error) or "the arguments do not go together",), None

    def _run(self, /, **arguments: Any) -> ToolResult:
        """One call in the corridor, which contains what `_execute` raises."""
        faults, checked = self._judge(arguments)
        return build_invalid(faults) if faults else _finish(self._execute(checked))


class AsyncBaseTool(BaseTool):
    """A class-based tool that waits for something; subclasses implement `_execute_async`."""

    async def execute_async(self, /, **kwargs: Any) -> ToolOutput:
        """`execute` for tools that wait; nothing but cancellation is raised."""
        with Containment() as held:
            return _wrap(await self._execute_async(self._admit(kwargs)))
        return _build_failure(held.error)

    @abstractmethod
    async def _execute_async(self, input_data: Any) -> Any:
        """The tool's own work; may raise anything, and what is no ToolOutput is wrapped in one."""

    def _execute(self, input_data: Any) -> Any:
        raise NotImplementedError(f"{self.name} is asynchronous: await execute_async()")

    @property
    def function(self) -> Callable[..., Any]:
        """What the corridor runs."""
        return self._run_async

    async def _run_async(self, /, **arguments: Any) -> ToolResult:
        faults, checked = self._judge(arguments)
        return build_invalid(faults) if faults else _finish(await self._execute_async(checked))


def create_simple_tool(
    name: str,
    description: str,
    func: Callable[..., Any],
    category: ToolDomain = ToolDomain.CUSTOM,
    permissions: Collection[Permission] | None = None,
    input_model: type[ToolInput] | None = None,
) -> BaseTool:
    """A class-based tool made of a plain function, synchronous or not; `type(tool)` can be registered like any class.

    Args:
        name: How callers write it.
        description: For the model that chooses tools.
        func: Called with the input's fields by name.
        category: What it is about.
        permissions: What a caller must have been granted.
        input_model: What judges the parameters; without one any will do.

    Raises:
        RegistrationError: No name, no description or no function; also a ValueError.
    """
    if not callable(func):
        raise RegistrationError(f"{name}: a {type(func).__name__} cannot be called")
    waits = inspect.iscoroutinefunction(func)
    members = {
        "__doc__": description,
        "__module__": getattr(func, "__module__", __name__),
        "name": name,
        "description": description,
        "category": category,
        "required_permissions": frozenset(permissions or ()),
        "input_model": input_model or OpenInput,
        "_execute_async" if waits else "_execute": lambda _, input_data: func(**input_data.model_dump()),
    }
    made: type[BaseTool] = type("SimpleTool", (AsyncBaseTool if waits else BaseTool,), members)
    return made()


def _wrap(value: Any) -> ToolOutput:
    """What a tool gave, as a ToolOutput."""
    return value if isinstance(value, ToolOutput) else ToolOutput(success=True, data=value)


def _finish(value: Any) -> ToolResult:
    """What a tool gave, as the corridor's result."""
    return from_output(_wrap(value))


def _build_failure(error: BaseException | None) -> ToolOutput:
    """What went wrong, as a ToolOutput."""
    return ToolOutput(success=False, error=str(error), metadata={"error_type": type(error).__name__})
