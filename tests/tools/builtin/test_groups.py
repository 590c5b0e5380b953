"""The groups of seed 003, what each tool declares, and that nothing runs without a grant."""

from __future__ import annotations

import pytest

from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.tools import Caller, ToolCall, ToolContext
from avionics.tools.builtin import (
    ALL_BUILTIN_TOOLS,
    CALCULATOR_TOOLS,
    CHART_TOOLS,
    DATA_TOOLS,
    FILESYSTEM_TOOLS,
    GIT_TOOLS,
    PYTHON_TOOLS,
    SHELL_TOOLS,
    WEB_TOOLS,
    RunSqlTool,
    SqliteRunner,
    build_builtin_tools,
    build_memory_tools,
)
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import READ_ONLY, approved, permitted
from avionics.tools.registry import ToolRegistry

NOBODY = Caller("nobody", permissions=frozenset())
READ, WRITE = Permission.FILESYSTEM_READ, Permission.FILESYSTEM_WRITE
DECLARED = {
    "filesystem.read_file": ("filesystem", {READ}, "low"),
    "filesystem.write_file": ("filesystem", {WRITE}, "medium"),
    "filesystem.list_directory": ("filesystem", {READ}, "low"),
    "filesystem.get_info": ("filesystem", {READ}, "low"),
    "shell.execute": ("shell", {Permission.SHELL_EXECUTE}, "high"),
    "web.fetch": ("web", {Permission.NETWORK_ACCESS}, "medium"),
    "git.status": ("code", {READ}, "low"),
    "git.log": ("code", {READ}, "low"),
    "git.diff": ("code", {READ}, "low"),
    "git.commit": ("code", {READ, WRITE}, "high"),
    "git.clone": ("code", {WRITE, Permission.NETWORK_ACCESS}, "medium"),
    "python.execute": ("code", {Permission.CODE_EXECUTE}, "high"),
    "data.parse_json": ("data", set(), "low"),
    "data.parse_csv": ("data", set(), "low"),
    "data.transform": ("data", set(), "low"),
    "data.format": ("data", set(), "low"),
}
PARAMETERS = {
    "filesystem.read_file": {"path": ..., "encoding": "utf-8"},
    "filesystem.write_file": {"path": ..., "content": ..., "encoding": "utf-8", "create_dirs": False},
    "filesystem.list_directory": {"path": ".", "recursive": False, "include_hidden": False, "pattern": None},
    "filesystem.get_info": {"path": ...},
    "shell.execute": {"command": ..., "timeout": 30, "working_dir": "."},
    "web.fetch": {"url": ..., "method": "GET", "headers": {}, "body": None, "timeout": 30},
    "git.status": {"path": "."},
    "git.log": {"path": ".", "count": 10, "oneline": False},
    "git.diff": {"path": ".", "staged": False, "file_path": None},
    "git.commit": {"path": ".", "message": ..., "add_all": False},
    "git.clone": {"url": ..., "destination": None, "depth": None},
    "python.execute": {"code": ..., "timeout": 30},
    "data.parse_json": {"data": ..., "path": None},
    "data.parse_csv": {"data": ..., "delimiter": ",", "has_header": True},
    "data.transform": {
        "data": ...,
        "filter_key": None,
        "filter_op": "eq",
        "filter_value": None,
        "sort_key": None,
        "sort_reverse": False,
        "limit": None,
    },
    "data.format": {"data": ..., "input_format": "json", "output_format": "json"},
}
ARGUMENTS = {
    "filesystem.read_file": {"path": "a.txt"},
    "filesystem.write_file": {"path": "w.txt", "content": "x"},
    "filesystem.get_info": {"path": "a.txt"},
    "shell.execute": {"command": "touch s.txt"},
    "web.fetch": {"url": "http://127.0.0.1:9/"},
    "git.commit": {"message": "x", "add_all": True},
    "git.clone": {"url": "https://127.0.0.1:9/x"},
    "python.execute": {"code": "print(1)"},
}


@pytest.fixture
def tools(git_repository):
    """Every tool of the seed by name, on a small repository."""
    return {tool.name: tool for tool in build_builtin_tools(git_repository({"a.txt": "x"}).root)}


@pytest.fixture
def registry(tools):
    registry = ToolRegistry()
    registry.register_tools(tools.values())
    return registry


def names(group):
    return [tool.name for tool in group]


def test_the_groups_are_the_documented_ones():
    assert names(FILESYSTEM_TOOLS) == [
        f"filesystem.{name}" for name in ("read_file", "write_file", "list_directory", "get_info")
    ]
    assert names(SHELL_TOOLS) == ["shell.execute"]
    assert names(WEB_TOOLS) == ["web.fetch"]
    assert names(GIT_TOOLS) == [f"git.{name}" for name in ("status", "log", "diff", "commit", "clone")]
    assert names(PYTHON_TOOLS) == ["python.execute"]
    assert names(DATA_TOOLS) == [f"data.{name}" for name in ("parse_json", "parse_csv", "transform", "format")]
    assert names(ALL_BUILTIN_TOOLS) == list(DECLARED)
    assert (names(CALCULATOR_TOOLS), names(CHART_TOOLS)) == (["CalculatorTool"], ["visualize_data"])


