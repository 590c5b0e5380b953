"""Passages: a file cut into what a search result can be — functions, class headers, the rest of the module.

Knows: an outline, and the words in lines.
Does not know: queries, scores, other files.
"""

from __future__ import annotations

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import attrs

from avionics.index.query import stems_of
from avionics.index.scopes import is_class
from protocols.enums import SymbolKind
from protocols.facts import FileFacts, Span

_WORD = re.compile(r"[^\W\d]\w*")
_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.PROPERTY})
_KEPT_FILES = 4_000
"""Word counts of this many contents are kept; each costs about what its text does."""

WHOLE = "="
"""What stands before a whole identifier in a passage's words; stems stand bare."""


@attrs.frozen
class Passage:
    """A function, a class header (symbol ≥ 0), or what no symbol owns (symbol -1)."""

    symbol: int
    span: Span


@attrs.frozen
class PassageWords:
    """Stem or `=identifier` → (passage, occurrences), and how many words each passage has."""

    postings: Mapping[str, tuple[tuple[int, int], ...]]
    lengths: tuple[int, ...]


def plan_passages(facts: FileFacts) -> tuple[Passage, ...]:
    """The passages of a file in order of appearance, the rest of the module last.

    What is defined within a function belongs to the function. A class is shown up to its first member.
    """
    owners: list[tuple[int, Span]] = []
    inside: set[int] = set()
    first_member: dict[int, int] = {}
    for index, symbol in enumerate(facts.symbols):
        if symbol.parent in inside:
            inside.add(index)
        elif symbol.kind in _CALLABLE or is_class(symbol.kind):
            if symbol.kind in _CALLABLE:
                inside.add(index)
            first_member.setdefault(symbol.parent, symbol.span.start_line)
            owners.append((index, symbol.span))
    rest = Span(1, max(1, first_member.get(-1, facts.lines + 1) - 1))
    return (*(Passage(index, _head(span, first_member.get(index))) for index, span in owners), Passage(-1, rest))


def _head(span: Span, member_line: int | None) -> Span:
    """The lines of a class before its first member; all of what has no members."""
    return span if member_line is None else Span(span.start_line, max(span.start_line, member_line - 1))


def find_owned_lines(facts: FileFacts, passages: tuple[Passage, ...]) -> tuple[tuple[int, int], ...]:
    """First and last line of each passage's symbol as a whole; inner ones come later and take their lines."""
    spans = [facts.symbols[p.symbol].span for p in passages if p.symbol >= 0]
    return tuple((span.start_line, span.end_line) for span in spans)


@functools.lru_cache(maxsize=_KEPT_FILES)
def count_passage_words(text: str, spans: tuple[tuple[int, int], ...]) -> PassageWords:
    """The words of each passage; a line belongs to the innermost span that holds it, else to the rest."""
    lines = text.split("\n")
    owner = [len(spans)] * len(lines)
    for number, (start, end) in enumerate(spans):
        last = min(end, len(lines))
        owner[start - 1 : last] = [number] * max(0, last - start + 1)
    owned: dict[int, list[str]] = defaultdict(list)
    for number, start, end in _runs(owner):
        owned[number].extend(lines[start:end])
    lengths = [0] * (len(spans) + 1)
    postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, own in owned.items():
        words = Counter(_WORD.findall("\n".join(own)))
        lengths[number] = words.total()
        for term, count in _terms_of(words).items():
            postings[term].append((number, count))
    return PassageWords({term: tuple(found) for term, found in postings.items()}, tuple(lengths))


def _terms_of(words: Mapping[str, int]) -> dict[str, int]:
    """Stems and whole identifiers of some words."""
    terms: dict[str, int] = {}
    for word, count in words.items():
        stems = stems_of(word)
        for term in stems:
            terms[term] = terms.get(term, 0) + count
        if len(stems) > 1 or word[0].isupper() or "_" in word:
            whole = WHOLE + word.strip("_").lower()
            terms[whole] = terms.get(whole, 0) + count
    return terms


def _runs(owner: list[int]) -> Iterator[tuple[int, int, int]]:
    """Owner, first and past-the-last index of each run of equal owners."""
    start = 0
    for at in range(1, len(owner) + 1):
        if at == len(owner) or owner[at] != owner[start]:
            yield owner[start], start, at
            start = at
