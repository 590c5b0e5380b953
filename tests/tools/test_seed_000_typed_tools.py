"""Seed 000, typed tools with permissions: its examples as they are written, and each of its rules."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import structs
from pydantic import BaseModel, Field

from avionics.model import Caller, ToolCall, ToolContext, ToolResult, ToolSchema, UsageError
from avionics.settings import Settings
from avionics.tools.executor import ToolExecutor
from avionics.tools.guards import ToolRejection, permitted
from avionics.tools.interop.typed_tools import Tool
from avionics.tools.registry import ToolRegistry


async def search(query: str, limit: int) -> list[str]:
    return [f"{query} {number}" for number in range(min(limit, 3))]


class MyToolArgs(BaseModel):
    query: str = Field(description="Search query")
    limit: int = Field(default=10, description="Max results", gt=0, le=100)


class MySearchTool(Tool[MyToolArgs]):
    @property
    def name(self) -> str:
        return "search_documents"

    @property
    def description(self) -> str:
        return "Search internal documents by keyword"

    @property
    def access_groups(self) -> list[str]:
        return ["admin", "analyst"]  # Restrict access

    def get_args_schema(self):
        return MyToolArgs

    async def execute(self, context: ToolContext, args: MyToolArgs) -> ToolResult:
        results = await search(args.query, limit=args.limit)
        return ToolResult(
            success=True,
            result_for_llm=f"Found {len(results)} documents matching '{args.query}'",
            ui_component=None,  # Or a UiComponent for rendering
        )


PARAMETERS = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "Search query"},
        "limit": {
            "type": "integer",
            "exclusiveMinimum": 0,
            "maximum": 100,
            "description": "Max results",
            "default": 10,
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}
ANALYST = ToolContext(caller=Caller("ada", groups=frozenset({"analyst"})))


class RunSqlArgs(BaseModel):
    sql: str


class RunSql(MySearchTool):
    name = "run_sql"
    access_groups = ()

    def get_args_schema(self):
        return RunSqlArgs

    async def execute(self, context, args):
        return ToolResult(
            success=True, result_for_llm=args.sql, ui_component={"type": "dataframe"}, metadata={"rows": 2}
        )


def registry_of(*tools: Any) -> ToolRegistry:
    registry = ToolRegistry()
    registry.register_tools(tools)
    return registry


def execute(registry: ToolRegistry, call: ToolCall, context: ToolContext = ANALYST, observers=()) -> ToolResult:
    """A call as the document's registry executes it."""
    executor = ToolExecutor(registry, (permitted(),), observers, Settings())
    return executor.run(call, context)


def test_the_example_runs():
    registry = ToolRegistry()
    registry.register_local_tool(
        tool=MySearchTool(),
        access_groups=["admin", "analyst"],
    )
    result = execute(registry, ToolCall("search_documents", {"query": "tax"}))
    assert (result.success, result.error, result.ui_component) == (True, None, None)
    assert result.result_for_llm == "Found 3 documents matching 'tax'"


def test_a_typed_tool_is_abstract_and_for_everyone_by_default():
    with pytest.raises(TypeError, match="abstract"):
        Tool()
    assert Tool.access_groups.fget(None) == []


def test_the_schema_is_made_of_the_model():
    assert MySearchTool().get_schema() == ToolSchema(
        name="search_documents",
        description="Search internal documents by keyword",
        parameters=PARAMETERS,
        access_groups=["admin", "analyst"],
    )


def test_the_fields_of_what_is_passed():
    call = ToolCall(id="1", name="x", arguments={"a": 1})
    assert (call.id, call.name, call.arguments) == ("1", "x", {"a": 1})
    memory, provider = object(), object()
    context = ToolContext(
        caller=Caller("ada", groups=frozenset({"admin"})),
        thread_id="thread",
        request_id="request",
        metadata={"key": 1},
        agent_memory=memory,
        observability_provider=provider,
    )
    assert context.user.id == context.user_id == "ada"
    assert context.user.group_memberships == {"admin"}
    assert context.conversation_id == "thread"
    assert (context.request_id, context.metadata) == ("request", {"key": 1})
    assert (context.agent_memory, context.observability_provider) == (memory, provider)
    result = ToolResult(success=True, result_for_llm="x", ui_component=None, error=None, metadata={})
    assert (result.success, result.result_for_llm, result.ui_component) == (True, "x", None)
    assert (result.error, result.metadata) == (None, {})
    assert ToolRejection(reason="no").reason == "no"


