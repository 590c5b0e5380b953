"""Rank the symbols that a text is about, best first.

Words find the candidates. The features of each candidate and its file are weighted and added up, then the features of
its relations to the most likely others. The first results are the best ones. After them, shorter code precedes longer
code that is hardly better, and every few results come from a new file, so that a small budget covers more of the
possible answers. Each result says why it matches.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from types import MappingProxyType

from msgspec import Struct, structs

from avionics.index.code_index import CodeIndex
from avionics.index.search.candidates import (
    Candidate,
    choose_files,
    find_candidates,
    iter_mentioned,
    rate_files,
    stems_of_path,
    weigh_in_chunks,
)
from avionics.index.search.chunk_tokens import QueryCutter, get_token_cache
from avionics.index.search.chunks import FileCut, Source, fields_of
from avionics.index.search.commit_words import CommitWords
from avionics.index.search.exact_mentions import collect_exact_mentions, drop_misspelt, read_messages
from avionics.index.search.feature_weights import CHUNK_WEIGHTS, FILE_WEIGHTS, NEIGHBOR_WEIGHTS
from avionics.index.search.features import FeatureExtractor, Features, ReadLines, read_calls
from avionics.index.search.neighbor_features import Neighbor, neighbor_features
from avionics.index.search.query import Query, stem, stems_of
from avionics.model.enums import SymbolKind, is_class
from avionics.model.errors import SourceError
from avionics.model.facts import FileFacts, Symbol
from avionics.model.knowledge import Definition, RankedSymbol
from avionics.model.naming import split_name
from avionics.model.reasons import Reason, ReasonKind

_MAX_SCORED = 250
"""The number of candidates whose features are computed, the strongest by their words."""
_MAX_CANDIDATES, _MIN_OF_FILE = 2_000, 12
"""The number of chunks that are candidates, and the minimum for each file."""
MAX_COMPARED = 100
"""The number of candidates that are compared with one another."""
_MAX_BY_SCORE = 10
"""The number of first results in the order of their scores."""
_NEW_FILE_EVERY = 6
"""After the first results, every n-th one is from a new file."""
_LENGTH_COST = 0.05
"""The score by which code must be better if it is e times as long."""
_USUAL_LINES = 50
"""Among the first results only longer code than this is penalised for its length."""

_MAX_WORDS, _MAX_PHRASE_LENGTH = 3, 60
"""The words and the characters of a quoted text that a reason names."""
_VALUES = frozenset({SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.TYPE})

ReadText = Callable[[str], str]
"""Returns the text of a file, or raises `SourceError`."""


class SymbolRanking(Struct, frozen=True):
    """Ranked symbols.

    Attributes:
        symbols: The best, up to the limit.
        found: The number of chunks that matched in the files that were read.
        files_matched: The number of files that contain a word of the query.
        files_read: The number of those that were cut into chunks.
        unknown: Words of the query that no file contains.
    """

    symbols: tuple[RankedSymbol, ...]
    found: int
    files_matched: int
    files_read: int
    unknown: tuple[str, ...] = ()


class ScoredCandidate(Struct, frozen=True, eq=False, dict=True):
    """A candidate with its features, those of its file, and those of its relations to the most likely others."""

    candidate: Candidate
    own_features: Features
    file_features: Features
    neighbor_features: Features = MappingProxyType({})

    @cached_property
    def file_score(self) -> float:
        """Return the score of its file."""
        return add_up(self.file_features, FILE_WEIGHTS)

    @cached_property
    def own_score(self) -> float:
        """Return its score without its relations."""
        return add_up(self.own_features, CHUNK_WEIGHTS) + CHUNK_WEIGHTS["file"] * self.file_score

    @cached_property
    def score(self) -> float:
        """Return its score."""
        return self.own_score + add_up(self.neighbor_features, NEIGHBOR_WEIGHTS)


Reorder = Callable[[Sequence[ScoredCandidate], ReadLines], Sequence[ScoredCandidate]]
"""Returns ordered candidates in another order."""


class Findings(Struct, frozen=True):
    """Everything found for a query, before it is ordered.

    Attributes:
        scored: The candidates with their features, in no order.
        extractor: What computed the features of these candidates.
        read_lines: Returns the lines of a file; none of a file that was not chosen or could not be read.
        found: The number of chunks that contain a word of the query.
        files_matched: The number of files that contain a word of the query, or a lower bound.
        files_read: The number of files that were chosen to be cut into chunks.
        unknown: Words of the query that no file contains.
    """

    scored: tuple[ScoredCandidate, ...]
    extractor: FeatureExtractor
    read_lines: ReadLines
    found: int
    files_matched: int
    files_read: int
    unknown: tuple[str, ...]


def rank_symbols(
    code: CodeIndex,
    query: Query,
    read_text: ReadText,
    *,
    scope: str | None = None,
    limit: int = 100,
    reorder: Reorder | None = None,
    past: CommitWords | None = None,
) -> SymbolRanking:
    """Return the functions, class headers and module parts that a query is about; unreadable files are skipped.

    `reorder` reorders the candidates at the end; `past` is evidence from past commits.
    """
    findings = gather_evidence(code, query, read_text, scope, past)
    symbols = tuple(_iter_symbols(code, query, findings, limit, reorder))
    return SymbolRanking(symbols, findings.found, findings.files_matched, findings.files_read, findings.unknown)


def gather_evidence(
    code: CodeIndex, query: Query, read_text: ReadText, scope: str | None = None, past: CommitWords | None = None
) -> Findings:
    """Return the candidates for a query with their features."""
    files = rate_files(code, query, scope)
    mentions = collect_exact_mentions(code, query, scope)
    chosen = tuple(dict.fromkeys((*choose_files(files), *(path for path, _ in mentions))))
    code.load_facts(chosen)
    texts = _read_texts(chosen, read_text)
    cutter = QueryCutter(files.weights, get_token_cache())
    cuts = {path: cutter.cut(Source(text, code.facts(path).language, code.facts(path))) for path, text in texts.items()}
    weights = weigh_in_chunks(code, query, files, cuts)
    candidates, matching = _find_in_files(code, query, cuts, weights, past)
    if not candidates:
        # A text without a known word is not about a name that only looks like one of its words.
        mentions = drop_misspelt(mentions)
    messages = read_messages(code, query, files, texts)
    candidates += iter_mentioned(code, (*mentions, *messages), candidates, weights)
    candidates.sort(key=lambda each: (-each.strength, each.file, each.chunk.span.start_line))
    read_lines = functools.cache(lambda path: texts.get(path, "").split("\n"))
    extractor = FeatureExtractor(code, query, files, candidates, mentions, messages, read_lines)
    named = mentions.keys() | messages.keys()
    kept = [*candidates[:_MAX_SCORED], *(each for each in candidates[_MAX_SCORED:] if each.key in named)]
    of_files = {path: extractor.of_file(path) for path in {each.file for each in kept}}
    alone = [ScoredCandidate(each, extractor.of_chunk(each), of_files[each.file]) for each in kept]
    scored = tuple(_add_neighbor_features(code, alone, read_lines, past))
    matched = files.count_matched(is_scoped=scope is not None)
    unknown = tuple(query.spelling[term] for term in query.terms if term not in files.counts and term in query.spelling)
    return Findings(scored, extractor, read_lines, matching, matched, len(chosen), unknown)


def _find_in_files(
    code: CodeIndex,
    query: Query,
    cuts: Mapping[str, FileCut],
    weights: Mapping[str, float],
    past: CommitWords | None,
) -> tuple[list[Candidate], int]:
    """Return the chunks of some files that contain words of a query, and the number of all chunks that do.

    Of each file only the strongest chunks are returned.
    """
    words = past.ask(query.terms) if past is not None else None
    limit = max(_MIN_OF_FILE, _MAX_CANDIDATES // max(1, len(cuts)))
    candidates: list[Candidate] = []
    matching = 0
    for path, cut in cuts.items():
        commit_words = words.count_by_chunk(path, code.facts(path), cut) if words is not None else {}
        found, having = find_candidates(path, cut, weights, limit, query.ideas, commit_words)
        candidates += found
        matching += having
    return candidates, matching


def _read_texts(paths: Iterable[str], read_text: ReadText) -> dict[str, str]:
    """Return the texts of the files that can still be read."""
    found = {}
    for path in paths:
        with suppress(SourceError):
            found[path] = read_text(path)
    return found


def _add_neighbor_features(
    code: CodeIndex, alone: Iterable[ScoredCandidate], read_lines: ReadLines, past: CommitWords | None
) -> Iterator[ScoredCandidate]:
    """Yield the candidates, the best of them with the features of their relations."""
    ordered = sorted(alone, key=lambda each: (-each.own_score, *_place(each)))
    best = ordered[:MAX_COMPARED]
    neighbors = [build_neighbor(code, each.candidate, read_lines, past) for each in best]
    for each, found in zip(best, neighbor_features(neighbors, [each.own_score for each in best]), strict=True):
        yield structs.replace(each, neighbor_features=found)
    yield from ordered[MAX_COMPARED:]


def build_neighbor(
    code: CodeIndex, candidate: Candidate, read_lines: ReadLines, past: CommitWords | None = None
) -> Neighbor:
    """Return what the relations of a candidate to others are computed from."""
    file, span, index = candidate.file, candidate.chunk.span, candidate.chunk.symbol
    calls = read_calls(candidate, read_lines)
    if index < 0:
        return Neighbor(file, span.start_line, span.end_line, calls=calls)
    symbol = code.facts(file).symbols[index]
    is_type = is_class(symbol.kind) or symbol.kind is SymbolKind.TYPE
    commits = past.get_commits((file, symbol.name)) if past is not None else {}
    return Neighbor(file, span.start_line, span.end_line, symbol.qualname, is_type, calls, commits)


def add_up(signals: Features, weights: Mapping[str, float]) -> float:
    """Return the weighted sum of features."""
    return sum(value * weights[name] for name, value in signals.items() if value)


def arrange(scored: Sequence[ScoredCandidate]) -> list[ScoredCandidate]:
    """Return the results in order; the first is from the file with the best single match.

    Among the others, the best result of a new file is moved up every few places.
    """
    ordered = sorted(scored, key=lambda each: (_cost(each, _USUAL_LINES), *_place(each)))
    if ordered:
        leading = max(ordered, key=lambda each: each.own_score).candidate.file
        ordered.insert(0, ordered.pop(next(at for at, each in enumerate(ordered) if each.candidate.file == leading)))
    head = ordered[:_MAX_BY_SCORE]
    tail = sorted(ordered[_MAX_BY_SCORE:], key=lambda each: (_cost(each, 2), *_place(each)))
    first: dict[str, ScoredCandidate] = {}
    for each in ordered:
        first.setdefault(each.candidate.file, each)
    turns = iter(sorted(first.values(), key=lambda each: -each.file_score))
    seen = {each.candidate.file for each in head}
    arranged = list(head)
    for position, each in enumerate(tail):
        if position % _NEW_FILE_EVERY == 0:
            turn = next((other for other in turns if other.candidate.file not in seen), None)
            if turn is not None:
                arranged.append(turn)
                seen.add(turn.candidate.file)
        arranged.append(each)
        seen.add(each.candidate.file)
    return list(dict.fromkeys(arranged))


def _cost(each: ScoredCandidate, free_lines: int) -> float:
    """Return the space that a result takes beyond the free lines, less its value."""
    span = each.candidate.chunk.span
    return _LENGTH_COST * math.log(max(free_lines, span.end_line - span.start_line + 1)) - each.score


def _place(each: ScoredCandidate) -> tuple[str, int]:
    return each.candidate.file, each.candidate.chunk.span.start_line


def _iter_symbols(
    code: CodeIndex, query: Query, findings: Findings, limit: int, reorder: Reorder | None
) -> Iterator[RankedSymbol]:
    """Yield the first matches as results; of matches with equal text only the best."""
    seen: set[tuple[str, str]] = set()
    arranged: Sequence[ScoredCandidate] = arrange(findings.scored)
    for each in reorder(arranged, findings.read_lines) if reorder else arranged:
        if limit <= 0:
            return
        ranked = _build_ranked(code, query, each, findings.extractor)
        place = (ranked.file, ranked.symbol)
        text = _folded_text(ranked, findings.read_lines) if ranked.symbol else ""
        if place in seen or (text and ("", text) in seen):
            continue
        seen.update({place, ("", text)})
        limit -= 1
        yield ranked


def _folded_text(ranked: RankedSymbol, read_lines: ReadLines) -> str:
    """Return a symbol's text without its spacing, to compare texts."""
    return " ".join(" ".join(read_lines(ranked.file)[ranked.start_line - 1 : ranked.end_line]).split())


