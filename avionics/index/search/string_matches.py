"""String matches: messages that a program printed or a person quoted, found word for word in the candidate files.

An error message is pasted without quotes as often as within them, and with other values than in the code. So besides
quoted phrases, consecutive words within a string are searched for.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from msgspec import Struct

from avionics.index.code_index import CodeIndex
from avionics.index.search.candidates import FileScores
from avionics.index.search.exact_mentions import PinKey
from avionics.index.search.query import Query, WordRun, text_stems
from avionics.late_pattern import late_pattern
from avionics.model.facts import line_of

_MAX_PLACES = 8
"""A message at more places is too ambiguous."""
_ASKED = 3.0
"""The factor for a message that is the whole query."""
_WORD = late_pattern(r"\w+")
_LAST = late_pattern(r"\W+$")
_OPENING = late_pattern(r"""["`]|(?<!\w)'|\b[bfru]{1,2}'""", re.IGNORECASE)
"""The start of a string; an apostrophe within a word is none."""


class Message(Struct, frozen=True):
    """The text that a symbol contains verbatim, and its certainty (1 is certain, more if it is the whole query)."""

    text: str
    strength: float


def read_messages(code: CodeIndex, query: Query, files: FileScores, texts: Mapping[str, str]) -> dict[PinKey, Message]:
    """Return the symbols that contain a quoted phrase of the query, or a run of its words within a string."""
    places: defaultdict[str, set[PinKey]] = defaultdict(set)
    for path, text in texts.items():
        runs = [run for run in query.runs if _may_have(files, path, run.head)]
        for message, at in (*_iter_phrases(query.phrases, text), *_iter_runs(runs, text)):
            places[message].add((path, _symbol_at(code, path, line_of(text, at))))
    messages: dict[PinKey, Message] = {}
    words = len(_WORD.findall(query.text))
    for message in sorted(places, key=len):
        keys = places[message]
        share = len(_WORD.findall(message)) / max(1, words)
        strength = (1.0 + _ASKED * max(0.0, 2 * share - 1)) / len(keys) ** 0.5
        if len(keys) <= _MAX_PLACES:
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
                message = _LAST.sub("", text[at : at + _shared_length(run.line, text, at)])
                done = max(done, run.start + len(message))
                yield message, at
            at = text.find(run.head, at + 1)


def _shared_length(words: str, text: str, at: int) -> int:
    """Return the number of characters that a query and a position of the text have in common."""
    return next(
        (length for length, char in enumerate(words) if text[at + length : at + length + 1] != char), len(words)
    )


def _symbol_at(code: CodeIndex, path: str, line: int) -> int:
    """Return the innermost function or class around a line, else the value of the module there, else -1."""
    around = code.graph.enclosing(path, line)
    if around:
        return around.index
    symbols = enumerate(code.facts(path).symbols)
    return next((at for at, symbol in symbols if symbol.span.start_line <= line <= symbol.span.end_line), -1)
