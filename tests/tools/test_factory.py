"""Tools from configurations: every example and every rule of the founding document on the factory (seed 001)."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor

import jsonschema
import pytest

from avionics.model import ConfigError, Secret, ToolDefinitionProtocol
from avionics.settings import EndpointSettings
from avionics.tools.factory import (
    BuildFailure,
    ConfiguredTool,
    ToolType,
    ToolTypeRegistry,
    build_tool,
    build_tools,
    create_tool_from_config,
    create_tools_from_agent_config,
    get_config_schema,
    register_tool_type,
    tool_types,
)
from avionics.tools.schema.parameters import Bounds, Parameter, Shape
from tests.timing import HOUR_SECONDS

DB, TOKEN = object(), "jwt-planted-token"
SEARCH = {"type": "vectorSearch", "provider": "pinecone", "index": "my-index", "namespace": "docs", "topK": 10}
BASE = {"provider": "pinecone", "index": "my-index", "namespace": "docs"}


@pytest.fixture
def settings(tmp_path):
    """A key for Pinecone, and no server."""
    return EndpointSettings(vectors_directory=tmp_path, pinecone_api_key=Secret("planted-pinecone"))


@pytest.fixture
def create(settings):
    """`create_tools_from_agent_config` with the keywords of the document."""
    return lambda config: asyncio.run(
        create_tools_from_agent_config(agent_config=config, account_id=123, db=DB, auth_token=TOKEN, settings=settings)
    )


@pytest.fixture
def report(settings):
    """`build_tools` of a version 2 configuration with these tools."""
    return lambda *tools, **more: asyncio.run(
        build_tools({"version": 2, "data": {"tools": list(tools)}}, 123, DB, TOKEN, settings=settings, **more)
    )


async def create_my_tool(tool_config, account_id, db, auth_token=None, **context):
    """The document's own example of a builder."""
    parameter = tool_config.get("myParam")
    if not parameter:
        return None

    async def run(input_param: str) -> dict:
        """Process an input.

        Args:
            input_param: Input parameter description
        """
        return {
            "result": f"Processed: {input_param} {parameter} {account_id} {db is DB} {auth_token} {sorted(context)}"
        }

    return ConfiguredTool.of(run, "my_tool", "What my tool does")


@pytest.fixture
def types():
    """A registry of the test's own."""
    return ToolTypeRegistry(
        [tool_types.get_type("vectorSearch"), ToolType("myTool", create_my_tool, {"myParam": "string"})]
    )


def names(tools):
    return [tool.name for tool in tools]


def test_a_version_2_configuration_gives_its_tools(create):
    tools = create({"schema": "agent_config", "version": 2, "data": {"systemPrompt": "Help", "tools": [SEARCH]}})
    assert names(tools) == ["search_docs"]
    assert isinstance(tools, list)
    assert isinstance(tools[0], ToolDefinitionProtocol)


def test_a_single_tool_is_created(settings):
    config = {**SEARCH, "index": "docs", "namespace": "api-ref", "description": "API documentation search", "topK": 15}
    tool = asyncio.run(
        create_tool_from_config(tool_config=config, account_id=123, db=DB, auth_token=TOKEN, settings=settings)
    )
    assert (tool.name, tool.description) == (
        "search_api-ref", "Search the api-ref knowledge base: API documentation search")  # fmt: skip


def test_the_document_s_test_of_the_registry():
    assert tool_types.is_registered("vectorSearch")
    assert "vectorSearch" in tool_types.list_types()


def test_the_document_s_test_of_a_vector_search(settings):
    config = {"type": "vectorSearch", "provider": "pinecone", "index": "test-index", "namespace": "test-ns", "topK": 5}
    tool = asyncio.run(
        create_tool_from_config(tool_config=config, account_id=1, db=DB, auth_token="test-token", settings=settings)
    )
    assert tool is not None
    assert tool.name == "search_test-ns"
    assert "test-ns knowledge base" in tool.description


