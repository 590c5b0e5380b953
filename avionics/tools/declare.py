"""Declare tools: a typed function and its docstring are the whole declaration.

    @tool(ToolId.LOCATE, accepts="a symbol, a file name or a phrase", returns="places, surest first")
    def locate(workspace: Workspace, symbol: str, scope: str | None = None) -> LocateAnswer:
        \"\"\"Find code anywhere in the codebase. …\"\"\"

Its `Args:` describe the parameters. Prompt line, parameters, validation, JSON Schema, command line and documentation
are generated from it. The decorator only attaches the declaration; the catalog reads it at the first use of the tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec import Struct, structs

from avionics.model.enums import RiskLevel, ToolCategory
from avionics.model.errors import ConfigError
from avionics.model.tools import Fallback
from avionics.tools.catalog import ToolCatalog
from avionics.tools.executor_core import WORKSPACE
from avionics.tools.ids import ToolId
from avionics.tools.schema.from_annotations import read_descriptions, read_parameter
from avionics.tools.schema.parameters import Parameters, build_parameters
from avionics.tools.schema.plain_signature import read_doc, read_plain_signature

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

_ATTACHED = "__avionics_declaration__"
_PACKAGE = "avionics.tools"


class Declaration(Struct, frozen=True):
    """The declaration of a tool."""

    tool_id: ToolId
    func: Callable[..., Any]
    description: str
    parameters: Parameters
    category: ToolCategory
    risk_level: RiskLevel
    accepts: str
    returns: str
    fallbacks: tuple[Fallback, ...]
    timeout_seconds: float | None

    def register_in(self, catalog: ToolCatalog[ToolId]) -> None:
        """Register the tool in a catalog."""
        catalog.register_function(**structs.asdict(self))


def tool(
    tool_id: ToolId,
    *,
    accepts: str = "",
    returns: str = "",
    risk_level: RiskLevel = RiskLevel.LOW,
    fallbacks: Iterable[ToolId | Fallback] = (),
    timeout_seconds: float | None = None,
) -> Callable[[FunctionT], FunctionT]:
    """Declare the function as a tool; the function itself is unchanged.

    Args:
        tool_id: Its id, which is also the name of the function and of its module.
        accepts: Its input, in words.
        returns: Its output, in words.
        risk_level: The risk of running it.
        fallbacks: The tools to call, in order, if it finds nothing; a `Fallback` renames parameters.
        timeout_seconds: Its own time limit.

    Raises:
        ConfigError: The name, module, docstring or signature is not valid for a tool.
    """
    instead = tuple(item if isinstance(item, Fallback) else Fallback(item.value) for item in fallbacks)

    def attach(function: FunctionT) -> FunctionT:
        declaration = Declaration(
            tool_id,
            function,
            _require_description(function),
            read_signature(function),
            _require_category(tool_id, function),
            risk_level,
            accepts,
            returns,
            instead,
            timeout_seconds,
        )
        setattr(function, _ATTACHED, declaration)
        return function

    return attach


def get_declaration(function: Callable[..., Any]) -> Declaration | None:
    """Return the declaration of a function, or None."""
    return getattr(function, _ATTACHED, None)


def read_signature(function: Callable[..., Any]) -> Parameters:
    """Return the parameters of a typed function with a Google docstring, without a first `workspace`.

    Raise `ConfigError` if a parameter has no type, or a type that plain data cannot have.
    """
    described = read_descriptions(read_doc(function))
    declared = _list_parameters(function)
    if declared and declared[0].name == WORKSPACE:
        del declared[0]
    return build_parameters(
        read_parameter(function.__qualname__, each, _evaluate(each.annotation, function), described.get(each.name, ""))
        for each in declared
    )


def _list_parameters(function: Callable[..., Any]) -> list[Any]:
    plain = read_plain_signature(function)
    if plain is not None and all(each.annotation is not each.empty for each in plain.parameters.values()):
        return list(plain.parameters.values())
    import inspect

    return list(inspect.signature(function).parameters.values())


def _evaluate(annotation: Any, function: Callable[..., Any]) -> Any:
    """Return the annotation as a type. One at a time, because the type of `workspace` need not be importable here."""
    if isinstance(annotation, str):
        return eval(annotation, function.__globals__)  # noqa: S307  our own source
    return annotation


def _require_description(function: Callable[..., Any]) -> str:
    """Return the first line of the docstring."""
    first = read_doc(function).partition("\n")[0].strip()
    if not first:
        raise ConfigError(f"{_place(function)}: a tool needs a docstring; its first line is what the planner reads")
    return first


def _require_category(tool_id: ToolId, function: Callable[..., Any]) -> ToolCategory:
    """Return the category of the package with the tool, because a tool's path is its identity."""
    for category in ToolCategory:
        begins, ends = f"{_PACKAGE}.{category.value}.", f".{tool_id.value}.{tool_id.value}"
        if _place(function).startswith(begins) and _place(function).endswith(ends):
            return category
    raise ConfigError(
        f"{_place(function)}: the tool {tool_id.value!r} must be the function {tool_id.value} "
        f"of the module {_PACKAGE}.<category>.{tool_id.value}",
        hint=f"categories: {', '.join(ToolCategory)}",
    )


def _place(function: Callable[..., Any]) -> str:
    """Return a name such as `avionics.tools.composite.locate.locate`."""
    return f"{function.__module__}.{function.__qualname__}"
