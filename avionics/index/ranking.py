"""Ranking: the symbols a text is about, best first.

Two steps. The inverted index scores whole files by BM25 (Robertson & Zaragoza 2009); the best of them are cut into
passages, which are scored by BM25F over name, container, path, documentation and body. A file's score is the mean of
its own and its best passage's, and half of it goes back to its passages. What the text names outright comes on top.

Knows: one snapshot's postings and outlines.
Does not know: how a text becomes a query, how results are shown.
"""

from __future__ import annotations

import functools
import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import attrs

from avionics.index.code_index import CodeIndex
from avionics.index.names import is_within
from avionics.index.passages import WHOLE, Passage, count_passage_words, find_owned_lines, plan_passages
from avionics.index.pins import Pin, PinKey, read_pins
from avionics.index.places import Standing, standing_of
from avionics.index.query import Query, spellings_of, stems_of, text_stems
from protocols.enums import SymbolKind
from protocols.errors import SourceError
from protocols.facts import FileFacts, Symbol
from protocols.knowledge import RankedSymbol

_K1 = 1.2
_B = 0.4
_WEIGHTS = MappingProxyType({"name": 3.0, "container": 2.0, "path": 3.0, "doc": 0.5})
"""What a word counts in a field; in the body it counts 1. Fitted on commits of three Python projects."""
_PATH_COUNT = 4
"""A word of a file's path counts this often in the file."""
_WHOLE_SHARE = 0.5
"""A whole identifier against its parts."""
_FILE_SHARE = 0.5
"""How much of a file's score its passages get."""
_STEM_BONUS = 0.2
"""For the file whose name the text says: `response` for `response.py`."""
_MODULE_FACTOR = 0.6
"""The rest of a module against a symbol: it has everything and says little."""
_USUAL_WORDS = 60
"""The length at which a passage is neither short nor long."""
_MOST_FILES = 80
"""Files cut into passages for a query: what lies deeper is never among the first hundred."""
_STANDING = MappingProxyType(
    {Standing.PRODUCT: 1.0, Standing.ASIDE: 0.7, Standing.TEST: 0.6, Standing.GENERATED: 0.5, Standing.VENDORED: 0.4}
)

_VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.TYPE})

ReadText = Callable[[str], str]


@attrs.frozen
class Ranking:
    """Symbols, best first.

    Attributes:
        symbols: The best, at most as many as asked for.
        found: How many passages matched in the files that were read.
        files_matched: How many files have a word of the query.
        files_read: How many of those were cut into passages.
        unknown: Words of the query that no file has.
    """

    symbols: tuple[RankedSymbol, ...]
    found: int
    files_matched: int
    files_read: int
    unknown: tuple[str, ...] = ()


@attrs.frozen
class _Files:
    """File → score, and what each term of the query weighs here."""

    scores: Mapping[str, float]
    weights: Mapping[str, float]


@attrs.frozen
class _Match:
    """A passage that matches: its score, and what each term gave in which field."""

    file: str
    passage: Passage
    score: float
    shares: Mapping[str, float]


def rank_symbols(
    code: CodeIndex, query: Query, read_text: ReadText, *, scope: str | None = None, limit: int = 100
) -> Ranking:
    """The functions, class headers and module parts a query is about.

    Args:
        code: The index to search.
        query: What to look for.
        read_text: The text of a path; one that cannot be read any more is passed over.
        scope: Only in this file or below this directory.
        limit: The most symbols to give.
    """
    counts = _count_terms(code, query)
    files = _rate_files(code, query, counts, scope)
    pins = read_pins(code, query, scope)
    best = heapq.nsmallest(_MOST_FILES, files.scores, key=lambda path: (-files.scores[path], path))
    chosen = tuple(dict.fromkeys((*best, *(path for path, _ in pins))))
    code.load_facts(chosen)
    matches = [match for path in chosen for match in _rate_passages(code.facts(path), path, files.weights, read_text)]
    shares = _share_files(matches, files, _file_bonuses(query, chosen), pins)
    top = max((match.score for match in matches), default=0.0) or 1.0
    matches += _iter_named(code, pins, matches, files.weights)
    scored = [(m.score / top + shares.get(m.file, 0.0) + _bonus(pins, m), m) for m in matches]
    scored.sort(key=lambda entry: (-entry[0], entry[1].file, entry[1].passage.span.start_line))
    unknown = tuple(query.spelling[term] for term in query.terms if term not in counts and term in query.spelling)
    symbols = tuple(_iter_symbols(code, query, scored, pins, read_text, limit))
    return Ranking(symbols, len(scored), len(files.scores), len(chosen), unknown)


