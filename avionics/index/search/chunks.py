"""Passages: a file cut into what a search result can be — functions, class headers, the rest of the module.

Knows: an outline, and the words in lines.
Does not know: queries, scores, other files.
"""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

import attrs

from avionics.index.scopes.name_resolver import is_class
from avionics.index.search.query import stems_of, text_stems
from avionics.model.enums import SymbolKind
from avionics.model.facts import FileFacts, Span, Symbol
from avionics.syntax.registry import get_conventions

WORD = re.compile(r"[^\W\d]\w*")
_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
_KEPT_FILES = 1_000
"""So many files are kept cut; each costs some times what its text does."""
_B = 0.4
_USUAL_WORDS = 60
"""The length at which a passage is neither short nor long, and how much longer ones are held back."""
FIELDS = MappingProxyType({"name": 3.0, "container": 2.0, "doc": 0.5})
"""What a word counts in a field; in the body it counts 1."""

_LARGE = 120
_INNER = 5
"""In a function of more than so many lines the inner ones of at least so many are passages of their own."""
_TEST_MODULES = frozenset({"test", "tests"})
_ABOVE = re.compile(r"\s*(?://|/\*|\*|#|--|@)")
"""How comments and annotations begin; those right above a definition belong to it."""

WHOLE = "="
"""What stands before a whole identifier in a passage's words; stems stand bare."""


@attrs.frozen
class Chunk:
    """A function, a class header or a named type (symbol ≥ 0), or what no symbol owns (symbol -1).

    `is_test` when it stands in a module of tests within its file, as Rust has them.
    """

    symbol: int
    span: Span
    is_test: bool = False


@attrs.frozen
class FileCut:
    """A file in passages.

    Attributes:
        passages: In order of appearance, the rest of the module last.
        postings: Stem or `=identifier` → passage, frequency, passage, frequency, …: occurrences in the body by its
            length, and more for the name, the container and the documentation.
    """

    passages: tuple[Chunk, ...]
    postings: Mapping[str, tuple[float, ...]]

    def count(self, term: str) -> int:
        """How many passages have a term."""
        return len(self.postings.get(term, ())) // 2

    def iter_passages(self, term: str) -> Iterator[tuple[int, float]]:
        """The passages that have a term, and how frequent it is there."""
        found = iter(self.postings.get(term, ()))
        return ((int(number), frequency) for number, frequency in zip(found, found, strict=True))


@attrs.frozen
class Source:
    """A text and its outline, which follows from the text and the language."""

    text: str
    language: str
    facts: FileFacts = attrs.field(eq=False)


@functools.lru_cache(maxsize=_KEPT_FILES)
def chunk_file(source: Source) -> FileCut:
    """The passages of a file and their words; a line belongs to the innermost definition that holds it."""
    facts = source.facts
    passages = plan_chunks(facts)
    bodies = count_words_by_passage(source.text, find_owned_lines(facts, passages))
    frequencies: defaultdict[str, list[float]] = defaultdict(list)
    for number, (passage, body) in enumerate(zip(passages, bodies, strict=True)):
        norm = norm_of(body.total())
        found = {term: count / norm for term, count in _terms_of(body).items()}
        for field, stems in fields_of(facts, passage).items():
            for term in stems:
                found[term] = found.get(term, 0.0) + FIELDS[field]
        for term, frequency in found.items():
            frequencies[term] += (number, frequency)
    return FileCut(passages, {term: tuple(found) for term, found in frequencies.items()})


def norm_of(words: int) -> float:
    """How much longer than usual a passage of so many words is, in part."""
    return 1 - _B + _B * words / _USUAL_WORDS


def fields_of(facts: FileFacts, passage: Chunk) -> dict[str, tuple[str, ...]]:
    """Field → its stems; the name also has its whole."""
    if passage.symbol < 0:
        return {}
    symbol = facts.symbols[passage.symbol]
    return {
        "name": (*stems_of(symbol.name), WHOLE + symbol.name.strip("_").lower()),
        "container": text_stems(symbol.qualname.rpartition(".")[0]),
        "doc": text_stems(symbol.doc),
    }


