"""Results of other kinds of tools: there and back without loss."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from avionics.model import Status, ToolCall, ToolResult
from avionics.tools.base import ToolOutput
from avionics.tools.interop.result_adapters import (
    RESERVED,
    ExecutionResult,
    TypedToolResult,
    from_execution,
    from_output,
    from_typed,
    to_execution,
    to_output,
    to_typed,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
TEXT = st.text(max_size=5)
WORDS = st.text(min_size=1, max_size=5)
FREE = st.dictionaries(st.text(max_size=5).filter(lambda word: word not in RESERVED), JSON, max_size=3)
CARRIERS = ["status", "message", "error_type", "hint", "execution_time_ms", "validation_errors", "text", "rest", "mine"]
ANY_METADATA = st.dictionaries(st.sampled_from(CARRIERS), JSON, max_size=4)
OBJECTS = st.none() | st.dictionaries(st.sampled_from(["result", "a", "status"]), JSON, max_size=3)


def results() -> st.SearchStrategy[ToolResult]:
    """Results as the pipeline makes them."""
    common = {"execution_time_ms": st.integers(0, 9), "text": TEXT, "metadata": FREE, "rest": TEXT}
    fine = st.builds(
        ToolResult,
        st.sampled_from([Status.SUCCESS, Status.PARTIAL, Status.NOT_FOUND]),
        data=OBJECTS,
        message=TEXT,
        **common,
    )
    failed = st.builds(
        ToolResult,
        st.just(Status.ERROR),
        data=OBJECTS,
        error=WORDS,
        error_type=WORDS | st.just("tool_error"),
        validation_errors=st.lists(TEXT, max_size=2).map(tuple),
        hint=TEXT,
        **common,
    )
    return fine | failed


@given(results())
def test_a_result_survives_the_way_there_and_back(result):
    assert from_output(to_output(result)) == result
    assert from_typed(to_typed(result)) == result
    assert from_execution(to_execution(result)) == result


@given(st.booleans(), JSON, st.none() | WORDS, ANY_METADATA | FREE)
def test_an_output_survives_whatever_its_metadata(success, data, error, metadata):
    output = ToolOutput(success=success, data=data, error=error, metadata=metadata)
    assert to_output(from_output(output)).model_dump() == output.model_dump()


@given(st.booleans(), TEXT, JSON, st.none() | WORDS, ANY_METADATA | FREE)
def test_a_typed_result_survives_whatever_its_metadata(success, text, component, error, metadata):
    typed = TypedToolResult(success, text, component, error, metadata)
    assert to_typed(from_typed(typed)) == typed


@given(st.sampled_from(["success", "error"]), JSON, st.none() | WORDS, TEXT, TEXT, st.integers(0, 9), FREE)
def test_an_execution_result_survives(status, output, error, call_id, tool_name, duration, metadata):
    execution = ExecutionResult(status, output, error, call_id, tool_name, duration, metadata)
    assert to_execution(from_execution(execution)) == execution
    assert ExecutionResult.from_dict(json.loads(json.dumps(execution.to_dict()))) == execution


def test_a_success_in_every_shape():
    result = ToolResult(Status.SUCCESS, {"found": 3}, execution_time_ms=7, text="three")
    call = ToolCall("count", {"of": "x"}, "call-1")
    assert to_output(result) == ToolOutput(data={"found": 3}, metadata={"execution_time_ms": 7, "text": "three"})
    typed = to_typed(result, call)
    assert (typed.success, typed.result_for_llm, typed.error) == (True, "three", None)
    assert typed.metadata == {
        "data": {"found": 3},
        "execution_time_ms": 7,
        "tool_name": "count",
        "arguments": {"of": "x"},
    }
    assert to_execution(result, call).to_dict() == {
        "callId": "call-1",
        "toolName": "count",
        "status": "success",
        "output": {"found": 3},
        "metadata": {"text": "three", "duration": 7},
    }


def test_a_failure_in_every_shape():
    result = ToolResult(Status.ERROR, error="no", error_type="rejected", hint="ask")
    assert to_output(result) == ToolOutput(
        success=False, error="no", metadata={"error_type": "rejected", "hint": "ask"}
    )
    typed = to_typed(result)
    assert (typed.success, typed.result_for_llm, typed.error) == (False, "no", "no")
    assert (to_execution(result).status, to_execution(result).error) == ("error", "no")


def test_what_is_no_object_comes_back_as_it_was():
    assert from_output(ToolOutput(data=42)).data == {"result": 42}
    assert to_output(from_output(ToolOutput(data=42))).data == 42
    assert to_output(from_output(ToolOutput(data={"result": 42}))).data == {"result": 42}


def test_finding_nothing_is_no_failure():
    result = ToolResult(Status.NOT_FOUND, {}, message="nothing there")
    assert to_output(result).success is True
    assert to_output(result).metadata == {"status": "not_found", "message": "nothing there"}
    assert to_execution(result).status == "success"