def test_a_name_is_taken_once():
    registry = registry_of(MySearchTool())
    with pytest.raises(ValueError, match="registered twice"):
        registry.register_local_tool(MySearchTool(), ["admin"])


def test_local_access_groups_override_and_leave_the_tool_as_it_is():
    registry, tool = ToolRegistry(), MySearchTool()
    registry.register_local_tool(tool, access_groups=["intern"])
    assert tool.access_groups == ["admin", "analyst"]
    assert registry.get_tool("search_documents").access_groups == ("intern",)
    assert registry.get_schemas(Caller(groups=frozenset({"admin"}))) == []
    (schema,) = registry.get_schemas(Caller(groups=frozenset({"intern"})))
    assert schema == structs.replace(tool.get_schema(), access_groups=("intern",))
    assert execute(registry, ToolCall("search_documents", {"query": "x"})).success is False
    interns = ToolContext(caller=Caller(groups=frozenset({"intern"})))
    assert execute(registry, ToolCall("search_documents", {"query": "x"}), interns).success is True


def test_local_groups_that_are_empty_are_everyone_and_none_are_the_tools_own():
    for groups, expected in (([], ()), (None, ["admin", "analyst"])):
        registry = ToolRegistry()
        registry.register_local_tool(MySearchTool(), groups)
        assert registry.get_tool("search_documents").access_groups == expected


@pytest.mark.parametrize(
    ("groups", "own", "visible"),
    [
        ({"a"}, ["a", "b"], True),
        ({"c"}, ["a", "b"], False),
        (set(), ["a"], False),
        (set(), [], True),
        ({"c"}, [], True),
    ],
)
def test_a_user_sees_and_runs_what_shares_a_group_with_him(groups, own, visible):
    registry = ToolRegistry()
    registry.register_local_tool(RunSql(), own)
    user = Caller("ada", groups=frozenset(groups))

    class User:
        group_memberships = groups

    assert bool(registry.get_schemas(user)) == bool(registry.get_schemas(User())) == visible
    assert execute(registry, ToolCall("run_sql", {"sql": "x"}), ToolContext(caller=user)).success is visible


def test_an_unknown_tool_is_an_error_result():
    result = execute(ToolRegistry(), ToolCall("nothing"))
    assert (result.success, result.error) == (False, "there is no tool 'nothing'")


def test_ill_formed_arguments_are_an_error_result():
    result = execute(registry_of(MySearchTool()), ToolCall("search_documents", {"limit": "3"}))
    assert result.success is False
    assert result.validation_errors == ("query: missing, expected string", "limit: expected integer, got string '3'")


def test_arguments_are_transformed_for_the_user_by_a_subclass():
    class Secured(ToolRegistry):
        def transform_args(self, tool, args, user, context):
            if "DROP" in args["sql"]:
                return ToolRejection(reason="nothing is dropped here")
            return {**args, "sql": f"{args['sql']} WHERE owner = '{user.id}'"}

    registry = Secured()
    registry.register_tool(RunSql())
    assert execute(registry, ToolCall("run_sql", {"sql": "SELECT 1"})).result_for_llm == "SELECT 1 WHERE owner = 'ada'"
    rejected = execute(registry, ToolCall("run_sql", {"sql": "DROP TABLE x"}))
    assert (rejected.success, rejected.error) == (False, "nothing is dropped here")


def test_arguments_are_left_alone_by_default():
    arguments: Mapping[str, Any] = {"sql": "x"}
    assert ToolRegistry().transform_args(RunSql(), arguments, Caller(), ToolContext()) is arguments


def test_a_result_carries_time_name_and_arguments():
    call = ToolCall("run_sql", {"sql": "SELECT 1"})
    result = asyncio.run(registry_of(RunSql()).execute(call, ANALYST))
    assert result.ui_component == {"type": "dataframe"}
    metadata = dict(result.metadata)
    assert metadata.pop("execution_time_ms") >= 0
    assert metadata == {
        "rows": 2, "ui_component": {"type": "dataframe"}, "tool_name": "run_sql", "arguments": {"sql": "SELECT 1"},
    }  # fmt: skip


def test_a_refused_call_never_reaches_the_tool_and_is_told_once():
    heard, ran = [], []

    class Watched(RunSql):
        access_groups = ("admin",)

        async def execute(self, context, args):
            ran.append(args)

    result = execute(registry_of(Watched()), ToolCall("run_sql", {"sql": "x"}), observers=[heard.append])
    assert (result.success, result.error_type) == (False, "permission_denied")
    assert (len(heard), ran) == (1, [])


