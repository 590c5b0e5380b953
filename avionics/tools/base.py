"""Class-based tools: a name, a description, an input model and `_execute`.

    class TextTransform(BaseTool):
        name = "text.transform"
        description = "Transforms text to upper or lower case"
        input_model = TextInput

        def _execute(self, input_data: TextInput) -> str:
            return input_data.text.upper()

`execute()` is for callers that have the tool object; it never raises. Through a registry and the executor the same
steps run with a deadline, guards and audit, and an error keeps its code and its hint.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from typing import Any

from avionics.model.enums import Permission, ToolCategory, ToolDomain
from avionics.model.errors import RegistrationError
from avionics.model.results import ToolResult
from avionics.tools.execution.result_builder import build_invalid
from avionics.tools.executor_core import is_fault
from avionics.tools.interop.tool_exports import build_listing, list_parameters
from avionics.tools.registries.self_describing import OwnDefinition
from avionics.tools.schema.from_pydantic import ModelChecked, OpenInput, ToolInput, ToolParameter, read_model
from avionics.tools.schema.parameters import Parameters

__all__ = [
    "AsyncBaseTool", "BaseTool", "ToolCategory", "ToolInput", "ToolOutput", "ToolParameter", "create_simple_tool",
]  # fmt: skip

ToolOutput = ToolResult
"""The one class of results, under the name that class-based tools are written with."""

_UNNAMED, _UNDESCRIBED = "base_tool", "Base tool class"


class BaseTool(ModelChecked, OwnDefinition, ABC):
    """A tool that validates, runs and wraps; subclasses describe it and implement `_execute`.

    Attributes:
        name: The name for callers; required.
        description: For the model that chooses tools; required.
        category: The domain.
        required_permissions: The permissions that a caller needs.
        input_model: Validates the parameters.
        access_groups: Who may use it; empty means everyone.

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
            raise RegistrationError(f"{place}: input_model is not a subclass of ToolInput")

    def execute(self, /, **kwargs: Any) -> ToolResult:
        """Validate, run and wrap. Every error becomes a result with `success=False`; nothing is raised."""
        try:
            return _wrap(self._execute(self._build_input(kwargs)))
        except BaseException as error:
            return _build_failure(error)

    @abstractmethod
    def _execute(self, input_data: Any) -> Any:
        """Run the tool. It may raise anything, and a value that is not a result is wrapped in one."""

    def _validate(self, input_data: Any) -> None:
        """Validate the fields together, once each is valid; override it to raise ValueError."""

    def validate_input(self, /, **kwargs: Any) -> ToolInput:
        """Build the input model from the arguments.

        Raise Pydantic's `ValidationError` if the arguments are invalid.
        """
        return self.input_model.model_validate(kwargs)

    def get_parameters(self) -> list[ToolParameter]:
        """Return the parameters of the input model; none if it is ToolInput itself."""
        return [ToolParameter(**row) for row in list_parameters(self.parameter_schemas)]

    def get_schema(self) -> dict[str, Any]:
        """Return name, description, category, parameters and permissions as plain data."""
        return build_listing(self)

    @property
    def function(self) -> Callable[..., Any]:
        """Return the function that the executor runs."""
        return self._run

    def _read_parameters(self) -> Parameters:
        return read_model(self.input_model)

    def _build_input(self, arguments: Mapping[str, Any]) -> ToolInput:
        checked = self.validate_input(**arguments)
        self._validate(checked)
        return checked

    def _run(self, /, **arguments: Any) -> ToolResult:
        """Run one call of the executor, which handles what `_execute` raises."""
        faults, checked = self._read_input(arguments)
        return build_invalid(faults) if faults else _wrap(self._execute(checked))


class AsyncBaseTool(BaseTool):
    """An asynchronous class-based tool; subclasses implement `_execute_async`."""

    async def execute_async(self, /, **kwargs: Any) -> ToolResult:
        """Validate, run and wrap; nothing but cancellation is raised."""
        try:
            return _wrap(await self._execute_async(self._build_input(kwargs)))
        except BaseException as error:
            return _build_failure(error)

    @abstractmethod
    async def _execute_async(self, input_data: Any) -> Any:
        """Run the tool. It may raise anything, and a value that is not a result is wrapped in one."""

    def _execute(self, input_data: Any) -> Any:
        raise NotImplementedError(f"{self.name} is asynchronous: await execute_async()")

    @property
    def function(self) -> Callable[..., Any]:
        return self._run_async

    async def _run_async(self, /, **arguments: Any) -> ToolResult:
        faults, checked = self._read_input(arguments)
        return build_invalid(faults) if faults else _wrap(await self._execute_async(checked))


def create_simple_tool(
    name: str,
    description: str,
    func: Callable[..., Any],
    category: ToolDomain = ToolDomain.CUSTOM,
    permissions: Collection[Permission] | None = None,
    input_model: type[ToolInput] | None = None,
) -> BaseTool:
    """Return a class-based tool for a plain function, synchronous or not.

    `type(tool)` can be registered like any class.

    Args:
        name: The name for callers.
        description: For the model that chooses tools.
        func: Called with the fields of the input by name.
        category: The domain.
        permissions: The permissions that a caller needs.
        input_model: Validates the parameters; without one any are accepted.

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


def _wrap(value: Any) -> ToolResult:
    """Return a tool's value as a result."""
    return value if isinstance(value, ToolResult) else ToolResult(success=True, data=value)


def _build_failure(error: BaseException) -> ToolResult:
    """Return an error as a result; cancellation and the end of the process are raised again."""
    if not is_fault(error):
        raise error
    return ToolResult(success=False, error=str(error), metadata={"error_type": type(error).__name__})
