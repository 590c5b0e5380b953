"""Make tools of plain functions: type hints are the schema, and the docstring the description.

    @registry.tool(permissions={"database:read"}, risk="low")
    def price(sku: str, currency: Literal["EUR", "USD"] = "EUR", *, context: Context) -> Price:
        \"\"\"Look up a price.

        Args:
            sku: The article number.
        \"\"\"

A parameter annotated with `Context` is given the circumstances of the call and is not a parameter of the tool.
"""  # noqa: D214  the section of an example

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, Final, TypeVar, get_args, get_type_hints

from avionics.model.enums import RiskLevel, ToolDomain
from avionics.model.errors import RegistrationError
from avionics.model.grants import Grant, read_group_list, read_permissions
from avionics.model.tools import Fallback, ToolContext
from avionics.tools.catalog import ToolDefinition, require_member
from avionics.tools.schema.from_annotations import read_descriptions, read_parameter
from avionics.tools.schema.parameters import Parameters, build_parameters

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])

_ATTACHED: Final = "__avionics_tool__"
_WORKSPACE: Final = "workspace"
_NOBODY: Final = ToolContext()
_NAMED: Final = frozenset({inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY})


class FunctionTool(ToolDefinition, frozen=True, eq=False):
    """A tool made of a function; `function` may also pass the context to the `original` one."""

    original: Callable[..., Any] | None = None

    @property
    def implementation(self) -> Callable[..., Any]:
        """Return the function as it was written."""
        return self.original or self.function


def tool(
    function: FunctionT | None = None,
    *,
    name: str = "",
    description: str = "",
    permissions: Grant | Iterable[Grant] = (),
    groups: str | Iterable[str] = (),
    risk: RiskLevel | str = RiskLevel.LOW,
    category: ToolDomain | str = ToolDomain.CUSTOM,
    timeout_seconds: float | None = None,
    fallbacks: Iterable[Fallback] = (),
    output_schema: Mapping[str, Any] | None = None,
    examples: Iterable[Mapping[str, Any]] = (),
    cache_seconds: float = 0,
    retries: int = 0,
) -> Any:
    """Declare a function as a tool, which `registry.register_tool(function)` registers; the function stays as it is.

    Args:
        function: The function, if the decorator is written without parentheses.
        name: How callers write it; the function's name unless given.
        description: For the model that chooses tools; the docstring's first paragraph unless given.
        permissions: The permissions that a caller needs.
        groups: Who may use it; empty is everyone.
        risk: The risk of running it.
        category: The domain.
        timeout_seconds: Its own limit.
        fallbacks: The tools to call, in order, if it finds nothing.
        output_schema: JSON Schema of its output; results are validated against it.
        examples: `{"input": …, "output": …}` each.
        cache_seconds: How long a result may be reused for the same call by the same caller; only for low risk.
        retries: How often to retry it after a failure that is not the caller's fault; only for low risk.

    Raises:
        RegistrationError: The signature, the docstring or an option is invalid for a tool; also a ValueError.
    """

    def attach(given: FunctionT) -> FunctionT:
        made = build_function_tool(
            given,
            name=name,
            description=description,
            required_permissions=read_permissions(permissions),
            access_groups=read_group_list(groups),
            risk_level=require_member(RiskLevel, risk),
            category=require_member(ToolDomain, category),
            timeout_seconds=timeout_seconds,
            fallbacks=tuple(fallbacks),
            output_schema=output_schema,
            examples=tuple(examples),
            cache_seconds=cache_seconds,
            retries=retries,
        )
        setattr(given, _ATTACHED, made)
        return given

    return attach if function is None else attach(function)


def get_function_tool(function: Callable[..., Any]) -> FunctionTool:
    """Return the tool that a function was declared as, or one made from its signature and docstring."""
    return getattr(function, _ATTACHED, None) or build_function_tool(function)


def build_function_tool(
    function: Callable[..., Any], *, name: str = "", description: str = "", **more: Any
) -> FunctionTool:
    """Return a tool made of a function; `more` are fields of `ToolDefinition`.

    Raise `RegistrationError` (also a `ValueError`) if the signature or the docstring is invalid for a tool.
    """
    doc = inspect.getdoc(function) or ""
    context_name, parameters = _read_function(function, doc)
    name = name or function.__name__
    summary = description or " ".join(doc.partition("\n\n")[0].split())
    if not summary:
        raise RegistrationError(f"{name}: a tool needs a docstring or a description; it is what the model reads")
    runs = function if context_name is None else _with_context(function, context_name)
    return FunctionTool(name, runs, parameters, summary, parameters, original=function, **more)


def _read_function(function: Callable[..., Any], doc: str) -> tuple[str | None, Parameters]:
    """Return the name of the parameter that takes the context, if any, and the parameters of the tool."""
    place = getattr(function, "__qualname__", repr(function))
    try:
        hints = get_type_hints(function, include_extras=True)
        declared = list(inspect.signature(function).parameters.values())
    except (NameError, TypeError, ValueError) as error:
        raise RegistrationError(f"{place}: the signature cannot be read: {error}") from error
    contexts = [each.name for each in declared if _is_context(hints.get(each.name))]
    described = read_descriptions(doc)
    own = [each for number, each in enumerate(declared)
           if each.name not in contexts and not (number == 0 and each.name == _WORKSPACE)]  # fmt: skip
    if len(contexts) > 1:
        raise RegistrationError(f"{place}: more than one parameter takes the context: {', '.join(contexts)}")
    unknown = sorted(described.keys() - {each.name.lstrip("*") for each in declared})
    if unknown:
        raise RegistrationError(f"{place}: the docstring describes {', '.join(unknown)}, which is not a parameter")
    for each in own:
        if each.kind not in _NAMED:
            raise RegistrationError(f"{place}({each.name}): callers give arguments by name; write a plain parameter")
        if each.name not in hints:
            raise RegistrationError(f"{place}({each.name}): a parameter needs a type", hint=f"{each.name}: str")
    return (contexts[0] if contexts else None), build_parameters(
        read_parameter(place, each, hints[each.name], described.get(each.name, "")) for each in own
    )


def _with_context(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return the function as the executor runs it: the call's context first, then the arguments."""
    if inspect.iscoroutinefunction(function):

        async def run_async(context: ToolContext = _NOBODY, /, **arguments: Any) -> Any:
            return await function(**arguments, **{name: context})

        return _named_like(function, run_async)

    def run(context: ToolContext = _NOBODY, /, **arguments: Any) -> Any:
        return function(**arguments, **{name: context})

    return _named_like(function, run)


def _named_like(function: Callable[..., Any], runs: Callable[..., Any]) -> Callable[..., Any]:
    # Without `__wrapped__` the signature is that of `runs`, which takes the context first.
    named: Callable[..., Any] = wraps(
        function, assigned=("__module__", "__name__", "__qualname__", "__doc__"), updated=()
    )(runs)
    named.__dict__.pop("__wrapped__", None)
    return named


def _is_context(annotation: Any) -> bool:
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
    return len(kinds) == 1 and isinstance(kinds[0], type) and issubclass(kinds[0], ToolContext)