def _build_ranked(code: CodeIndex, query: Query, each: ScoredCandidate, extractor: FeatureExtractor) -> RankedSymbol:
    """Return the result of a candidate; of the rest of a module, the variable that the query names, if there is one."""
    candidate, score = each.candidate, round(each.score, 4)
    facts, span = code.facts(candidate.file), candidate.chunk.span
    reasons = _find_reasons(facts, query, candidate, extractor)
    index = candidate.chunk.symbol
    symbol = facts.symbols[index] if index >= 0 else _named_value(facts, candidate)
    if symbol is None:
        return RankedSymbol(candidate.file, span.start_line, span.end_line, "", "module", "", facts.doc, score, reasons)
    if index < 0:
        span = symbol.span
    return RankedSymbol(
        candidate.file,
        span.start_line,
        span.end_line,
        symbol.qualname,
        symbol.kind.value,
        symbol.signature,
        symbol.doc,
        score,
        reasons,
        Definition(candidate.file, symbol, index) if index >= 0 else None,
    )


def _named_value(facts: FileFacts, candidate: Candidate) -> Symbol | None:
    """Return the module-level variable whose name contains the query's heaviest words, if any."""
    best: Symbol | None = None
    most = 0.0
    for symbol in facts.symbols:
        if symbol.parent < 0 and symbol.kind in _VALUES:
            weight = sum(candidate.shares.get(term, 0.0) for term in set(stems_of(symbol.name)))
            if weight > most:
                best, most = symbol, weight
    return best


