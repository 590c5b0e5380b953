"""Queries: an issue, a commit-like sentence, a traceback, a phrase or a half-remembered name, as weighted terms."""

from __future__ import annotations

import functools
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice, pairwise

from msgspec import Struct, field

from avionics.late_pattern import late_pattern
from avionics.model.naming import split_name
from avionics.syntax.registry import LANGUAGES

_TITLE_WEIGHT = 3
_FULL_WORDS = 25
"""Words below the first line that count in full; in a longer text each counts less, because its title is the topic."""
_CODE_SHARE = 0.1
"""The weight of a word of pasted code or output relative to one of prose."""
_MAX_QUERY_LENGTH = 20_000
"""The number of characters read of a query; an issue with its logs is usually shorter."""
_MAX_TERMS = 80
"""The number of terms kept, heaviest first; a pasted log has hundreds of useless ones."""

_MAX_LINES = 200
"""Lines read for consecutive words."""
_RUN = 4
"""This many consecutive words within a string are hardly a coincidence; at least two must not be stop words."""
_MAX_RUNS = 80

_WORD = late_pattern(r"[^\W\d]\w*")
_ANY_WORD = late_pattern(r"\w+")
_FRAME = late_pattern(r"""File "([^"\n]+)", line (\d+)(?:, in ([\w.<>]+))?""", needs=('File "',))
_PLACE = late_pattern(r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.[A-Za-z]\w{0,4}):(\d+)\b", needs=(":",))
_SUFFIXES = "|".join(re.escape(suffix) for suffixes in LANGUAGES.values() for suffix in suffixes)
_PATH = late_pattern(rf"(?<![\w/.:-])(?:\./)?((?:[\w.-]+/)*[\w-]+(?:{_SUFFIXES}))\b", needs=(".",))
_MESSAGE = late_pattern(
    r"^[\w.]*(?:Error|Exception|Warning|error|panic|fatal)\b[^:\n]{0,40}: (\S[^\n]{5,200})$",
    re.MULTILINE,
    needs=(": ",),
)
_TOPIC = late_pattern(r"\W*+((?>(?:[\w./-]++(?:, ?| ?/ ?|\s?\())*)[\w./-]{1,60})\)?!?\s?:(?!:)", needs=(":",))
"""The topic of a commit or issue before a colon: `printer: …`, `fix(parser): …`."""
_PASTED = late_pattern(
    r"^```.*?(?:^```|\Z)|^(?: {4}|\t|>>> )[^\n]*$", re.MULTILINE | re.DOTALL, needs=("```", "    ", "\t", ">>> ")
)
_QUOTED = late_pattern(r"""`([^`\n]{2,200})`|"([^"\n]{2,200})"|(?<!\w)'([^'\n]{2,200})'(?!\w)""", needs=("`", '"', "'"))
_DOTTED = late_pattern(r"(?<!\w)[^\W\d]\w*(?:\.#?[^\W\d]\w*)+", needs=(".",))
_PRIVATE = late_pattern(r"(?<![\w&#.])#[^\W\d]\w*[a-z][A-Z]\w*", needs=("#",))
"""A private name of JavaScript; a single word behind `#` may be a tag or a color."""
_CODE_SHAPE = late_pattern(r"[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|^[A-Z][A-Z0-9_]{3,}$|^__\w+__$")
_STOP_WORDS = """
a about add added adds after all allow allows also am an and any anything are aren as at be because been before being
bug but by can cannot change changed changes could couldn did didn do does doesn don done for found from get gets
getting give gives got had happen happens has hasn have haven he her here him his how i if in instead into is isn
issue it its just like made make makes many may me might more most much must my need needs never new no none nor not
now of off on one only or other our out over own people please problem question really same see seem seems she should
shouldn show so some something still such than that the their them then there these they thing things this those to
too under up us use used uses using very via want wants was wasn way we well were weren what when where which while
who whole why will with within without won work working works would wouldn you your fix fixed fixes support supports
"""
_STOP = frozenset(_STOP_WORDS.split())


class Frame(Struct, frozen=True):
    """A line of a traceback: a path of another machine, a line, and the function."""

    path: str
    line: int
    function: str = ""


class WordRun(Struct, frozen=True):
    """Consecutive words: their position in the text, the first few, and all to the end of the line."""

    start: int
    head: str
    line: str


class Query(Struct, frozen=True):
    """A parsed query.

    Attributes:
        terms: Stem → weight.
        identifiers: Identifier of several parts or of code, lower case → weight.
        spelling: Stem → the word of the text it comes from.
        names: Code-like names as written, in order: `Cart.add`, `total_of`.
        paths: Paths of files in the text.
        frames: Traceback frames and `path:line` places, innermost first.
        phrases: Quoted text of several words, and the messages of errors.
        topic: The stems before a colon in the first line.
        pairs: Adjacent stems of a line.
        runs: Sequences of words that are hardly a coincidence if code contains them, too.
        ideas: Stem that was added → the stem of the text that it stands for; the best of them counts.
    """

    text: str
    terms: Mapping[str, float]
    identifiers: Mapping[str, float]
    spelling: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    phrases: tuple[str, ...] = ()
    topic: frozenset[str] = frozenset()
    pairs: frozenset[tuple[str, str]] = frozenset()
    runs: tuple[WordRun, ...] = ()
    ideas: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Return whether the query contains no words and no names."""
        return not (self.terms or self.identifiers or self.paths or self.frames)


def read_query(text: str) -> Query:
    """Parse a text of any kind.

    The first line counts most; common words do not count unless one is the whole text. The words of traceback frames
    are not searched for, because frames lead to their code by path and function.
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


