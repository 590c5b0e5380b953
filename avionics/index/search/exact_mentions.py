"""Exact mentions: the symbols that a text names by traceback frames, places, paths or names (entity linking).

Messages that a program printed or a person quoted are found word for word in the candidate files, too. An error message
is pasted without quotes as often as within them, and with other values than in the code. So besides quoted phrases,
consecutive words within a string are searched for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import MISSPELT, is_within
from avionics.index.search.candidates import FileScores
from avionics.index.search.query import Frame, Query, WordRun, text_stems
from avionics.late_pattern import late_pattern
from avionics.model.facts import line_of
from avionics.model.naming import count_shared
from avionics.model.reasons import ReasonKind

_FRAME_DECAY = 0.7
"""The factor for each frame further out: the fault is usually near the innermost frame in the workspace."""
_FACTOR_BY_WORDS = MappingProxyType({1: 4.0, 2: 2.0, 3: 2.0, 4: 2.0})
"""The factor for a name in a text of so many words; in a short one it is likely the subject."""
_MISSPELT_CERTAINTY = 0.7
"""The certainty that an unknown name is a misspelling of the most similar one."""
_WORDS_THRESHOLD = 6
"""Texts of more words are not searched for misspelled names."""
MAX_NAME_LENGTH = 80
"""Longer words are data; comparing names with them letter by letter would take seconds."""
_MAX_NAMES = 12
_MAX_DEFINITIONS = 8
"""A name with more definitions is too ambiguous."""

MentionKey = tuple[str, int]
"""A file, and the index of a symbol in its outline (-1 for the file itself)."""

ExactMentions = Mapping[MentionKey, Mapping[ReasonKind, float]]
"""Symbol or file → how it is named, and how certain that is (1 is certain, more if it is the whole query)."""

_MAX_MESSAGE_PLACES = 8
"""A message at more places is too ambiguous."""
_WHOLE_QUERY_BONUS = 3.0
"""What is added to the certainty of a message that is the whole query; less for one that is most of it."""
_WORD = late_pattern(r"\w+")
_MARKS_AT_END = late_pattern(r"\W+$")
_OPENING = late_pattern(r"""["`]|(?<!\w)'|\b[bfru]{1,2}'""", re.IGNORECASE)
"""The start of a string; an apostrophe within a word is none."""


def collect_exact_mentions(code: CodeIndex, query: Query, scope: str | None) -> ExactMentions:
    """Collect the symbols and files that a query names."""
    mentions: defaultdict[MentionKey, dict[ReasonKind, float]] = defaultdict(dict)
    found = (
        _iter_frames(code, query.frames),
        _iter_names(code, query),
        _iter_misspelt(code, query),
        _iter_paths(code, query),
    )
    for key, kind, strength in chain.from_iterable(found):
        if is_within(key[0], scope):
            mentions[key][kind] = max(strength, mentions[key].get(kind, 0.0))
    return mentions


def drop_misspelt(mentions: ExactMentions) -> ExactMentions:
    """Return the mentions without symbols whose names are only similar to the query's."""
    return {key: kinds for key, kinds in mentions.items() if kinds.keys() != {ReasonKind.SIMILAR_NAME}}


def find_files_ending(files: Iterable[str], path: str) -> tuple[str, ...]:
    """Return the files whose paths share the longest suffix with a path from elsewhere.

    The suffix is at least the file's name, and paths nearest to the root come first. Return nothing if many files have
    the name and no directory distinguishes them.
    """
    wanted = path.replace("\\", "/").strip("/").split("/")
    best: list[str] = []
    longest = 0
    for file in files:
        parts = file.split("/")
        if parts[-1] != wanted[-1]:
            continue
        shared = count_shared(parts[::-1], wanted[::-1])
        if shared > longest:
            best, longest = [], shared
        if shared == longest:
            best.append(file)
    if longest == 1 and len(best) > 3:
        return ()
    return tuple(sorted(best, key=lambda file: (role_of(file), file.count("/"), file)))


_Found = tuple[MentionKey, ReasonKind, float]


def _iter_frames(code: CodeIndex, frames: tuple[Frame, ...]) -> Iterator[_Found]:
    """Yield the functions, or else the files, of the frames of a traceback, innermost frame first."""
    strength = 1.0
    for frame in frames:
        for file in find_files_ending(code.files, frame.path)[:1]:
            yield (
                (file, _symbol_of_frame(code, file, frame)),
                ReasonKind.IN_TRACEBACK if frame.function else ReasonKind.PLACE_NAMED,
                strength,
            )
            strength *= _FRAME_DECAY


def _symbol_of_frame(code: CodeIndex, file: str, frame: Frame) -> int:
    """Return the function of that name nearest the line (lines move between versions), else the innermost around it."""
    symbols = code.facts(file).symbols
    name = frame.function.rpartition(".")[2]
    named = [index for index, symbol in enumerate(symbols) if name and symbol.name == name]
    if named:
        return min(named, key=lambda index: abs(symbols[index].line - frame.line))
    around = code.graph.enclosing(file, frame.line)
    return around.index if around else -1


