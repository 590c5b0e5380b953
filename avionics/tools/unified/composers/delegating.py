"""Compositions: questions that one other tool answers whole, as analyze answers them.

Knows: which tool answers which of them.
Does not know: how a question is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from avionics.index.scopes.name_resolver import is_class
from avionics.model.enums import Certainty
from avionics.model.errors import AvionicsError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.items import CodeItem, SymbolItem, plural
from avionics.tools.questions.intent_rules import Intent, Question, find_others
from avionics.tools.resilient.read_code import read_code
from avionics.tools.resolution.subject_resolver import find_top_level
from avionics.tools.unified.composers.composed_answer import AnalyzeAnswer, Composed

if TYPE_CHECKING:
    from avionics.workspace import Workspace

FLOW_DEPTH = 2


def compose_map(workspace: Workspace, question: Question) -> Composed:
    """A directory or file: what it is for, offers and needs."""
    from avionics.tools.composite.map_module import map_module

    found = map_module(workspace, question.path)
    is_list = question.kind is Intent.LIST_MODULES
    largest = max(found.submodules, key=lambda each: each.lines, default=None)
    further = f"map_module(path={largest.path!r}) for what is in it" if is_list and largest else found.coverage.next
    code = _read_text(workspace, question.path)
    coverage = attrs.evolve(found.coverage, next="" if code else further)
    return (
        AnalyzeAnswer(
            question.text,
            question.kind.value,
            found.headline(),
            coverage,
            (),
            code=code,
            purpose=found.purpose,
            api=() if is_list else found.api,
            submodules=found.submodules,
            dependents=found.dependents,
            dependencies=found.dependencies,
            entry_points=found.entry_points,
        ),
    )


def _read_text(workspace: Workspace, path: str) -> tuple[CodeItem, ...]:
    """The text of a file in no known language, of which a map tells nothing; none where it cannot be read."""
    if path in workspace.code.files or path not in workspace.code.snapshot.entries:
        return ()
    try:
        return read_code(workspace, path).code
    except AvionicsError:
        return ()


def compose_dependents(workspace: Workspace, question: Question) -> Composed:
    """Who imports a directory or file."""
    from avionics.tools.composite.map_module import map_module

    found = map_module(workspace, question.path)
    files = sum(each.files for each in found.dependents)
    summary = f"{question.path}: imported by {files} files" if files else f"{question.path}: nothing here imports it"
    coverage = Coverage(len(found.dependents), len(found.dependents), found.coverage.certainty)
    return (AnalyzeAnswer(question.text, question.kind.value, summary, coverage, (), dependents=found.dependents),)


def compose_bases(workspace: Workspace, question: Question) -> Composed:
    """A class: what it inherits from."""
    definition = question.definition
    if definition is None or not is_class(definition.kind):
        return ()
    above, lineage = workspace.code.graph.ancestors(definition)
    outside = ", ".join(lineage.externals)
    reasons: tuple[Reason, ...] = (Reason(ReasonKind.EXTERNAL_BASES, subject=outside),) if outside else ()
    reasons += (Reason(ReasonKind.BASE_CLASS_UNKNOWN),) if lineage.is_open else ()
    certainty = Certainty.AT_LEAST if reasons else Certainty.EXACT
    said = ", ".join([*(each.symbol.qualname for each in above), *lineage.externals]) or "nothing"
    answer = AnalyzeAnswer(
        question.text,
        question.kind.value,
        f"{definition.symbol.qualname} inherits from {said}",
        Coverage(len(above), len(above), certainty, reasons=reasons),
        (),
        definitions=(SymbolItem.of(definition),),
        other_definitions=tuple(map(SymbolItem.of, find_others(question))),
        bases=tuple(map(SymbolItem.of, above)),
    )
    return (answer,)


def compose_callees(workspace: Workspace, question: Question) -> Composed:
    """A function: what it calls."""
    from avionics.tools.composite.trace_entry_point import trace_entry_point

    definition = question.definition
    if definition is None:
        return ()
    found = trace_entry_point(workspace, f"{definition.file}:{definition.symbol.span.end_line}", FLOW_DEPTH)
    answer = AnalyzeAnswer(
        question.text,
        question.kind.value,
        found.headline(),
        found.coverage,
        (),
        other_definitions=tuple(map(SymbolItem.of, find_others(question))),
        flow=found.flow,
    )
    return (answer,)


def compose_tests(workspace: Workspace, question: Question) -> Composed:
    """A symbol, file or directory: the tests that use it."""
    from avionics.tools.composite.tests_for_change import find_tests_of

    about = (question.definition,) if question.definition else find_top_level(workspace.code, question.path)
    tests, coverage = find_tests_of(workspace, about)
    name = question.definition.symbol.qualname if question.definition else question.path
    answer = AnalyzeAnswer(
        question.text,
        question.kind.value,
        f"{name}: {plural(coverage.found, 'test')}"
        if coverage.found or not tests
        else f"{name}: no test is known to use it; {plural(len(tests), 'test')} may be about it",
        coverage,
        (),
        definitions=(SymbolItem.of(question.definition),) if question.definition else (),
        other_definitions=tuple(map(SymbolItem.of, find_others(question))),
        tests=tests,
    )
    return (answer,)


def compose_unused(workspace: Workspace, question: Question) -> Composed:
    """What nothing uses, in a directory or file or everywhere."""
    from avionics.tools.composite.find_unused import find_unused

    found = find_unused(workspace, question.path or question.scope or None)
    return (
        AnalyzeAnswer(
            question.text,
            question.kind.value,
            found.headline(),
            found.coverage,
            (),
            unused=found.unused,
            public=found.public,
            unknown=found.unknown,
        ),
    )


def compose_entries(workspace: Workspace, question: Question) -> Composed:
    """Where control comes in."""
    from avionics.tools.composite.trace_entry_point import trace_entry_point

    found = trace_entry_point(workspace, "list")
    return (
        AnalyzeAnswer(
            question.text,
            question.kind.value,
            found.headline(),
            found.coverage,
            (),
            entry_points=found.entry_points,
        ),
    )
