"""List tools in the protocol's form, with every parameter they take.

Every conversation pays for the list in tokens, so each description is one line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from avionics.model.enums import RiskLevel
from avionics.model.tools import CallWriter, ToolCall
from avionics.tools.catalog import ToolCatalog, ToolDefinition
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
"""The description of a tool for a model: its purpose, and when something else is better."""

_BUDGET_PARAMETER: Final = Parameter(
    BUDGET, Shape("integer", bounds=Bounds(ge=0)), required=False, description="Answer tokens; 0: all. Default 2000."
)
_REVISION_PARAMETER: Final = Parameter(
    REVISION, Shape("string"), required=False, description="Commit, tag, branch. Default: files on disk."
)


class ToolList:
    """The tools of a server as the protocol lists them, in order; each is built when it is first looked at."""

    def __init__(self, builders: Mapping[str, Callable[[], dict[str, Any] | None]]) -> None:
        self._builders = builders
        self._built: dict[str, dict[str, Any] | None] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all tools."""
        return tuple(self._builders)

    def get(self, name: str) -> dict[str, Any] | None:
        """Return a tool, or None if it is not listed."""
        if name not in self._built and name in self._builders:
            self._built[name] = self._builders[name]()
        return self._built.get(name)

    def get_all(self) -> tuple[dict[str, Any], ...]:
        """Return all tools."""
        return tuple(tool for name in self._builders if (tool := self.get(name)))

    def build_writer(self, repository: str) -> CallWriter:
        """Return the writer of calls about a repository; "" stands for a call that clients cannot make."""

        def write(call: ToolCall) -> str:
            tool = self.get(call.name)
            names = tool["inputSchema"]["properties"].keys() if tool else frozenset()
            given = {**call.arguments, REPOSITORY: repository} if REPOSITORY in names else call.arguments
            return write_json(ToolCall(call.name, given)) if tool and given.keys() <= names else ""

        return write


def build_tool_list(catalog: ToolCatalog[ToolId], allowed: Iterable[ToolId], repositories: tuple[str, ...]) -> ToolList:
    """Return the allowed tools of the catalog, in the catalog's order."""
    wanted = frozenset(allowed)
    ids = (tool_id for tool_id in catalog.list_all_ids() if tool_id in wanted)
    return ToolList({tool_id.value: partial(_build_tool, catalog, tool_id, repositories) for tool_id in ids})


def takes_workspace(definition: ToolDefinition) -> bool:
    """Return whether the tool is about a repository, and not about the tools themselves."""
    return read_callable(definition.function).takes_workspace


def build_own_parameters(repositories: tuple[str, ...]) -> Parameters:
    """Return the parameters that this interface adds to every tool: the budget and, of several, the repository."""
    choice = Parameter(REPOSITORY, Shape("string", choices=repositories), description="The repository.")
    return build_parameters((_BUDGET_PARAMETER, choice) if len(repositories) > 1 else (_BUDGET_PARAMETER,))


def build_annotations(risk: RiskLevel) -> dict[str, bool]:
    """Return the hints about the effects of a tool; two of them do not apply to tools that only read."""
    if risk is RiskLevel.LOW:
        return {"readOnlyHint": True, "openWorldHint": False}
    is_high = risk is RiskLevel.HIGH
    return {"readOnlyHint": False, "destructiveHint": is_high, "idempotentHint": False, "openWorldHint": is_high}


def build_output_schema() -> dict[str, Any]:
    """Return the root of the result document; docs/mcp.md has all of it."""
    return {"type": "object", "required": ["status"]}


def _build_tool(catalog: ToolCatalog[ToolId], tool_id: ToolId, repositories: tuple[str, ...]) -> dict[str, Any] | None:
    """Return a tool, or None if the catalog has it no more."""
    entry, definition = catalog.get_entry(tool_id), catalog.get_tool(tool_id.value)
    if entry is None or definition is None:
        return None
    own = build_own_parameters(repositories if takes_workspace(definition) else ())
    revision = (_REVISION_PARAMETER,) if takes_revision(definition) else ()
    parameters = build_parameters((*definition.parameter_schemas.values(), *revision, *own.values()))
    return {
        "name": entry.id.value,
        "description": GUIDANCE.get(entry.id, entry.description),
        "inputSchema": build_json_schema(parameters),
        "outputSchema": build_output_schema(),
        "annotations": build_annotations(entry.risk_level),
    }