def _iter_names(code: CodeIndex, query: Query) -> Iterator[_Found]:
    """Yield the definitions of names written as code; a query of one word counts as a name."""
    words = len(query.text.split())
    title = query.text.partition("\n")[0]
    for name in (query.text,) if words == 1 else query.names[:_MAX_NAMES]:
        certainty = 1.0
        definitions = code.find_definitions(name)
        if not definitions and "." in name:
            definitions, certainty = code.find_definitions(name.rpartition(".")[2]), 0.5
        kind = ReasonKind.NAMED if name in title else ReasonKind.NAMED_IN_TEXT
        product = [d for d in definitions if role_of(d.file) <= FileRole.AUXILIARY] or list(definitions)
        if len(product) <= _MAX_DEFINITIONS or words == 1:
            strength = certainty * _FACTOR_BY_WORDS.get(words, 1.0) / max(1, len(product)) ** 0.5
            for each in product:
                yield (each.file, each.index), kind, strength


def _iter_misspelt(code: CodeIndex, query: Query) -> Iterator[_Found]:
    """Yield the definitions with the names most similar to words that this code does not contain, in short texts."""
    words = len(query.text.split())
    if words > _WORDS_THRESHOLD:
        return
    certainty = _MISSPELT_CERTAINTY * _FACTOR_BY_WORDS.get(words, 1.0)
    for word in dict.fromkeys((*query.names, *query.spelling.values())):
        if len(word) <= MAX_NAME_LENGTH and not _has_term(code, word.lower()) and not code.find_definitions(word):
            for each in code.names.find_similar(word, 1, cutoff=MISSPELT):
                yield (each.file, each.index), ReasonKind.SIMILAR_NAME, certainty


def _has_term(code: CodeIndex, term: str) -> bool:
    """Return whether any file contains a lower-case part of names, which is much faster than counting."""
    return any(code.words.paths_of((blob,)) for blob in code.words.term_postings((term,)).iter_blobs())


def _iter_paths(code: CodeIndex, query: Query) -> Iterator[_Found]:
    """Yield the files whose paths the query has, for each path the one that is most likely meant."""
    for path in query.paths:
        for file in find_files_ending(code.files, path)[:1]:
            yield (file, -1), ReasonKind.PATH_NAMED, 1.0


class Message(Struct, frozen=True):
    """The text that a symbol contains verbatim, and its certainty (1 is certain, more if it is the whole query)."""

    text: str
    strength: float


def read_messages(
    code: CodeIndex, query: Query, files: FileScores, texts: Mapping[str, str]
) -> dict[MentionKey, Message]:
    """Return the symbols that contain a quoted phrase of the query, or a run of its words within a string."""
    places: defaultdict[str, set[MentionKey]] = defaultdict(set)
    for path, text in texts.items():
        runs = [run for run in query.runs if _may_have(files, path, run.head)]
        for message, at in (*_iter_phrases(query.phrases, text), *_iter_runs(runs, text)):
            places[message].add((path, _symbol_around(code, path, line_of(text, at))))
    messages: dict[MentionKey, Message] = {}
    words = len(_WORD.findall(query.text))
    for message in sorted(places, key=len):
        keys = places[message]
        share = len(_WORD.findall(message)) / max(1, words)
        strength = (1.0 + _WHOLE_QUERY_BONUS * max(0.0, 2 * share - 1)) / len(keys) ** 0.5
        if len(keys) <= _MAX_MESSAGE_PLACES:
            messages |= dict.fromkeys(keys, Message(message, strength))
    return messages


def _may_have(files: FileScores, path: str, text: str) -> bool:
    """Return whether a file contains all significant words of a text, as far as that is known."""
    return all(path in files.counts[term] for term in text_stems(text) if term in files.counts)


def _iter_phrases(phrases: tuple[str, ...], text: str) -> Iterator[tuple[str, int]]:
    """Yield the phrases that a text contains, and their positions."""
    for phrase in phrases:
        at = text.find(phrase)
        while at >= 0:
            yield phrase, at
            at = text.find(phrase, at + len(phrase))


def _iter_runs(runs: list[WordRun], text: str) -> Iterator[tuple[str, int]]:
    """Yield the longest runs that a text contains within a string, and their positions, no parts of longer ones."""
    done = -1
    for run in runs:
        at = text.find(run.head) if run.start >= done else -1
        while at >= 0:
            if _OPENING.search(text, text.rfind("\n", 0, at) + 1, at):
                message = _MARKS_AT_END.sub("", text[at : at + count_shared(run.line, text[at : at + len(run.line)])])
                done = max(done, run.start + len(message))
                yield message, at
            at = text.find(run.head, at + 1)


def _symbol_around(code: CodeIndex, path: str, line: int) -> int:
    """Return the innermost function or class around a line, else the value of the module there, else -1."""
    around = code.graph.enclosing(path, line)
    if around:
        return around.index
    symbols = enumerate(code.facts(path).symbols)
    return next((at for at, symbol in symbols if symbol.span.start_line <= line <= symbol.span.end_line), -1)
