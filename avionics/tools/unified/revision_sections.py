"""Answer questions about a change: what it changes, and which tests to run for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from avionics.tools.answers.answer import take_sections
from avionics.tools.questions.change_reader import AskedChange
from avionics.tools.questions.question_reader import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer

if TYPE_CHECKING:
    from avionics.workspace import Workspace


def answer_changes(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the symbols that differ between two revisions, API breaks first."""
    from avionics.tools.composite.compare_revisions import compare_revisions

    change = question.change or AskedChange()
    scope = question.path or question.scope or None
    found = compare_revisions(workspace, change.base or "HEAD", _head_of(change), scope)
    answer = build_answer(question, found.headline(), found.coverage, take_sections(found))
    return attrs.evolve(answer, revision=found.revision)


def answer_change_tests(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the tests to run for a change, ranked."""
    from avionics.tools.composite.tests_for_change import tests_for_change

    change = question.change or AskedChange()
    found = tests_for_change(workspace, change.base, _head_of(change))
    answer = build_answer(question, found.headline(), found.coverage, take_sections(found))
    return attrs.evolve(answer, revision=found.revision)


def _head_of(change: AskedChange) -> str | None:
    from avionics.tools.resolution.revision_pair import STAGED

    return STAGED if change.is_staged else change.head
