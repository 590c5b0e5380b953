"""Answer which things of a kind there are: entry points, or what the code calls a parser or a queue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.index.analysis.affected_tests import find_tests
from avionics.index.model.file_roles import is_product, role_and_place
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty, SymbolKind, is_class
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name, plural
from avionics.model.results import Coverage
from avionics.tools.answers.answer import take_sections
from avionics.tools.answers.items import NameItem, symbol_items
from avionics.tools.questions.intents import Question
from avionics.tools.questions.rules.structure_rules import KINDS_RULE, STARTS
from avionics.tools.resolution.path_resolver import WRITTEN_ROUTE
from avionics.tools.unified.analyze_answer import AnalyzeAnswer, build_answer, make_section
from avionics.tools.unified.module_sections import answer_map

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex
    from avionics.tools.composite.trace_entry_point import TraceEntryPointAnswer
    from avionics.workspace import Workspace

_MIN_KINDS = 2
"""Things that make a kind."""
_STARTED = frozenset({"task", "job", "worker", "handler", "listener", "subscriber", "consumer"})
"""Entry points that no person starts, in the singular."""
_STARTED_WORD = late_pattern(rf"\b({'|'.join(sorted(_STARTED))})s\b", re.IGNORECASE)
_BACKGROUND_WORK = ("job", "task", "worker")
_STARTS = late_pattern(STARTS, re.IGNORECASE)
_OF_ROOT = ("{}", "base{}", "abstract{}", "i{}", "{}base", "{}interface", "{}protocol", "{}trait")
_ENDS_ROOT = ("{}base", "base{}", "{}interface")
"""How a class is called from which all of a kind inherit, and how its name ends."""


def answer_kinds(workspace: Workspace, question: Question) -> AnalyzeAnswer | None:
    """Return the classes of a kind, or else the constants; None if fewer than two are called like it.

    These are the classes that inherit from one called like the kind, or whose names end with it. Where a directory or
    file that the question names has fewer than two, return what it contains.
    """
    words = _to_singular(KINDS_RULE.get_group(question.text, "kind").replace("-", "")).split()
    place = question.place
    if words == ["test"]:
        return _count_tests(workspace.code, question, place)
    if len(words) > 1 and words[-1] in _STARTED and workspace.code.outside_importers(words[0]):
        # Those of a library which the program uses: its tasks or handlers, and not classes with such names.
        return answer_entries(workspace, question)
    # Where nothing is called a "playlist parser", the parsers are meant.
    kinds = ("".join(words[start:]) for start in range(len(words)))
    found = next((answer for each in kinds if (answer := answer_kind(workspace.code, question, each, place))), None)
    return found or (answer_map(workspace, question) if question.path else None)


def answer_entries(workspace: Workspace, question: Question) -> AnalyzeAnswer:
    """Return the entry points, or those of the kind that a question names."""
    from avionics.index.entrypoints.discovery import find_entry_points
    from avionics.index.entrypoints.matching import is_route_below
    from avionics.tools.composite.trace_entry_point import list_entry_points

    place = (not question.about and question.path) or question.scope or None
    points, asked = find_entry_points(workspace.code), question.text
    prefix = WRITTEN_ROUTE.search(asked)
    below = prefix[0].rpartition(" ")[2] if prefix else ""
    if below and (not place or any(is_route_below(each, below) for each in points)):
        return _build_entries(question, list_entry_points(points, asked, below=below))
    found = list_entry_points(points, "programs" if _STARTS.match(asked) else asked, question.about, place)
    if not found.entry_points:
        found = list_entry_points(points, asked, question.about, place)
    if not found.entry_points and (started := _STARTED_WORD.search(asked)):
        # A program that has its own tasks has classes for them.
        names = dict.fromkeys((started[1].lower(), *_BACKGROUND_WORK))
        if kinds := next(filter(None, (answer_kind(workspace.code, question, each, place) for each in names)), None):
            return kinds
    return _build_entries(question, found)


def _build_entries(question: Question, found: TraceEntryPointAnswer) -> AnalyzeAnswer:
    """Return a list of entry points; their names say more than the lines that declare them, which are left out."""
    short = tuple(structs.replace(each, declared="") if each.runs else each for each in found.entry_points)
    found = structs.replace(found, entry_points=short)
    return build_answer(question, found.headline(), found.coverage, take_sections(found, "entry_points"))


def answer_kind(code: CodeIndex, question: Question, name: str, place: str | None) -> AnalyzeAnswer | None:
    """Return the classes or constants of a kind with a name; None for fewer than two."""
    for root in _iter_roots(code, name):
        below = _select((*code.graph.classes.descendants(root), *code.graph.interfaces.implementers(root)), place)
        if len(below) >= _MIN_KINDS:
            return _list(question, f"{plural(len(below), 'class')} below {root.symbol.qualname}", (root,), below)
    named = _select((each for each in code.names.find_ending(name, len(code.files)) if _is_called(each, name)), place)
    classes = [each for each in named if is_class(each.kind)]
    constants = [each for each in named if each.kind is SymbolKind.CONSTANT]
    found, what = (classes, "class") if len(classes) >= _MIN_KINDS else (constants, "constant")
    if len(found) < _MIN_KINDS:
        return None
    return _list(question, f"{plural(len(found), what)} with a name that ends with {name!r}", (), found)


def _count_tests(code: CodeIndex, question: Question, place: str | None) -> AnalyzeAnswer | None:
    """Return how many tests each file has, where they have names; None if there are no tests."""
    found = [each for each in find_tests(code) if is_within(each.file, place)]
    if not found:
        return None
    files = Counter(each.file for each in found if each.kind is not SymbolKind.MODULE)
    calling = len(found) - files.total()
    more = f", and {plural(calling, 'file')} whose tests are calls" if calling else ""
    listed = [NameItem(f"{file}: {plural(files[file], 'test')}") for file in sorted(files)]
    return build_answer(
        question,
        f"{plural(files.total(), 'test')} in {plural(len(files), 'file')}{more}",
        Coverage(len(found), len(found), Certainty.AT_LEAST),
        make_section("tests", "tests by file", listed, 5.0),
    )


def _to_singular(name: str) -> str:
    for ending, single in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("xes", "x"), ("s", "")):
        if name.endswith(ending):
            return name.removesuffix(ending) + single
    return name


def _iter_roots(code: CodeIndex, name: str) -> Iterator[Definition]:
    called = [each for form in _OF_ROOT for each in code.names.find_folded(form.format(name))]
    ending = [each for form in _ENDS_ROOT for each in code.names.find_ending(form.format(name))]
    yield from (each for each in dict.fromkeys((*called, *ending)) if is_class(each.kind) and is_product(each.file))


def _select(found: Iterable[Definition], place: str | None) -> list[Definition]:
    chosen = {each for each in found if is_product(each.file) and is_within(each.file, place)}
    return sorted(chosen, key=role_and_place)


def _is_called(definition: Definition, name: str) -> bool:
    """Return whether the last words of a name are those of a kind: `TaskQueue`, not `Dequeue`."""
    before = definition.name[: -len(name)] if fold_name(definition.name).endswith(name) else ""
    own = definition.name[len(before) :]
    return not before or before.endswith("_") or own[:1].isupper() or own.startswith("_")


def _list(question: Question, summary: str, root: tuple[Definition, ...], found: list[Definition]) -> AnalyzeAnswer:
    return build_answer(
        question,
        summary,
        Coverage(len(found), len(found), Certainty.AT_LEAST),
        make_section("definitions", "definitions", symbol_items(root)),
        make_section("members", "of this kind", symbol_items(found), 5.0, counts=True),
    )
