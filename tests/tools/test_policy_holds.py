"""Policy cannot be gone around: through views, through the arguments, through a caller of whom nothing is known."""

from __future__ import annotations

import asyncio

import pytest

from avionics.model import (
    Caller,
    ConfigError,
    Permission,
    RegistrationError,
    RiskLevel,
    ToolCall,
    ToolContext,
    UsageError,
)
from avionics.settings import Settings
from avionics.tools import ToolCatalog, ToolCategory, ToolDefinition, ToolId
from avionics.tools.builtin import ALL_BUILTIN_TOOLS, RunSqlTool, SqliteRunner, ToolMemory, build_builtin_tools
from avionics.tools.builtin.memory import ToolUse
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import EnabledTools, ToolRejection, permitted, transformed
from avionics.tools.internal.workspace.session_state import SessionState
from avionics.tools.registries.registry_views import build_enabled_view, combined, filtered, prefixed
from avionics.tools.registry import ToolRegistry
from avionics.tools.schema.parameters import Bounds, Parameter, Shape

LIMIT = {"limit": Parameter("limit", Shape("integer", bounds=Bounds(le=100))), "rows": "array?"}


class Guarded(ToolRegistry):
    """Refuses every call of eve's."""

    def transform_args(self, tool, args, user, context):
        return ToolRejection(f"not {tool.name} for eve") if user.id == "eve" else {"limit": 7}


def guarded(registry=None):
    registry, ran = registry or Guarded(), []

    def rows(limit, rows=()):
        ran.append(limit)
        return {"limit": limit}

    registry.register_tool(ToolDefinition("rows", rows, LIMIT, "Rows"))
    return registry, ran


VIEWS = {
    "itself": lambda registry: (registry, "rows"),
    "combined": lambda registry: (combined(ToolRegistry(), registry), "rows"),
    "filtered": lambda registry: (filtered(registry, lambda _: True), "rows"),
    "prefixed": lambda registry: (prefixed(registry, "db."), "db.rows"),
    "enabled": lambda registry: (build_enabled_view(registry, EnabledTools(), ""), "rows"),
    "all": lambda registry: (prefixed(filtered(combined(registry), lambda _: True), "a."), "a.rows"),
}  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_keeps_the_transform_of_its_registry(view):
    registry, ran = guarded()
    tools, name = VIEWS[view](registry)
    executor = ToolExecutor(tools, settings=Settings())
    refused = executor.run(ToolCall(name, {"limit": 1}), ToolContext(Caller("eve")))
    assert (refused.error_type, refused.error, ran) == ("rejected", "not rows for eve", [])
    assert executor.run(ToolCall(name, {"limit": 1}), ToolContext(Caller("ada"))).data == {"limit": 7}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_lists_and_switches_off_as_its_registry_does(view):
    registry, _ = guarded()
    tools, name = VIEWS[view](registry)
    assert [schema.name for schema in tools.get_schemas()] == [name]
    assert [tool.name for tool in tools.list_tools()] == [name]
    assert (len(tools), name in tools, tools.is_registered(name)) == (1, True, True)
    tools.disable(name)
    assert (tools.list_tools(), registry.has_tool("rows"), len(tools)) == ([], False, 0)
    assert ToolExecutor(tools, settings=Settings()).run(ToolCall(name, {"limit": 1})).error_type == "tool_not_found"
    tools.enable(name)
    assert tools.has_tool(name)
    with pytest.raises(RegistrationError):
        tools.disable("nothing")


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_runs_a_call_as_its_registry_does(view):
    registry = ToolRegistry(grants="shop:read")

    @registry.tool(permissions="shop:read")
    def act() -> int:
        """Act."""
        return 3

    @registry.tool(permissions="shop:write")
    def change() -> None:
        """Change."""

    wrapped, name = VIEWS[view](registry)
    prefix = name.removesuffix("rows")
    assert wrapped.execute_tool(f"{prefix}act").data == 3
    assert asyncio.run(wrapped.execute(ToolCall(f"{prefix}act"))).data == {"result": 3}
    assert wrapped.execute_tool(f"{prefix}change").error_type == "permission_denied"
    beside = combined(ToolRegistry(grants="shop:write"), wrapped)
    assert beside.execute_tool(f"{prefix}change").error_type == "permission_denied"


