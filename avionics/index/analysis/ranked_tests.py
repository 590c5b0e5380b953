"""Rate how much the text of a test has in common with a change, for tests without a reference to it.

The words of the changed lines and names are searched in each test's lines; rare words count more. A test file may also
be named after a changed file.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from avionics.index.changes.symbol_diff import RevisionView, SymbolChange
from avionics.index.model.file_roles import is_directory_file
from avionics.model.knowledge import Definition
from avionics.model.naming import split_name
from avionics.source.read import lines_of

_WORD, _ASCII_WORD = re.compile(r"[^\W\d]\w{2,79}"), re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,79}")
"""A word of any text, and the same for a text in ASCII, which takes half the time to find."""
_OF_NAME = 3.0
"""The weight of a changed name, in mentions."""

_OF_TEST_NAME = 0.3
"""The additional weight of a word in the test's own name."""

_MAX_MENTIONS = 3
_TELLING = 0.3
"""A word in more than this share of the tests is not shown as a reason."""
_MAX_TELLING = 3

_SHORT_TEST = 10
"""Words added to a test's length, so that short tests do not win by their length."""

Words = Mapping[str, float]


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
        old, new = _own_lines(each.before, before), _own_lines(each.after, after)
        mentions = Counter(word for line in (old - new) + (new - old) for word in set(_words_of(line)))
        for word, count in mentions.items():
            counts[word] += min(count, _MAX_MENTIONS)
        *holders, name = each.definition.symbol.qualname.split(".")
        for word in split_name(name):
            counts[word] += _OF_NAME
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
        written = set((_ASCII_WORD if text.isascii() else _WORD).findall(text))
        spoken[test] = set().union(*map(split, written))
    spread = Counter(word for words in spoken.values() for word in words & wanted.keys())
    weights = {
        word: math.sqrt(wanted[word]) * math.log((len(tests) + 1) / (count + 0.5)) for word, count in spread.items()
    }
    rated = {}
    for test, words in spoken.items():
        common = sorted(words & weights.keys(), key=lambda word: (-weights[word], word))
        score = sum(weights[word] for word in common) / math.sqrt(_SHORT_TEST + len(words))
        score += _OF_TEST_NAME * sum(weights.get(word, 0.0) for word in set(split_name(test.name)))
        rated[test] = score, tuple(common)
    most = max((score for score, _ in rated.values()), default=0.0) or 1.0
    few = {word for word, count in spread.items() if count <= max(1, _TELLING * len(tests))}
    return {
        test: TestRating(max(0.0, score) / most, common, tuple(word for word in common if word in few)[:_MAX_TELLING])
        for test, (score, common) in rated.items()
    }


def count_shared_words(test_files: Iterable[str], files: Iterable[str]) -> dict[str, int]:
    """Return test file → the number of words that its name shares with those of some files, if there are any."""
    parts = {part for file in files for part in _stem_parts(file)} - {"test", "tests", "spec"}
    return {each: shared for each in test_files if (shared := len(parts.intersection(_stem_parts(each))))}


def _stem_parts(file: str) -> tuple[str, ...]:
    """Return the words of a file's name, or for names such as `__init__` those of its package."""
    directory, _, name = file.rpartition("/")
    stem = name.partition(".")[0]
    stem = directory.rpartition("/")[2] if is_directory_file(file) else stem
    return tuple(part for part in stem.lower().replace("-", "_").split("_") if part)


def _read_lines(side: RevisionView, files: Iterable[str]) -> Mapping[str, Sequence[str]]:
    return {content.path: lines_of(content.data) for content in side.source.iter_contents(sorted(files))}


def _own_lines(definition: Definition | None, lines: Mapping[str, Sequence[str]]) -> Counter[str]:
    if definition is None:
        return Counter()
    span = definition.symbol.span
    own = lines.get(definition.file, ())[span.start_line - 1 : span.end_line]
    return Counter(line.strip() for line in own)


def _words_of(line: str) -> Iterable[str]:
    for written in _WORD.findall(line):
        yield from split_name(written)