def test_what_a_tool_raises_is_an_error_result_with_its_code():
    class Broken(RunSql):
        async def execute(self, context, args):
            raise UsageError("no such table", hint="look at the schema")

    result = execute(registry_of(Broken()), ToolCall("run_sql", {"sql": "x"}))
    assert (result.success, result.error) == (False, "no such table")
    assert (result.error_type, result.hint) == ("usage_error", "look at the schema")


def test_validators_of_the_model_are_asked_before_the_arguments_are_transformed():
    from pydantic import model_validator

    class Range(BaseModel):
        first: int
        last: int

        @model_validator(mode="after")
        def _ordered(self):
            if self.first > self.last:
                raise ValueError("first comes after last")
            return self

    class Ranged(RunSql):
        def get_args_schema(self):
            return Range

    asked = []

    class Watching(ToolRegistry):
        def transform_args(self, tool, args, user, context):
            asked.append(args)
            return args

    registry = Watching()
    registry.register_tool(Ranged())
    result = execute(registry, ToolCall("run_sql", {"first": 2, "last": 1}))
    assert result.error_type == "validation_error"
    assert "first comes after last" in str(result.error)
    assert asked == []


def test_a_tool_is_given_its_context_and_concurrent_calls_each_their_own():
    together = asyncio.Barrier(2)

    class WhoAmI(RunSql):
        async def execute(self, context, args):
            await together.wait()
            return ToolResult(result_for_llm=f"{context.user.id} {context.metadata['hint']}")

    executor = ToolExecutor(registry_of(WhoAmI()), (permitted(),), (), Settings())

    async def ask_all():
        contexts = [ToolContext(caller=Caller(name), metadata={"hint": name.upper()}) for name in ("ada", "bob")]
        return await asyncio.gather(*(executor.execute(ToolCall("run_sql", {"sql": "x"}), each) for each in contexts))

    assert [result.text for result in asyncio.run(ask_all())] == ["ada ADA", "bob BOB"]


def test_the_example_runs_with_the_names_of_the_tools_package():
    """The public names are enough: no conversion, no second class of results."""
    from avionics import Caller as User
    from avionics.model import ToolResult as of_the_executor
    from avionics.tools import Tool, ToolContext, ToolRegistry, ToolResult

    class Search(Tool[MyToolArgs]):
        name = "search_documents"
        description = "Search internal documents by keyword"
        access_groups = ["admin", "analyst"]  # noqa: RUF012  as the document writes it

        def get_args_schema(self):
            return MyToolArgs

        async def execute(self, context, args):
            if args.query == "nothing":
                return ToolResult(success=False, result_for_llm="no documents", error=None)
            return ToolResult(
                success=True, result_for_llm=f"Found {args.limit}", ui_component={"type": "list"},
                metadata={"source": "index"},
            )  # fmt: skip

    registry = ToolRegistry()
    registry.register_local_tool(tool=Search(), access_groups=["admin", "analyst"])
    ada = ToolContext(User("ada", groups=["admin"]))
    call = ToolCall("search_documents", {"query": "tea"}, "call-1")
    found = asyncio.run(registry.execute(call, ada))
    assert ToolResult is of_the_executor
    assert isinstance(found, ToolResult)
    assert (found.success, found.result_for_llm, found.error) == (True, "Found 10", None)
    assert found.ui_component == {"type": "list"}
    assert found.metadata["source"] == "index"
    assert found.metadata["tool_name"] == "search_documents"
    assert found.metadata["arguments"] == {"query": "tea"}
    assert found.metadata["execution_time_ms"] >= 0
    failed = asyncio.run(registry.execute(ToolCall("search_documents", {"query": "nothing"}), ada))
    assert (failed.success, failed.result_for_llm, failed.error_type) == (False, "no documents", "tool_error")
    refused = asyncio.run(registry.execute(call, ToolContext(User("bob", groups=["guests"]))))
    assert (refused.success, refused.error_type) == (False, "permission_denied")


@pytest.mark.parametrize(
    "given", [{"status": "success", "success": True}, {"status": "error", "success": False}, {"status": True}]
)
def test_a_result_has_a_status_or_a_success(given):
    from avionics.tools import ToolResult

    with pytest.raises(TypeError, match="either a status or success"):
        ToolResult(**given)
