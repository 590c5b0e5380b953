"""Candidates: the files and chunks that contain words of a query, with the score of each word.

There are two steps. The inverted index scores whole files by BM25 (Robertson & Zaragoza 2009). The best of them are cut
into chunks, which are scored by BM25F over name, container, path, documentation and body.
"""

from __future__ import annotations

import functools
import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.index.search.chunks import WHOLE, Chunk, FileCut, plan_chunks
from avionics.index.search.query import Query, spellings_of, stems_of, text_stems

_K1, _B = 1.2, 0.4
"""BM25's parameters: how soon further occurrences add little, and how much the length of a file counts."""
_PATH_FREQUENCY = 3.0
"""The frequency of a word of the path in each chunk; a word of the body counts 1."""
_PATH_COUNT = 4
"""The frequency of a word of the path in its file."""
_WHOLE_SHARE = 0.5
"""The weight of a whole identifier relative to its parts when files are chosen."""
_FILES_THRESHOLD = 4_000
"""With this many files found, more common words add no further files."""
_MAX_FILES = 64
"""Files cut into chunks for a query; files further down are never among the first hundred results."""
_ROLE_WEIGHTS = MappingProxyType(
    {
        FileRole.PRODUCT: 1.0,
        FileRole.AUXILIARY: 0.7,
        FileRole.TEST: 0.6,
        FileRole.GENERATED: 0.5,
        FileRole.VENDORED: 0.4,
    }
)
_NO_WORDS: Mapping[str, float] = MappingProxyType({})
_MODULE_FACTOR = 0.6
"""The factor for the rest of a module, which contains a little of everything."""


class FileScores(Struct, frozen=True):
    """The scores of files, and the weights of the terms.

    Attributes:
        stems: File → BM25 of the stems, weighted by the role of the file.
        wholes: File → BM25 of the whole identifiers, weighted by the role of the file.
        covered: File → the weight of the stems that it contains.
        weights: Stem or `=identifier` → its weight among files.
        having: Stem or `=identifier` → the number of files that contain it.
        counts: Stem or `=identifier` → file → occurrences; of the most common ones in large trees only in files that
            also contain rarer ones.
    """

    stems: Mapping[str, float]
    wholes: Mapping[str, float]
    covered: Mapping[str, float]
    weights: Mapping[str, float]
    having: Mapping[str, int]
    counts: Mapping[str, Mapping[str, int]]

    def count_matched(self, *, is_scoped: bool) -> int:
        """Return the number of files, within a scope if there is one, that contain any of them, or a lower bound."""
        known = len(self.stems.keys() | self.wholes.keys())
        return known if is_scoped else max(known, *self.having.values(), 0)

    @property
    def total(self) -> float:
        """Return the weight of all stems of the query."""
        return sum(weight for term, weight in self.weights.items() if not term.startswith(WHOLE)) or 1.0


class Candidate(Struct, frozen=True, eq=False):
    """A chunk that contains words of the query.

    Attributes:
        shares: Stem → its score, including stems of the path.
        role_weight: The weight of the file's role.
        whole: The score of whole identifiers, weighted by the role.
        stems: The score of the stems, weighted by the role.
        strength: The total, reduced for the rest of a module.
    """

    file: str
    chunk: Chunk
    shares: Mapping[str, float]
    role_weight: float
    whole: float
    stems: float
    strength: float

    @property
    def key(self) -> tuple[str, int]:
        """Return the key of exact mentions."""
        return self.file, self.chunk.symbol


def weight_of(path: str) -> float:
    """Return the weight of a file's role: tests and vendored code have less."""
    return _ROLE_WEIGHTS[role_of(path)]


