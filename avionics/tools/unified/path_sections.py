"""Answer how one place leads to another: the most plausible call paths, each step cited."""

from __future__ import annotations

from typing import TYPE_CHECKING

from avionics.tools.answers.answer import take_sections
from avionics.tools.questions.mention_resolver import resolve_mentions
from avionics.tools.questions.question_reader import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer

if TYPE_CHECKING:
    from avionics.tools.resolution.flow_endpoints import FlowEnd, FlowEnds
    from avionics.workspace import Workspace


def answer_path(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the paths from one end that a question names to the other; None if an end means nothing here."""
    from avionics.index.analysis.path_search import PathSearch
    from avionics.tools.composite.find_path import build_path_answer
    from avionics.tools.resolution.flow_endpoints import FlowEnds

    if question.ends is None:
        return None
    known = FlowEnds(workspace)
    first, last = (_get_end(workspace, known, text, question.scope) for text in question.ends)
    if first is None or last is None or set(first.definitions) == set(last.definitions):
        return None
    result = PathSearch(workspace.code).find(first.definitions, last.definitions)
    found = build_path_answer(workspace, first, last, result)
    return build_answer(question, found.headline(), found.coverage, take_sections(found))


def _get_end(workspace: Workspace, known: FlowEnds, text: str, scope: str | None) -> FlowEnd | None:
    """Return the end that some words name; of a longer description, the definition that fits its words best."""
    from avionics.tools.resolution.flow_endpoints import FlowEnd

    end = known.get_end(text)
    if end is not None or len(text.split()) == 1:
        return end
    named = resolve_mentions(workspace.code, text, scope)
    return FlowEnd(named[0].symbol.qualname, "symbol", named[:1]) if named else None
