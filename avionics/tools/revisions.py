"""Revisions: ask about a commit instead of the files on the disk.

`rev` belongs to the executor, like the budget: a tool never sees it but receives another workspace. An answer about a
revision names it, and its citations are checked there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import structs

from avionics.model.enums import Certainty, Status
from avionics.model.naming import agree
from avionics.model.results import ToolResult
from avionics.model.tools import ToolDefinitionProtocol
from avionics.tools.answers.answer import visible
from avionics.tools.execution.call_step import PendingCall
from avionics.tools.execution.result_builder import build_invalid
from avionics.tools.executor_core import read_callable
from avionics.tools.ids import ToolId

REVISION: Final = "rev"
SHORT: Final = 12
"""Characters of a commit id in a text; unique in all known repositories."""

WITHOUT_REVISION: Final = frozenset({
    ToolId.GIT_STATUS, ToolId.GET_SESSION_STATE, ToolId.SAVE_SESSION_STATE, ToolId.COMPARE_REVISIONS,
    ToolId.IMPACT_OF_CHANGE, ToolId.TESTS_FOR_CHANGE,
})  # fmt: skip
"""Tools about the work tree, about a conversation, or about two revisions that they name themselves."""

_NAME_TOKENS = 50
"""The longest name of a revision at the end of an answer."""


def takes_revision(tool: ToolDefinitionProtocol) -> bool:
    """Return whether the tool can be asked about a revision."""
    is_about_code = read_callable(tool.function).takes_workspace and tool.name not in WITHOUT_REVISION
    return is_about_code and REVISION not in (tool.parameter_schemas or ())


def get_revision(step: PendingCall) -> str | ToolResult | None:
    """Return the revision of a call, None for the files on the disk; the error result if it is invalid."""
    if step.context.workspace is None:
        return None
    given = step.arguments
    if not isinstance(given, Mapping) or given.get(REVISION) is None:
        return None
    revision = given[REVISION]
    if not takes_revision(step.tool):
        return None
    if isinstance(revision, str) and revision:
        return revision
    return build_invalid((f"{REVISION}: expected a commit, tag or branch, got {revision!r:.80}",))


def at_revision(step: PendingCall, revision: str) -> PendingCall:
    """Return a call with the workspace at its revision. Raise `AvionicsError` if there is no such revision."""
    rest = {name: value for name, value in step.arguments.items() if name != REVISION}
    context = structs.replace(step.context, workspace=step.context.workspace.at(revision))
    return step.evolve(context=context, arguments=rest)


def leave_room(budget_tokens: int, workspace: Any) -> int:
    """Return the budget that is left for the answer when it also names its revision."""
    if not budget_tokens or not getattr(workspace, "revision", "") or not workspace.is_checkout:
        return budget_tokens
    return max(1, budget_tokens - _NAME_TOKENS)


def name_source(result: ToolResult, workspace: Any, asked: Any) -> ToolResult:
    """Add to the result its revision, and which of its files are missing or were not read."""
    if result.status is Status.ERROR:
        return result
    result = _name_unread(result, workspace)
    commit = getattr(workspace, "revision", "")
    if not commit:
        return result
    missing = workspace.source.count_missing()
    spelled = asked.get(REVISION) if isinstance(asked, Mapping) else None
    name = f" ({visible(spelled)[:40]})" if isinstance(spelled, str) and not commit.startswith(spelled) else ""
    lacking = f"; {missing} of its files are not in this partial clone" if missing else ""
    source = (
        f"as of {commit[:SHORT]}{name}, not the files on the disk{lacking}" if workspace.is_checkout else lacking[2:]
    )
    text = f"{result.text}\n[{source}]" if source else result.text
    status = Status.PARTIAL if missing and result.status is Status.SUCCESS else result.status
    return result.evolve(status=status, data={**(result.data or {}), "revision": commit}, text=text)


def _name_unread(result: ToolResult, workspace: Any) -> ToolResult:
    """Add to the result how much of a workspace without an index there was no time to read; then it is not complete."""
    count_unread = getattr(workspace, "count_unread", None)
    unread = count_unread() if count_unread is not None else 0
    if not unread:
        return result
    text = f"{result.text}\n[{agree(unread, 'file', 'was', 'were')} not read in time; `avionics index` reads all]"
    data = {**(result.data or {}), "unread_files": unread}
    if isinstance(data.get("coverage"), Mapping) and data["coverage"].get("certainty") == Certainty.EXACT.value:
        data["coverage"] = {**data["coverage"], "certainty": Certainty.AT_LEAST.value}
    return result.evolve(status=Status.PARTIAL, data=data, text=text)