def rate_files(code: CodeIndex, query: Query, scope: str | None) -> FileScores:
    """Return the BM25 of whole files over the stems and over the whole identifiers of a query."""
    counts, having = _count_stems(code, query)
    wholes = {WHOLE + name: code.words.term_counts(name) for name in query.identifiers}
    having |= {term: len(per_file) for term, per_file in wholes.items()}
    files = {path for counted in (counts, wholes) for per_file in counted.values() for path in per_file}
    lengths = code.words.document_lengths(files)
    average = sum(lengths.values()) / max(1, len(lengths)) or 1.0
    within = lengths if scope is None else [path for path in lengths if is_within(path, scope)]
    norms = {path: _K1 * (1 - _B + _B * lengths[path] / average) for path in within}
    weights = {term: query.terms[term] * _rarity(having.get(term, 0), len(code.files)) for term in query.terms}
    weights |= {
        term: query.identifiers[term.removeprefix(WHOLE)] * _rarity(len(per_file), len(code.files))
        for term, per_file in wholes.items()
    }
    covered: defaultdict[str, float] = defaultdict(float)
    for term, per_file in counts.items():
        for path in per_file:
            covered[path] += weights[term]
    stems = _add_up(counts, weights, norms, query.ideas)
    return FileScores(stems, _add_up(wholes, weights, norms, {}), covered, weights, having, {**wholes, **counts})


def choose_files(files: FileScores) -> list[str]:
    """Return the files worth being cut into chunks, best first."""
    rated = {
        path: files.stems.get(path, 0.0) + _WHOLE_SHARE * files.wholes.get(path, 0.0)
        for path in files.stems.keys() | files.wholes.keys()
    }
    return heapq.nsmallest(_MAX_FILES, rated, key=lambda path: (-rated[path], path))


def weigh_in_chunks(code: CodeIndex, query: Query, files: FileScores, cuts: Mapping[str, FileCut]) -> dict[str, float]:
    """Return stem or `=identifier` → its weight among chunks; a word of every file may occur in few chunks.

    For files that were not cut, the number of chunks with a word is estimated from those that were.
    """
    chunks = sum(len(cut.chunks) for cut in cuts.values()) * max(1.0, len(code.files) / max(1, len(cuts)))
    weights = {}
    for term in files.weights:
        per_file = files.counts.get(term, {})
        having = sum(cut.count(term) for cut in cuts.values())
        seen = sum(count for path, count in per_file.items() if path in cuts)
        total = sum(per_file.values()) * files.having.get(term, 0) / max(1, len(per_file))
        estimate = min(chunks, having * total / max(1, seen))
        weight = query.identifiers[term.removeprefix(WHOLE)] if term.startswith(WHOLE) else query.terms[term]
        weights[term] = weight * _rarity(estimate, chunks)
    return weights


def find_candidates(
    path: str,
    cut: FileCut,
    weights: Mapping[str, float],
    limit: int,
    ideas: Mapping[str, str],
    commit_words: Mapping[int, Mapping[str, float]] = MappingProxyType({}),
) -> tuple[list[Candidate], int]:
    """Return the chunks of a file that contain most of the terms, by BM25F, and the number that contain any.

    Each also has the words of the path. Words of past commits about a chunk, by its number, count in addition.
    """
    shares: defaultdict[int, dict[str, float]] = defaultdict(dict)
    wholes: defaultdict[int, float] = defaultdict(float)
    in_path = {term for term in stems_of_path(path) if term in weights}
    for term, weight in weights.items():
        is_whole = term.startswith(WHOLE)
        added = _PATH_FREQUENCY if term in in_path else 0.0
        for number, frequency in cut.iter_chunks(term):
            total = frequency + added + commit_words.get(number, _NO_WORDS).get(term, 0.0)
            share = weight * total / (_K1 + total)
            if is_whole:
                wholes[number] += share
            else:
                shares[number][term] = share
    best = {number: keep_best(own, ideas) for number, own in shares.items()}
    strongest = heapq.nlargest(limit, best, key=lambda number: sum(best[number].values()))
    return [
        build_candidate(path, cut.chunks[number], best[number], wholes.get(number, 0.0), weights, ideas)
        for number in strongest
    ], len(shares)


def keep_best(shares: dict[str, float], ideas: Mapping[str, str]) -> dict[str, float]:
    """Return stem → score with only the best one of the stems that stand for the same word."""
    if not ideas:
        return shares
    best: dict[str, str] = {}
    for term, share in shares.items():
        idea = ideas.get(term, term)
        if idea not in best or share > shares[best[idea]]:
            best[idea] = term
    return {term: shares[term] for term in best.values()}


