"""Answer questions about a directory, a file or the whole workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from avionics.model.errors import AvionicsError
from avionics.tools.answers.answer import Section, take_sections
from avionics.tools.answers.items import CodeItem
from avionics.tools.answers.next_step import suggest
from avionics.tools.ids import ToolId
from avionics.tools.internal.files.read_file import cut_lines, read_text_lines
from avionics.tools.questions.intents import Intent
from avionics.tools.questions.question_reader import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer
from avionics.tools.unified.code_excerpts import code_section
from avionics.tools.unified.file_sections import answer_file

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.workspace import Workspace

_SHARES = {"submodules": 6.0, "api": 3.0}
"""The shares of the contents and of the public API of a directory."""


def answer_map(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the purpose, the contents and the imports of a directory or file."""
    from avionics.tools.composite.map_module import map_place

    code, source = workspace.code, workspace.source
    found = map_place(code, source, question.path)
    is_list = question.intent is Intent.LIST_MODULES
    if question.path in code.files:
        return answer_file(workspace, question, found)
    largest = max(found.submodules, key=lambda each: each.lines, default=None)
    next_step = found.coverage.next
    if is_list and largest:
        next_step = suggest(ToolId.MAP_MODULE, "for its contents", path=largest.path)
    text = _read_text(code, source, question.path)
    # What a directory has is asked more often than what of it others use most.
    contents = tuple(
        structs.replace(each, shown=structs.replace(each.shown, share=_SHARES[each.name]))
        for each in take_sections(found, "submodules", *(() if is_list else ("api",)))
    )
    return build_answer(
        question,
        found.headline(),
        structs.replace(found.coverage, next=None if text else next_step),
        take_sections(found, "purpose"),
        contents,
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
    """Return the imports that resolve to a directory, a file or a module of a library, product code first."""
    from avionics.tools.internal.imports.get_importers import describe_directory_importers, get_importers, has_code

    code, path = workspace.code, question.path
    is_directory = path not in code.files and has_code(code, path)
    found = describe_directory_importers(code, path) if is_directory else get_importers(workspace, path)
    return build_answer(question, found.headline(), found.coverage, _title(found, importers="imported by"))


def answer_imports(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the imports of a file, or of the files of a directory."""
    from avionics.tools.internal.imports.get_imports import get_imports

    found = get_imports(workspace, question.path)
    titles = {"imports": "imports from the workspace", "external": "imports from outside"}
    return build_answer(question, found.headline(), found.coverage, _title(found, **titles))


def _title(found: Any, **titles: str) -> tuple[Section, ...]:
    """Return sections of an answer under other titles."""
    return tuple(
        structs.replace(each, shown=structs.replace(each.shown, title=titles[each.name], counts=True))
        for each in take_sections(found, *titles)
    )


def answer_unused(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the unused definitions of a directory, of a file or of the workspace."""
    from avionics.tools.composite.find_unused import check_unused

    scope = question.path or question.scope or ""
    found = check_unused(workspace.code, workspace.source, scope)
    return build_answer(question, found.headline(), found.coverage, take_sections(found))


def answer_entries(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the entry points, or those of the kind that a question names."""
    from avionics.index.entrypoints.discovery import find_entry_points
    from avionics.tools.composite.trace_entry_point import list_entry_points

    found = list_entry_points(find_entry_points(workspace.code, workspace.source), question.text)
    return build_answer(question, found.headline(), found.coverage, take_sections(found, "entry_points"))
