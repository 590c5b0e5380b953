"""What is not switched on in a thread neither runs nor is listed there."""

from __future__ import annotations

import pytest

from avionics.model import ToolCall, ToolContext, ToolRegistryProtocol
from avionics.tools import EXPOSED_TOOL_IDS, ToolId, build_enabled_view, tool_catalog
from avionics.tools.guards import EnabledTools, enabled, find_enabled


def test_a_tool_runs_only_in_threads_where_it_is_enabled(pipeline, ran):
    state = EnabledTools(default=())
    state.set_enabled("t1", ["act"])
    executor = pipeline(enabled(state))
    refused = executor.run(ToolCall("act", {"x": 1}), ToolContext(thread_id="t2"))
    assert refused.to_dict() == {
        "status": "error",
        "error": "act is not enabled in this conversation",
        "error_type": "not_enabled",
        "hint": "use a tool that is listed, or have it enabled",
        "execution_time_ms": 0,
    }
    assert ran == []
    assert executor.run(ToolCall("act", {"x": 1}), ToolContext(thread_id="t1")).status == "success"
    assert ran == [{"x": 1}]


def test_what_is_enabled_can_be_set_added_to_and_forgotten():
    state = EnabledTools()
    assert state.is_tool_enabled("t", "anything")
    state.enable("t", "a")
    assert state.is_tool_enabled("t", "anything")
    state.set_enabled("t", [ToolId.LOCATE])
    state.enable("t", "a")
    assert [state.is_tool_enabled("t", name) for name in ("locate", "a", "b")] == [True, True, False]
    state.forget("t")
    assert state.is_tool_enabled("t", "b")


def test_only_enabled_tools_reach_the_planning_prompt():
    state = EnabledTools()
    state.set_enabled("t", ["locate", "read_file"])
    prompt = tool_catalog.generate_planner_prompt(find_enabled(state, "t", EXPOSED_TOOL_IDS))
    assert [line.partition("(")[0] for line in prompt.split("\n") if line.startswith("-")] == ["- locate"]


def test_a_view_of_a_registry_has_only_what_is_enabled():
    state = EnabledTools()
    state.set_enabled("t", ["locate", "nonsense"])
    view = build_enabled_view(tool_catalog, state, "t")
    assert isinstance(view, ToolRegistryProtocol)
    assert view.get_tool_names() == ("locate",)
    assert (view.has_tool("locate"), view.has_tool("analyze"), view.get_tool("analyze")) == (True, False, None)


@pytest.mark.parametrize("thread", ["", "t"])
def test_what_nobody_spoke_of_follows_the_default(thread):
    assert not EnabledTools(default=["a"]).is_tool_enabled(thread, "b")
    assert EnabledTools(default=["a"]).is_tool_enabled(thread, "a")
