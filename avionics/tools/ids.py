"""The ids of the tools, and which of them agents see."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final


class ToolId(str, Enum):
    """Tool identifiers, in the order of every listing; never renamed, because agents rely on the names."""

    SEARCH_CODE = "search_code"
    ANALYZE = "analyze"

    LOCATE = "locate"
    EXPLORE_SYMBOL_USAGE = "explore_symbol_usage"
    MAP_MODULE = "map_module"
    TRACE_ENTRY_POINT = "trace_entry_point"
    EXPLAIN_CODE_HISTORY = "explain_code_history"

    READ_CODE = "read_code"
    FIND_RELATED = "find_related"

    GIT_STATUS = "git_status"
    LIST_TOOLS = "list_tools"

    READ_FILE = "read_file"
    GLOB_FILES = "glob_files"
    GREP_SEARCH = "grep_search"
    TREE_STRUCTURE = "tree_structure"
    FIND_SYMBOL = "find_symbol"
    GET_FILE_SYMBOLS = "get_file_symbols"
    GET_IMPORTS = "get_imports"
    GET_IMPORTERS = "get_importers"
    PARSE_SYMBOLS = "parse_symbols"
    FIND_REFERENCES = "find_references"
    GET_DEPENDENCIES = "get_dependencies"
    GET_DEPENDENTS = "get_dependents"
    LIST_FILES = "list_files"
    SEARCH_FILES = "search_files"
    GET_PROJECT_TREE = "get_project_tree"
    SEMANTIC_SEARCH = "semantic_search"
    FIND_SIMILAR_FILES = "find_similar_files"
    GET_INDEX_STATS = "get_index_stats"
    GIT_LOG = "git_log"
    GIT_BLAME = "git_blame"
    GIT_DIFF = "git_diff"
    GET_SESSION_STATE = "get_session_state"
    SAVE_SESSION_STATE = "save_session_state"

    COMPARE_REVISIONS = "compare_revisions"
    IMPACT_OF_CHANGE = "impact_of_change"
    TESTS_FOR_CHANGE = "tests_for_change"
    FIND_UNUSED = "find_unused"
    CHECK_CHANGE = "check_change"
    CHECK_ARCHITECTURE = "check_architecture"
    FIND_PATH = "find_path"


EXPOSED_TOOL_IDS: Final[frozenset[ToolId]] = frozenset({
    ToolId.ANALYZE, ToolId.LOCATE, ToolId.EXPLORE_SYMBOL_USAGE, ToolId.MAP_MODULE, ToolId.TRACE_ENTRY_POINT,
    ToolId.FIND_PATH, ToolId.EXPLAIN_CODE_HISTORY, ToolId.READ_CODE, ToolId.FIND_RELATED, ToolId.GIT_STATUS,
    ToolId.LIST_TOOLS,
})  # fmt: skip
"""The tools that agents see."""

PROFILES: Final[Mapping[str, frozenset[ToolId]]] = MappingProxyType(
    {
        "exposed": EXPOSED_TOOL_IDS,
        "minimal": frozenset({ToolId.SEARCH_CODE, ToolId.READ_CODE, ToolId.LIST_TOOLS}),
        "review": frozenset(
            {
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
            }
        ),
        "all": frozenset(ToolId),
    }
)
"""Named allowlists."""


def resolve_tool_id(name: str) -> ToolId | None:
    """Return the id of that name, or None."""
    try:
        return ToolId(name)
    except ValueError:
        return None


def is_exposed_tool(tool_id: ToolId) -> bool:
    """Return whether agents see the tool."""
    return tool_id in EXPOSED_TOOL_IDS
