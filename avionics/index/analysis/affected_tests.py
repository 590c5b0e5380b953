"""Regression test selection: which definitions are tests, and which of them a change affects.

Four features rank a test: a chain of uses from it to the change, the words it shares with the change, the name of its
file, and how often its file changed together with the changed files. The weights were fitted on commits whose tests
were hidden (docs/research/change-analysis.md).

Tests without a reference to a change are rated by their text: the words of the changed lines and names are searched in
each test's lines; rare words count more. A test file may also be named after a changed file.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from avionics.cancellation import seconds_left
from avionics.index.analysis.impact import Dependent, Impact
from avionics.index.analysis.symbol_usage import is_for_tests
from avionics.index.changes.symbol_diff import ChangeKind, RevisionView, SymbolChange
from avionics.index.code_index import CodeIndex
from avionics.index.entrypoints.handlers import build_module_body
from avionics.index.model.file_roles import FileRole, is_directory_file, role_of
from avionics.model.enums import FUNCTIONS, SymbolKind
from avionics.model.knowledge import Definition
from avionics.model.mappings import group_pairs
from avionics.model.naming import split_name
from avionics.source.read import lines_of
from avionics.syntax.registry import conventions_of, is_unread_program

_PROVEN = (1.0, 0.8, 0.55)
_POSSIBLE = (0.7, 0.35, 0.2)
_CHANGED, _WORDS_SHARED, _HISTORY_SHARED, _NAME_SHARED = 4.0, 1.0, 0.5, 0.3
"""The weights of an edited test, shared words, a shared history and a shared name; a proven direct use has 1."""

_MIN_SCORE = 0.3
"""Tests with a lower score are guesses."""

_LISTED_SHARE = 0.2
"""Guesses fill the list up to this share of the suite; tests that a chain proves are all listed."""

_MIN_TESTS = 10
_RATING_SECONDS = 0.3
"""With less time left, tests are chosen by chains of uses and by names alone, and not by their words."""


_WORD, _ASCII_WORD = re.compile(r"[^\W\d]\w{2,79}"), re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,79}")
"""A word of any text, and the same for a text in ASCII, which takes half the time to find."""
_CHANGED_NAME_WEIGHT = 3.0
"""The weight of a changed name, in mentions."""

_TEST_NAME_WEIGHT = 0.3
"""The additional weight of a word in the name of the test."""

_MAX_MENTIONS = 3
_DISTINCTIVE_SHARE = 0.3
"""A word in more than this share of the tests is not shown as a reason."""
_MAX_DISTINCTIVE = 3

_SHORT_TEST = 10
"""Words added to a test's length, so that short tests do not win by their length."""

Words = Mapping[str, float]


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
    in_tests = (file for file in code.files if role_of(file) is FileRole.TEST)
    files = [file for file in in_tests if conventions_of(file).tests.support_files.search(file) is None]
    if any(conventions_of(file).tests.beside_code for file in code.files):
        marked = (file for file in code.files_with_word("test") if conventions_of(file).tests.beside_code)
        files = sorted({*files, *marked})
    code.load_facts(files)
    # A word such as `it`, which makes a test in one language, is an ordinary word in the files of others.
    calls = group_pairs((word, file) for file in files for word in conventions_of(file).tests.calls)
    calling = {file for word in sorted(calls) for file in {*calls[word]}.intersection(code.files_with_word(word))}
    found: list[Definition] = []
    for file in files:
        own = [each for each in code.iter_definitions(file) if is_test(code, each)]
        # In a file whose tests are calls (`test(…)`), a function named `testHash` is a helper that creates some of
        # them.
        is_named = any(each.symbol.decorators or _is_of_case(code, each) for each in own)
        is_nameless = file in calling and not is_named
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
        whole = (
            _CHANGED * (test in edited) + _weigh_chain(chain) + _WORDS_SHARED * rating.score + _HISTORY_SHARED * shared
        )
        whole += _NAME_SHARED * (test.file in namesakes)
        is_proven = test in edited or (chain is not None and chain.is_proven)
        chosen.append(SelectedTest(test, round(whole, 3), is_proven, test in edited, chain, rating.telling, shared))
    chosen.sort(key=lambda each: (-each.score, each.definition.file, each.definition.line))
    return _keep_likely(chosen, bool(spoken)), len(tests)


def is_of_tests(base: RevisionView, head: RevisionView, change: SymbolChange) -> bool:
    """Return whether a changed definition exists only for tests."""
    side = head if change.after is not None else base
    return is_for_tests(side.code, change.after or change.definition)


