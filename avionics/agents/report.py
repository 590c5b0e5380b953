"""Render inquiries as results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from avionics.agents.agent import Inquiry
from avionics.agents.plans import StepResult
from avionics.model.enums import Status
from avionics.model.results import ToolResult, to_plain
from avionics.tools.answers.answer import visible

_RANK = (Status.SUCCESS, Status.PARTIAL, Status.NOT_FOUND, Status.ERROR)


def build_result(inquiry: Inquiry, *, explain: bool = False) -> ToolResult:
    """Return the inquiry in the documented result format, with its plan, times and evidence if `explain`."""
    result = _build_written(inquiry) if inquiry.text else _build_found(inquiry)
    if not explain:
        return result
    data = None if result.data is None else {**result.data, "explanation": explain_plainly(inquiry)}
    text = f"{explain_in_words(inquiry)}\n\nanswer:\n{result.text}" if result.text else explain_in_words(inquiry)
    return result.evolve(data=data, text=text)


def explain_in_words(inquiry: Inquiry) -> str:
    """Return the plan, each step with its time, and the evidence, as text."""
    return "\n".join(_iter_explanation(inquiry))


def explain_plainly(inquiry: Inquiry) -> dict[str, Any]:
    """Return the plan, each step with its time, and the evidence, as plain data."""
    rounds = [
        [
            {
                **to_plain(evidence.step),
                "status": evidence.result.status.value,
                "milliseconds": evidence.milliseconds,
                "error": evidence.result.error or "",
                "attempt_history": evidence.attempt_history,
                "citations": evidence.citations,
            }
            for evidence in each.evidence
        ]
        for each in inquiry.rounds
    ]
    return {"rounds": rounds, "milliseconds": inquiry.milliseconds}


def _build_written(inquiry: Inquiry) -> ToolResult:
    """Render an answer written by a model."""
    notes = [f"[{note}]" for note in inquiry.notes]
    return ToolResult(
        Status.PARTIAL if inquiry.notes else Status.SUCCESS,
        data={"answer": inquiry.text, "citations": list(inquiry.citations), "notes": list(inquiry.notes)},
        message="; ".join(inquiry.notes),
        execution_time_ms=inquiry.milliseconds,
        text=visible("\n".join([inquiry.text, *notes])),
    )


def _build_found(inquiry: Inquiry) -> ToolResult:
    """Render results as the answer: of one step its result alone, of several each under its question."""
    evidence = inquiry.evidence
    if len(evidence) == 1 and not inquiry.notes:
        return evidence[0].result
    status = min((each.result.status for each in evidence), key=_RANK.index)
    worst = max((each.result.status for each in evidence), key=_RANK.index)
    if status is Status.SUCCESS and (worst is not status or inquiry.notes):
        status = Status.PARTIAL
    data = {
        "answers": [{"question": _describe_call(each), **each.result.to_dict()} for each in evidence],
        "citations": _list_citations(evidence),
        "notes": list(inquiry.notes),
    }
    blocks = [f"{_describe_call(each)}\n{each.text}" for each in evidence] + [f"[{note}]" for note in inquiry.notes]
    first = evidence[0].result
    if status is Status.ERROR:
        return first
    return ToolResult(
        status,
        data=data,
        message="" if status is Status.SUCCESS else f"{len(evidence)} parts",
        execution_time_ms=inquiry.milliseconds,
        text="\n\n".join(blocks),
    )


def _list_citations(evidence: Iterable[StepResult]) -> list[str]:
    return list(dict.fromkeys(citation for each in evidence for citation in each.citations))


def _describe_call(evidence: StepResult) -> str:
    """Return the question of a step, or its call if its tool takes none."""
    query = evidence.step.arguments.get("query")
    return visible(str(query)) if query else f"{evidence.step.tool}({_spell(evidence)})"


def _iter_explanation(inquiry: Inquiry) -> Iterator[str]:
    for number, each in enumerate(inquiry.rounds, 1):
        yield "plan:" if len(inquiry.rounds) == 1 else f"plan {number}:"
        for evidence in each.evidence:
            yield f"  {evidence.step.id}. {evidence.step.tool}({visible(_spell(evidence))})"
            if evidence.step.why:
                yield f"     why: {visible(evidence.step.why)}"
            yield f"     {_describe_outcome(evidence)}"
            for attempt in evidence.attempt_history:
                yield f"       {attempt['step']}: {attempt['outcome']}, {attempt['milliseconds']} ms"
    cited = _list_citations(inquiry.evidence)
    shown = ", ".join(cited[:8]) + (f", and {len(cited) - 8} more" if len(cited) > 8 else "")
    yield f"evidence: {visible(shown) or 'none'}"
    yield f"took {inquiry.milliseconds} ms"


def _describe_outcome(evidence: StepResult) -> str:
    result = evidence.result
    detail = f": {visible(result.error or '')}" if result.status is Status.ERROR else ""
    return f"{result.status.value} in {evidence.milliseconds} ms{detail}"


def _spell(evidence: StepResult) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in evidence.step.arguments.items())
