"""Answer which tests exercise some code: each with the reason, and the commands that run the first of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty
from avionics.model.errors import SourceError
from avionics.model.facts import line_of
from avionics.model.naming import agree, plural
from avionics.model.results import Coverage
from avionics.syntax.registry import conventions_of
from avionics.tools.answers.answer import shorten
from avionics.tools.answers.items import symbol_items
from avionics.tools.answers.runner_commands import CommandItem, TestChoice, build_commands
from avionics.tools.questions.intents import Question
from avionics.tools.questions.subjects import ASKING_TESTS
from avionics.tools.resolution.option_targets import FLAG
from avionics.tools.resolution.symbol_resolver import find_top_level
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, list_others, make_section

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.model.knowledge import Definition
    from avionics.source.tree import SourceTree
    from avionics.tools.composite.tests_for_change import TestItem
    from avionics.workspace import Workspace

_MAX_RUN, _MAX_COMMANDS = 8, 3
_MAX_BLOCKS = 12
"""Tests with titles that are listed of one file."""
_MAX_TITLE = 80
_AT_LINE = late_pattern(r"\Aline \d+ ")
"""The place in the reason of an item for a whole function."""


def answer_tests(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the tests that use a symbol or the code of a file or directory, that pass an option, or have the words.

    None for an option that has no definition and that no test passes.
    """
    from avionics.tools.composite.tests_for_change import describe_known, find_tests_of, with_members

    code, definition = workspace.code, question.definition
    if not definition and question.path and not code.has_file(question.path) and _is_of_tests(code, question.path):
        from avionics.tools.unified.module_sections import answer_map

        # "Which tests are there in test/unit?" does not ask for the tests of these tests.
        return answer_map(workspace, question)
    option = FLAG.search(question.text)
    route, handlers = _find_handlers(workspace.code, question.text)
    if handlers:
        definition, option = handlers[0], None
    if not (definition or question.path or option):
        return _answer_topic(workspace, question)
    inside = find_top_level(code, question.path) if question.path or option is None else ()
    # A question about the tests of a method does not mean only those that call it through its base class.
    overridden = code.graph.classes.overridden
    overrides = tuple(each for each in question.others if definition and overridden(each) == definition)
    question = structs.replace(question, others=tuple(each for each in question.others if each not in overrides))
    about = handlers or ((*with_members(code, definition), *overrides) if definition else inside)
    found, coverage = find_tests_of(code, workspace.source, about, option[0] if option else "")
    if not (found or about):
        return None
    if definition and not coverage.found and role_of(definition.file) is FileRole.TEST:
        return _answer_itself(question, definition)
    if not found:
        found = _find_about(workspace, question)
        coverage = structs.replace(coverage, unresolved=len(found))
    names = {each.name for each in about}
    tests = tuple(test for each in found for test in _split(code, workspace.source, each, names))
    added = len(tests) - len(found) if coverage.found else 0
    subject = route or question.subject or (option[0] if option else "")
    subject += f" with {plural(len(overrides), 'override')}" if overrides else ""
    coverage = structs.replace(coverage, found=coverage.found + added, shown=coverage.shown + added)
    return build_answer(
        question,
        f"{subject}: {describe_known(tests, coverage)}",
        coverage,
        make_section("definitions", "definitions", symbol_items((definition,) if definition else ())),
        () if route else list_others(question),
        make_section("tests", "tests", tests, 4.0, counts=coverage.found > 0),
        make_section("run", "run the first with", _list_commands(workspace.source, tests), 1.0),
    )


def _is_of_tests(code: CodeIndex, directory: str) -> bool:
    """Return whether all code within a directory is that of tests."""
    files = [each for each in code.files if is_within(each, directory)]
    return bool(files) and all(role_of(each) is FileRole.TEST for each in files)


