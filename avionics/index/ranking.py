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
from collections.abc import Callable, Mapping

import attrs

from avionics.index.code_index import CodeIndex
from avionics.index.names import is_within
from avionics.index.passages import (
    WHOLE,
    Passage,
    count_passage_words,
    owned_spans,
    plan_passages,
)
from avionics.index.places import Standing, standing_of
from avionics.index.query import Query, spellings_of, stems_of, text_stems
from protocols.errors import SourceError
from protocols.knowledge import RankedSymbol

IDF_CF=0.0
IDF_POOL=10
STEM_BONUS=0.0
AVG=60.0
WHOLE_ALL=0
K1 = 1.2
B = 0.5
NAME, CONTAINER, PATH, DOC = 2.0, 1.0, 1.5, 0.5
WHOLE_WEIGHT = 0.5
FILE_SHARE = 0.5
FRAME_BONUS = 1.0
NAMED_BONUS = 0.6
MODULE_FACTOR = 0.7
MOST_FILES = 80
STANDING = {Standing.PRODUCT: 1.0, Standing.ASIDE: 0.7, Standing.TEST: 0.6, Standing.GENERATED: 0.5, Standing.VENDORED: 0.4}

ReadText = Callable[[str], str]


@attrs.frozen
class _Scored:
    """A passage with its score and why."""

    file: str
    passage: Passage
    score: float
    reasons: tuple[str, ...]


class _Rater:
    def __init__(self, code: CodeIndex, query: Query, scope: str | None) -> None:
        self.code = code
        self.query = query
        self.scope = scope
        self.weights: dict[str, float] = {}
        self.files: dict[str, float] = {}

    def rate_files(self) -> dict[str, float]:
        code = self.code
        counts = self._counts()
        touched = {path for per_file in counts.values() for path in per_file}
        total = len(code.files)
        lengths = code.document_lengths(touched)
        average = sum(lengths.values()) / max(1, len(lengths)) or 1.0
        scores: defaultdict[str, float] = defaultdict(float)
        norm = {path: 1 - B + B * length / average for path, length in lengths.items()}
        for term, per_file in counts.items():
            idf = math.log(1 + (total - len(per_file) + 0.5) / (len(per_file) + 0.5))
            if IDF_CF:
                cf = sum(per_file.values()); pool = max(IDF_POOL * total, cf)
                idf2 = math.log(1 + (pool - cf + 0.5) / (cf + 0.5))
                idf = (1-IDF_CF)*idf + IDF_CF*idf2
            weight = self._weight_of(term) * idf
            self.weights[term] = weight
            for path, count in per_file.items():
                tf = count / norm[path]
                scores[path] += weight * tf / (K1 + tf)
        self.files = {
            path: score * STANDING[standing_of(path)] for path, score in scores.items() if is_within(path, self.scope)
        }
        return self.files

    def _weight_of(self, term: str) -> float:
        if term.startswith(WHOLE):
            return WHOLE_WEIGHT * self.query.identifiers[term[1:]]
        return self.query.terms[term]

    def _counts(self) -> dict[str, Mapping[str, float]]:
        by_path = paths_by_stem(self.code.files)
        found: dict[str, Mapping[str, float]] = {}
        for term in self.query.terms:
            merged: dict[str, float] = {}
            for spelling in spellings_of(term):
                for path, count in self.code.term_counts(spelling).items():
                    merged[path] = merged.get(path, 0.0) + count
            for path in by_path.get(term, ()):
                merged[path] = merged.get(path, 0.0) + 2 * PATH
            if merged:
                found[term] = merged
        for name in self.query.identifiers:
            merged = dict(self.code.term_counts(name))
            if merged:
                found[WHOLE + name] = merged
        return found