def _count_terms(code: CodeIndex, query: Query) -> dict[str, Mapping[str, int]]:
    """Term → file → occurrences, of the terms that occur; words of the path count too."""
    by_path = _paths_by_stem(code.files)
    found: dict[str, Mapping[str, int]] = {}
    for term in query.terms:
        counts: defaultdict[str, int] = defaultdict(int)
        for spelling in spellings_of(term):
            for path, count in code.term_counts(spelling).items():
                counts[path] += count
        for path in by_path.get(term, ()):
            counts[path] += _PATH_COUNT
        if counts:
            found[term] = counts
    for name in query.identifiers:
        whole = code.term_counts(name)
        if whole:
            found[WHOLE + name] = whole
    return found


def _rate_files(code: CodeIndex, query: Query, counts: Mapping[str, Mapping[str, int]], scope: str | None) -> _Files:
    """Whole-file BM25."""
    lengths = code.document_lengths({path for per_file in counts.values() for path in per_file})
    average = sum(lengths.values()) / max(1, len(lengths)) or 1.0
    norms = {path: _K1 * (1 - _B + _B * length / average) for path, length in lengths.items()}
    scores: defaultdict[str, float] = defaultdict(float)
    weights: dict[str, float] = {}
    for term, per_file in counts.items():
        weight = weights[term] = _asked_weight(query, term) * _rarity(len(per_file), len(code.files))
        for path, count in per_file.items():
            scores[path] += weight * count / (norms[path] + count)
    within = {path: _STANDING[standing_of(path)] * score for path, score in scores.items() if is_within(path, scope)}
    return _Files(within, weights)


def _asked_weight(query: Query, term: str) -> float:
    """How much the query stresses a term."""
    if term.startswith(WHOLE):
        return _WHOLE_SHARE * query.identifiers[term.removeprefix(WHOLE)]
    return query.terms[term]


def _rarity(files_with: int, files: int) -> float:
    """Inverse document frequency, never negative."""
    return math.log(1 + (files - files_with + 0.5) / (files_with + 0.5))


def _rate_passages(facts: FileFacts, path: str, weights: Mapping[str, float], read_text: ReadText) -> Iterator[_Match]:
    """The passages of a file that have a term in their body, by BM25F."""
    try:
        text = read_text(path)
    except SourceError:
        return
    passages = plan_passages(facts)
    words = count_passage_words(text, find_owned_lines(facts, passages))
    counts: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for term in weights:
        for number, count in words.postings.get(term, ()):
            counts[number][term] = count / (1 - _B + _B * words.lengths[number] / _USUAL_WORDS)
    for number, body in counts.items():
        yield _rate_passage(facts, passages[number], path, body, weights)


def _rate_passage(
    facts: FileFacts, passage: Passage, path: str, body: Mapping[str, float], weights: Mapping[str, float]
) -> _Match:
    """BM25F over the fields of a passage; `body` is what it has of each term, by its length."""
    counts = dict(body)
    for field, stems in fields_of(facts, passage, path).items():
        for term in stems:
            if term in weights:
                counts[term] = counts.get(term, 0.0) + _WEIGHTS[field]
    shares = {term: weights[term] * count / (_K1 + count) for term, count in counts.items()}
    factor = _STANDING[standing_of(path)] * (1.0 if passage.symbol >= 0 else _MODULE_FACTOR)
    return _Match(path, passage, factor * sum(shares.values()), shares)


def fields_of(facts: FileFacts, passage: Passage, path: str) -> dict[str, tuple[str, ...]]:
    """Field → its stems; the name also has its whole."""
    if passage.symbol < 0:
        return {"path": stems_of_path(path)}
    symbol = facts.symbols[passage.symbol]
    return {
        "name": (*stems_of(symbol.name), WHOLE + symbol.name.strip("_").lower()),
        "container": text_stems(symbol.qualname.rpartition(".")[0]),
        "path": stems_of_path(path),
        "doc": text_stems(symbol.doc),
    }


def _file_bonuses(query: Query, paths: tuple[str, ...]) -> dict[str, float]:
    """For each file, what it gets for being called by its name."""
    said = {word.lower() for word in query.spelling.values()} | query.identifiers.keys()
    return {path: _STEM_BONUS if path.rpartition("/")[2].partition(".")[0].lower() in said else 0.0 for path in paths}


def _share_files(
    matches: list[_Match], files: _Files, bonuses: Mapping[str, float], pins: Mapping[PinKey, Pin]
) -> dict[str, float]:
    """File → what each of its passages gets from it."""
    best: defaultdict[str, float] = defaultdict(float)
    for match in matches:
        best[match.file] = max(best[match.file], match.score)
    top_passage = max(best.values(), default=0.0) or 1.0
    top_file = max(files.scores.values(), default=0.0) or 1.0
    return {
        path: _FILE_SHARE * ((score / top_passage + files.scores.get(path, 0.0) / top_file) / 2 + bonuses[path])
        + (pins[path, -1].bonus if (path, -1) in pins else 0.0)
        for path, score in best.items()
    }