def build_candidate(
    path: str, chunk: Chunk, own: dict[str, float], whole: float, weights: Mapping[str, float], ideas: Mapping[str, str]
) -> Candidate:
    """Return a chunk as a candidate, with the scores of its own words, of the whole identifiers, and of the path."""
    shares = dict(own)
    for term in stems_of_path(path):
        if term in weights and term not in shares:
            shares[term] = weights[term] * _PATH_FREQUENCY / (_K1 + _PATH_FREQUENCY)
    shares = keep_best(shares, ideas)
    factor = min(weight_of(path), _ROLE_WEIGHTS[FileRole.TEST]) if chunk.is_test else weight_of(path)
    stems = factor * sum(shares.values())
    strength = stems * (1.0 if chunk.symbol >= 0 else _MODULE_FACTOR)
    return Candidate(path, chunk, shares, factor, factor * whole, stems, strength)


def iter_mentioned(
    code: CodeIndex, keys: Iterable[tuple[str, int]], candidates: list[Candidate], weights: Mapping[str, float]
) -> Iterator[Candidate]:
    """Yield candidates for exact mentions that are no chunks (values), or that contain none of the query's words."""
    matched = {candidate.key for candidate in candidates}
    files = {candidate.file for candidate in candidates}
    for path, index in keys:
        facts = code.facts(path)
        if index >= 0 and (path, index) not in matched:
            symbol = facts.symbols[index]
            own = {term: weights[term] / 2 for term in stems_of(symbol.name) if term in weights}
            yield build_candidate(path, Chunk(index, symbol.span), own, 0.0, weights, {})
        elif index < 0 and path not in files:
            yield build_candidate(path, plan_chunks(facts)[-1], {}, 0.0, weights, {})


@functools.lru_cache(maxsize=20_000)
def stems_of_path(path: str) -> tuple[str, ...]:
    """Return the stems of a path's directories and file name, without its extension."""
    return tuple(dict.fromkeys(text_stems(path.rpartition(".")[0].replace("/", " "))))


def _count_stems(code: CodeIndex, query: Query) -> tuple[dict[str, Mapping[str, int]], dict[str, int]]:
    """Return stem → file → occurrences, and stem → number of files that contain it; paths count, too.

    The rarest stems come first. Once they have found many files, a common one is counted only in those: a file with
    only common words is not among the best (the idea of MaxScore, Turtle & Flood 1995).
    """
    by_path = _paths_by_stem(code.files)
    postings = {term: code.words.term_postings(spellings_of(term)) for term in query.terms}
    sizes = {term: each.size + len(by_path.get(term, ())) for term, each in postings.items()}
    found: dict[str, Mapping[str, int]] = {}
    having: dict[str, int] = {}
    files: set[str] = set()
    for term in sorted(sizes, key=lambda term: sizes[term]):
        among = files if min(len(files), sizes[term]) > _FILES_THRESHOLD else None
        counts = defaultdict(int, code.words.count_in_files(postings[term], among))
        for path in by_path.get(term, ()):
            if among is None or path in among:
                counts[path] += _PATH_COUNT
        if counts:
            found[term] = counts
            having[term] = len(counts) if among is None else min(sizes[term], len(code.files))
            files |= counts.keys()
    return {term: found[term] for term in query.terms if term in found}, having


def _add_up(
    counts: Mapping[str, Mapping[str, int]],
    weights: Mapping[str, float],
    norms: Mapping[str, float],
    ideas: Mapping[str, str],
) -> dict[str, float]:
    """Return file → BM25 of some terms, of those that stand for the same word only the best one."""
    scores: defaultdict[str, float] = defaultdict(float)
    best: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    shared = {*ideas, *ideas.values()}
    for term, per_file in counts.items():
        weight, found = weights[term], best[ideas.get(term, term)] if term in shared else None
        for path, count in per_file.items():
            if path in norms:
                score = weight * count / (norms[path] + count)
                if found is None:
                    scores[path] += score
                else:
                    found[path] = max(found[path], score)
    for found in best.values():
        for path, score in found.items():
            scores[path] += score
    return {path: weight_of(path) * score for path, score in scores.items()}


def _rarity(having: float, total: float) -> float:
    """Return the inverse document frequency, never negative."""
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


@functools.lru_cache(maxsize=4)
def _paths_by_stem(files: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return stem → the files whose path contains it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in files:
        for term in stems_of_path(path):
            found[term].append(path)
    return {term: tuple(paths) for term, paths in found.items()}