def _keep_likely(ranked: Sequence[SelectedTest], has_product: bool) -> tuple[SelectedTest, ...]:
    """Return the proven tests, and the best of the others while the list is short."""
    room = max(_MIN_TESTS, int(_LISTED_SHARE * len(ranked))) if has_product else 0
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


def _weigh_chain(chain: Dependent | None) -> float:
    if chain is None:
        return 0.0
    weights = _PROVEN if chain.is_proven else _POSSIBLE
    return weights[min(chain.distance, len(weights)) - 1]


class TestRating(Struct, frozen=True):
    """Which of the wanted words a test has.

    Attributes:
        score: The share of them, at most 1.0; rare words count more.
        words: The wanted words that it has, the rarest first.
        telling: The first of them that few tests have.
    """

    score: float
    words: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()


def read_changed_words(base: RevisionView, head: RevisionView, changes: Sequence[SymbolChange]) -> Words:
    """Return the weights of the words in changed names and in lines that only one version has."""
    before = _read_lines(base, {each.before.file for each in changes if each.before})
    after = _read_lines(head, {each.after.file for each in changes if each.after})
    counts: defaultdict[str, float] = defaultdict(float)
    for each in changes:
        old, new = _count_lines(each.before, before), _count_lines(each.after, after)
        mentions = Counter(word for line in (old - new) + (new - old) for word in set(_words_of(line)))
        for word, count in mentions.items():
            counts[word] += min(count, _MAX_MENTIONS)
        *holders, name = each.definition.symbol.qualname.split(".")
        for word in split_name(name):
            counts[word] += _CHANGED_NAME_WEIGHT
        for holder in holders:
            for word in split_name(holder):
                counts[word] += 1.0
    return counts


def rate_tests(head: RevisionView, tests: Sequence[Definition], wanted: Words) -> dict[Definition, TestRating]:
    """Return how much of the wanted words each test has."""
    lines = _read_lines(head, {test.file for test in tests})
    split = lru_cache(maxsize=None)(split_name)
    spoken = {}
    for test in tests:
        span = test.symbol.span
        text = "\n".join(lines.get(test.file, ())[span.start_line - 1 : span.end_line])
        written_words = set((_ASCII_WORD if text.isascii() else _WORD).findall(text))
        spoken[test] = set().union(*map(split, written_words))
    spread = Counter(word for words in spoken.values() for word in words & wanted.keys())
    weights = {
        word: math.sqrt(wanted[word]) * math.log((len(tests) + 1) / (count + 0.5)) for word, count in spread.items()
    }
    rated = {}
    for test, words in spoken.items():
        common = sorted(words & weights.keys(), key=lambda word: (-weights[word], word))
        score = sum(weights[word] for word in common) / math.sqrt(_SHORT_TEST + len(words))
        score += _TEST_NAME_WEIGHT * sum(weights.get(word, 0.0) for word in set(split_name(test.name)))
        rated[test] = score, tuple(common)
    most = max((score for score, _ in rated.values()), default=0.0) or 1.0
    few = {word for word, count in spread.items() if count <= max(1, _DISTINCTIVE_SHARE * len(tests))}
    return {
        test: TestRating(
            max(0.0, score) / most, common, tuple(word for word in common if word in few)[:_MAX_DISTINCTIVE]
        )
        for test, (score, common) in rated.items()
    }


def count_shared_words(test_files: Iterable[str], files: Iterable[str]) -> dict[str, int]:
    """Return test file → the number of words that its name shares with those of some files, if there are any."""
    parts = {part for file in files for part in stem_parts(file)} - {"test", "tests", "spec"}
    return {each: shared for each in test_files if (shared := len(parts.intersection(stem_parts(each))))}


def stem_parts(file: str) -> tuple[str, ...]:
    """Return the words of a file's name, or for names such as `__init__` those of its package."""
    directory, _, name = file.rpartition("/")
    stem = name.partition(".")[0]
    stem = directory.rpartition("/")[2] if is_directory_file(file) else stem
    return tuple(part for part in stem.lower().replace("-", "_").split("_") if part)


def _read_lines(side: RevisionView, files: Iterable[str]) -> Mapping[str, Sequence[str]]:
    return {content.path: lines_of(content.data) for content in side.source.iter_contents(sorted(files))}


def _count_lines(definition: Definition | None, lines: Mapping[str, Sequence[str]]) -> Counter[str]:
    if definition is None:
        return Counter()
    span = definition.symbol.span
    own = lines.get(definition.file, ())[span.start_line - 1 : span.end_line]
    return Counter(line.strip() for line in own)


def _words_of(line: str) -> Iterable[str]:
    for written in _WORD.findall(line):
        yield from split_name(written)
