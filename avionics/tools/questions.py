"""Questions: what kind of question a text asks, and about what.

Knows: how people ask, and what this code has by name.
Does not know: how any question is answered.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING

import attrs

from avionics.index.names import is_within
from avionics.index.query import is_stop_word, read_query
from avionics.index.scopes import is_class
from avionics.tools.subjects import find_paths
from protocols.enums import SymbolKind
from protocols.knowledge import Definition

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

_WORD = re.compile(r"[^\W\d][\w.]*[^\W]|[^\W\d]")
_PATHLIKE = re.compile(r"(?<![\w.-])[\w.-]++(?:/[\w.-]+)+/?|(?<![\w-])[\w-]++/|(?<![\w-])[\w-]++\.[a-z]{1,4}\b")
_LONGEST_QUESTION = 400
"""Characters; what is longer is an issue or a log, and is searched as it stands."""
_QUOTES = "`'\"?!.,;:"


class QuestionKind(str, Enum):
    """What is asked for."""

    TRACEBACK = "traceback"
    SYMBOL = "symbol"
    PLACE = "place"
    MAP = "map"
    USAGE = "usage"
    KIN = "kin"
    HISTORY = "history"
    FLOW = "flow"
    PHRASE = "phrase"


class Needs(Enum):
    """What a kind of question must be about."""

    SYMBOL = "a symbol"
    PATH = "a directory or file"
    EITHER = "a symbol, directory or file"
    NOTHING = "anything"


@attrs.frozen
class Rule:
    """A way of asking, the kind of question it is, and what it must be about to be one."""

    pattern: re.Pattern[str]
    kind: QuestionKind
    needs: Needs


def _rule(pattern: str, kind: QuestionKind, needs: Needs) -> Rule:
    return Rule(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), kind, needs)


RULES = (
    _rule(
        r"who (?:else )?(?:inherits|overrides|subclasses|implements)"
        r"|(?:what|which \w+) (?:override|inherit|subclass)\w*"
        r"|(?:subclasses|overrides|implementations|descendants) of|where (?:is|are)\b.{1,80}\boverrid\w+",
        QuestionKind.KIN,
        Needs.SYMBOL,
    ),
    _rule(
        r"who (?:else )?(?:calls|uses|imports|depends on|invokes)"
        r"|(?:what|which \w+) (?:calls?|uses?|imports?|depends? on)"
        r"|(?:callers|usages?|users|uses|references) (?:of|to)"
        r"|where (?:is|are|does|do)\b.{1,80}\b(?:used|called|imported|referenced|instantiated)"
        r"|(?:impact|effect) of chang\w+|what breaks|safe to (?:remove|delete|rename|change)",
        QuestionKind.USAGE,
        Needs.SYMBOL,
    ),
    _rule(
        r"why|history of|who (?:wrote|added|changed|introduced|removed|last)"
        r"|when (?:was|were|did)|(?:introduced|blame|changelog) (?:of|for|in)|reason for|rationale",
        QuestionKind.HISTORY,
        Needs.EITHER,
    ),
    _rule(
        r"what(?:'s| is| are| does)? (?:there )?(?:in|inside|within)|what does .{1,60} contain"
        r"|(?:structure|overview|layout|contents|map|api|purpose) of|(?:describe|summari[sz]e|outline|map)",
        QuestionKind.MAP,
        Needs.PATH,
    ),
    _rule(
        r"how (?:does|do|is|are|did|can|to)|what happens|walk me through|trace|flow (?:of|from)|explain how",
        QuestionKind.FLOW,
        Needs.NOTHING,
    ),
)
"""The ways of asking, in order: the first that fits and has what it needs is taken. No other text is a question of a
kind: a bare name, path or place is recognised as such before, and everything else is a phrase."""


@attrs.frozen
class Question:
    """What is asked, about what, and where to stay.

    Attributes:
        kind: The way of asking.
        text: The question.
        definition: What it is about, if that is a symbol.
        others: The other definitions that go by the name it used.
        path: What it is about, if that is a file or directory.
        line: The line asked about, 0 for none.
        scope: The path of a directory or file to stay within.
        missing: For a phrase that asks about a symbol by a name which nothing has, that name.
    """

    kind: QuestionKind
    text: str
    definition: Definition | None = None
    others: tuple[Definition, ...] = ()
    path: str = ""
    line: int = 0
    scope: str | None = None
    missing: str = ""


def read_question(code: CodeIndex, text: str, scope: str | None = None) -> Question:
    """The kind of a question and its subject.

    Args:
        code: What names mean here.
        text: The question.
        scope: The path of a directory or file to stay within.
    """
    return attrs.evolve(_read(code, text.strip(), scope), scope=scope)


def _read(code: CodeIndex, text: str, scope: str | None) -> Question:
    if any(frame.function for frame in read_query(text).frames):
        return Question(QuestionKind.TRACEBACK, text)
    if len(text) > _LONGEST_QUESTION:
        return Question(QuestionKind.PHRASE, text)
    if len(text.split()) == 1:
        return _read_name(code, text, scope)
    missing = ""
    for rule in RULES:
        if rule.pattern.search(text):
            named = _definitions_named(code, text, scope) if rule.needs in {Needs.SYMBOL, Needs.EITHER} else ()
            path = _path_named(code, text) if rule.needs in {Needs.PATH, Needs.EITHER} and not named else ""
            if named or path or rule.needs is Needs.NOTHING:
                return Question(rule.kind, text, named[0] if named else None, named[1:], path)
            if rule.needs is Needs.SYMBOL:
                missing = missing or next(iter(read_query(text).names), "")
    return Question(QuestionKind.PHRASE, text, missing=missing)


def _read_name(code: CodeIndex, text: str, scope: str | None) -> Question:
    """A text of one word: a place, a symbol, a path, or a word."""
    text = text.strip(_QUOTES)
    path, _, line = text.rpartition(":")
    if path and re.fullmatch("[1-9][0-9]{0,8}", line):
        files = [file for file in find_paths(code.files, path) if is_within(file, scope)]
        if files:
            number = int(line)
            around = code.graph.enclosing(files[0], number)
            return Question(QuestionKind.PLACE, text, around, path=files[0], line=number)
    path = _path_named(code, text) if "/" in text or _PATHLIKE.fullmatch(text) else ""
    if path:
        return Question(QuestionKind.MAP, text, path=path)
    found = code.find_definitions(text, scope=scope)
    if found:
        return Question(QuestionKind.SYMBOL, text, found[0], found[1:])
    path = _path_named(code, text)
    namesakes = code.find_definitions(text.rpartition(".")[2], scope=scope) if "." in text and not path else ()
    return Question(QuestionKind.MAP if path else QuestionKind.PHRASE, text, others=namesakes, path=path)


def _definitions_named(code: CodeIndex, text: str, scope: str | None) -> tuple[Definition, ...]:
    """The definitions a sentence names: what is written as code, else the last plain word that is a name.

    Only at the very end may that be a word which says nothing elsewhere: "who calls add?".
    """
    written = read_query(text).names
    plain = [word.strip(_QUOTES) for word in _WORD.findall(text)]
    for name in (*written, *(word for word in reversed(plain) if not is_stop_word(word)), *plain[-1:]):
        found = code.find_definitions(name, scope=scope)
        if found:
            return tuple(sorted(found, key=_is_value))
    return ()


def _is_value(definition: Definition) -> bool:
    """Whether it is neither a class nor a function: sentences are seldom about those."""
    return not is_class(definition.kind) and definition.kind not in {SymbolKind.FUNCTION, SymbolKind.METHOD}


def _path_named(code: CodeIndex, text: str) -> str:
    """The directory or file a text names, "" for none: a path, else a word that is one's whole name."""
    paths = code.snapshot.entries
    directories = {file[:at] for file in paths for at, mark in enumerate(file) if mark == "/"}
    for written in map(str, _PATHLIKE.findall(text)):
        path = written.strip("/")
        if path in paths or path in directories:
            return path
        ending = find_paths(paths, path) if "." in path or "/" in path else ()
        if ending:
            return ending[0]
    for word in _WORD.findall(text):
        dotted = word.strip(_QUOTES).replace(".", "/")
        named = [path for path in directories if path == dotted or path.endswith(f"/{dotted}")]
        named = named or [path for path in paths if f"/{path}".rpartition(".")[0].endswith(f"/{dotted}")]
        if named and not is_stop_word(word):
            return min(named, key=lambda path: (path.count("/"), len(path), path))
    return ""
