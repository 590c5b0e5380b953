"""One class of results: what each kind of tool returns is it already, and nothing is lost on the way."""

from __future__ import annotations

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st

from avionics.model import Status, ToolCall, ToolResult
from avionics.settings import Settings
from avionics.tools.base import ToolOutput, create_simple_tool
from avionics.tools.executor import ToolExecutor
from avionics.tools.registry import ToolRegistry

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
CALL = ToolCall("act", {}, "call-1")


def registry_of(outcome) -> ToolRegistry:
    """A class-based tool that returns this."""
    registry = ToolRegistry()
    registry.register_tool(create_simple_tool("act", "Acts", lambda: outcome))
    return registry


def execute(outcome) -> ToolResult:
    return ToolExecutor(registry_of(outcome), settings=Settings()).run(CALL)


def test_the_founding_documents_results_are_one_class():
    from avionics import ToolResult as of_the_package
    from avionics.tools import ToolResult as of_the_tools
    from protocols import ToolResult as of_the_protocols

    assert ToolOutput is of_the_package is of_the_tools is of_the_protocols is ToolResult


@given(JSON, st.dictionaries(st.text(max_size=5), JSON, max_size=3))
def test_a_value_comes_back_as_it_was_returned(value, metadata):
    registry = registry_of(ToolOutput(data=value, metadata=metadata))
    result = ToolExecutor(registry, settings=Settings()).run(CALL)
    assert result.data is None or isinstance(result.data, dict)
    assert (result.output, result.metadata) == (value, metadata)
    assert registry.execute_tool("act").data == value
    (each,) = asyncio.run(ToolExecutor(registry, settings=Settings()).execute_tools([CALL]))
    plain = json.loads(json.dumps(each.to_dict()))
    assert plain["output"] == ({} if value is None else value)
    assert plain["metadata"] == {**metadata, "duration": plain["metadata"]["duration"]}


def test_a_failure_keeps_its_message_and_what_the_tool_said_of_it():
    result = execute(ToolOutput(success=False, error="no", hint="ask", metadata={"tried": 2}))
    assert (result.success, result.error, result.error_type, result.hint) == (False, "no", "tool_error", "ask")
    assert (result.result_for_llm, result.metadata) == ("no", {"tried": 2})
    output = registry_of(ToolOutput(success=False, error="no")).execute_tool("act")
    assert (output.success, output.error, output.metadata) == (False, "no", {"error_type": "tool_error"})


def test_finding_nothing_is_no_failure():
    result = execute(ToolResult(Status.NOT_FOUND, {}, message="nothing there"))
    assert (result.success, result.status, result.message) == (True, Status.NOT_FOUND, "nothing there")


def test_an_object_is_not_wrapped_whatever_its_names():
    assert execute({"result": 42}).output == {"result": 42}
    assert execute(42).output == 42
    assert execute({"result": 42}).data == execute(42).data == {"result": 42}


def test_data_of_a_result_becomes_plain_data():
    assert execute(ToolResult(data={"path": Status.SUCCESS, "numbers": (1, 2)})).data == {
        "path": "success",
        "numbers": [1, 2],
    }
    assert execute(ToolResult(data={1: "a", "1": "b"})).error_type == "tool_error"
