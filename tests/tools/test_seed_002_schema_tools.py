"""Seed 002 in Python: tools that are a schema and an `execute(input, context)`."""

from __future__ import annotations

import ast
import asyncio
import operator

import pytest

from avionics.model import (
    Caller,
    RegistrationError,
    ToolCall,
    ToolContext,
    ToolDefinitionProtocol,
    ToolResult,
    ToolSchema,
)
from avionics.settings import Settings
from avionics.tools.executor import ToolExecutor
from avionics.tools.interop.schema_tools import SchemaTool, is_schema_tool
from avionics.tools.interop.tool_exports import build_executor_schema
from avionics.tools.registry import ToolRegistry

OPERATORS = {ast.Add: operator.add, ast.Div: operator.truediv, ast.Mult: operator.mul}


def evaluate(node):
    """The value of a small arithmetic expression, without eval."""
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](evaluate(node.left), evaluate(node.right))
    return node.value


class CalculatorTool:
    schema = {  # noqa: RUF012  as the document writes it
        "name": "CalculatorTool",
        "description": "Calculates the result of a mathematical expression.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "expression": {
                    "type": "string",
                    "description": "The mathematical expression to evaluate (e.g., '2 + 2 * (5 / 3)')",
                }
            },
            "required": ["expression"],
        },
        "examples": [
            {"input": {"expression": "(10 + 5) / 3"}, "output": {"result": 5}},
        ],
    }

    async def execute(self, input, context):
        try:
            result = evaluate(ast.parse(input["expression"], mode="eval").body)
            return {"status": "success", "output": {"result": result}}
        except (SyntaxError, KeyError, AttributeError, ZeroDivisionError) as error:
            return {"status": "error", "error": f"Calculation failed: {error}"}


def run(tool, context=None, /, **arguments) -> dict:
    """A call as the document's tool system executes it, and its result in the document's form."""
    registry = ToolRegistry()
    registry.register_tool(tool)
    call = ToolCall(registry.get_tool_names()[0], arguments, "call-1")
    executor = ToolExecutor(registry, (), (), Settings())
    (result,) = asyncio.run(executor.execute_tools([call], context))
    return result.to_dict()


def tool_of(execute=lambda _, context: {"status": "success", "output": {}}, **schema):
    """A tool of these words."""

    class Made:
        pass

    made = Made()
    made.schema = {"name": "made", "description": "Does", "inputSchema": {"type": "object"}, **schema}
    made.execute = execute
    return made


@pytest.mark.parametrize("tool", [CalculatorTool, CalculatorTool()])
def test_the_example_runs_and_its_result_has_the_documented_form(tool):
    result = run(tool, expression="(10 + 5) / 3")
    assert result["metadata"].pop("duration") >= 0
    assert result == {
        "callId": "call-1",
        "toolName": "CalculatorTool",
        "status": "success",
        "output": {"result": 5},
        "metadata": {},
    }


def test_an_error_that_is_returned_is_the_error():
    result = run(CalculatorTool, expression="1 / 0")
    assert (result["status"], result["error"]) == ("error", "Calculation failed: division by zero")


def test_arguments_are_judged_by_the_input_schema():
    result = run(CalculatorTool, expression=3)
    assert result["status"] == "error"
    assert result["metadata"]["validationErrors"] == ["expression: expected string, got integer 3"]
    assert run(CalculatorTool)["metadata"]["validationErrors"] == ["expression: missing, expected string"]


def test_what_a_tool_throws_is_an_error_result():
    class Log:
        def error(self, event, **fields):
            pass

    def broken(input, context):
        raise KeyError("x")

    registry = ToolRegistry()
    registry.register_tool(tool_of(broken))
    result = ToolExecutor(registry, (), (), Settings(), Log()).run(ToolCall("made"))
    assert (result.error, result.error_type) == ("KeyError: 'x'", "tool_error")


def test_a_tool_is_given_its_context():
    tool = tool_of(lambda _, context: {"status": "success", "output": context.thread_id})
    context = ToolContext(Caller("ada"), thread_id="thread", trace_id="trace", session_id="session")
    assert run(tool, context)["output"] == "thread"
    assert (context.user_id, context.trace_id, context.session_id) == ("ada", "trace", "session")


def test_a_tool_may_be_synchronous_and_return_a_value_of_its_class():
    result = run(tool_of(lambda given, context: ToolResult(data=[given["a"]])), a=1)
    assert (result["status"], result["output"]) == ("success", [1])


def test_the_registry_makes_a_definition_of_it():
    tool = SchemaTool(CalculatorTool())
    assert is_schema_tool(CalculatorTool())
    assert not is_schema_tool(object())
    assert isinstance(tool, ToolDefinitionProtocol)
    schema = build_executor_schema(tool)
    assert schema["inputSchema"]["properties"] == CalculatorTool.schema["inputSchema"]["properties"]
    assert schema["examples"] == CalculatorTool.schema["examples"]


@pytest.mark.parametrize("word", ["name", "description", "inputSchema"])
def test_a_schema_without_its_words_is_refused(word):
    with pytest.raises(RegistrationError, match=f"lacks {word}"):
        SchemaTool(tool_of(**{word: None}))


def test_a_schema_may_be_a_value():
    tool = tool_of()
    tool.schema = ToolSchema("made", "Does", {"properties": {"a": {"type": "integer"}}})
    assert run(tool, a="x")["metadata"]["validationErrors"] == ["a: expected integer, got string 'x'"]


def test_every_example_must_fit():
    fitting = {"output": {"n": 1}}
    promised = {"type": "object", "properties": {"n": {"type": "integer"}}}
    registry = ToolRegistry()
    registry.register_tool(tool_of(outputSchema=promised, examples=[fitting]))
    with pytest.raises(RegistrationError, match=r"output\.n: expected integer, got string 'x'"):
        ToolRegistry().register_tool(tool_of(outputSchema=promised, examples=[fitting, {"output": {"n": "x"}}]))
    with pytest.raises(RegistrationError, match="expression: missing"):
        ToolRegistry().register_tool(
            tool_of(inputSchema=CalculatorTool.schema["inputSchema"], examples=[{"input": {}, "output": {}}])
        )