def test_a_catalog_tool_can_be_switched_off():
    catalog = ToolCatalog()
    catalog.register_function(ToolId.LOCATE, dict, "", {}, ToolCategory.COMPOSITE)
    catalog.disable("locate")
    assert (catalog.has_tool("locate"), catalog.get_tool("locate"), catalog.get_tool_names()) == (False, None, ())
    catalog.enable("locate")
    assert [schema.name for schema in catalog.get_schemas()] == ["locate"]


def replace(tool, args, user, context):
    return {"limit": 1000}


def change(tool, args, user, context):
    args["limit"] = 1000
    return args


@pytest.mark.parametrize("transform", [replace, change])
def test_what_a_transform_makes_of_the_arguments_is_validated(transform):
    registry, ran = guarded(ToolRegistry())
    result = ToolExecutor(registry, (transformed(transform),)).run(ToolCall("rows", {"limit": 1}))
    assert (result.error_type, ran) == ("validation_error", [])
    assert result.validation_errors == ("limit: expected at most 100, got integer 1000",)


def test_a_transform_cannot_change_what_the_caller_holds():
    registry, _ = guarded(ToolRegistry())
    rows = [1]

    def append(tool, args, user, context):
        args["rows"].append(2)
        return args

    result = ToolExecutor(registry, (transformed(append),)).run(ToolCall("rows", {"limit": 1, "rows": rows}))
    assert (result.error_type, rows) == ("", [1])


@pytest.fixture
def builtin(tmp_path):
    (tmp_path / "a.txt").write_text("hello")
    registry = ToolRegistry()
    registry.register_tools(build_builtin_tools(tmp_path, ALL_BUILTIN_TOOLS))
    registry.register_tool(RunSqlTool(SqliteRunner(tmp_path / "a.db")))
    return registry


WRITE = ToolCall("filesystem.write_file", {"path": "b.txt", "content": "x"})
READ = ToolCall("filesystem.read_file", {"path": "a.txt"})


@pytest.mark.parametrize("context", [None, ToolContext(), ToolContext(Caller("ada"))])
def test_nobody_in_particular_reads_the_workspace_and_nothing_else(builtin, tmp_path, context):
    executor = ToolExecutor(builtin, settings=Settings())
    assert executor.run(READ, context).data["content"] == "hello"
    assert executor.run(WRITE, context).error_type == "permission_denied"
    assert not (tmp_path / "b.txt").exists()
    for name, arguments in (
        ("shell.execute", {"command": "ls"}),
        ("python.execute", {"code": "1"}),
        ("web.fetch", {"url": "http://127.0.0.1/"}),
        ("run_sql", {"sql": "SELECT 1"}),
        ("git.clone", {"url": "https://example.org/x"}),
    ):
        assert executor.run(ToolCall(name, arguments), context).error_type == "permission_denied", name


def test_a_grant_is_one_word(builtin, tmp_path):
    assert ToolExecutor(builtin, grants="filesystem:write").run(WRITE).status == "success"
    assert (tmp_path / "b.txt").read_text() == "x"
    nobody = ToolContext(Caller(permissions=()))
    assert ToolExecutor(builtin, grants="filesystem:write").run(WRITE, nobody).error_type == "permission_denied"


def test_permissions_hold_for_catalog_tools():
    catalog = ToolCatalog()
    catalog.register_function(ToolId.LOCATE, dict, "", {}, ToolCategory.COMPOSITE)
    catalog.register_function(ToolId.ANALYZE, dict, "", {}, ToolCategory.UNIFIED, permissions="network:access")
    executor = ToolExecutor(catalog)
    assert executor.run(ToolCall("locate")).status == "success"
    assert executor.run(ToolCall("locate"), ToolContext(Caller(permissions=()))).error_type == "permission_denied"
    assert executor.run(ToolCall("analyze")).error_type == "permission_denied"
    assert executor.run(ToolCall("analyze"), ToolContext(Caller(permissions=["network_access"]))).error_type == ""


