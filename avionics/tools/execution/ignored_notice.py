"""Say in every answer which ignore rules leave little of the workspace."""

from __future__ import annotations

from typing import Any

from avionics.model.enums import Certainty, Status
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import ToolResult
from avionics.tools.answers.reasons import describe_reason


def find_ignore_reasons(workspace: Any) -> tuple[Reason, ...]:
    """Return a reason for each ignore rule that leaves little of a workspace, as its last walk found."""
    return tuple(
        Reason(
            ReasonKind.IGNORED_BY_RULE if each.is_obeyed else ReasonKind.RULE_NOT_OBEYED,
            each.count,
            (each.file, each.line),
            subject=each.rule.strip(),
        )
        for each in getattr(getattr(workspace, "source", None), "ignored", ())
    )


def name_ignored(result: ToolResult, workspace: Any) -> ToolResult:
    """Add the reasons of `find_ignore_reasons` to an answer, whose counts are lower bounds if files are left out."""
    reasons = () if result.status is Status.ERROR or result.data is None else find_ignore_reasons(workspace)
    if not reasons:
        return result
    notes = [describe_reason(reason) for reason in reasons]
    data = dict(result.data or {})
    coverage = dict(data.get("coverage") or {})
    coverage["because"] = [*coverage.get("because", ()), *notes]
    if any(reason.kind is ReasonKind.IGNORED_BY_RULE for reason in reasons):
        coverage["certainty"] = Certainty.UNKNOWN.value
    data["coverage"] = coverage
    return result.evolve(data=data, text=f"{result.text}\n[{'; '.join(notes)}]")
