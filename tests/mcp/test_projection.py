"""The tools as they are listed."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from mcp import Client

from avionics.mcp.answers import Contents
from avionics.mcp.projection import (
    BUDGET,
    GUIDANCE,
    REPOSITORY,
    build_annotations,
    build_output_schema,
    build_tool_list,
    takes_workspace,
)
from avionics.mcp.repositories import Repositories
from avionics.mcp.server import ServerOptions, build_service
from avionics.model import RiskLevel, Status
from avionics.tools import EXPOSED_TOOL_IDS, PROFILES, ToolId, tool_catalog
from avionics.tools.revisions import REVISION, takes_revision
from tests.mcp.conftest import connected_to

ASKED = {
    "analyze": {"query": "who calls Cart.add?"},
    "locate": {"symbol": "Cart"},
    "explore_symbol_usage": {"symbol": "Cart"},
    "map_module": {"path": "shop"},
    "trace_entry_point": {"entry": "main"},
    "explain_code_history": {"path": "shop/cart.py"},
    "read_code": {"path": "shop/cart.py"},
    "find_related": {"reference": "Cart"},
    "git_status": {},
    "list_tools": {},
    "search_code": {"query": "what a customer wants"},
    "read_file": {"path": "shop/cart.py"},
    "glob_files": {"pattern": "**/*.py"},
    "grep_search": {"pattern": "Cart"},
    "tree_structure": {},
    "find_symbol": {"name": "Cart"},
    "get_file_symbols": {"path": "shop/cart.py"},
    "get_imports": {"path": "shop/app.py"},
    "get_importers": {"path": "shop/cart.py"},
    "parse_symbols": {"path": "shop/cart.py"},
    "find_references": {"symbol": "Cart"},
    "get_dependencies": {"path": "shop/app.py"},
    "get_dependents": {"path": "shop/cart.py"},
    "list_files": {},
    "search_files": {"query": "cart"},
    "get_project_tree": {},
    "semantic_search": {"query": "what a customer wants"},
    "find_similar_files": {"path": "shop/cart.py"},
    "get_index_stats": {},
    "git_log": {},
    "git_blame": {"path": "shop/cart.py"},
    "git_diff": {},
    "get_session_state": {},
    "save_session_state": {"key": "k", "value": "v"},
    "compare_revisions": {"base": "HEAD"},
    "impact_of_change": {},
    "tests_for_change": {},
    "find_unused": {},
    "check_change": {},
    "check_architecture": {"contract": "rules.toml"},
    "find_path": {"start": "main", "goal": "Cart"},
}


OUTCOMES = [status.value for status in Status]
RESULT = {
    "type": "object",
    "properties": {
        "status": {"enum": OUTCOMES},
        "data": {"type": "object"},
        "message": {"type": "string"},
        "error": {"type": "string"},
        "error_type": {"type": "string"},
        "validation_errors": {"type": "array", "items": {"type": "string"}},
        "hint": {"type": "string"},
        "execution_time_ms": {"type": "integer", "minimum": 0},
    },
    "required": ["status", "execution_time_ms"],
    "oneOf": [{"required": ["data"]}, {"required": ["error", "error_type"]}],
    "additionalProperties": False,
}
"""The whole format, as docs/mcp.md tells it; the list has room for its root only."""


def test_the_whole_format_is_on_the_page():
    page = (Path(__file__).resolve().parents[2] / "docs" / "mcp.md").read_text("utf-8")
    block = page.partition("```json schema\n")[2].partition("```")[0]
    assert json.loads(block) == RESULT


def test_the_listed_schema_is_the_root_of_the_format():
    assert build_output_schema() == {"type": "object", "required": ["status"]}


def listed(*repositories: str, profile: str = "exposed") -> tuple[dict, ...]:
    return build_tool_list(tool_catalog, PROFILES[profile], repositories or ("shop",)).get_all()


@pytest.mark.parametrize("contents", Contents)
@pytest.mark.parametrize("repositories", [("shop",), ("flask", "werkzeug"), ("gin", "vue-core", "django", "linux")])
@pytest.mark.parametrize("profile", ["exposed", "minimal", "review"])
def test_a_list_costs_at_most_2500_tokens(profile, repositories, contents):
    tools = listed(*repositories, profile=profile)
    if contents is Contents.TEXT:
        tools = [{name: each for name, each in tool.items() if name != "outputSchema"} for tool in tools]
    assert len(json.dumps({"tools": tools}, separators=(",", ":"), ensure_ascii=False)) / 4 <= 2_500


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_lists_its_tools_in_the_catalogs_order(profile):
    names = [tool["name"] for tool in listed(profile=profile)]
    assert names == [tool_id.value for tool_id in tool_catalog.list_all_ids() if tool_id in PROFILES[profile]]


@pytest.mark.parametrize("repositories", [("shop",), ("flask", "werkzeug")])
def test_every_parameter_is_listed_in_one_line_and_no_other_is_accepted(repositories):
    for tool in listed(*repositories, profile="all"):
        definition = tool_catalog.get_tool(tool["name"])
        accepted = {*definition.parameter_schemas, BUDGET}
        accepted |= {REVISION} if takes_revision(definition) else set()
        accepted |= {REPOSITORY} if takes_workspace(definition) and len(repositories) > 1 else set()
        assert set(tool["inputSchema"]["properties"]) == accepted, tool["name"]
        assert tool["inputSchema"]["additionalProperties"] is False
        for name, schema in tool["inputSchema"]["properties"].items():
            assert schema["description"].strip(), (tool["name"], name)
            assert "\n" not in schema["description"], (tool["name"], name)


def test_fixed_values_are_enumerated_and_limits_and_defaults_are_said():
    schemas = {tool["name"]: tool["inputSchema"]["properties"] for tool in listed("a", "b")}
    assert schemas["list_tools"]["category"]["enum"] == ["unified", "composite", "resilient", "standalone"]
    assert schemas["locate"][REPOSITORY]["enum"] == ["a", "b"]
    depth = schemas["trace_entry_point"]["depth"]
    assert (depth["minimum"], depth["maximum"], depth["default"]) == (1, 10, 3)


def test_annotations_follow_from_risk():
    hints = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    assert [[build_annotations(risk).get(hint) for hint in hints] for risk in RiskLevel] == [
        [True, None, None, False],
        [False, False, False, False],
        [False, True, False, True],
    ]


def test_no_tool_has_a_parameter_that_the_server_takes_for_itself():
    definitions = [tool_catalog.get_tool(tool_id.value) for tool_id in tool_catalog.list_all_ids()]
    assert [each.name for each in definitions if {BUDGET, REPOSITORY} & set(each.parameters)] == []


def test_every_exposed_tool_says_what_it_is_for():
    assert set(GUIDANCE) == EXPOSED_TOOL_IDS


def test_the_repository_is_asked_for_only_where_there_are_several():
    one, several = ({tool["name"]: tool["inputSchema"] for tool in listed(*names)} for names in (("a",), ("a", "b")))
    assert REPOSITORY not in one["locate"]["properties"]
    assert several["locate"]["required"] == ["symbol", REPOSITORY]
    assert REPOSITORY not in several["list_tools"]["properties"]


def test_every_tool_is_asked_here():
    assert set(ASKED) == {tool_id.value for tool_id in ToolId}


def test_every_result_of_every_tool_fits_its_schemas(shop, settings, run):
    (shop / "rules.toml").write_text("[contract]\n", "utf-8")
    repositories = Repositories.open([shop], settings)
    service = build_service(repositories, settings, ServerOptions(PROFILES["all"], Contents.BOTH))

    async def ask_all():
        async with Client(connected_to(service)) as client:
            for tool in (await client.list_tools()).tools:
                jsonschema.validate(ASKED[tool.name], tool.input_schema)
                for arguments in (ASKED[tool.name], {"budget": -1, "nonsense": 1}):
                    result = await client.call_tool(tool.name, arguments)
                    jsonschema.validate(result.structured_content, tool.output_schema)
                    jsonschema.validate(result.structured_content, RESULT)
                    assert result.is_error == (arguments is not ASKED[tool.name]), result.content[0].text
                    assert json.dumps(result.structured_content)

    run(ask_all())
    assert repositories.close(5)
