"""Tools as the protocol lists them: terse, because every conversation pays for the list.

The words say when a tool is the one to ask, and when plain grep is; a parameter that seldom pays is accepted without
being listed, and `list_tools` names it.

Knows: the catalog, and what each tool is best at.
Does not know: how a call is run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from mcp import types

from avionics.model.enums import RiskLevel
from avionics.tools.catalog import ToolCatalog, ToolCatalogEntry, ToolDefinition
from avionics.tools.declare import WORKSPACE
from avionics.tools.executor_core import read_callable
from avionics.tools.ids import ToolId
from avionics.tools.schema.parameters import Bounds, Parameter, Parameters, Shape, build_parameters
from avionics.tools.schema.to_json_schema import build_json_schema

BUDGET: Final = "budget"
REPOSITORY: Final = "repo"

INSTRUCTIONS: Final = """\
Answers questions about a codebase; every claim cites path:line, checked against the files as they are now.
Ask `analyze` first: it takes a question, an issue, a traceback, a symbol or a path, and chooses the tools.
Use these tools for relations: who calls or overrides, what depends on it, how control gets there, why it is so.
For literal text, comments or configuration keys plain grep is as good and cheaper; a handful of files just read.
Counts are exact unless the answer says "at least"; what could not be proven is listed apart.
`budget` (tokens, 0 is everything) sets the length of any answer; `rev` asks about a commit, tag or branch."""
"""For the client to show its model once a conversation."""

GUIDANCE: Final[Mapping[ToolId, str]] = MappingProxyType(
    {
        ToolId.ANALYZE: "Any question, issue, traceback, name, path. Start here.",
        ToolId.LOCATE: "Find definitions, files; literal text: grep.",
        ToolId.EXPLORE_SYMBOL_USAGE: "Proven callers and uses; grep sees only names.",
        ToolId.MAP_MODULE: "A module: its parts, needs and users.",
        ToolId.TRACE_ENTRY_POINT: "Calls from a route, command or function.",
        ToolId.EXPLAIN_CODE_HISTORY: "Who changed code, when, why.",
        ToolId.READ_CODE: "Read a file, lines or a symbol.",
        ToolId.FIND_RELATED: "Related tests, code, co-changes.",
        ToolId.GIT_STATUS: "Branch, changed files.",
        ToolId.LIST_TOOLS: "All parameters.",
    }
)
"""What a model reads of a tool, where the catalog's own line is longer than a list can afford."""

UNLISTED: Final[Mapping[ToolId, frozenset[str]]] = MappingProxyType(
    {
        ToolId.EXPLORE_SYMBOL_USAGE: frozenset({"file", "line", "scope"}),
        ToolId.MAP_MODULE: frozenset({"depth"}),
        ToolId.TRACE_ENTRY_POINT: frozenset({"depth"}),
        ToolId.EXPLAIN_CODE_HISTORY: frozenset({"limit", "start_line", "end_line"}),
        ToolId.LIST_TOOLS: frozenset({"category"}),
    }
)
"""Parameters that are accepted and not listed: the required ones say the same, or the default is seldom changed."""

BUDGETED: Final = frozenset({ToolId.ANALYZE})
"""Tools that list the budget: answers whose best length the asker knows. Every tool accepts it."""

_SHOWN: Final = frozenset({"type", "enum", "items"})
"""What a listed parameter says of itself; everything else is said by the fault of a call that gets it wrong."""


def find_tools(
    catalog: ToolCatalog[ToolId], allowed: Iterable[ToolId], repositories: tuple[str, ...]
) -> tuple[types.Tool, ...]:
    """The allowed tools of the catalog as the protocol lists them, in the catalog's order."""
    wanted = frozenset(allowed)
    found: list[types.Tool] = []
    for tool_id in (each for each in catalog.list_all_ids() if each in wanted):
        entry, definition = catalog.get_entry(tool_id), catalog.get_tool(tool_id.value)
        if entry and definition:
            found.append(_build_tool(entry, definition, repositories, is_first=not found))
    return tuple(found)


def takes_workspace(definition: ToolDefinition) -> bool:
    """Whether the tool is about a repository, and not about the tools themselves."""
    return read_callable(definition.function).first == WORKSPACE


def build_door_parameters(repositories: tuple[str, ...]) -> Parameters:
    """What this door takes beside a tool's own parameters: the budget, and which of several repositories is meant."""
    budget = Parameter(BUDGET, Shape("integer", bounds=Bounds(ge=0)), required=False)
    choice = Parameter(REPOSITORY, Shape("string", choices=repositories))
    return build_parameters((budget, choice) if len(repositories) > 1 else (budget,))


def build_annotations(risk: RiskLevel, *, terse: bool = False) -> types.ToolAnnotations:
    """What running a tool of that risk may do, in the protocol's words.

    Args:
        risk: What running it may do.
        terse: Leave out the two hints to which the protocol gives no meaning for a tool that only reads.
    """
    reads = risk is RiskLevel.LOW
    has_all = not (terse and reads)
    return types.ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=risk is RiskLevel.HIGH if has_all else None,
        idempotent_hint=reads if has_all else None,
        open_world_hint=risk is RiskLevel.HIGH,
    )


def build_output_schema() -> dict[str, Any]:
    """What every result is: an object that says how the call went; docs/mcp.md has the rest of the format."""
    return {"type": "object", "required": ["status"]}


def _build_tool(
    entry: ToolCatalogEntry[ToolId], definition: ToolDefinition, repositories: tuple[str, ...], *, is_first: bool
) -> types.Tool:
    """The tool as it is listed; the names of several repositories are told by the first: ten times is too long."""
    hidden = UNLISTED.get(entry.id, frozenset()) | (frozenset() if entry.id in BUDGETED else {BUDGET})
    if not takes_workspace(definition):
        hidden |= {REPOSITORY}
    several = len(repositories) > 1
    every = (*definition.parameter_schemas.values(), *build_door_parameters(repositories).values())
    schema = _build_input_schema(parameter for parameter in every if parameter.name not in hidden)
    if not is_first and REPOSITORY in schema["properties"]:
        del schema["properties"][REPOSITORY]["enum"]
    return types.Tool(
        name=entry.id.value,
        description=GUIDANCE.get(entry.id, entry.description),
        input_schema=schema,
        output_schema=build_output_schema(),
        annotations=build_annotations(entry.risk_level, terse=several),
    )


def _build_input_schema(listed: Iterable[Parameter]) -> dict[str, Any]:
    """The schema of the listed parameters; it forbids no other, since some are accepted without being listed."""
    schema = build_json_schema(build_parameters(listed))
    del schema["additionalProperties"]
    schema["properties"] = {
        name: {word: value for word, value in shape.items() if word in _SHOWN}
        for name, shape in schema["properties"].items()
    }
    return schema