def test_the_document_s_test_of_version_1(settings):
    config = {
        "version": 1,
        "data": {
            "systemPrompt": "Test", "knowledgeBases": [{"provider": "pinecone", "index": "idx", "namespace": "ns"}]
        },
    }  # fmt: skip
    tools = asyncio.run(create_tools_from_agent_config(agent_config=config, account_id=1, db=DB, settings=settings))
    assert names(tools) == ["search_ns"]


def test_versions_1_and_2_come_to_the_same(create):
    one = create({"schema": "agent_config", "version": 1, "data": {"knowledgeBases": [BASE, {**BASE, "topK": 3}]}})
    two = create({"version": 2, "data": {"tools": [{**BASE, "type": "vectorSearch"}, {**SEARCH, "topK": 3}]}})
    silent = create({"data": {"knowledgeBases": [BASE, BASE]}})
    shown = [[(tool.name, tool.description, tool.parameters) for tool in tools] for tools in (one, two, silent)]
    assert shown[0] == shown[1] == shown[2]
    assert names(one) == ["search_docs", "search_docs_2"]


def test_every_search_works_without_any_server(settings):
    local = {"type": "vectorSearch", "index": "i", "namespace": "n"}
    tool = asyncio.run(create_tool_from_config(local, settings=settings))
    assert asyncio.run(tool.execute({"query": "anything"})).status.value == "not_found"


def test_an_agent_can_have_both_searches_of_one_namespace(report):
    built = report(SEARCH, {**SEARCH, "type": "vectorSearchWithReranking"})
    assert (names(built.tools), built.failures, built.notes) == (["search_docs", "search_docs_reranked"], (), ())


def test_namespaces_of_one_name_are_told_apart(report):
    built = report(SEARCH, {**SEARCH, "index": "other"}, {**SEARCH, "index": "third"})
    assert names(built.tools) == ["search_docs", "search_docs_2", "search_docs_3"]
    assert built.notes == (
        "data.tools[1]: renamed to 'search_docs_2', because another tool is called 'search_docs'",
        "data.tools[2]: renamed to 'search_docs_3', because another tool is called 'search_docs'",
    )