def _bonus(pins: Mapping[PinKey, Pin], match: _Match) -> float:
    """What a match gets for being named itself, not its file."""
    pin = pins.get((match.file, match.passage.symbol))
    return pin.bonus if pin is not None and match.passage.symbol >= 0 else 0.0


def _iter_named(
    code: CodeIndex, pins: Mapping[PinKey, Pin], matches: list[_Match], weights: Mapping[str, float]
) -> Iterator[_Match]:
    """What is named outright and is no passage (a value), or has none of the query's words in its text."""
    matched = {(match.file, match.passage.symbol) for match in matches}
    files = {match.file for match in matches}
    for path, index in pins:
        facts = code.facts(path)
        if index >= 0 and (path, index) not in matched:
            yield _rate_passage(facts, Passage(index, facts.symbols[index].span), path, {}, weights)
        elif index < 0 and path not in files:
            yield _rate_passage(facts, plan_passages(facts)[-1], path, {}, weights)


def _iter_symbols(
    code: CodeIndex,
    query: Query,
    scored: list[tuple[float, _Match]],
    pins: Mapping[PinKey, Pin],
    read_text: ReadText,
    limit: int,
) -> Iterator[RankedSymbol]:
    """The first of the matches as results; of those that say the same only the best."""
    seen: set[tuple[str, str]] = set()
    for score, match in scored:
        if limit <= 0:
            return
        ranked = _ranked_symbol(code, query, match, score, pins)
        place = (match.file, ranked.symbol)
        text = _folded_text(ranked, read_text) if ranked.symbol else ""
        if place in seen or (text and ("", text) in seen):
            continue
        seen.update({place, ("", text)})
        limit -= 1
        yield ranked


def _folded_text(ranked: RankedSymbol, read_text: ReadText) -> str:
    """A symbol's text without its spacing: two that are equal are one."""
    try:
        lines = read_text(ranked.file).split("\n")[ranked.start_line - 1 : ranked.end_line]
    except SourceError:
        return ""
    return " ".join(" ".join(lines).split())


def _ranked_symbol(
    code: CodeIndex, query: Query, match: _Match, score: float, pins: Mapping[PinKey, Pin]
) -> RankedSymbol:
    facts, span, score = code.facts(match.file), match.passage.span, round(score, 4)
    reasons = _reasons(facts, query, match, pins)
    symbol = facts.symbols[match.passage.symbol] if match.passage.symbol >= 0 else _named_value(facts, match)
    if symbol is None:
        return RankedSymbol(match.file, span.start_line, span.end_line, "", "module", "", facts.doc, score, reasons)
    if match.passage.symbol < 0:
        span = symbol.span
    return RankedSymbol(
        match.file,
        span.start_line,
        span.end_line,
        symbol.qualname,
        symbol.kind.value,
        symbol.signature,
        symbol.doc,
        score,
        reasons,
    )


def _named_value(facts: FileFacts, match: _Match) -> Symbol | None:
    """The module's value whose name has the weightiest words of the query, where any has."""
    best: Symbol | None = None
    most = 0.0
    for symbol in facts.symbols:
        if symbol.parent < 0 and symbol.kind in _VALUES:
            weight = sum(match.shares.get(term, 0.0) for term in set(stems_of(symbol.name)))
            if weight > most:
                best, most = symbol, weight
    return best


def _reasons(facts: FileFacts, query: Query, match: _Match, pins: Mapping[PinKey, Pin]) -> tuple[str, ...]:
    """Why it matched: what was named, the fields that have a term, and the weightiest words found only in the body."""
    fields = fields_of(facts, match.passage, match.file)
    found = {
        pin.reason: None for key in ((match.file, match.passage.symbol), (match.file, -1)) if (pin := pins.get(key))
    }
    told: set[str] = set()
    for field, stems in fields.items():
        shared = match.shares.keys() & set(stems)
        if shared:
            found[field] = None
            told |= shared
    rest = sorted(match.shares.keys() - told, key=lambda term: (-match.shares[term], term))
    words = dict.fromkeys(query.spelling[term] for term in rest if term in query.spelling)
    return (*found, f"body: {', '.join(list(words)[:3])}") if words else tuple(found)


@functools.lru_cache(maxsize=100_000)
def stems_of_path(path: str) -> tuple[str, ...]:
    """The stems of a path's directories and file name, without its ending."""
    return tuple(dict.fromkeys(text_stems(path.rpartition(".")[0].replace("/", " "))))


@functools.lru_cache(maxsize=4)
def _paths_by_stem(files: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Stem → the files whose path has it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in files:
        for term in stems_of_path(path):
            found[term].append(path)
    return {term: tuple(paths) for term, paths in found.items()}
