"""Messages: what a program printed or a person quoted, found word for word in the code at hand.

An error message is pasted without quotes as often as within them, and with other values than the code has: so besides
quoted phrases, words that follow one another within a string are looked for.

Knows: the text of the files at hand, and which words each has.
Does not know: scores of anything else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

import attrs

from avionics.index.code_index import CodeIndex
from avionics.index.search.candidates import FileScores
from avionics.index.search.exact_mentions import PinKey
from avionics.index.search.query import Query, WordRun, text_stems

_MAX_PLACES = 8
"""A message that stands in more places tells too little of which is meant."""
_ASKED = 3.0
"""How much more it counts when it is all that is asked for."""
_WORD = re.compile(r"\w+")
_LAST = re.compile(r"\W+$")
_OPENING = re.compile(r"""["`]|(?<!\w)'|\b[bfru]{1,2}'""", re.IGNORECASE)
"""What a string may begin with; an apostrophe within a word is none."""


@attrs.frozen
class Message:
    """What a symbol has word for word, and how surely it is meant (1 is certain, more when it is the whole text)."""

    text: str
    strength: float


def read_messages(code: CodeIndex, query: Query, files: FileScores, texts: Mapping[str, str]) -> dict[PinKey, Message]:
    """The symbols that have a quoted phrase of the query, or a run of its words within a string."""
    places: defaultdict[str, set[PinKey]] = defaultdict(set)
    for path, text in texts.items():
        runs = [run for run in query.runs if _may_have(files, path, run.head)]
        for said, at in (*_iter_phrases(query.phrases, text), *_iter_runs(runs, text)):
            places[said].add((path, _symbol_at(code, path, text.count("\n", 0, at) + 1)))
    messages: dict[PinKey, Message] = {}
    words = len(_WORD.findall(query.text))
    for said in sorted(places, key=len):
        keys = places[said]
        share = len(_WORD.findall(said)) / max(1, words)
        strength = (1.0 + _ASKED * max(0.0, 2 * share - 1)) / len(keys) ** 0.5
        if len(keys) <= _MAX_PLACES:
            messages |= dict.fromkeys(keys, Message(said, strength))
    return messages


def _may_have(files: FileScores, path: str, text: str) -> bool:
    """Whether a file has all telling words of a text, as far as they are known to be in any."""
    return all(path in files.counts[term] for term in text_stems(text) if term in files.counts)


def _iter_phrases(phrases: tuple[str, ...], text: str) -> Iterator[tuple[str, int]]:
    """The phrases that a text has, and where."""
    for phrase in phrases:
        at = text.find(phrase)
        while at >= 0:
            yield phrase, at
            at = text.find(phrase, at + len(phrase))


def _iter_runs(runs: list[WordRun], text: str) -> Iterator[tuple[str, int]]:
    """The longest runs that a text has within a string, and where; what is part of a longer one is left out."""
    done = -1
    for run in runs:
        at = text.find(run.head) if run.start >= done else -1
        while at >= 0:
            if _OPENING.search(text, text.rfind("\n", 0, at) + 1, at):
                said = _LAST.sub("", text[at : at + _shared_length(run.line, text, at)])
                done = max(done, run.start + len(said))
                yield said, at
            at = text.find(run.head, at + 1)


def _shared_length(said: str, text: str, at: int) -> int:
    """How many characters of what was said stand at a place of the text."""
    return next((length for length, char in enumerate(said) if text[at + length : at + length + 1] != char), len(said))


def _symbol_at(code: CodeIndex, path: str, line: int) -> int:
    """The innermost function or class around a line, else the value of the module that it is part of, else -1."""
    around = code.graph.enclosing(path, line)
    if around:
        return around.index
    symbols = enumerate(code.facts(path).symbols)
    return next((at for at, symbol in symbols if symbol.span.start_line <= line <= symbol.span.end_line), -1)