def test_one_bad_entry_never_costs_the_others(report):
    built = report(
        {"type": "unknownTool"}, SEARCH, {"type": "vectorSearch", "provider": "pinecone"}, None, {"index": "x"},
        {**SEARCH, "namespace": "other", "topK": 0}, {**SEARCH, "namespace": "last"},
    )  # fmt: skip
    assert names(built.tools) == ["search_docs", "search_last"]
    assert built.failures == (
        BuildFailure("data.tools[0]", "unknownTool",
                     f"unknown tool type 'unknownTool'; known: {', '.join(tool_types.list_types())}"),
        BuildFailure("data.tools[2]", "vectorSearch",
                     "index: missing, expected string; namespace: missing, expected string"),
        BuildFailure("data.tools[3]", "", "expected an object, got NoneType"),
        BuildFailure("data.tools[4]", "", "type: missing, expected the name of a tool type"),
        BuildFailure("data.tools[5]", "vectorSearch", "topK: expected at least 1, got integer 0"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("config", "level"),
    [
        ({"type": "unknownTool"}, "WARNING"),
        ({"type": "vectorSearch", "provider": "pinecone"}, "ERROR"),
        ({**SEARCH, "provider": "elsewhere"}, "ERROR"),
        ("vectorSearch", "ERROR"),
    ],
)
def test_a_tool_that_cannot_be_made_is_none_and_the_reason_is_logged(config, level, caplog):
    assert asyncio.run(create_tool_from_config(config, account_id=1, db=DB)) is None
    assert [record.levelname for record in caplog.records] == [level]


def failing(**_):
    """A builder's bug, quoting what it was given."""

    async def build(tool_config, account_id, db, auth_token=None, **context):
        raise ValueError(f"cannot open {auth_token} with {tool_config['apiKey']}")

    return build


def test_a_builder_that_raises_costs_its_tool_alone_and_its_traceback_is_logged(report, types, caplog):
    types.add_type(ToolType("broken", failing()))
    built = report({"type": "broken", "apiKey": "planted-api-key"}, SEARCH, types=types)
    assert names(built.tools) == ["search_docs"]
    assert built.failures == (BuildFailure("data.tools[0]", "broken", "ValueError: cannot open *** with ***"),)
    assert "Traceback (most recent call last)" in caplog.text
    assert "planted" not in caplog.text


def test_a_deliberate_refusal_of_a_builder_is_passed_on_with_its_hint(report, types):
    async def build(*_, **__):
        raise ConfigError("no licence", hint="buy one")

    types.add_type(ToolType("licensed", build))
    assert report({"type": "licensed"}, types=types).failures[0].reason == "no licence (buy one)"


@pytest.mark.parametrize(
    ("made", "reason"), [(None, "the builder returned no tool"), (3, "the builder returned a int, which is not a tool")]
)
def test_a_builder_that_gives_no_tool_is_a_failure(report, types, made, reason):
    async def build(*_, **__):
        return made

    types.add_type(ToolType("empty", build))
    assert report({"type": "empty"}, types=types).failures[0].reason == reason


def test_cancelling_is_never_taken_for_a_builder_s_failure(types, settings):
    async def build(*_, **__):
        await asyncio.sleep(HOUR_SECONDS)

    types.add_type(ToolType("slow", build))

    async def run():
        await asyncio.wait_for(build_tool({"type": "slow"}, types=types, settings=settings), 0.01)

    with pytest.raises(TimeoutError):
        asyncio.run(run())


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (None, "expected an object, got NoneType"),
        ([], "expected an object, got list"),
        ({}, "data: expected an object, got NoneType"),
        ({"version": 2, "data": []}, "data: expected an object, got list"),
        ({"version": 3, "data": {}}, "version: expected one of 1, 2, got '3'"),
        ({"version": True, "data": {}}, "version: expected one of 1, 2, got 'True'"),
        ({"schema": "other", "data": {}}, "schema: expected 'agent_config', got 'other'"),
        ({"version": 2, "data": {"tools": {}}}, "expected an array, got dict"),
    ],
)
def test_a_configuration_that_cannot_be_read_gives_no_tools_and_a_reason(create, settings, config, reason):
    assert create(config) == []
    (failure,) = asyncio.run(build_tools(config, settings=settings)).failures
    assert failure.reason == reason


@pytest.mark.parametrize("data", [{}, {"tools": []}, {"tools": None}, {"knowledgeBases": []}])
def test_an_agent_may_have_no_tools(create, data):
    assert create({"data": data}) == []


def test_an_unknown_field_is_refused(report):
    built = report({**SEARCH, "topk": 5, "colour": "red"}, SEARCH)
    assert names(built.tools) == ["search_docs"]
    assert built.failures[0].reason == "unknown field 'topk'; did you mean topK?; unknown field 'colour'"


def test_an_unknown_field_of_version_1_is_noted(settings):
    config = {"version": 1, "data": {"knowledgeBases": [{**BASE, "provider": "local", "label": "x"}]}}
    built = asyncio.run(build_tools(config, settings=settings))
    assert (names(built.tools), built.notes) == (
        ["search_docs"],
        ("data.knowledgeBases[0]: unknown field 'label'",),
    )


