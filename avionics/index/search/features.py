"""Compute the features of a candidate and its file, each between 0 and about 1."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from avionics.index.code_index import CodeIndex
from avionics.index.search.candidates import Candidate, FileScores, stems_of_path, weight_of
from avionics.index.search.chunks import read_pairs
from avionics.index.search.exact_mentions import ExactMentions, MentionKey, Message
from avionics.index.search.query import Query, stems_of, text_stems
from avionics.late_pattern import late_pattern
from avionics.model.facts import Symbol
from avionics.model.reasons import ReasonKind

_MAX_READ_CANDIDATES = 120
"""The number of strongest candidates whose text is read."""
_MIN_CALLER_STRENGTH = 0.5
"""The minimum strength of a candidate, relative to the strongest, for its calls to be reasons for what it calls."""
_CALLED = late_pattern(r"\(\s*+(\w++)(?<!\d)")
"""A name before a parenthesis, both reversed, because there are fewer parentheses to start from than words."""
_PLACE_KINDS = frozenset({ReasonKind.IN_TRACEBACK, ReasonKind.PLACE_NAMED})
_FEATURE_BY_KIND = MappingProxyType({ReasonKind.NAMED: "title name", ReasonKind.NAMED_IN_TEXT: "name said"})
_NAME_KINDS = (*_FEATURE_BY_KIND, ReasonKind.SIMILAR_NAME)

Features = Mapping[str, float]
ReadLines = Callable[[str], Sequence[str]]


class FeatureExtractor:
    """The features of the candidates of one query.

    Args:
        code: The index.
        query: The query.
        files: The scores of whole files.
        candidates: All chunks found, strongest first.
        mentions: The exact mentions.
        messages: The string matches.
        read_lines: Returns the lines of a path.
    """

    def __init__(
        self,
        code: CodeIndex,
        query: Query,
        files: FileScores,
        candidates: Sequence[Candidate],
        mentions: ExactMentions,
        messages: Mapping[MentionKey, Message],
        read_lines: ReadLines,
    ) -> None:
        self._code = code
        self._query = query
        self._files = files
        self._mentions = mentions
        self.messages = messages
        self._named_keys = mentions.keys() | messages.keys()
        self._top = _largest(candidate.strength for candidate in candidates)
        self._top_stems = _largest(candidate.stems for candidate in candidates)
        self._top_whole = _largest(candidate.whole for candidate in candidates)
        self._by_file = _strengths_by_file(candidates)
        self._best_files = tuple(
            _largest(map(part, self._by_file.values())) for part in (lambda own: own[0], lambda own: sum(own[:3]))
        )
        strongest = candidates[:_MAX_READ_CANDIDATES]
        pairs = self._read_pairs(strongest, read_lines)
        top_pairs = _largest(pairs.values())
        self._pairs = {key: value / top_pairs for key, value in pairs.items()}
        self._pairs_by_file: defaultdict[str, float] = defaultdict(float)
        for (path, _), value in self._pairs.items():
            self._pairs_by_file[path] = max(self._pairs_by_file[path], value)
        calling = (each for each in strongest if each.strength >= _MIN_CALLER_STRENGTH * self._top)
        self._callers = self._read_callers(calling, read_lines)
        self._top_files = _largest(files.stems.values()), _largest(files.wholes.values())
        self._path_shares = {path: self._path_share(path) for path in self._by_file}
        self._top_path = _largest(self._path_shares.values())

    def of_file(self, path: str) -> Features:
        """Return the features of a file; scores are relative to those of the best file.

        | feature | value |
        |---|---|
        | stems, whole | its BM25 over the query's stems, and over its whole identifiers |
        | best, best three | the strength of its best chunk, and of its best three together |
        | covered | the weight of the query's stems that it contains |
        | path | the weight of those in its path |
        | file name | the part of its name that the query has |
        | topic | the part of the query's topic that its path has |
        | names | how certainly the query names or quotes one of its symbols |
        | pairs | the rarity of the query's word pairs in one of its chunks |
        | aside | how far its role is from the product's |
        | said | whether the query has its path |
        """
        files, own = self._files, self._by_file[path]
        stem = set(text_stems(path.rpartition("/")[2].partition(".")[0]))
        topic = self._query.topic
        return {
            "stems": files.stems.get(path, 0.0) / self._top_files[0],
            "whole": files.wholes.get(path, 0.0) / self._top_files[1],
            "best": own[0] / self._best_files[0],
            "best three": sum(own[:3]) / self._best_files[1],
            "covered": files.covered.get(path, 0.0) / files.total,
            "path": self._path_shares[path] / self._top_path,
            "file name": len(stem & self._query.terms.keys()) / max(1, len(stem)),
            "topic": len(topic & set(stems_of_path(path))) / max(1, len(topic)),
            "names": max((self._named(key) for key in self._named_keys if key[0] == path), default=0.0),
            "pairs": self._pairs_by_file.get(path, 0.0),
            "aside": 1 - weight_of(path),
            "said": self._mentions.get((path, -1), {}).get(ReasonKind.PATH_NAMED, 0.0),
        }

    def of_chunk(self, candidate: Candidate) -> Features:
        """Return the features of a chunk, apart from its file; scores are relative to those of the best chunk.

        | feature | value |
        |---|---|
        | stems, whole | the score of its stems, and of its whole identifiers |
        | name | the part of its name that the query has |
        | topic | whether its name has all of the query's topic |
        | pairs | the rarity of the query's word pairs in it |
        | module | whether it is the rest of a module |
        | aside | how far its role is from the product's |
        | literal | how certainly the query quotes a text in it |
        | frame | how certainly it is a place in the query: a traceback's frame, or `path:line` |
        | title name, name said | how certainly the query names it in its first line, and further down |
        """
        symbol = self._symbol(candidate)
        stems = set(stems_of(symbol.name)) if symbol else set()
        mentions = self._mentions.get(candidate.key, {})
        message = self.messages.get(candidate.key)
        signals = {
            "stems": candidate.stems / self._top_stems,
            "whole": candidate.whole / self._top_whole,
            "name": len(stems & self._query.terms.keys()) / max(1, len(stems)),
            "topic": float(bool(self._query.topic) and bool(stems) and self._query.topic <= stems),
            "pairs": self._pairs.get(candidate.key, 0.0),
            "module": float(symbol is None),
            "aside": 1 - candidate.role_weight,
            "literal": message.strength if message else 0.0,
            "frame": max((strength for kind, strength in mentions.items() if kind in _PLACE_KINDS), default=0.0),
        }
        signals |= {name: mentions.get(kind, 0.0) for kind, name in _FEATURE_BY_KIND.items()}
        return signals | {"title name": max(signals["title name"], mentions.get(ReasonKind.SIMILAR_NAME, 0.0))}

    def named_as(self, candidate: Candidate) -> tuple[ReasonKind, ...]:
        """Return how the text names a candidate or its file."""
        keys = candidate.key, (candidate.file, -1)
        return tuple(kind for key in keys for kind in self._mentions.get(key, {}))

    def name_caller(self, candidate: Candidate) -> str:
        """Return the strongest other candidate that calls a function of this candidate's name, if it is strong enough.

        "" for none.
        """
        symbol = self._symbol(candidate)
        callers = self._callers.get(symbol.name, ()) if symbol is not None else ()
        return next((each.qualname for each in callers if symbol is not None and each.name != symbol.name), "")

    def _read_callers(self, candidates: Iterable[Candidate], read_lines: ReadLines) -> Mapping[str, Sequence[Symbol]]:
        """Return name → candidates that call a function of that name, in order."""
        callers: defaultdict[str, list[Symbol]] = defaultdict(list)
        for candidate in candidates:
            symbol = self._symbol(candidate)
            if symbol is not None:
                for name in read_calls(candidate, read_lines):
                    callers[name].append(symbol)
        return callers

    def _symbol(self, candidate: Candidate) -> Symbol | None:
        index = candidate.chunk.symbol
        return self._code.facts(candidate.file).symbols[index] if index >= 0 else None

    def _named(self, key: tuple[str, int]) -> float:
        """Return the certainty with which the text names or quotes a symbol."""
        quoted = self.messages[key].strength if key in self.messages else 0.0
        return max(quoted, *(self._mentions.get(key, {}).get(kind, 0.0) for kind in _NAME_KINDS))

    def _path_share(self, path: str) -> float:
        return sum(self._files.weights[term] for term in stems_of_path(path) if term in self._query.terms)

    def _read_pairs(self, candidates: Sequence[Candidate], read_lines: ReadLines) -> dict[MentionKey, float]:
        """Return the rarity of the candidates' word pairs."""
        pairs = {
            candidate.key: read_pairs(_text_of(candidate, read_lines)) & self._query.pairs
            for candidate in candidates
            if candidate.chunk.symbol >= 0
        }
        having = Counter(pair for found in pairs.values() for pair in found)
        rarity = {pair: math.log(1 + (len(pairs) - n + 0.5) / (n + 0.5)) for pair, n in having.items()}
        role_weight = {candidate.key: candidate.role_weight for candidate in candidates}
        return {key: role_weight[key] * sum(rarity[pair] for pair in found) for key, found in pairs.items()}


def read_calls(candidate: Candidate, read_lines: ReadLines) -> frozenset[str]:
    """Return the names before a parenthesis in a candidate's text."""
    return frozenset(name[::-1] for name in _CALLED.findall(_text_of(candidate, read_lines)[::-1]))


def _text_of(candidate: Candidate, read_lines: ReadLines) -> str:
    """Return the text with which a candidate is shown."""
    span = candidate.chunk.span
    return "\n".join(read_lines(candidate.file)[span.start_line - 1 : span.end_line])


def _largest(values: Iterable[float]) -> float:
    """Return the largest of some values for normalisation; never 0."""
    return max(values, default=0.0) or 1.0


def _strengths_by_file(candidates: Sequence[Candidate]) -> dict[str, list[float]]:
    """Return file → the strengths of its chunks, strongest first."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for candidate in candidates:
        found[candidate.file].append(candidate.strength)
    return {path: sorted(own, reverse=True) for path, own in found.items()}
