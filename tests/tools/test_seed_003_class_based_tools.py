"""Seed 003, the class-based tools: its examples as they are written, and each of its rules."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import Any

import pytest
from pydantic import Field, ValidationError

from avionics.model import Permission
from avionics.tools.base import (
    AsyncBaseTool,
    BaseTool,
    ToolCategory,
    ToolInput,
    ToolOutput,
    ToolParameter,
    create_simple_tool,
)
from avionics.tools.registry import ToolRegistry
from tests.timing import HOUR_SECONDS


class MyInput(ToolInput):
    text: str = Field(description="Text to process")
    upper: bool = Field(default=False, description="Convert to uppercase")


class MyTool(BaseTool):
    name = "text.transform"
    description = "Transforms text to upper or lower case"
    category = ToolCategory.CUSTOM
    input_model = MyInput
    required_permissions = set()  # noqa: RUF012  as the document writes it

    def _validate(self, input_data: MyInput) -> None:
        if not input_data.text.strip():
            raise ValueError("text cannot be empty")

    def _execute(self, input_data: MyInput):
        return input_data.text.upper() if input_data.upper else input_data.text.lower()


class FetchInput(ToolInput):
    url: str = Field(description="URL to fetch")


class AsyncFetchTool(AsyncBaseTool):
    name = "web.async_fetch"
    description = "Async HTTP GET request"
    category = ToolCategory.WEB
    input_model = FetchInput
    required_permissions = frozenset({Permission.NETWORK_ACCESS})

    async def _execute_async(self, input_data: FetchInput):
        await asyncio.sleep(0)
        return {"status": 200, "body": input_data.url[:1000]}


def tool_of(execute: Any = lambda self, input_data: None, base: type = BaseTool, **members: Any) -> Any:
    """An instance of a class of its own."""
    method = "_execute_async" if base is AsyncBaseTool else "_execute"
    members = {"name": "a.tool", "description": "Does it", method: execute, **members}
    return type("ATool", (base,), members)()


def test_the_minimal_example():
    tool = MyTool()
    assert tool.execute(text="Hello") == ToolOutput(success=True, data="hello")
    assert tool.execute(text="Hello", upper=True).data == "HELLO"
    assert tool.execute(text="  ") == ToolOutput(
        success=False, error="text cannot be empty", metadata={"error_type": "ValueError"}
    )


def test_the_defaults_of_a_tool():
    assert (BaseTool.name, BaseTool.description) == ("base_tool", "Base tool class")
    assert BaseTool.category is ToolCategory.CUSTOM
    assert BaseTool.required_permissions == set()
    assert BaseTool.input_model is ToolInput


def test_the_categories():
    names = ("FILESYSTEM", "SHELL", "WEB", "CODE", "DATA", "SYSTEM", "CUSTOM")
    assert {name: getattr(ToolCategory, name).value for name in names} == {
        "FILESYSTEM": "filesystem",
        "SHELL": "shell",
        "WEB": "web",
        "CODE": "code",
        "DATA": "data",
        "SYSTEM": "system",
        "CUSTOM": "custom",
    }
    from avionics import tools

    assert ToolCategory is tools.ToolCategory, "one class has both documents' names"
    assert [category.value for category in ToolCategory] == [
        "unified", "composite", "resilient", "standalone", "internal",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "members",
    [{"name": "base_tool"}, {"name": ""}, {"description": ""}, {"description": "Base tool class"}, {"input_model": 3},
     {"input_model": None}],
)  # fmt: skip
def test_a_tool_without_name_description_or_input_model_is_refused(members):
    with pytest.raises(ValueError, match=r"ATool: (a tool needs a|input_model is no)"):
        tool_of(**members)


def test_an_abstract_tool_cannot_be_made():
    with pytest.raises(TypeError, match="abstract"):
        type("Empty", (BaseTool,), {"name": "a", "description": "b"})()


def test_the_steps_of_a_call_come_in_their_order():
    seen = []

    class Recording(MyTool):
        def validate_input(self, **kwargs):
            seen.append("validate_input")
            return super().validate_input(**kwargs)

        def _validate(self, input_data):
            seen.append("_validate")
            assert isinstance(input_data, MyInput)

        def _execute(self, input_data):
            seen.append("_execute")
            assert isinstance(input_data, MyInput)

    assert Recording().execute(text="x") == ToolOutput(success=True, data=None)
    assert seen == ["validate_input", "_validate", "_execute"]


def test_what_is_no_output_is_wrapped_and_an_output_stays():
    own = ToolOutput(success=False, error="Something went wrong")
    assert tool_of(lambda self, input_data: {"result": 42}).execute() == ToolOutput(success=True, data={"result": 42})
    assert tool_of(lambda self, input_data: own).execute() is own


def raising(error: BaseException):
    def execute(self, input_data):
        raise error

    return execute


@pytest.mark.parametrize("error", [ValueError("bad"), KeyError("x"), RuntimeError(""), SystemExit(3)])
def test_execute_never_raises(error):
    output = tool_of(raising(error)).execute()
    assert output == ToolOutput(success=False, error=str(error), metadata={"error_type": type(error).__name__})


@pytest.mark.parametrize("arguments", [{}, {"text": 3}, {"text": "a", "upper": "perhaps"}, {"self": 1, "kwargs": 2}])
def test_ill_formed_input_is_a_failure_that_names_its_kind(arguments):
    output = MyTool().execute(**arguments)
    assert (output.success, output.metadata) == (False, {"error_type": "ValidationError"})


def test_validate_input_makes_the_model_or_raises_what_pydantic_raises():
    assert MyTool().validate_input(text="x") == MyInput(text="x", upper=False)
    with pytest.raises(ValidationError):
        MyTool().validate_input()


def test_parameters_are_those_of_the_input_model():
    assert MyTool().get_parameters() == [
        ToolParameter(
            name="text",
            type="string",
            description="Text to process",
            schema={"type": "string", "description": "Text to process"},
        ),
        ToolParameter(
            name="upper",
            type="boolean",
            description="Convert to uppercase",
            required=False,
            default=False,
            schema={"type": "boolean", "description": "Convert to uppercase", "default": False},
        ),
    ]
    assert tool_of().get_parameters() == []


def test_the_schema_has_the_documented_keys():
    tool = AsyncFetchTool()
    assert tool.get_schema() == {
        "name": "web.async_fetch",
        "description": "Async HTTP GET request",
        "category": "web",
        "parameters": [parameter.model_dump() for parameter in tool.get_parameters()],
        "permissions": ["network_access"],
    }


def test_the_async_example():
    output = asyncio.run(AsyncFetchTool().execute_async(url="https://example.org"))
    assert output == ToolOutput(success=True, data={"status": 200, "body": "https://example.org"})


def test_execute_async_never_raises_and_follows_the_same_steps():
    async def broken(self, input_data):
        raise KeyError("x")

    def forbid(self, input_data):
        raise ValueError("not together")

    tool = tool_of(broken, AsyncBaseTool)
    assert asyncio.run(tool.execute_async()).metadata == {"error_type": "KeyError"}
    assert asyncio.run(tool_of(broken, AsyncBaseTool, _validate=forbid).execute_async()).error == "not together"
    assert asyncio.run(AsyncFetchTool().execute_async()).metadata == {"error_type": "ValidationError"}


def test_cancelling_an_async_tool_is_no_failure_of_it():
    async def hanging(self, input_data):
        await asyncio.sleep(HOUR_SECONDS)

    async def cancel():
        task = asyncio.create_task(tool_of(hanging, AsyncBaseTool).execute_async())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())


def test_an_async_tool_does_not_run_synchronously():
    tool = AsyncFetchTool()
    assert tool.execute(url="x").metadata == {"error_type": "NotImplementedError"}
    with pytest.raises(NotImplementedError):
        tool._execute(FetchInput(url="x"))


def test_the_fields_of_input_and_output():
    assert ToolInput.model_fields == {}
    assert ToolOutput().model_dump() == {"success": True, "data": None, "error": None, "metadata": {}}
    assert list(ToolParameter.model_fields) == ["name", "type", "description", "required", "default", "schema"]
    assert ToolParameter(name="a", type="string", description="").model_dump() == {
        "name": "a",
        "type": "string",
        "description": "",
        "required": True,
        "default": None,
        "schema": None,
    }


def test_the_example_of_a_simple_tool():
    tool = create_simple_tool(
        name="text.reverse",
        description="Reverse a string",
        func=lambda text: text[::-1],
    )

    result = tool.execute(text="hello")
    assert result.data == "olleh"


def test_a_simple_tool_takes_anything_unless_it_has_an_input_model():
    tool = create_simple_tool("echo", "Echoes", lambda **anything: anything)
    assert tool.execute(a=1, b=[2]).data == {"a": 1, "b": [2]}
    assert tool.get_parameters() == []
    strict = create_simple_tool("text.lower", "Lowers", lambda text, upper: text, input_model=MyInput)
    assert strict.execute(text="x").data == "x"
    assert strict.execute(text=3).success is False


def test_a_simple_tool_says_what_it_is():
    permissions = {Permission.SHELL_EXECUTE}
    tool = create_simple_tool("a.b", "Does", print, ToolCategory.SHELL, permissions)
    assert isinstance(tool, BaseTool)
    assert (tool.name, tool.description, tool.category) == ("a.b", "Does", ToolCategory.SHELL)
    assert tool.required_permissions == permissions
    assert create_simple_tool("a.b", "Does", print).category is ToolCategory.CUSTOM
    with pytest.raises(ValueError, match="cannot be called"):
        create_simple_tool("a.b", "Does", None)
    with pytest.raises(ValueError, match="needs a description"):
        create_simple_tool("a.b", "", print)


def test_a_simple_tool_is_registered_by_its_type():
    registry = ToolRegistry()
    registry.register_tool(type(create_simple_tool("text.reverse", "Reverse a string", lambda text: text[::-1])))
    registry.register_tools([type(create_simple_tool("text.twice", "Doubles", lambda text: text * 2))])
    assert registry.execute_tool("text.reverse", text="ab").data == "ba"
    assert registry.execute_tool("text.twice", text="ab").data == "abab"


def test_a_simple_tool_of_an_async_function_is_an_async_tool():
    async def later(text):
        return text

    tool = create_simple_tool("later", "Waits", later)
    assert isinstance(tool, AsyncBaseTool)
    assert asyncio.run(tool.execute_async(text="x")).data == "x"


@pytest.fixture
def registry() -> ToolRegistry:
    """A registry of the two examples."""
    registry = ToolRegistry()
    registry.register_tools([MyTool, AsyncFetchTool])
    return registry


def test_registration_makes_instances_and_finds_them_by_name(registry):
    assert isinstance(registry.get_tool("text.transform"), MyTool)
    assert registry.get_tool("text") is None
    assert registry.has_tool("text.transform")
    assert not registry.has_tool("text")
    assert len(registry) == 2
    assert "text.transform" in registry
    assert "text" not in registry
    assert len(ToolRegistry()) == 0


def test_tools_are_listed_by_category_and_by_permission(registry):
    both = [registry.get_tool("text.transform"), registry.get_tool("web.async_fetch")]
    assert registry.list_tools() == both
    assert registry.list_tools(category=ToolCategory.WEB) == both[1:]
    assert registry.list_tools(permission=Permission.NETWORK_ACCESS) == both[1:]
    assert registry.list_tools(ToolCategory.CUSTOM, Permission.NETWORK_ACCESS) == []


def test_a_tool_is_executed_by_its_name(registry):
    assert registry.execute_tool("text.transform", text="A") == ToolOutput(success=True, data="a")
    assert registry.execute_tool("text.transform", text="").success is False
    with pytest.raises(ValueError, match="there is no tool 'nothing'"):
        registry.execute_tool("nothing")


def test_a_parameter_may_be_called_name(registry):
    registry.register_tool(create_simple_tool("greet", "Greets", lambda name: f"hello {name}"))
    assert registry.execute_tool("greet", name="Ada").data == "hello Ada"


def test_schemas_are_those_of_the_tools(registry):
    assert registry.get_tool_schema("text.transform") == MyTool().get_schema()
    assert registry.get_tool_schema("nothing") is None
    assert registry.get_all_schemas() == [MyTool().get_schema(), AsyncFetchTool().get_schema()]


def test_tools_are_unregistered_and_cleared(registry):
    assert registry.unregister_tool("text.transform") is True
    assert registry.unregister_tool("text.transform") is False
    assert registry.get_tool_names() == ("web.async_fetch",)
    registry.clear()
    assert len(registry) == 0


def test_a_second_tool_of_a_name_replaces_the_first_only_when_told_to():
    class Log:
        def __init__(self):
            self.lines = []

        def warning(self, event, **fields):
            self.lines.append(event)

    log = Log()
    registry = ToolRegistry(log)
    registry.register_tool(MyTool)
    first = registry.get_tool("text.transform")
    with pytest.raises(ValueError, match=r"registered twice: by .*MyTool and .*MyTool"):
        registry.register_tool(MyTool)
    assert registry.get_tool("text.transform") is first
    registry.register_tool(MyTool, replace=True)
    assert registry.get_tool("text.transform") is not first
    assert len(log.lines) == 1
    assert "replaced" in log.lines[0]


def test_a_registry_may_be_shared_between_threads():
    registry = ToolRegistry()
    threads = [
        Thread(
            target=lambda part=part: [
                registry.register_tool(create_simple_tool(f"tool.{part}.{number}", "Does", print))
                for number in range(25)
            ]
        )
        for part in range(4)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert len(registry.list_tools()) <= len(registry.get_tool_names())
    assert len(registry) == 100
