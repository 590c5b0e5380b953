"""Answer which tests exercise some code: each with the reason, and the commands that run the first of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs

from avionics.index.scopes.name_resolver import is_class
from avionics.model.enums import SymbolKind
from avionics.model.errors import SourceError
from avionics.model.knowledge import Definition
from avionics.syntax.registry import conventions_of
from avionics.tools.answers.answer import shorten
from avionics.tools.answers.items import plural, symbol_items
from avionics.tools.answers.test_commands import CommandItem, TestChoice, build_commands
from avionics.tools.questions.question_reader import Question
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, list_others, make_section

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.source.tree import SourceTree
    from avionics.tools.composite.tests_for_change import TestItem
    from avionics.workspace import Workspace

_MAX_RUN, _MAX_COMMANDS = 8, 3
_MAX_BLOCKS = 12
"""Tests with titles that are listed of one file."""
_MAX_TITLE = 80
_MAX_MEMBERS = 30


def answer_tests(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the tests that use a symbol, or the code of a file or directory."""
    from avionics.tools.composite.tests_for_change import find_tests_of
    from avionics.tools.resolution.symbol_resolver import find_top_level

    code, definition = workspace.code, question.definition
    about = _with_members(code, definition) if definition else find_top_level(code, question.path)
    found, coverage = find_tests_of(code, workspace.source, about)
    names = {each.name for each in about}
    tests = tuple(test for each in found for test in _split(workspace.source, each, names))
    added = len(tests) - len(found) if coverage.found else 0
    coverage = attrs.evolve(coverage, found=coverage.found + added, shown=coverage.shown + added)
    known = f"{plural(coverage.found, 'test')} known to use it" if coverage.found else "no test is known to use it"
    likely = f"; {plural(len(tests), 'test')} may be about it" if tests and not coverage.found else ""
    return build_answer(
        question,
        f"{question.subject}: {known}{likely}",
        coverage,
        make_section("definitions", "definitions", symbol_items((definition,) if definition else ())),
        list_others(question),
        make_section("tests", "tests", tests, 4.0, counts=coverage.found > 0),
        make_section("run", "run the first with", _list_commands(workspace.source, tests), 1.0),
    )


def _with_members(code: CodeIndex, definition: Definition) -> tuple[Definition, ...]:
    """Return a definition with the methods of a class: a test may use these without its name."""
    if not is_class(definition.kind):
        return (definition,)
    start = f"{definition.symbol.qualname}."
    inside = enumerate(code.facts(definition.file).symbols)
    methods = [Definition(definition.file, each, at) for at, each in inside if each.qualname.startswith(start)]
    return (definition, *(each for each in methods if each.kind is SymbolKind.METHOD))[:_MAX_MEMBERS]


def _split(source: SourceTree, item: TestItem, names: set[str]) -> tuple[TestItem, ...]:
    """Return the titled tests of a file that mention a name, for a file whose tests have no names; else the item."""
    titled = conventions_of(item.file).tests.titled
    if item.test != item.file:
        return (item,)
    try:
        text = source.text(item.file)
    except SourceError:
        return (item,)
    starts = list(titled.finditer(text))
    mention = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
    found = []
    for at, start in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(text)
        if mention.search(text, start.start(), end):
            line = text.count("\n", 0, start.start("title")) + 1
            title = shorten(start["title"], _MAX_TITLE)
            found.append(attrs.evolve(item, line=line, test=f'"{title}"', run=start["title"]))
    return tuple(found[:_MAX_BLOCKS]) or (item,)


def _list_commands(source: SourceTree, tests: Sequence[TestItem]) -> tuple[CommandItem, ...]:
    """Return the lines that run the first tests."""

    def read(path: str) -> str:
        try:
            return source.text(path)
        except SourceError:
            return ""

    chosen = [TestChoice(each.file, _name_of(each), each.run) for each in tests[:_MAX_RUN]]
    return build_commands(chosen, read)[:_MAX_COMMANDS]


def _name_of(test: TestItem) -> str:
    """Return the qualified name of a test, "" for a whole file and for a title, which is no name."""
    return "" if test.test == test.file or test.test.startswith('"') else test.test