_ACTOR = late_pattern(
    r"\b(?:when|whenever|if|once|after|before) (?:the |an? )?(users?|someone|somebody|people|person) (?=[a-z]+s?\b)",
    re.IGNORECASE,
    needs=("when", "if ", "once ", "after ", "before "),
)
"""Words for who does something to the program; the code is about what is done."""
_ACTOR_SHARE = 0.25


def _count_words(title: str, body: str) -> dict[str, float]:
    """Return word → its weight, higher in the title."""
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
    for actor in _ACTOR.findall(title):
        words[actor] *= _ACTOR_SHARE
    return words


def is_stop_word(word: str) -> bool:
    """Return whether a word is too common to search for."""
    return word.lower() in _STOP


@functools.lru_cache(maxsize=20_000)
def stems_of(word: str) -> tuple[str, ...]:
    """Return the stems of a word's parts, without its whole."""
    parts = split_name(word)
    return tuple(stem(part) for part in (parts[:-1] if len(parts) > 1 else parts))


@functools.lru_cache(maxsize=4_000)
def text_stems(text: str) -> tuple[str, ...]:
    """Return the stems of every word of a text, without common words."""
    return tuple([found for word in _WORD.findall(text) if word.lower() not in _STOP for found in stems_of(word)])


_ENDINGS_OF_Y = ("y", "ie", "ies", "ied", "ying", "yings", "ys", "yed")
_DOUBLED = late_pattern(r"([bdfgmnprt])\1$")
_INFLECTED = late_pattern(r"(?!setting$)(?=[^aeiouy]*[aeiouy].*(?:ing|ed)$)(?:(.{3,})ing|(.{3,})(?<!e)ed)$")
"""Words whose ending is an inflection: `string` has no vowel before it, and `setting` is a word of its own."""


@functools.lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return the word without its inflection: `caches`, `cached`, `caching` and `cache` are one.

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
    """Return the words that may have this stem, in the form of the postings."""
    if len(stemmed) < 3:
        return (stemmed,)
    if stemmed.endswith("i"):
        root = stemmed[:-1]
        return (stemmed, *(root + ending for ending in _ENDINGS_OF_Y))
    last = stemmed[-1]
    doubled = (f"{last}{ending}" for ending in ("ed", "ing", "ings")) if _DOUBLED.search(last + last) else ()
    return tuple(stemmed + ending for ending in ("", "e", "s", "es", "ed", "ing", "ings", *doubled))


def _weighted(counts: Mapping[str, float]) -> dict[str, float]:
    """Return the heaviest terms; repetition increases a weight only a little."""
    heaviest = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:_MAX_TERMS]
    return {term: 1.0 + math.log(count) if count >= 1 else count for term, count in heaviest}


def _frames(text: str) -> tuple[Frame, ...]:
    """Return traceback frames, innermost first, then the places written `path:line`."""
    traced = [Frame(path, int(line[:9]), function) for path, line, function in _FRAME.findall(text)]
    placed = [Frame(path, int(line[:9])) for path, line in _PLACE.findall(text)]
    return tuple(dict.fromkeys([*reversed(traced), *placed]))


def _quoted(text: str) -> list[str]:
    """Return texts in quotes or backticks."""
    return [next(filter(None, groups)) for groups in _QUOTED.findall(text)]


def _phrases(text: str) -> tuple[str, ...]:
    """Return texts of several words that a program may have printed or a person quoted."""
    quoted = [*_quoted(text), *_MESSAGE.findall(text)]
    return tuple(dict.fromkeys(phrase.strip() for phrase in quoted if len(phrase.split()) > 1))


def _iter_runs(text: str) -> Iterator[WordRun]:
    """Yield the word runs of a text: one from each word with enough words after it."""
    start = 0
    for line in text.split("\n")[:_MAX_LINES]:
        words = list(_ANY_WORD.finditer(line))
        for first, last in zip(words, words[_RUN - 1 :], strict=False):
            head = line[first.start() : last.end()]
            if sum(len(word) > 2 and not is_stop_word(word) for word in _WORD.findall(head)) > 1:
                yield WordRun(start + first.start(), head, line[first.start() :])
        start += len(line) + 1


def _topic(title: str) -> frozenset[str]:
    """Return the stems before the colon of a title."""
    found = _TOPIC.match(title)
    return frozenset(text_stems(re.sub(r"[/.]", " ", found[1]))) if found else frozenset()


def find_names(text: str) -> tuple[str, ...]:
    """Return the names in a text that are written as code: dotted, of several parts, or alone in quotes."""
    found = [name for name in _DOTTED.findall(text) if not _PATH.fullmatch(name)]
    found += _PRIVATE.findall(text)
    found += [word for word in _WORD.findall(text) if _CODE_SHAPE.search(word)]
    found += [phrase.rstrip("()") for phrase in _quoted(text) if _WORD.fullmatch(phrase.rstrip("()"))]
    return tuple(dict.fromkeys(found))
