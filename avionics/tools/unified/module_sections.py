"""Answer questions about a directory, a file or the whole workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from avionics.model.errors import AvionicsError
from avionics.model.results import Coverage
from avionics.tools.answers.answer import take_sections
from avionics.tools.answers.items import CodeItem, plural
from avionics.tools.answers.next_step import suggest
from avionics.tools.ids import ToolId
from avionics.tools.internal.files.read_file import cut_lines, read_text_lines
from avionics.tools.questions.intent_rules import Intent
from avionics.tools.questions.question_reader import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer
from avionics.tools.unified.code_excerpts import code_section

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace


def answer_map(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return what a directory or file is for, contains and imports."""
    from avionics.tools.composite.map_module import map_place

    code, source = workspace.code, workspace.source
    found = map_place(code, source, question.path)
    is_list = question.intent is Intent.LIST_MODULES
    largest = max(found.submodules, key=lambda each: each.lines, default=None)
    next_step = found.coverage.next
    if is_list and largest:
        next_step = suggest(ToolId.MAP_MODULE, "for its contents", path=largest.path)
    text = _read_text(code, source, question.path)
    return build_answer(
        question,
        found.headline(),
        attrs.evolve(found.coverage, next=None if text else next_step),
        take_sections(found, "purpose", *(() if is_list else ("api",)), "submodules"),
        code_section(text),
        take_sections(found, "dependents", "dependencies", "entry_points"),
    )


def _read_text(code: CodeIndex, source: SourceTree, path: str) -> tuple[CodeItem, ...]:
    """Return the text of a file in an unsupported language, whose map is empty; () if it cannot be read."""
    if path in code.files or path not in code.snapshot.entries:
        return ()
    try:
        item = cut_lines(source, path, read_text_lines(source, path))
    except AvionicsError:
        return ()
    return () if item is None else (item,)


def answer_dependents(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return who imports a directory or file."""
    from avionics.tools.composite.map_module import map_place

    found = map_place(workspace.code, workspace.source, question.path)
    files = sum(each.files for each in found.dependents)
    imported = f"imported by {plural(files, 'file')}" if files else "no file imports it"
    coverage = Coverage(len(found.dependents), len(found.dependents), found.coverage.certainty)
    return build_answer(question, f"{question.path}: {imported}", coverage, take_sections(found, "dependents"))


def answer_unused(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return what nothing uses, in a directory or file or everywhere."""
    from avionics.tools.composite.find_unused import check_unused

    scope = question.path or question.scope or ""
    found = check_unused(workspace.code, workspace.source, scope)
    return build_answer(question, found.headline(), found.coverage, take_sections(found))


def answer_entries(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the entry points."""
    from avionics.index.entrypoints.discovery import find_entry_points
    from avionics.tools.composite.trace_entry_point import list_entry_points

    found = list_entry_points(find_entry_points(workspace.code, workspace.source))
    return build_answer(question, found.headline(), found.coverage, take_sections(found, "entry_points"))
