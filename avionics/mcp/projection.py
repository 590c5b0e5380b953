"""List tools in the protocol's form, with every parameter they take.

A list is paid for by every conversation, so descriptions are one line each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from mcp import types

from avionics.model.enums import RiskLevel
from avionics.model.tools import CallWriter, ToolCall
from avionics.tools.catalog import ToolCatalog, ToolCatalogEntry, ToolDefinition
from avionics.tools.declare import WORKSPACE
from avionics.tools.execution.next_calls import write_json
from avionics.tools.executor_core import read_callable
from avionics.tools.ids import ToolId
from avionics.tools.revisions import REVISION, takes_revision
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
An answer that was cut ends with `next:` and the call that gives the rest."""
"""For the client to show its model once a conversation."""

GUIDANCE: Final[Mapping[ToolId, str]] = MappingProxyType(
    {
        ToolId.ANALYZE: "Answer any question about this code: words, issue, traceback, name or path. Start here.",
        ToolId.LOCATE: "Find definitions and files by name. For literal text use grep.",
        ToolId.EXPLORE_SYMBOL_USAGE: "Find proven callers, uses, overrides and subclasses; grep sees only names.",
        ToolId.MAP_MODULE: "Map a directory or file: its parts, what it needs and who uses it.",
        ToolId.TRACE_ENTRY_POINT: "Follow the calls from a route, command or function.",
        ToolId.FIND_PATH: "Find how control gets from one place to another.",
        ToolId.EXPLAIN_CODE_HISTORY: "Find who changed code, when and why.",
        ToolId.READ_CODE: "Read a file, some of its lines, or one symbol.",
        ToolId.FIND_RELATED: "Find tests, similar code and files that change together with it.",
        ToolId.GIT_STATUS: "Show the branch and the changed files.",
        ToolId.LIST_TOOLS: "List the tools with all parameters.",
    }
)
"""What a model reads of a tool: what it is for, and when something else is better."""

_BUDGET_PARAMETER: Final = Parameter(
    BUDGET,
    Shape("integer", bounds=Bounds(ge=0)),
    required=False,
    description="Answer tokens; 0: all. Default 2000.",
)
_REVISION_PARAMETER: Final = Parameter(
    REVISION, Shape("string"), required=False, description="Commit, tag, branch. Default: files on disk."
)


def find_tools(
    catalog: ToolCatalog[ToolId], allowed: Iterable[ToolId], repositories: tuple[str, ...]
) -> tuple[types.Tool, ...]:
    """Return the allowed tools of the catalog as the protocol lists them, in the catalog's order."""
    wanted = frozenset(allowed)
    found: list[types.Tool] = []
    for tool_id in (each for each in catalog.list_all_ids() if each in wanted):
        entry, definition = catalog.get_entry(tool_id), catalog.get_tool(tool_id.value)
        if entry and definition:
            found.append(_build_tool(entry, definition, repositories))
    return tuple(found)


def takes_workspace(definition: ToolDefinition) -> bool:
    """Whether the tool is about a repository, and not about the tools themselves."""
    return read_callable(definition.function).first == WORKSPACE


def build_own_parameters(repositories: tuple[str, ...]) -> Parameters:
    """Return what this interface takes beside a tool's own parameters: the budget, and one of several repositories."""
    choice = Parameter(REPOSITORY, Shape("string", choices=repositories), description="The repository.")
    return build_parameters((_BUDGET_PARAMETER, choice) if len(repositories) > 1 else (_BUDGET_PARAMETER,))


def build_call_writer(tools: Iterable[types.Tool]) -> Callable[[str], CallWriter]:
    """Return what makes, for the name of a repository, the writer of calls about it.

    A call of a tool that is not listed, or with an argument that it does not list, is written as "".
    """
    listed = {tool.name: tool.input_schema for tool in tools}

    def build(repository: str) -> CallWriter:
        def write(call: ToolCall) -> str:
            schema = listed.get(call.name)
            names = schema["properties"].keys() if schema else frozenset()
            given = {**call.arguments, REPOSITORY: repository} if REPOSITORY in names else call.arguments
            return write_json(ToolCall(call.name, given)) if schema and given.keys() <= names else ""

        return write

    return build


def build_annotations(risk: RiskLevel) -> types.ToolAnnotations:
    """Return what running a tool of that risk may do; two of the hints mean nothing for a tool that only reads."""
    is_read_only = risk is RiskLevel.LOW
    return types.ToolAnnotations(
        read_only_hint=is_read_only,
        destructive_hint=None if is_read_only else risk is RiskLevel.HIGH,
        idempotent_hint=None if is_read_only else False,
        open_world_hint=risk is RiskLevel.HIGH,
    )


def build_output_schema() -> dict[str, Any]:
    """Return the root of the result document; docs/mcp.md has all of it."""
    return {"type": "object", "required": ["status"]}


def _build_tool(
    entry: ToolCatalogEntry[ToolId], definition: ToolDefinition, repositories: tuple[str, ...]
) -> types.Tool:
    own = build_own_parameters(repositories if takes_workspace(definition) else ())
    revision = (_REVISION_PARAMETER,) if takes_revision(definition) else ()
    parameters = build_parameters((*definition.parameter_schemas.values(), *revision, *own.values()))
    return types.Tool(
        name=entry.id.value,
        description=GUIDANCE.get(entry.id, entry.description),
        input_schema=build_json_schema(parameters),
        output_schema=build_output_schema(),
        annotations=build_annotations(entry.risk_level),
    )