def rank_symbols(
    code: CodeIndex, query: Query, read_text: ReadText, *, scope: str | None = None, limit: int = 100
) -> tuple[RankedSymbol, ...]:
    rater = _Rater(code, query, scope)
    files = rater.rate_files()
    best = heapq.nsmallest(MOST_FILES, files, key=lambda path: (-files[path], path))
    pinned = find_pinned(code, query, scope)
    chosen = list(dict.fromkeys([*best, *(file for file, _ in pinned)]))
    code.load_facts(chosen)
    scored: list[tuple[float, str, Passage, Mapping[str, float], tuple[str, ...]]] = []
    best_passage: dict[str, float] = {}
    for path in chosen:
        for score, passage, shares, reasons in _rate_passages(rater, path, read_text):
            score *= STANDING[standing_of(path)]
            scored.append((score, path, passage, shares, reasons))
            best_passage[path] = max(best_passage.get(path, 0.0), score)
    top_passage = max(best_passage.values(), default=1.0) or 1.0
    top_file = max(files.values(), default=1.0) or 1.0
    qs = set(query.text.replace('/',' ').replace('.',' ').lower().split()) | {i for i in query.identifiers}
    def sb(path):
        st = path.rpartition('/')[2].partition('.')[0].lower()
        return STEM_BONUS if len(st)>2 and st in qs else 0.0
    file_score = {
        path: (best_passage.get(path, 0.0) / top_passage + files.get(path, 0.0) / top_file) / 2 for path in chosen
    }
    results = []
    seen = set()
    for score, path, passage, shares, reasons in scored:
        total = score / top_passage + FILE_SHARE * (file_score[path] + sb(path))
        bonus, why = pinned.get((path, passage.symbol), (0.0, ""))
        seen.add((path, passage.symbol))
        results.append((total + bonus, path, passage, shares, (why, *reasons) if why else reasons))
    for (path, index), (bonus, why) in pinned.items():
        if (path, index) not in seen and index >= 0:
            symbol = code.facts(path).symbols[index]
            results.append((bonus + FILE_SHARE * file_score[path], path, Passage(index, symbol.span), {}, (why,)))
    results.sort(key=lambda entry: (-entry[0], entry[1], entry[2].span.start_line))
    out = []
    taken = set()
    for total, path, passage, shares, reasons in results:
        result = _ranked(code, path, passage, total, shares, reasons)
        key = (path, result.symbol or result.start_line)
        if key in taken:
            continue
        taken.add(key)
        out.append(result)
        if len(out) == limit:
            break
    return tuple(out)


def _rate_passages(rater: _Rater, path: str, read_text: ReadText):
    facts = rater.code.facts(path)
    try:
        text = read_text(path)
    except SourceError:
        return
    passages = plan_passages(facts)
    words = count_passage_words(text, owned_spans(facts, passages))
    path_stems = stems_of_path(path)
    average = AVG
    found: defaultdict[int, dict[str, float]] = defaultdict(dict)
    norms = [1 - B + B * length / average for length in words.lengths]
    for term in rater.weights:
        for number, count in words.postings.get(term, ()):
            found[number][term] = count / norms[number]
    for number, body in found.items():
        passage = passages[number]
        name: tuple[str, ...] = ()
        container: tuple[str, ...] = ()
        doc: tuple[str, ...] = ()
        whole = ""
        if passage.symbol >= 0:
            symbol = facts.symbols[passage.symbol]
            name = stems_of(symbol.name)
            container = text_stems(symbol.qualname.rpartition(".")[0])
            doc = text_stems(symbol.doc)
            whole = WHOLE + symbol.name.strip("_").lower()
        fields = dict(body)
        for weight, stems in ((NAME, name), (CONTAINER, container), (PATH, path_stems), (DOC, doc)):
            for term in stems:
                if term in rater.weights:
                    fields[term] = fields.get(term, 0.0) + weight
        if whole in rater.weights:
            fields[whole] = fields.get(whole, 0.0) + NAME
        shares = {term: rater.weights[term] * tf / (K1 + tf) for term, tf in fields.items()}
        score = sum(shares.values())
        if passage.symbol < 0:
            score *= MODULE_FACTOR
        yield score, passage, shares, ()


def find_pinned(code: CodeIndex, query: Query, scope):
    return {}


def _ranked(code, path, passage, score, shares, reasons) -> RankedSymbol:
    span = passage.span
    if passage.symbol < 0:
        return RankedSymbol(path, span.start_line, span.end_line, "", "module", "", code.facts(path).doc, round(score, 4), reasons)
    symbol = code.facts(path).symbols[passage.symbol]
    return RankedSymbol(
        path, span.start_line, span.end_line, symbol.qualname, symbol.kind.value, symbol.signature, symbol.doc,
        round(score, 4), reasons,
    )


@functools.lru_cache(maxsize=100_000)
def stems_of_path(path: str) -> tuple[str, ...]:
    """The stems of a path's directories and file stem."""
    return tuple(dict.fromkeys(text_stems(path.rpartition(".")[0].replace("/", " "))))


@functools.lru_cache(maxsize=4)
def paths_by_stem(files: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Stem → the files whose path has it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in files:
        for term in stems_of_path(path):
            found[term].append(path)
    return {term: tuple(paths) for term, paths in found.items()}