def test_the_steps_are_logged_as_the_document_shows(create, caplog):
    caplog.set_level(logging.DEBUG, "avionics")
    api = {"type": "vectorSearch", "provider": "pinecone", "index": "docs", "namespace": "api-ref"}
    create({"version": 2, "data": {"tools": [api, {**api, "type": "vectorSearchWithReranking"}]}})
    assert [record.getMessage() for record in caplog.records] == [
        "[TOOL FACTORY] Creating tools from agent config v2",
        "[TOOL FACTORY] Found 2 tools (v2 format)",
        "[TOOL FACTORY] Creating tool of type: vectorSearch",
        "[VECTOR SEARCH TOOL] Created tool for pinecone/docs/api-ref",
        "[TOOL FACTORY] Creating tool of type: vectorSearchWithReranking",
        "[VECTOR SEARCH WITH RERANKING TOOL] Created tool for pinecone/docs/api-ref",
        "[TOOL FACTORY] Created 2 tools successfully",
    ]


@pytest.fixture
def registered():
    """Registers types in the process's own registry, and takes them out again."""
    made = []

    def register(name, *arguments, **more):
        register_tool_type(name, *arguments, **more)
        made.append(name)

    yield register
    for name in made:
        tool_types.remove_type(name)


def test_a_product_s_own_tool_is_created_like_any_other(registered):
    registered("myTool", create_my_tool, {"myParam": "string"})
    tool = asyncio.run(create_tool_from_config({"type": "myTool", "myParam": "test value"}, 7, DB, TOKEN, request="r"))
    result = asyncio.run(tool.execute({"input_param": "x"})).to_dict()
    assert result["data"] == {"result": f"Processed: x test value 7 True {TOKEN} ['request']"}
    assert asyncio.run(tool.execute({})).validation_errors == ("input_param: missing, expected string",)
    assert asyncio.run(create_tool_from_config({"type": "myTool"}, 7, DB)) is None


def test_a_builder_may_give_a_langchain_tool(types, settings):
    tools = pytest.importorskip("langchain_core.tools")
    pydantic = pytest.importorskip("pydantic")

    class MyToolArgs(pydantic.BaseModel):
        input_param: str = pydantic.Field(description="Input parameter description")

    async def build(tool_config, account_id, db, auth_token=None, **kwargs):
        async def tool_impl(input_param: str) -> dict:
            return {"result": f"Processed: {input_param}"}

        return tools.StructuredTool(
            name="my_tool", description="What my tool does", args_schema=MyToolArgs, coroutine=tool_impl
        )

    types.add_type(ToolType("theirs", build))
    (tool,) = asyncio.run(build_tool({"type": "theirs"}, types=types, settings=settings)).tools
    assert asyncio.run(tool.execute({"input_param": "x"})).data == {"result": "Processed: x"}
    assert asyncio.run(tool.execute({"input_param": 3})).error_type == "validation_error"
    assert tool.parameter_schemas["input_param"].description == "Input parameter description"


def test_a_tool_is_exported_for_langchain(create):
    pytest.importorskip("langchain_core")
    (tool,) = create({"data": {"tools": [{"type": "vectorSearch", "index": "i", "namespace": "docs"}]}})
    exported = tool.to_langchain()
    assert (exported.name, exported.description) == (tool.name, tool.description)
    assert exported.args == {"query": {"type": "string", "minLength": 1, "description": "What to look for, in words."}}
    awaited = asyncio.run(exported.ainvoke({"query": "refund"}))
    assert awaited["data"] == exported.invoke({"query": "refund"})["data"]
    assert awaited["data"] == {"results": [], "namespace": "docs", "index": "i"}


def test_a_type_is_registered_once_unless_it_may_be_replaced():
    async def other(*_, **__):
        return None

    registry = ToolTypeRegistry([ToolType("x", create_my_tool)])
    registry.add_type(ToolType("x", create_my_tool))
    with pytest.raises(ConfigError, match="the tool type 'x' is already registered"):
        registry.add_type(ToolType("x", other))
    registry.add_type(ToolType("x", other), replace=True)
    assert registry.get_type("x").build is other
    registry.remove_type("x")
    registry.remove_type("x")
    assert (registry.list_types(), registry.is_registered("x"), registry.get_type("x")) == ((), False, None)


