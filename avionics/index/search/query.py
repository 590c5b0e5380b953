"""Queries: an issue, a commit-like sentence, a traceback, a phrase or a half-remembered name, as weighted terms.

Knows: how people and programs write about code.
Does not know: any codebase, scores.
"""

from __future__ import annotations

import functools
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice, pairwise

import attrs

from avionics.model.naming import split_name
from avionics.syntax.registry import LANGUAGES

_TITLE_WEIGHT = 3
_FULL_WORDS = 25
"""So many words below the first line count in full; of more each counts less: a long report is about its title."""
_CODE_SHARE = 0.1
"""A word of pasted code or output against one of prose."""
_MAX_QUERY_LENGTH = 20_000
"""Characters read of a query: an issue with its logs is shorter, and what follows says little."""
_MAX_TERMS = 80
"""Terms kept, heaviest first: a pasted log has hundreds that say nothing."""

_MAX_LINES = 200
"""Lines read for words that follow one another."""
_RUN = 4
"""So many words that follow one another within a string of the code are no coincidence; two must say something."""
_MAX_RUNS = 80

_WORD = re.compile(r"[^\W\d]\w*")
_ANY_WORD = re.compile(r"\w+")
_FRAME = re.compile(r"""File "([^"\n]+)", line (\d+)(?:, in ([\w.<>]+))?""")
_PLACE = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,4}):(\d+)\b")
_SUFFIXES = "|".join(re.escape(suffix) for suffixes in LANGUAGES.values() for suffix in suffixes)
_PATH = re.compile(rf"(?<![\w/.:-])(?:\./)?((?:[\w.-]+/)*[\w-]+(?:{_SUFFIXES}))\b")
_MESSAGE = re.compile(
    r"^[\w.]*(?:Error|Exception|Warning|error|panic|fatal)\b[^:\n]{0,40}: (\S[^\n]{5,200})$", re.MULTILINE
)
_TOPIC = re.compile(r"\W*+((?:[\w./-]++(?:, ?| ?/ ?|\s?\())*+[\w./-]{1,60})\)?!?\s?:(?!:)")
"""What a commit or an issue says it is about before a colon: `printer: …`, `fix(parser): …`."""
_PASTED = re.compile(r"^```.*?(?:^```|\Z)|^(?: {4}|\t|>>> )[^\n]*$", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"""`([^`\n]{2,200})`|"([^"\n]{2,200})"|(?<!\w)'([^'\n]{2,200})'(?!\w)""")
_DOTTED = re.compile(r"(?<!\w)[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_CODE_SHAPE = re.compile(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|^[A-Z][A-Z0-9_]{3,}$|^__\w+__$")
_STOP_WORDS = """
a about add added adds after all allow allows also am an and any anything are as at be because been before being bug
but by can cannot change changed changes could did do does doesn don done for found from get gets getting give gives
got had happen happens has have he her here him his how i if in instead into is isn issue it its just like made make
makes many may me might more most much must my need needs never new no none nor not now of off on one only or other
our out over own people please problem question really same see seem seems she should show so some something still
such than that the their them then there these they thing things this those to too under up us use used uses using
very via want wants was way we well were what when where which while who whole why will with within without won work
working works would you your fix fixed fixes support supports
"""
_STOP = frozenset(_STOP_WORDS.split())


@attrs.frozen
class Frame:
    """A line of a traceback: a path of another machine, a line, and the function it was in."""

    path: str
    line: int
    function: str = ""


@attrs.frozen
class WordRun:
    """Words that follow one another: where they begin in the text, the first few, and all to the end of the line."""

    start: int
    head: str
    line: str


