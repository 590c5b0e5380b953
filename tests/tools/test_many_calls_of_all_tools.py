"""Whatever JSON our own tools are given: a result in the documented format, one record, no exception, no secret.

`AVIONICS_TEST_CALLS=10000 pytest tests/tools/test_many_calls_of_all_tools.py` is the long form.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from avionics.model import Caller, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools import tool_catalog
from avionics.tools.builtin import CALCULATOR_TOOLS, CHART_TOOLS, build_builtin_tools, build_memory_tools
from avionics.tools.executor import ToolExecutor
from avionics.tools.observers.audit import audited
from avionics.tools.registries.registry_views import combined
from avionics.tools.registry import ToolRegistry
from avionics.tools.schema.parameters import Parameter, Shape, read_parameters
from tests.logs import Silent

CALLS = int(os.environ.get("AVIONICS_TEST_CALLS", "150"))
SECRET = "hunter2-0123456789-planted"
LIKELY = ("shop/models.py", "shop", "Order", "Order.add", "add", "HEAD", "**/*.py", "total", ".", "README.md", "1+1")
REQUIRED = {
    "success": {"status", "data", "execution_time_ms"},
    "not_found": {"status", "data", "message", "execution_time_ms"},
    "partial": {"status", "data", "message", "execution_time_ms"},
    "error": {"status", "error", "error_type", "execution_time_ms"},
}
UNCONFINED = {"shell.execute", "python.execute", "git.clone", "web.fetch"}
"""What would leave the machine's own files alone only by luck is asked for without the permission."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


class Sink:
    """The records of one call."""

    def __init__(self) -> None:
        self.records: list[tuple[str, Mapping[str, Any]]] = []

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        self.records.append((event, fields))


def fitting(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Values of the parameter's kind, likely ones often."""
    shape = parameter.shape
    if not isinstance(shape, Shape):
        return JSON
    if shape.choices:
        return st.sampled_from([getattr(choice, "value", choice) for choice in shape.choices])
    kinds: Mapping[str, st.SearchStrategy[Any]] = {
        "string": st.sampled_from(LIKELY) | st.text(max_size=20),
        "integer": st.integers(0, 50) | st.integers(),
        "number": st.floats(0, 5),
        "boolean": st.booleans(),
        "array": st.lists(st.sampled_from(LIKELY) | JSON, max_size=3),
    }
    return kinds.get(shape.kind, JSON)


def arguments_of(tool: Any) -> st.SearchStrategy[Any]:
    """Anything; or some of the tool's own parameters with whatever, or with what fits them."""
    known = read_parameters(tool.parameter_schemas)
    required = {name: fitting(each) for name, each in known.items() if each.required}
    optional = {name: fitting(each) for name, each in known.items() if not each.required}
    names = st.sampled_from([*known, "rev", "x"]) | st.text(max_size=6)
    return (
        st.fixed_dictionaries(required, optional=optional)
        | st.dictionaries(names, JSON | st.sampled_from(LIKELY), max_size=5)
        | JSON
    )


@pytest.fixture
def everything(shop, tmp_path):
    """All tools there are, a workspace to ask about, and where the records go."""
    (tmp_path / "root").mkdir()
    registry, sink = ToolRegistry(), Sink()
    registry.register_tools([*build_builtin_tools(tmp_path / "root"), *CALCULATOR_TOOLS, *CHART_TOOLS])
    registry.register_tools(build_memory_tools())
    tools = combined(tool_catalog, registry)
    executor = ToolExecutor(tools, observers=(audited(sink),), settings=Settings(), logger=Silent())
    return tools, executor, sink, shop()


def test_no_json_breaks_any_of_our_tools(everything):
    tools, executor, sink, workspace = everything
    allowed = [name for name in tools.get_tool_names() if name not in UNCONFINED]

    @settings(max_examples=CALLS, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def ask(data):
        tool = tools.get_tool(data.draw(st.sampled_from(allowed)))
        arguments = data.draw(arguments_of(tool))
        if isinstance(arguments, dict):
            arguments = {**arguments, **data.draw(st.sampled_from([{}, {"password": SECRET}]))}
        context = ToolContext(Caller("ada"), workspace=workspace, budget_tokens=data.draw(st.sampled_from([None, 120])))
        sink.records.clear()
        result = executor.run(ToolCall(tool.name, arguments, "c"), context)
        plain = result.to_dict()
        optional = {"validation_errors", "hint"} if plain["status"] == "error" else set()
        assert REQUIRED[plain["status"]] <= set(plain) <= REQUIRED[plain["status"]] | optional
        assert plain.get("error_type") != "tool_error", plain
        written = json.dumps(plain) + result.text + json.dumps(sink.records)
        assert SECRET not in written
        assert [event for event, _ in sink.records].count("tool_result") == 1

    ask()


def test_every_tool_answers_at_least_once(everything):
    """The strategies reach the tools themselves, not only the validator."""
    tools, executor, _, workspace = everything
    reached = set()

    @settings(max_examples=200, deadline=None, database=None, suppress_health_check=list(HealthCheck), derandomize=True)
    @given(st.data())
    def ask(data):
        tool = tools.get_tool(data.draw(st.sampled_from([name for name in tools.get_tool_names() if "." not in name])))
        known = read_parameters(tool.parameter_schemas)
        arguments = {name: data.draw(fitting(each)) for name, each in known.items() if each.required}
        result = executor.run(ToolCall(tool.name, arguments), ToolContext(workspace=workspace))
        if result.error_type != "validation_error":
            reached.add(tool.name)

    ask()
    assert len(reached) >= 20
