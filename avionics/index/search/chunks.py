"""Chunks: the parts of a file that search can return — functions, class headers, the rest of the module."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

from msgspec import Struct

from avionics.index.search.query import stems_of, text_stems
from avionics.late_pattern import late_pattern
from avionics.model.enums import BODIES, SymbolKind, is_class
from avionics.model.facts import FileFacts, Span, Symbol
from avionics.syntax.registry import get_conventions

_WORD, _ASCII_WORD = late_pattern(r"[^\W\d]\w*"), late_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
"""A word of any text, and the same for a text in ASCII, which takes half the time to find."""
_B = 0.4
_USUAL_WORDS = 60
"""The length of an average chunk, and the penalty for longer ones."""
FIELDS = MappingProxyType({"name": 3.0, "container": 2.0, "doc": 0.5})
"""The frequency of a word in a field; a word of the body counts 1."""

_LARGE = 120
_INNER = 5
"""In a longer function, inner ones of at least this many lines are separate chunks."""
_TEST_MODULES = frozenset({"test", "tests"})
_ABOVE = late_pattern(r"\s*(?://|/\*|\*|#|--|@)")
"""The start of comments and annotations; those directly above a definition belong to it."""

WHOLE = "="
"""The prefix of whole identifiers among the words of a chunk; stems have none."""


class Chunk(Struct, frozen=True):
    """A function, a class header or a named type (symbol ≥ 0), or everything that belongs to no symbol (symbol -1).

    `is_test` if it is in a test module within its file, as in Rust.
    """

    symbol: int
    span: Span
    is_test: bool = False


class FileCut(Struct, frozen=True):
    """A file cut into chunks.

    Attributes:
        chunks: The chunks in order of appearance, the rest of the module last.
        postings: Stem or `=identifier` → chunk, frequency, chunk, frequency, …: occurrences in the body normalised by
            length, plus those in the name, the container and the documentation.
    """

    chunks: tuple[Chunk, ...]
    postings: Mapping[str, tuple[float, ...]]

    def count(self, term: str) -> int:
        """Return the number of chunks that contain a term."""
        return len(self.postings.get(term, ())) // 2

    def iter_chunks(self, term: str) -> Iterator[tuple[int, float]]:
        """Yield the chunks that contain a term, and its frequency there."""
        found = iter(self.postings.get(term, ()))
        return ((int(number), frequency) for number, frequency in zip(found, found, strict=True))


class Source(Struct, frozen=True):
    """A text and its outline."""

    text: str
    language: str
    facts: FileFacts


def chunk_file(source: Source) -> FileCut:
    """Return the chunks of a file and their words; a line belongs to the innermost definition around it."""
    facts = source.facts
    chunks = plan_chunks(facts)
    bodies = count_words_by_chunk(source.text, find_owned_lines(facts, chunks))
    frequencies: defaultdict[str, list[float]] = defaultdict(list)
    for number, (chunk, body) in enumerate(zip(chunks, bodies, strict=True)):
        norm = norm_of(body.total())
        found = {term: count / norm for term, count in _terms_of(body).items()}
        for field, stems in fields_of(facts, chunk).items():
            for term in stems:
                found[term] = found.get(term, 0.0) + FIELDS[field]
        for term, frequency in found.items():
            frequencies[term] += (number, frequency)
    return FileCut(chunks, {term: tuple(found) for term, found in frequencies.items()})


def norm_of(words: int) -> float:
    """Return the length normalisation of a chunk."""
    return 1 - _B + _B * words / _USUAL_WORDS


def fields_of(facts: FileFacts, chunk: Chunk) -> dict[str, tuple[str, ...]]:
    """Return field → its stems; the name also has the whole identifier."""
    if chunk.symbol < 0:
        return {}
    symbol = facts.symbols[chunk.symbol]
    return {
        "name": (*stems_of(symbol.name), WHOLE + symbol.name.strip("_").lower()),
        "container": text_stems(symbol.qualname.rpartition(".")[0]),
        "doc": text_stems(symbol.doc),
    }


def plan_chunks(facts: FileFacts) -> tuple[Chunk, ...]:
    """Return the chunks of a file in order of appearance, the rest of the module last.

    A definition within a function belongs to the function, unless that is large. A class is shown up to its first
    member, an interface that only declares members completely.
    """
    has_types = get_conventions(facts.language).has_written_types
    owners: list[tuple[int, Span]] = []
    inside: set[int] = set()
    large: set[int] = set()
    first_member: dict[int, int] = {}
    for index, symbol in enumerate(facts.symbols):
        lines = symbol.span.end_line - symbol.span.start_line
        is_own = symbol.kind in BODIES and symbol.parent in large and lines >= _INNER
        if (symbol.parent in inside and not is_own) or (lines < _INNER and _is_loose(symbol)):
            inside.add(index)
        elif symbol.kind in BODIES or is_class(symbol.kind) or (has_types and symbol.kind is SymbolKind.TYPE):
            if symbol.kind in BODIES or (has_types and symbol.kind is SymbolKind.INTERFACE):
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
    """Return whether it is a member of an object in a function without a name, as in tests."""
    return symbol.kind is SymbolKind.METHOD and symbol.parent < 0 and symbol.qualname == symbol.name


def _symbols_of_tests(facts: FileFacts) -> frozenset[int]:
    """Return the symbols in test modules within the file."""
    found: set[int] = set()
    for index, symbol in enumerate(facts.symbols):
        is_tests = symbol.kind is SymbolKind.MODULE and symbol.name in _TEST_MODULES
        if is_tests or symbol.parent in found:
            found.add(index)
    return frozenset(found)


def _head(span: Span, member_line: int | None) -> Span:
    """Return the lines of a class before its first member; all lines if it has no members."""
    return span if member_line is None else Span(span.start_line, max(span.start_line, member_line - 1))


def find_owned_lines(facts: FileFacts, chunks: tuple[Chunk, ...]) -> tuple[tuple[int, int], ...]:
    """Return first and last line of each chunk's symbol; inner ones come later and take over their lines."""
    spans = [facts.symbols[p.symbol].span for p in chunks if p.symbol >= 0]
    return tuple((span.start_line, span.end_line) for span in spans)