@attrs.frozen
class Query:
    """What a text asks for.

    Attributes:
        text: As given.
        terms: Stem → weight.
        identifiers: Name of several parts or of code, lower case → weight.
        spelling: Stem → the word of the text it comes from.
        names: Code-like names as written, in order: `Cart.add`, `total_of`.
        paths: Paths of files it names.
        frames: Traceback frames and `path:line` places, innermost first.
        phrases: Quoted text of several words, and what an error says.
        topic: The stems of what the first line has before a colon.
        pairs: Stems that follow one another in a line.
        runs: Where so many words follow one another that it is no coincidence when code has them too.
    """

    text: str
    terms: Mapping[str, float]
    identifiers: Mapping[str, float]
    spelling: Mapping[str, str] = attrs.field(factory=dict)
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    phrases: tuple[str, ...] = ()
    topic: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    runs: tuple[WordRun, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it to look for."""
        return not (self.terms or self.identifiers or self.paths or self.frames)


def read_query(text: str) -> Query:
    """What to look for, from a text of any kind.

    The first line counts most, common words not at all unless one is the whole text. The words of traceback frames
    are not searched for: frames lead to their code by path and function.
    """
    text = text[:_MAX_QUERY_LENGTH].strip()
    title, _, body = _FRAME.sub("", text).partition("\n")
    words = _count_words(title, body)
    is_one_word = len(words) == 1
    chosen = {word: count for word, count in words.items() if is_one_word or not is_stop_word(word)}
    terms: defaultdict[str, float] = defaultdict(float)
    identifiers: defaultdict[str, float] = defaultdict(float)
    for word, count in chosen.items():
        for term in stems_of(word):
            terms[term] += count
        if len(split_name(word)) > 1 or _CODE_SHAPE.search(word):
            identifiers[word.strip("_").lower()] += count
    return Query(
        text,
        _weighted(terms),
        _weighted(identifiers),
        {term: word for word in reversed(chosen) for term in stems_of(word)},
        find_names(text),
        tuple(dict.fromkeys(_PATH.findall(text))),
        _frames(text),
        _phrases(text),
        _topic(title),
        frozenset(pair for line in text.split("\n")[:_MAX_LINES] for pair in pairwise(text_stems(line))),
        tuple(islice(_iter_runs(text), _MAX_RUNS)),
    )


def _count_words(title: str, body: str) -> dict[str, float]:
    """Word → how much of it there is, the title's stressed."""
    pasted = " ".join(_PASTED.findall(body))
    prose = _WORD.findall(_PASTED.sub(" ", body))
    share = min(1.0, _FULL_WORDS / max(1, len(prose)))
    words: defaultdict[str, float] = defaultdict(float)
    for found, weight in (
        (_WORD.findall(title), _TITLE_WEIGHT if body else 1.0),
        (prose, share),
        (_WORD.findall(pasted), share * _CODE_SHARE),
    ):
        for word in found:
            words[word] += weight
    return words


def is_stop_word(word: str) -> bool:
    """Whether a word says nothing of what is looked for."""
    return word.lower() in _STOP


@functools.lru_cache(maxsize=200_000)
def stems_of(word: str) -> tuple[str, ...]:
    """The stems of a word's parts; the parts of a name, not its whole."""
    parts = split_name(word)
    return tuple(stem(part) for part in (parts[:-1] if len(parts) > 1 else parts))


@functools.lru_cache(maxsize=50_000)
def text_stems(text: str) -> tuple[str, ...]:
    """The stems of every word of a text, common words left out."""
    return tuple(found for word in _WORD.findall(text) if not is_stop_word(word) for found in stems_of(word))


_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
_INFLECTED = re.compile(r"(?!setting$)(?=[^aeiouy]*[aeiouy].*(?:ing|ed)$)(?:(.{3,})ing|(.{3,})(?<!e)ed)$")
"""`string` has no vowel before its ending, and `setting` is a word of its own."""


@functools.lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The word without its inflection: `caches`, `cached`, `caching` and `cache` are one.

    >>> stem("entries"), stem("stopped"), stem("cache"), stem("class")
    ('entri', 'stop', 'cach', 'class')
    """
    if len(word) < 4:
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    inflected = _INFLECTED.match(word)
    if inflected:
        word = _DOUBLED.sub(r"\1", inflected[1] or inflected[2])
    if word.endswith("e") and len(word) > 3:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def spellings_of(stemmed: str) -> tuple[str, ...]:
    """The words whose stem this may be, as the postings have them."""
    if len(stemmed) < 3:
        return (stemmed,)
    if stemmed.endswith("i"):
        root = stemmed[:-1]
        return (stemmed, f"{root}y", f"{root}ies", f"{root}ied", f"{root}ying", f"{root}ie")
    last = stemmed[-1]
    endings = ("", "e", "s", "es", "ed", "ing", *((f"{last}ed", f"{last}ing") if last in "bdfgmnprt" else ()))
    return tuple(stemmed + ending for ending in endings)


def _weighted(counts: Mapping[str, float]) -> dict[str, float]:
    """The heaviest terms; saying a word often makes it only a little heavier."""
    heaviest = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:_MAX_TERMS]
    return {term: 1.0 + math.log(count) if count >= 1 else count for term, count in heaviest}


def _frames(text: str) -> tuple[Frame, ...]:
    """Traceback frames, innermost first, then the places written `path:line`."""
    traced = [Frame(path, int(line[:9]), function) for path, line, function in _FRAME.findall(text)]
    placed = [Frame(path, int(line[:9])) for path, line in _PLACE.findall(text)]
    return tuple(dict.fromkeys([*reversed(traced), *placed]))


def _quoted(text: str) -> list[str]:
    """What stands in quotes or backticks."""
    return [next(filter(None, groups)) for groups in _QUOTED.findall(text)]


def _phrases(text: str) -> tuple[str, ...]:
    """What a program may have printed or a person quoted, as far as it is several words."""
    said = [*_quoted(text), *_MESSAGE.findall(text)]
    return tuple(dict.fromkeys(phrase.strip() for phrase in said if len(phrase.split()) > 1))


def _iter_runs(text: str) -> Iterator[WordRun]:
    """The runs of a text: one from each word that is followed by enough others."""
    start = 0
    for line in text.split("\n")[:_MAX_LINES]:
        words = list(_ANY_WORD.finditer(line))
        for first, last in zip(words, words[_RUN - 1 :], strict=False):
            head = line[first.start() : last.end()]
            if sum(len(word) > 2 and not is_stop_word(word) for word in _WORD.findall(head)) > 1:
                yield WordRun(start + first.start(), head, line[first.start() :])
        start += len(line) + 1


def _topic(title: str) -> frozenset[str]:
    """The stems of what a title has before its colon."""
    found = _TOPIC.match(title)
    return frozenset(text_stems(re.sub(r"[/.]", " ", found[1]))) if found else frozenset()


def find_names(text: str) -> tuple[str, ...]:
    """Return the names in a text that are written as code: dotted, of several parts, or alone in quotes."""
    found = [name for name in _DOTTED.findall(text) if not _PATH.fullmatch(name)]
    found += [word for word in _WORD.findall(text) if _CODE_SHAPE.search(word)]
    found += [phrase.rstrip("()") for phrase in _quoted(text) if _WORD.fullmatch(phrase.rstrip("()"))]
    return tuple(dict.fromkeys(found))
