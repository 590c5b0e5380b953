"""Declaring: a typed function and its place are the whole declaration."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from avionics.model import ConfigError, Fallback
from avionics.tools import RiskLevel, ToolCatalog, ToolCategory, ToolId
from avionics.tools.declare import get_declaration, read_signature, tool

if TYPE_CHECKING:
    from nowhere import Workspace


def locate(workspace: Workspace, symbol: str, scope: str | None = None) -> Any:
    """Find code anywhere in the codebase.

    More about it.

    Args:
        symbol: A name.
        scope: A directory.
    """


def placed(function: Callable[..., Any], module: str) -> Callable[..., Any]:
    function.__module__ = module
    return function


def test_a_declaration_is_read_off_the_function_which_stays_as_it_is():
    function = placed(locate, "avionics.tools.composite.locate")
    assert tool(ToolId.LOCATE, accepts="a symbol", returns="places", fallbacks=(ToolId.ANALYZE,))(function) is function
    declared = get_declaration(function)
    assert (declared.tool_id, declared.category, declared.risk_level, declared.description) == (
        ToolId.LOCATE,
        ToolCategory.COMPOSITE,
        RiskLevel.LOW,
        "Find code anywhere in the codebase.",
    )
    assert declared.parameters.to_strings() == {"symbol": "string", "scope": "string?"}
    assert [parameter.description for parameter in declared.parameters.values()] == ["A name.", "A directory."]
    assert declared.fallbacks == (Fallback("analyze"),)

    catalog = ToolCatalog()
    declared.register_in(catalog)
    assert catalog.get_entry(ToolId.LOCATE).to_prompt_line() == (
        "- locate(symbol, scope?): Find code anywhere in the codebase."
    )
    assert catalog.get_tool("locate").parameter_schemas is declared.parameters
    assert catalog.get_tool("locate").fallbacks == (Fallback("analyze"),)


@pytest.mark.parametrize(
    ("tool_id", "module"),
    [
        (ToolId.ANALYZE, "avionics.tools.composite.locate"),
        (ToolId.LOCATE, "avionics.tools.composite.analyze"),
        (ToolId.LOCATE, "avionics.tools.locate"),
        (ToolId.LOCATE, "avionics.tools.guards.locate"),
        (ToolId.LOCATE, "elsewhere.composite.locate"),
    ],
)
def test_name_module_and_id_are_one(tool_id, module):
    with pytest.raises(ConfigError, match=f"'{tool_id.value}' must be the function"):
        tool(tool_id)(placed(locate, module))


def test_a_function_that_declares_nothing_has_no_declaration():
    assert get_declaration(print) is None


def test_a_tool_says_what_it_is_for():
    def analyze(): ...

    analyze.__qualname__ = "analyze"
    with pytest.raises(ConfigError, match="docstring"):
        tool(ToolId.ANALYZE)(placed(analyze, "avionics.tools.unified.analyze"))


@pytest.mark.parametrize("annotation", ["Callable[..., Any]", "range", "bytes | range"])
def test_a_type_no_plain_data_has_is_refused_and_its_parameter_named(annotation):
    def function(value): ...

    function.__annotations__["value"] = annotation
    with pytest.raises(ConfigError, match=r"function\(value\)"):
        read_signature(function)


def test_a_parameter_without_a_type_is_refused():
    def function(value): ...

    with pytest.raises(ConfigError, match=r"function\(value\)"):
        read_signature(function)


def test_only_the_first_parameter_may_be_the_workspace():
    def function(symbol: str, workspace: str): ...

    assert list(read_signature(function)) == ["symbol", "workspace"]