@pytest.mark.parametrize(("name", "build"), [("", create_my_tool), ("x", "no function"), (3, create_my_tool)])
def test_what_is_no_type_is_refused(name, build):
    with pytest.raises(ConfigError):
        ToolTypeRegistry([ToolType(name, build)])


def test_types_are_registered_from_many_threads_at_once():
    registry = ToolTypeRegistry()

    def register(number):
        registry.add_type(ToolType(f"type{number}", create_my_tool))
        return registry.is_registered(f"type{number}") and len(registry.list_types()) > 0

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(register, range(500)))
    assert sorted(registry.list_types()) == sorted(f"type{number}" for number in range(500))


def test_the_schema_has_one_alternative_for_every_type(types):
    schema = get_config_schema(types)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$defs"]["tool"] == {"oneOf": [{"$ref": "#/$defs/vectorSearchTool"}, {"$ref": "#/$defs/myTool"}]}
    assert schema["$defs"]["myTool"] == {
        "type": "object",
        "required": ["type", "myParam"],
        "properties": {"type": {"const": "myTool"}, "myParam": {"type": "string"}},
        "additionalProperties": False,
    }
    assert schema["$defs"]["vectorSearchTool"]["required"] == ["type", "index", "namespace"]


def test_the_schema_accepts_what_the_factory_builds(types, report):
    types.add_type(ToolType("limited", create_my_tool, {
        "myParam": Parameter("myParam", Shape("string", choices=("a", "b"))),
        "limit": Parameter("limit", Shape("integer", bounds=Bounds(ge=1)), required=False),
    }))  # fmt: skip
    validator = jsonschema.Draft202012Validator(get_config_schema(types))
    entries = [
        SEARCH, {**SEARCH, "description": "x", "more": 1}, BASE, {**SEARCH, "topK": 0}, {**SEARCH, "topK": True},
        {**SEARCH, "provider": "x"}, {**SEARCH, "index": ""}, {**SEARCH, "index": 3}, {"type": "myTool"},
        {"type": "myTool", "myParam": "x"}, {"type": "limited", "myParam": "a"}, {"type": "limited", "myParam": "c"},
        {"type": "limited", "myParam": "b", "limit": 0}, {"type": "other"}, {}, 3,
    ]  # fmt: skip
    for entry in entries:
        valid = validator.is_valid({"version": 2, "data": {"tools": [entry]}})
        assert valid == bool(report(entry, types=types).tools), entry


def test_keys_and_urls_are_read_from_the_environment_and_never_shown():
    environment = {
        "EMBEDDINGS_API_URL": "https://e/v1", "EMBEDDINGS_API_KEY": "planted-1", "EMBEDDINGS_MODEL": "m",
        "RERANKER_API_URL": "https://r", "RERANKER_API_KEY": "planted-2", "RERANKER_MODEL": "n",
        "PINECONE_API_KEY": "planted-3", "QDRANT_URL": "http://q:6333", "QDRANT_API_KEY": "planted-4",
        "AVIONICS_VECTORS_DIR": "/vectors",
    }  # fmt: skip
    settings = EndpointSettings.from_environment(environment)
    assert (settings.embeddings_api_url, settings.embeddings_model) == ("https://e/v1", "m")
    assert (settings.reranker_api_url, settings.reranker_model) == ("https://r", "n")
    assert (settings.qdrant_url, settings.pinecone_api_url) == ("http://q:6333", "https://api.pinecone.io")
    assert settings.vectors_directory.as_posix() == "/vectors"
    assert [secret.reveal() for secret in settings.secrets] == ["planted-1", "planted-2", "planted-3", "planted-4"]
    assert "planted" not in repr(settings) + str(settings.secrets) + f"{settings.embeddings_api_key}"
    assert EndpointSettings.from_environment({}) == EndpointSettings()
    assert (bool(Secret("")), bool(Secret("x"))) == (False, True)
