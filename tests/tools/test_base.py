"""Class-based tools in the pipeline: the same life as when called directly, under guards, deadline and audit."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pydantic import Field, field_validator

from avionics.model import Status, ToolCall, ToolContext, ToolDefinitionProtocol, ToolResult, UsageError
from avionics.settings import Settings
from avionics.tools.answers.answer import estimate_tokens
from avionics.tools.base import AsyncBaseTool, BaseTool, ToolInput, ToolOutput, create_simple_tool
from avionics.tools.execution.overflow_store import Offload
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import ToolRejection
from avionics.tools.registry import ToolRegistry
from tests.logs import Silent
from tests.timing import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]


class RangeInput(ToolInput):
    first: int = Field(description="From here", ge=0)
    last: int = Field(default=10, description="To here")

    @field_validator("last")
    @classmethod
    def _even(cls, last):
        if last % 2:
            raise ValueError("must be even")
        return last


class CountTool(BaseTool):
    name = "range.count"
    description = "Counts a range"
    input_model = RangeInput

    def _validate(self, input_data):
        if input_data.first > input_data.last:
            raise ValueError("first comes after last")

    def _execute(self, input_data):
        if input_data.first == 3:
            raise UsageError("not three", hint="four is fine")
        return input_data.last - input_data.first


class AsyncCountTool(AsyncBaseTool, CountTool):
    async def _execute_async(self, input_data):
        await asyncio.sleep(0)
        return CountTool._execute(self, input_data)


def run(tool, **arguments) -> ToolResult:
    """A call of one tool through a registry and the pipeline."""
    registry = ToolRegistry()
    registry.register_tool(tool)
    return ToolExecutor(registry, (), (), Settings(), Silent()).run(ToolCall(registry.get_tool_names()[0], arguments))


BOTH = pytest.mark.parametrize("tool", [CountTool, AsyncCountTool])


@BOTH
def test_a_tool_is_its_own_definition(tool):
    made = tool()
    assert isinstance(made, ToolDefinitionProtocol)
    assert dict(made.parameters) == {"first": "integer", "last": "integer?"}


@BOTH
def test_a_call_gives_the_documented_result_and_its_text(tool):
    result = run(tool, first=4)
    assert (result.status, result.data, result.text) == (Status.SUCCESS, {"result": 6}, '{"result": 6}')


@BOTH
@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ({"first": "4"}, ("first: expected integer, got string '4'",)),
        ({"last": 2.0}, ("first: missing, expected integer", "last: expected integer, got number 2.0")),
        ({"first": 4, "last": 5}, ("last: Value error, must be even",)),
        ({"first": 4, "last": 2}, ("first comes after last",)),
        ({"first": 1, "frist": 2}, ("frist: unknown parameter; did you mean first?",)),
    ],
)
def test_ill_formed_arguments_are_a_validation_error_with_every_fault(tool, arguments, faults):
    result = run(tool, **arguments)
    assert (result.error_type, result.validation_errors) == ("validation_error", faults)


@BOTH
def test_a_deliberate_fault_keeps_its_code_and_hint(tool):
    result = run(tool, first=3)
    assert (result.error, result.error_type, result.hint) == ("not three", "usage_error", "four is fine")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (ToolOutput(success=False, error="no"), (Status.ERROR, None, "no", "tool_error")),
        (ToolOutput(data=[1, 2]), (Status.SUCCESS, {"result": [1, 2]}, None, "")),
        (ToolOutput(Status.PARTIAL, {"a": 1}), (Status.PARTIAL, {"a": 1}, None, "")),
    ],
)
def test_an_output_of_its_own_becomes_the_result(output, expected):
    result = run(type(create_simple_tool("a", "Does", lambda: output)))
    assert (result.status, result.data, result.error, result.error_type) == expected


def test_arguments_are_judged_again_when_they_were_transformed():
    class Reversing(ToolRegistry):
        def transform_args(self, tool, args, user, context):
            return {"first": args["last"], "last": args["first"]} if args["last"] else ToolRejection("no")

    registry = Reversing()
    registry.register_tool(CountTool)
    executor = ToolExecutor(registry, (), (), Settings())
    result = executor.run(ToolCall("range.count", {"first": 2, "last": 4}))
    assert result.validation_errors == ("first comes after last",)


def test_a_tool_that_hangs_ends_at_its_own_limit():
    release = threading.Event()

    class Hanging(CountTool):
        timeout_seconds = 0.05

        def _execute(self, input_data):
            release.wait(PATIENCE_SECONDS)

    assert run(Hanging, first=1).error_type == "deadline"
    release.set()


def test_without_pydantic_the_missing_package_and_its_extra_are_named():
    program = """
import sys
import threading
sys.modules["pydantic"] = None
import avionics.tools, avionics.tools.registry, avionics.tools.interop.tool_exports
import avionics.tools.registries.registry_views
from avionics.model import MissingDependencyError
try:
    from avionics.tools.base import BaseTool
except MissingDependencyError as error:
    print(error, "|", error.hint)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "class-based tools need pydantic | pip install 'avionics[pydantic]'\n", done.stderr


def test_a_registry_of_functions_loads_no_pydantic():
    program = """
import sys
import threading
from avionics.tools import tool_catalog
from avionics.tools.registry import ToolRegistry
registry = ToolRegistry()
registry.register_tool(tool_catalog.get_tool("list_tools"))
registry.get_all_schemas()
print("pydantic" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "False\n", done.stderr


@pytest.mark.parametrize("kept", [True, False])
def test_the_text_of_a_class_based_result_is_cut_to_the_budget_and_its_data_is_whole(kept):
    class Wordy(CountTool):
        def _execute(self, input_data):
            return {"words": ["word"] * 2_000}

    registry, context = ToolRegistry(), ToolContext(budget_tokens=150)
    registry.register_tool(Wordy)
    executor = ToolExecutor(registry, settings=Settings(), offload=Offload() if kept else None)
    result = executor.run(ToolCall("range.count", {"first": 1}), context)
    assert result.data == {"words": ["word"] * 2_000}
    assert estimate_tokens(result.text) <= 150
    assert result.text.startswith('{"words": ["word", ')
    assert bool(result.rest) is kept
    while result.rest:
        result = executor.get_rest(result.rest, context)
        assert estimate_tokens(result.text) <= 150
    assert result.text.endswith("]}") is kept
