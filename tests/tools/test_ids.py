"""Names are a contract: pinned here."""

from __future__ import annotations

import pytest

from avionics.tools import EXPOSED_TOOL_IDS, PROFILES, ToolId, is_exposed_tool, resolve_tool_id

NAMES = [
    "search_code", "analyze",
    "locate", "explore_symbol_usage", "map_module", "trace_entry_point", "explain_code_history",
    "read_code", "find_related",
    "git_status", "list_tools",
    "read_file", "glob_files", "grep_search", "tree_structure", "find_symbol", "get_file_symbols", "get_imports",
    "get_importers", "parse_symbols", "find_references", "get_dependencies", "get_dependents", "list_files",
    "search_files", "get_project_tree", "semantic_search", "find_similar_files", "get_index_stats", "git_log",
    "git_blame", "git_diff", "get_session_state", "save_session_state", "compare_revisions", "impact_of_change",
    "tests_for_change", "find_unused", "check_change", "check_architecture", "find_path",
]  # fmt: skip


def test_the_ids_are_these_in_this_order():
    assert [tool_id.value for tool_id in ToolId] == NAMES
    assert [tool_id.name for tool_id in ToolId] == [name.upper() for name in NAMES]
    assert len(NAMES) == 41


def test_an_id_is_found_by_its_name_and_an_unknown_name_raises():
    assert ToolId("locate") is ToolId.LOCATE
    with pytest.raises(ValueError, match="nowhere"):
        ToolId("nowhere")


@pytest.mark.parametrize("name", ["", "LOCATE", "nowhere", None, [], {}, 3])
def test_resolving_something_else_than_a_name_gives_none(name):
    assert resolve_tool_id(name) is None


def test_resolving_a_name_gives_the_id():
    assert all(resolve_tool_id(name) is ToolId(name) for name in NAMES)


def test_eleven_tools_are_exposed():
    assert {tool_id.value for tool_id in EXPOSED_TOOL_IDS} == {
        "analyze", "locate", "explore_symbol_usage", "map_module", "trace_entry_point", "explain_code_history",
        "read_code", "find_related", "git_status", "list_tools", "find_path",
    }  # fmt: skip
    assert [tool_id for tool_id in ToolId if is_exposed_tool(tool_id)] == [
        tool_id for tool_id in ToolId if tool_id in EXPOSED_TOOL_IDS
    ]


def test_profiles_are_named_allowlists_that_nobody_can_change():
    assert dict(PROFILES) == {
        "exposed": EXPOSED_TOOL_IDS,
        "minimal": {ToolId.SEARCH_CODE, ToolId.READ_CODE, ToolId.LIST_TOOLS},
        "review": {
            ToolId.COMPARE_REVISIONS,
            ToolId.IMPACT_OF_CHANGE,
            ToolId.TESTS_FOR_CHANGE,
            ToolId.FIND_UNUSED,
            ToolId.CHECK_CHANGE,
            ToolId.CHECK_ARCHITECTURE,
            ToolId.EXPLORE_SYMBOL_USAGE,
            ToolId.EXPLAIN_CODE_HISTORY,
            ToolId.READ_CODE,
            ToolId.GIT_DIFF,
            ToolId.GIT_STATUS,
            ToolId.LIST_TOOLS,
        },
        "all": set(ToolId),
    }
    with pytest.raises(TypeError):
        PROFILES["mine"] = frozenset()