def _find_handlers(code: CodeIndex, text: str) -> tuple[str, tuple[Definition, ...]]:
    """Return the route that a question names, and what runs for it; "" and nothing if it names none."""
    from avionics.index.entrypoints.discovery import find_entry_points
    from avionics.index.entrypoints.matching import find_routes
    from avionics.tools.unified.path_sections import get_route

    route = get_route(text)
    found = find_routes(find_entry_points(code), route) if route else ()
    handlers = tuple(each.definition for each in found if each.definition is not None)
    return (route, handlers) if handlers else ("", ())


def _answer_itself(question: Question, definition: Definition) -> AnalyzeAnswer:
    """Return that what a question asks the tests of is a part of the tests, and that no other test uses it."""
    return build_answer(
        question,
        f"{definition.symbol.qualname} is itself in a file of tests; no other test is known to use it",
        Coverage(0, 0, Certainty.AT_LEAST),
        make_section("definitions", "definitions", symbol_items((definition,)), 4.0),
        list_others(question),
    )


def _answer_topic(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the tests with most words of a question that names no code; None if no test has them."""
    tests = _find_about(workspace, question)
    if not tests:
        return None
    return build_answer(
        question,
        f"no code is called like this; {agree(len(tests), 'test', 'has', 'have')} these words",
        Coverage(len(tests), len(tests), Certainty.AT_LEAST),
        make_section("tests", "tests", tests, 4.0),
        make_section("run", "run the first with", _list_commands(workspace.source, tests), 1.0),
    )


def _find_about(workspace: Workspace, question: Question) -> tuple[TestItem, ...]:
    """Return the tests with most words of a question."""
    from avionics.tools.composite.tests_for_change import find_tests_about

    stems = frozenset(question.query.terms) - ASKING_TESTS
    return find_tests_about(workspace.code, workspace.source, stems) if stems else ()


def _split(code: CodeIndex, source: SourceTree, item: TestItem, names: set[str]) -> tuple[TestItem, ...]:
    """Return the titled tests of a file, or titled parts of a test, that mention a name; the item itself if none do.

    A test that mentions none has the title on its first line, if there is one there.
    """
    conventions = conventions_of(item.file).tests
    is_file = item.test == item.file
    titled = conventions.titled if is_file else conventions.parts
    try:
        text = source.text(item.file)
    except SourceError:
        return (item,)
    start, end = (0, len(text)) if is_file else _find_span(code, item, text)
    starts = list(titled.finditer(text, start, end))
    mention = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
    found = []
    for at, each in enumerate(starts):
        following = starts[at + 1].start() if at + 1 < len(starts) else end
        line = line_of(text, each.start("title"))
        is_own = line == item.line and not mention.search(text, start, end)
        mentioned = mention.search(text, each.start(), following)
        if is_own or mentioned:
            title = shorten(each["title"], _MAX_TITLE)
            name = f'"{title}"' if is_file else f'{item.test} "{title}"'
            own = f"line {line_of(text, mentioned.start())} " if mentioned else ""
            why = _AT_LINE.sub(own, item.why) if own else item.why
            found.append(structs.replace(item, line=line, test=name, run=each["title"], why=why))
    return tuple(found[:_MAX_BLOCKS]) or (item,)


def _find_span(code: CodeIndex, item: TestItem, text: str) -> tuple[int, int]:
    """Return where the function of a test begins and ends in the text of its file."""
    around = code.graph.enclosing(item.file, item.line)
    if around is None:
        return 0, 0
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: around.symbol.span.start_line - 1]))
    return start, start + sum(map(len, lines[around.symbol.span.start_line - 1 : around.symbol.span.end_line]))


def _list_commands(source: SourceTree, tests: Sequence[TestItem]) -> tuple[CommandItem, ...]:
    """Return the lines that run the first tests."""
    chosen = [_choose(each) for each in tests[:_MAX_RUN] if not each.is_helper]
    return build_commands(chosen, source)[:_MAX_COMMANDS]


def _choose(test: TestItem) -> TestChoice:
    """Return what to pass to a test runner: no name for a whole file, or the title of a test without a function."""
    name, quote, _ = test.test.partition('"')
    is_named = test.test != test.file
    return TestChoice(test.file, name.strip() if is_named else "", test.run, test.run if quote and name else "")