def count_words_by_chunk(text: str, spans: tuple[tuple[int, int], ...]) -> list[Counter[str]]:
    """Return the words of each chunk, and of the rest."""
    lines = text.split("\n")
    owner = list_owners(lines, spans)
    words: list[Counter[str]] = [Counter() for _ in range(len(spans) + 1)]
    for number, start, end in _runs(owner):
        words[number].update(list_words("\n".join(lines[start:end])))
    return words


def list_words(text: str) -> list[str]:
    """Return the words of a text in order."""
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


def list_owners(lines: list[str], spans: tuple[tuple[int, int], ...]) -> list[int]:
    """Return line → the number of its chunk; both count from 0."""
    owner = [len(spans)] * len(lines)
    for number, (start, end) in enumerate(spans):
        last = min(end, len(lines))
        first = _first_above(lines, owner, start)
        owner[first - 1 : last] = [number] * max(0, last - first + 1)
    return owner


def terms_of(word: str) -> tuple[str, ...]:
    """Return the stems of a word, and the whole if it is an identifier."""
    stems = stems_of(word)
    is_whole = len(stems) > 1 or word[0].isupper() or "_" in word
    return (*stems, WHOLE + word.strip("_").lower()) if is_whole else stems


def _terms_of(words: Mapping[str, int]) -> dict[str, int]:
    """Return the stems and whole identifiers of some words."""
    terms: dict[str, int] = {}
    for word, count in words.items():
        for term in terms_of(word):
            terms[term] = terms.get(term, 0) + count
    return terms


def _first_above(lines: list[str], owner: list[int], start: int) -> int:
    """Return the line of the first comment or annotation directly above a definition."""
    holder = owner[start - 1] if start <= len(owner) else -1
    while 1 < start <= len(lines) and owner[start - 2] == holder and _ABOVE.match(lines[start - 2]):
        start -= 1
    return start


def read_pairs(text: str) -> frozenset[tuple[str, str]]:
    """Return the adjacent stems of a text, ignoring common words."""
    return frozenset(pairwise(text_stems(text)))


def _runs(owner: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield owner, first and past-the-last index of each run of equal owners."""
    start = 0
    for at in range(1, len(owner) + 1):
        if at == len(owner) or owner[at] != owner[start]:
            yield owner[start], start, at
            start = at
