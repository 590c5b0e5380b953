"""Regression test selection: which definitions are tests, and which of them a change affects.

Four features rank a test: a chain of uses from it to the change, the words it shares with the change, the name of its
file, and how often its file changed together with the changed files. The weights were fitted on commits whose tests
were hidden (docs/research/change-analysis.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from avionics.cancellation import seconds_left
from avionics.index.analysis.impact import Dependent, Impact
from avionics.index.analysis.ranked_tests import TestRating, count_shared_words, rate_tests, read_changed_words
from avionics.index.analysis.symbol_usage import is_for_tests
from avionics.index.changes.symbol_diff import ChangeKind, RevisionView, SymbolChange
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.handlers import build_module_body
from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import FUNCTIONS, SymbolKind
from avionics.model.knowledge import Definition
from avionics.syntax.registry import conventions_of, is_unread_program

_PROVEN = (1.0, 0.8, 0.55)
_POSSIBLE = (0.7, 0.35, 0.2)
_CHANGED, _SPOKEN, _TOGETHER, _NAMED = 4.0, 1.0, 0.5, 0.3
"""The weights of an edited test, shared words, a shared history and a shared name; a proven direct use has 1."""

_MIN_SCORE = 0.3
"""Tests with a lower score are guesses."""

_SHARE = 0.2
"""Guesses fill the list up to this share of the suite; tests that a chain proves are all listed."""

_MIN_TESTS = 10
_RATING_SECONDS = 0.3
"""With less time left, tests are chosen by chains of uses and by names alone, and not by their words."""


class SelectedTest(Struct, frozen=True):
    """A test that a change affects.

    Attributes:
        definition: The test, or the body of a test file whose tests have no names.
        score: How likely the change affects it.
        is_proven: Whether it was changed itself, or a proven chain of uses leads from it to the change.
        is_changed: Whether the change edits it.
        dependent: The chain of uses, if there is one.
        words: The distinctive words that it shares with the change.
        together: The share of the changed files' commits that touched its file too.
    """

    definition: Definition
    score: float
    is_proven: bool
    is_changed: bool
    dependent: Dependent | None
    words: tuple[str, ...]
    together: float


def find_tests(code: CodeIndex) -> tuple[Definition, ...]:
    """Return every test; a test file whose tests have no names of their own is one test."""
    files = [file for file in code.files if role_of(file) is FileRole.TEST and not _is_support_file(file)]
    if any(conventions_of(file).tests.beside_code for file in code.files):
        marked = (file for file in code.files_with_word("test") if conventions_of(file).tests.beside_code)
        files = sorted({*files, *marked})
    code.load_facts(files)
    calls = {word for file in files for word in conventions_of(file).tests.calls}
    calling = {file for word in sorted(calls) for file in code.files_with_word(word)}
    found: list[Definition] = []
    for file in files:
        own = [each for each in _iter_definitions(code, file) if is_test(code, each)]
        # In a file whose tests are calls (`test(…)`), a function named `testHash` is a helper that creates some of
        # them.
        is_named = any(each.symbol.decorators or _is_of_case(code, each) for each in own)
        is_nameless = file in calling and bool(conventions_of(file).tests.calls) and not is_named
        found += [build_module_body(code, file)] if is_nameless or (not own and file in calling) else own
    return tuple(found)


def is_test(code: CodeIndex, definition: Definition) -> bool:
    """Return whether a test runner runs the definition."""
    symbol = definition.symbol
    if symbol.kind not in FUNCTIONS or not is_for_tests(code, definition):
        return False
    tests = conventions_of(definition.file).tests
    plain = [each for each in symbol.decorators if not any(name in each for name in tests.fixtures)]
    marks = [each for each in plain if not tests.only_for_tests.fullmatch(each)]
    if any(map(tests.marks.search, marks)):
        return True
    if role_of(definition.file) is not FileRole.TEST:
        return False
    holder = code.get_parent(definition)
    return bool(tests.names.match(symbol.name)) and (holder is None or holder.kind not in FUNCTIONS)


def _is_of_case(code: CodeIndex, definition: Definition) -> bool:
    """Return whether a definition is a method of a test case, by the name of its base."""
    holder, ends = code.get_parent(definition), conventions_of(definition.file).tests.case_bases
    return holder is not None and any(each.endswith(ends) for each in holder.symbol.bases)


def _is_support_file(file: str) -> bool:
    """Return whether a file among the tests contains no tests."""
    return conventions_of(file).tests.support_files.search(file) is not None


def find_test_scripts(paths: Iterable[str], tests: Iterable[Definition]) -> tuple[str, ...]:
    """Return the test scripts in unsupported languages, whose tests are not known."""
    read = {test.file for test in tests}
    return tuple(
        path for path in paths if path not in read and is_unread_program(path) and role_of(path) is FileRole.TEST
    )


def choose_tests(
    base: RevisionView,
    head: RevisionView,
    changes: Sequence[SymbolChange],
    impact: Impact,
    together: Mapping[str, float],
) -> tuple[tuple[SelectedTest, ...], int]:
    """Return the tests that the changes affect, the likeliest first, and how many tests there are.

    `together` maps each test file to the share of the changed files' commits that touched it too.
    """
    tests = find_tests(head.code)
    edited = _edited_tests(tests, changes)
    product = [each for each in changes if not is_of_tests(base, head, each)]
    spoken = [each for each in product if each.change is not ChangeKind.TEXT]
    wanted = read_changed_words(base, head, spoken) if seconds_left() > _RATING_SECONDS else {}
    rated = rate_tests(head, tests, wanted) if wanted else {}
    namesakes = count_shared_words({test.file for test in tests}, {each.definition.file for each in spoken})
    chains = {each.definition: each for each in impact.dependents}
    chosen, unrated = [], TestRating(0.0)
    for test in tests:
        rating = rated.get(test, unrated)
        chain, shared = chains.get(test), together.get(test.file, 0.0)
        whole = _CHANGED * (test in edited) + _weigh(chain) + _SPOKEN * rating.score + _TOGETHER * shared
        whole += _NAMED * (test.file in namesakes)
        is_proven = test in edited or (chain is not None and chain.is_proven)
        chosen.append(SelectedTest(test, round(whole, 3), is_proven, test in edited, chain, rating.telling, shared))
    chosen.sort(key=lambda each: (-each.score, each.definition.file, each.definition.line))
    return _cut(chosen, bool(spoken)), len(tests)


def is_of_tests(base: RevisionView, head: RevisionView, change: SymbolChange) -> bool:
    """Return whether a changed definition exists only for tests."""
    side = head if change.after is not None else base
    return is_for_tests(side.code, change.after or change.definition)


def _cut(ranked: Sequence[SelectedTest], has_product: bool) -> tuple[SelectedTest, ...]:
    """Return the proven tests, and the best of the others while the list is short."""
    room = max(_MIN_TESTS, int(_SHARE * len(ranked))) if has_product else 0
    kept = []
    for at, each in enumerate(ranked):
        is_near = each.dependent is not None and each.dependent.distance == 1
        if each.is_proven or is_near or (at < room and each.score >= _MIN_SCORE):
            kept.append(each)
    return tuple(kept)


def _edited_tests(tests: Sequence[Definition], changes: Sequence[SymbolChange]) -> set[Definition]:
    """Return the tests that the change itself adds or edits, alone or with their class."""
    edited: dict[str, list[Definition]] = {}
    for each in changes:
        if each.after is not None and each.change is not ChangeKind.TEXT:
            edited.setdefault(each.after.file, []).append(each.after)
    found = set()
    for test in tests:
        for changed in edited.get(test.file, ()):
            is_class = changed.kind not in FUNCTIONS and changed.kind is not SymbolKind.MODULE
            is_nameless = test.kind is SymbolKind.MODULE
            if changed == test or is_nameless or (is_class and changed.symbol.span.contains(test.line)):
                found.add(test)
    return found


def _weigh(chain: Dependent | None) -> float:
    if chain is None:
        return 0.0
    weights = _PROVEN if chain.is_proven else _POSSIBLE
    return weights[min(chain.distance, len(weights)) - 1]


def _iter_definitions(code: CodeIndex, file: str) -> Iterator[Definition]:
    for index, symbol in enumerate(code.facts(file).symbols):
        yield Definition(file, symbol, index)
