"""Roles, access groups and permissions, and that a refused call never reaches its tool."""

from __future__ import annotations

import pytest
from msgspec import structs

from avionics.model import Caller, Permission, ToolCall, ToolContext
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import EVERYTHING, READ_ONLY, is_visible, permitted
from avionics.tools.registry import ToolRegistry


def outcome(executor, **caller):
    result = executor.run(ToolCall("act", {"x": 1}), ToolContext(Caller("ada", **caller)))
    return (result.error_type, result.error, result.hint) if result.error else "ran"


@pytest.mark.parametrize(
    ("groups", "access", "runs"),
    [
        ((), (), True),
        (("analyst",), (), True),
        (("analyst", "x"), ("admin", "analyst"), True),
        (("x",), ("admin", "analyst"), False),
        ((), ("admin",), False),
    ],
)
def test_groups_are_permitted_by_intersection_and_none_means_everyone(pipeline, ran, groups, access, runs):
    found = outcome(pipeline(permitted(), access_groups=access), groups=frozenset(groups))
    assert (found == "ran", bool(ran)) == (runs, runs)
    if not runs:
        assert found == ("permission_denied", "ada may not use act", f"it is for the groups {', '.join(access)}")


def test_local_groups_override_the_tools_own_and_leave_the_original_alone(pipeline):
    from avionics.tools.catalog import ToolDefinition

    async def act(x: int):
        return {}

    tool = ToolDefinition("act", act, {"x": "integer"}, "Act")
    structs.force_setattr(tool, "access_groups", ("root",))
    here, there = ToolRegistry(), ToolRegistry()
    here.register_local_tool(tool, access_groups=["admin"])
    there.register_tool(tool)
    assert outcome(ToolExecutor(here), groups=frozenset({"admin"})) == "ran"
    assert outcome(ToolExecutor(there), groups=frozenset({"admin"}))[0] == "permission_denied"
    assert tool.access_groups == ("root",)
    assert [schema.name for schema in here.get_schemas(Caller(groups=frozenset({"admin"})))] == ["act"]
    assert here.get_schemas(Caller()) == []


def test_every_permission_a_tool_needs_must_have_been_granted(pipeline):
    executor = pipeline(permitted(), required_permissions={Permission.FILESYSTEM_READ, Permission.NETWORK_ACCESS})
    assert outcome(executor, permissions=EVERYTHING) == "ran"
    assert outcome(executor, permissions=None)[2] == "grant network_access"
    assert outcome(executor, permissions=READ_ONLY) == (
        "permission_denied",
        "act needs permissions that ada does not have",
        "grant network_access",
    )
    assert outcome(executor, permissions=frozenset())[2] == "grant filesystem_read, network_access"


def test_the_read_only_profile_reads_and_nothing_else():
    assert frozenset({Permission.FILESYSTEM_READ}) == READ_ONLY
    assert frozenset(Permission) == EVERYTHING


@pytest.mark.parametrize(("role", "runs"), [("", True), ("traverser", True), ("planner", False), ("critic", False)])
def test_of_agents_only_the_traverser_executes(pipeline, ran, role, runs):
    found = outcome(pipeline(permitted()), role=role)
    assert (found == "ran", bool(ran)) == (runs, runs)
    if not runs:
        assert found == (
            "permission_denied",
            f"a {role} may see tools but not run them",
            "put the call into the plan for the traverser",
        )


def test_a_planner_sees_what_it_may_not_execute(pipeline):
    tool = pipeline(permitted()).registry.get_tool("act")
    assert is_visible(tool, Caller(role="planner"))


def test_roles_groups_and_permissions_hold_where_no_guards_were_given(pipeline):
    registry = pipeline(access_groups=("admin",)).registry
    assert outcome(ToolExecutor(registry))[0] == "permission_denied"
    assert outcome(ToolExecutor(registry), role="planner", groups=frozenset({"admin"}))[0] == "permission_denied"
    assert outcome(ToolExecutor(registry, guards=())) == "ran"
