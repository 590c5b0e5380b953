"""The open registry: every kind of tool, by name, and what is refused at the door."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from avionics.model import (
    Caller,
    Permission,
    RegistrationError,
    Status,
    ToolCall,
    ToolDomain,
    ToolRegistryProtocol,
)
from avionics.settings import Settings
from avionics.tools import ToolDefinition, tool_catalog
from avionics.tools.base import BaseTool, create_simple_tool
from avionics.tools.declare import read_signature
from avionics.tools.executor import ToolExecutor
from avionics.tools.registry import ToolRegistry
from tests.timing import within_cost


def add(left: int, right: int = 1) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": left + right}


ADD = ToolDefinition("math.add", add, read_signature(add), "Adds")


def simple(name="a.b", **members) -> BaseTool:
    tool = create_simple_tool(name, "Does", lambda: None)
    for member, value in members.items():
        setattr(tool, member, value)
    return tool


@pytest.fixture
def registry() -> ToolRegistry:
    return ToolRegistry()


def test_the_executor_takes_it(registry):
    registry.register_tool(ADD)
    assert isinstance(registry, ToolRegistryProtocol)
    result = ToolExecutor(registry, settings=Settings()).run(ToolCall("math.add", {"left": 2}))
    assert (result.status, result.data) == (Status.SUCCESS, {"sum": 3})


def test_an_empty_registry_is_still_the_one_that_is_asked(registry):
    assert registry
    assert ToolExecutor(registry).run(ToolCall("list_tools")).error_type == "tool_not_found"


def test_it_gives_back_what_was_registered(registry):
    tool = simple()
    registry.register_tools([tool, ADD])
    assert registry.get_tool("a.b") is tool
    assert registry.get_tool("math.add") is ADD
    assert registry.get_tool_names() == ("a.b", "math.add")


def test_a_catalogs_tools_may_be_registered(registry):
    registry.register_tool(tool_catalog.get_tool("list_tools"))
    assert registry.get_tool_schema("list_tools")["parameters"][0]["name"] == "category"


def test_a_tool_that_is_no_base_tool_is_executed_too(registry):
    registry.register_tool(ADD)
    assert registry.execute_tool("math.add", left=2, right=3).data == {"sum": 5}
    output = registry.execute_tool("math.add", left="2")
    assert (output.success, output.metadata["error_type"]) == (False, "validation_error")


@pytest.mark.parametrize("name", ["", "a b", "a/b", "ä", "a\n", "x" * 129, None, 3])
def test_a_name_that_is_no_name_is_refused(registry, name):
    tool = simple()
    tool.name = name
    with pytest.raises(RegistrationError, match="is not a valid tool name"):
        registry.register_tool(tool)


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "x" * 128])
def test_a_name_may_have_letters_digits_and_three_signs(registry, name):
    registry.register_tool(simple(name))
    assert name in registry


@pytest.mark.parametrize("tool", [None, 3, "name", dict, print, object()])
def test_what_is_no_tool_is_refused(registry, tool):
    with pytest.raises(RegistrationError, match=r"is not a tool|cannot be instantiated"):
        registry.register_tool(tool)


def test_a_tool_without_description_is_refused(registry):
    with pytest.raises(RegistrationError, match="has no description"):
        registry.register_tool(ToolDefinition("a", add, {}, " "))


def test_a_class_that_needs_arguments_is_refused_with_the_way_out(registry):
    class Needy(BaseTool):
        name, description = "needy", "Needs"

        def __init__(self, key):
            self.key = key

        def _execute(self, input_data):
            return self.key

    with pytest.raises(RegistrationError, match=r"Needy cannot be instantiated") as refused:
        registry.register_tool(Needy)
    assert refused.value.hint == "give an instance"
    registry.register_tool(Needy("x"))
    assert registry.execute_tool("needy").data == "x"


def test_an_example_that_does_not_fit_is_refused(registry):
    tool = type(simple())
    tool.output_schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    tool.examples = ({"input": {}, "output": {"n": 1}}, {"input": {"any": 1}, "output": {"n": "1"}})
    with pytest.raises(RegistrationError, match=r"example of 'a.b' .*: output.n: expected integer, got string '1'"):
        registry.register_tool(tool)
    tool.examples = tool.examples[:1]
    registry.register_tool(tool)


def test_both_owners_of_a_name_are_named(registry):
    registry.register_tool(ADD)
    with pytest.raises(RegistrationError, match=r"'math.add' is registered twice: by .*\.add and .*SimpleTool"):
        registry.register_tool(simple("math.add"))


def test_listing_filters_by_category_and_permission(registry):
    shell = simple("s", category=ToolDomain.SHELL, required_permissions={Permission.SHELL_EXECUTE})
    registry.register_tools([shell, ADD])
    assert registry.list_tools(ToolDomain.SHELL) == [shell]
    assert registry.list_tools(permission=Permission.SHELL_EXECUTE) == [shell]
    assert registry.list_tools(ToolDomain.WEB) == []


def test_schemas_for_a_user_leave_out_what_he_was_not_granted(registry):
    registry.register_tool(simple("s", required_permissions={Permission.SHELL_EXECUTE}))
    assert [schema.name for schema in registry.get_schemas(Caller())] == ["s"]
    assert registry.get_schemas(Caller(permissions=frozenset())) == []
    assert [schema.name for schema in registry.get_schemas()] == ["s"]


def test_a_replaced_local_tool_is_another(registry):
    registry.register_local_tool(ADD, ["a"])
    with pytest.raises(RegistrationError, match="twice"):
        registry.register_local_tool(ADD, ["b"])
    registry.register_local_tool(ADD, ["b"], replace=True)
    assert registry.get_tool("math.add").access_groups == ("b",)


def test_of_many_threads_that_want_a_name_one_has_it(registry):
    def claim(number):
        registry.register_tool(simple(f"own.{number}"))
        try:
            registry.register_tool(simple("shared"))
        except RegistrationError:
            return 0
        return 1

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(claim, range(400))) == 1
    assert set(registry.get_tool_names()) == {"shared", *(f"own.{number}" for number in range(400))}


def test_registering_a_thousand_tools_is_cheap(registry):
    tools = [ToolDefinition(f"math.add{number}", add, read_signature(add), "Adds") for number in range(1_000)]
    within_cost(15, registry.register_tools, tools, attempts=1)
    assert registry.list_tools() == tools