def _find_reasons(
    facts: FileFacts, query: Query, candidate: Candidate, extractor: FeatureExtractor
) -> tuple[Reason, ...]:
    """Return why a candidate matches.

    The reasons are what the query names or quotes, the fields that contain one of its words, the weightiest words that
    are only in the body, and the better match that calls it.
    """
    found = list(map(Reason, dict.fromkeys(extractor.named_as(candidate))))
    message = extractor.messages.get(candidate.key)
    if message:
        found.append(Reason(ReasonKind.QUOTED_TEXT, subject=message.text[:_MAX_PHRASE_LENGTH]))
    explained: set[str] = set()
    fields = {**fields_of(facts, candidate.chunk), "path": stems_of_path(candidate.file)}
    for field, stems in fields.items():
        shared = candidate.shares.keys() & set(stems)
        if shared:
            found.append(Reason(ReasonKind.FIELD_MATCH, subject=field))
            explained |= shared
    rest = sorted(candidate.shares.keys() - explained, key=lambda term: (-candidate.shares[term], term))
    words = list(dict.fromkeys(_spelling(query, term, candidate) for term in rest if term in query.spelling))
    if words:
        found.append(Reason(ReasonKind.BODY_MATCH, subject=", ".join(words[:_MAX_WORDS])))
    caller = extractor.name_caller(candidate)
    if caller:
        found.append(Reason(ReasonKind.CALLED_BY_MATCH, subject=caller))
    return tuple(found)


def _spelling(query: Query, term: str, candidate: Candidate) -> str:
    """Return the query's word for a stem; only the matching part of it if no whole name matches."""
    word = query.spelling[term]
    return word if candidate.whole else next((part for part in split_name(word) if stem(part) == term), word)