def plan_chunks(facts: FileFacts) -> tuple[Chunk, ...]:
    """The passages of a file in order of appearance, the rest of the module last.

    What is defined within a function belongs to the function, unless that is a large one. A class is shown up to its
    first member, an interface that only declares members as a whole.
    """
    has_types = get_conventions(facts.language).has_written_types
    owners: list[tuple[int, Span]] = []
    inside: set[int] = set()
    large: set[int] = set()
    first_member: dict[int, int] = {}
    for index, symbol in enumerate(facts.symbols):
        lines = symbol.span.end_line - symbol.span.start_line
        is_own = symbol.kind in _CALLABLE and symbol.parent in large and lines >= _INNER
        if (symbol.parent in inside and not is_own) or (lines < _INNER and _is_loose(symbol)):
            inside.add(index)
        elif symbol.kind in _CALLABLE or is_class(symbol.kind) or (has_types and symbol.kind is SymbolKind.TYPE):
            if symbol.kind in _CALLABLE or (has_types and symbol.kind is SymbolKind.INTERFACE):
                inside.add(index)
                if lines > _LARGE:
                    large.add(index)
            if symbol.parent not in large:
                first_member.setdefault(symbol.parent, symbol.span.start_line)
            owners.append((index, symbol.span))
    rest = Span(1, max(1, first_member.get(-1, facts.lines + 1) - 1))
    tests = _symbols_of_tests(facts)
    return (
        *(Chunk(index, _head(span, first_member.get(index)), index in tests) for index, span in owners),
        Chunk(-1, rest),
    )


def _is_loose(symbol: Symbol) -> bool:
    """Whether it is the member of an object that stands in a function without a name, as a test's are."""
    return symbol.kind is SymbolKind.METHOD and symbol.parent < 0 and symbol.qualname == symbol.name


def _symbols_of_tests(facts: FileFacts) -> frozenset[int]:
    """The symbols in modules of tests within the file."""
    found: set[int] = set()
    for index, symbol in enumerate(facts.symbols):
        is_tests = symbol.kind is SymbolKind.MODULE and symbol.name in _TEST_MODULES
        if is_tests or symbol.parent in found:
            found.add(index)
    return frozenset(found)


def _head(span: Span, member_line: int | None) -> Span:
    """The lines of a class before its first member; all of what has no members."""
    return span if member_line is None else Span(span.start_line, max(span.start_line, member_line - 1))


def find_owned_lines(facts: FileFacts, passages: tuple[Chunk, ...]) -> tuple[tuple[int, int], ...]:
    """First and last line of each passage's symbol as a whole; inner ones come later and take their lines."""
    spans = [facts.symbols[p.symbol].span for p in passages if p.symbol >= 0]
    return tuple((span.start_line, span.end_line) for span in spans)


def count_words_by_passage(text: str, spans: tuple[tuple[int, int], ...]) -> list[Counter[str]]:
    """The words of each passage, and of the rest."""
    lines = text.split("\n")
    owner = list_owners(lines, spans)
    words: list[Counter[str]] = [Counter() for _ in range(len(spans) + 1)]
    for number, start, end in _runs(owner):
        words[number].update(WORD.findall("\n".join(lines[start:end])))
    return words


def list_owners(lines: list[str], spans: tuple[tuple[int, int], ...]) -> list[int]:
    """Line → the number of its passage; both count from 0."""
    owner = [len(spans)] * len(lines)
    for number, (start, end) in enumerate(spans):
        last = min(end, len(lines))
        first = _first_above(lines, owner, start)
        owner[first - 1 : last] = [number] * max(0, last - first + 1)
    return owner


def terms_of(word: str) -> tuple[str, ...]:
    """The stems of a word, and the whole where it is an identifier."""
    stems = stems_of(word)
    is_whole = len(stems) > 1 or word[0].isupper() or "_" in word
    return (*stems, WHOLE + word.strip("_").lower()) if is_whole else stems


def _terms_of(words: Mapping[str, int]) -> dict[str, int]:
    """Stems and whole identifiers of some words."""
    terms: dict[str, int] = {}
    for word, count in words.items():
        for term in terms_of(word):
            terms[term] = terms.get(term, 0) + count
    return terms


def _first_above(lines: list[str], owner: list[int], start: int) -> int:
    """The line of the first comment or annotation right above a definition that starts in a line."""
    holder = owner[start - 1] if start <= len(owner) else -1
    while 1 < start <= len(lines) and owner[start - 2] == holder and _ABOVE.match(lines[start - 2]):
        start -= 1
    return start


def read_pairs(text: str) -> frozenset[tuple[str, str]]:
    """The stems that follow one another in a text, common words left out."""
    return frozenset(pairwise(text_stems(text)))


def _runs(owner: list[int]) -> Iterator[tuple[int, int, int]]:
    """Owner, first and past-the-last index of each run of equal owners."""
    start = 0
    for at in range(1, len(owner) + 1):
        if at == len(owner) or owner[at] != owner[start]:
            yield owner[start], start, at
            start = at