def test_the_classes_can_be_registered_as_they_are():
    registry = ToolRegistry()
    registry.register_tools(ALL_BUILTIN_TOOLS)
    registry.register_tools((*CALCULATOR_TOOLS, *CHART_TOOLS))
    assert len(registry) == 18
    assert "git.clone" in registry


def test_every_tool_declares_its_domain_permissions_and_risk(tools):
    assert {
        name: (tool.category.value, set(tool.required_permissions), tool.risk_level.value)
        for name, tool in tools.items()
    } == DECLARED


def test_every_tool_has_the_documented_parameters_and_defaults(tools):
    assert {
        name: {row.name: ... if row.required else row.default for row in tool.get_parameters()}
        for name, tool in tools.items()
    } == PARAMETERS


def test_every_parameter_is_described(tools):
    others = (*(tool() for tool in (*CALCULATOR_TOOLS, *CHART_TOOLS)), *build_memory_tools())
    for tool in (*tools.values(), *others):
        assert all(row.description for row in tool.get_parameters()), tool.name


def test_a_registry_lists_by_domain_and_by_permission(registry):
    assert names(registry.list_tools(category=ToolDomain.SHELL)) == ["shell.execute"]
    assert names(registry.list_tools(permission=Permission.NETWORK_ACCESS)) == ["web.fetch", "git.clone"]


@pytest.mark.parametrize("name", [name for name, declared in DECLARED.items() if declared[1]])
def test_without_a_grant_no_tool_that_touches_anything_runs(registry, tools, name):
    executor = ToolExecutor(registry, guards=(permitted(),), reraise=True)
    result = executor.run(ToolCall(name, ARGUMENTS.get(name, {})), ToolContext(caller=NOBODY))
    assert result.error_type == "permission_denied"
    root = tools["shell.execute"].tree.root
    assert sorted(path.name for path in root.iterdir()) == [".git", "a.txt"]


def test_a_read_only_caller_reads_and_nothing_more(registry):
    executor = ToolExecutor(registry, guards=(permitted(),), reraise=True)
    context = ToolContext(caller=Caller("reader", permissions=READ_ONLY))
    ran = {
        name
        for name in DECLARED
        if executor.run(ToolCall(name, ARGUMENTS.get(name, {})), context).error_type != "permission_denied"
    }
    assert ran == {name for name, declared in DECLARED.items() if declared[1] <= {READ}}


@pytest.mark.parametrize("name", [name for name, declared in DECLARED.items() if declared[2] == "high"])
def test_what_is_of_high_risk_needs_approval_even_with_a_grant(registry, name):
    executor = ToolExecutor(registry, guards=(permitted(), approved()), reraise=True)
    context = ToolContext(caller=Caller("all", permissions=frozenset(Permission)))
    assert executor.run(ToolCall(name, ARGUMENTS[name]), context).error_type == "approval_required"


def test_a_granted_and_approved_call_runs_through_the_pipeline(registry):
    executor = ToolExecutor(registry, guards=(permitted(), approved(lambda _: True)), reraise=True)
    context = ToolContext(caller=Caller("all", permissions=frozenset(Permission)))
    result = executor.run(ToolCall("python.execute", {"code": "print(6 * 7)"}), context)
    assert result.data["stdout"] == "42\n"
    refused = executor.run(ToolCall("shell.execute", {"command": "rm -rf /"}), context)
    assert (refused.error_type, "is not allowed" in refused.error) == ("validation_error", True)
    outside = executor.run(ToolCall("filesystem.read_file", {"path": "../x"}), context)
    assert outside.error_type == "outside_workspace"
    bare = executor.run(
        ToolCall("data.parse_json", {"data": '{"users": [{"name": "Ada"}]}', "path": "users.0.name"}), context
    )
    assert bare.data == {"result": "Ada"}


def test_what_only_calculates_needs_no_grant(tmp_path):
    free = (*(tool() for tool in (*CALCULATOR_TOOLS, *CHART_TOOLS, *DATA_TOOLS)), *build_memory_tools())
    assert [tool.name for tool in free if tool.required_permissions] == []
    assert RunSqlTool(SqliteRunner(tmp_path / "x")).required_permissions == {Permission.DATABASE_READ}
    assert RunSqlTool(SqliteRunner(tmp_path / "x")).risk_level is RiskLevel.LOW


def test_no_built_in_tool_is_registered_by_itself():
    from avionics.tools import tool_catalog

    assert not any(tool_catalog.has_tool(name) for name in DECLARED)
    assert len(ToolRegistry()) == 0