def test_a_name_is_one_name_and_not_its_letters():
    assert Caller(groups="admin").groups == {"admin"}
    assert Caller(permissions="database:read").permissions == {Permission.DATABASE_READ}
    assert Caller(permissions=["orders:refund"]).permissions == {"orders:refund"}
    with pytest.raises(ConfigError, match="did you mean 'database_read'"):
        Caller(permissions={"databse_read"})
    registry = ToolRegistry()
    registry.register_local_tool(ToolDefinition("a", dict, {}, "A"), access_groups="admin")
    registry.register_tool(ToolDefinition("b", dict, {}, "B", access_groups="admin"))
    for name in ("a", "b"):
        executor = ToolExecutor(registry)
        assert executor.run(ToolCall(name), ToolContext(Caller(groups=set("admin")))).error_type == "permission_denied"
        assert executor.run(ToolCall(name), ToolContext(Caller(groups="admin"))).error_type == ""


def test_a_registry_runs_tools_with_the_checks_of_an_executor(builtin, tmp_path):
    arguments = dict(WRITE.arguments)
    assert builtin.execute_tool("filesystem.write_file", **arguments).metadata["error_type"] == "permission_denied"
    assert asyncio.run(builtin.execute(WRITE)).error_type == "permission_denied"
    assert not (tmp_path / "b.txt").exists()
    granted = ToolContext(Caller("ada", permissions="filesystem:write"))
    assert asyncio.run(builtin.execute(WRITE, granted)).status == "success"

    risky = ToolRegistry(grants="orders:refund")
    risky.register_tool(ToolDefinition("act", dict, {}, "Act", risk_level=RiskLevel.HIGH))
    risky.register_tool(ToolDefinition("pay", dict, {}, "Pay", required_permissions="orders:refund"))
    assert risky.execute_tool("act").metadata["error_type"] == "approval_required"
    assert risky.execute_tool("pay").success

    async def inside():
        return risky.execute_tool("pay").success

    assert asyncio.run(inside())


def test_tool_memory_belongs_to_its_caller_and_persists_if_asked(tmp_path):
    from avionics.tools.builtin import build_memory_tools

    path = tmp_path / "memory.jsonl"
    registry = ToolRegistry()
    registry.register_tools(build_memory_tools(ToolMemory(path=path)))
    executor = ToolExecutor(registry)

    def find(who, executor=executor):
        call = ToolCall("search_saved_correct_tool_uses", {"question": "top customers"})
        return [use["tool_name"] for use in executor.run(call, ToolContext(Caller(who))).data["uses"]]

    save = ToolCall("save_question_tool_args", {"question": "top customers", "tool_name": "run_sql", "args": {}})
    executor.run(save, ToolContext(Caller("ada")))
    assert (find("ada"), find("eve")) == (["run_sql"], [])
    again = ToolMemory(path=path)
    assert [use for _, use in again.find_similar("top customers", owner="ada")] == [
        ToolUse("top customers", "run_sql", {}, "ada")
    ]


def test_session_state_belongs_to_a_caller_in_a_thread(tmp_path):
    settings = Settings(cache_directory=tmp_path / "cache")
    contexts = [ToolContext(Caller("ada"), thread_id="1"), ToolContext(Caller("ada"), thread_id="2"), ToolContext()]
    for number, context in enumerate(contexts):
        SessionState.of(tmp_path, settings, context).save("number", number)
    assert [SessionState.of(tmp_path, settings, each).load()["number"] for each in contexts] == [0, 1, 2]


def test_the_guards_of_an_executor_with_its_own_take_the_grants_themselves(builtin):
    with pytest.raises(UsageError, match="cannot be combined"):
        ToolExecutor(builtin, (permitted(),), grants="filesystem:write")
    assert ToolExecutor(builtin, (permitted(grants="filesystem:write"),)).run(WRITE).status == "success"
