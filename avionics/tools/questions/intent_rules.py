"""Questions: what kind of question a text asks, and about what.

Knows: how people ask, and what this code has by name.
Does not know: how any question is answered.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from avionics.index.scopes.name_resolver import is_class
from avionics.index.scopes.symbol_lookup import is_within
from avionics.index.search.query import read_query
from avionics.model.knowledge import Definition
from avionics.tools.questions.mention_resolver import (
    PATHLIKE,
    QUOTES,
    find_absent,
    find_inflected,
    get_path,
    get_unknown,
    is_value,
    resolve_mentions,
)
from avionics.tools.resolution.subject_resolver import find_folded, find_paths

if TYPE_CHECKING:
    from avionics.index.code_index import CodeIndex

_MAX_QUESTION_LENGTH = 400
"""Characters; what is longer is an issue or a log, and is searched as it stands."""


class Intent(str, Enum):
    """What is asked for."""

    TRACEBACK = "traceback"
    SYMBOL = "symbol"
    CODE = "code"
    PLACE = "place"
    MAP = "map"
    LIST_MODULES = "parts"
    USAGE = "usage"
    SUBTYPES = "kin"
    BASES = "bases"
    CALLEES = "callees"
    DEPENDENTS = "dependents"
    TESTS = "tests"
    UNUSED = "unused"
    ENTRIES = "entries"
    HISTORY = "history"
    FLOW = "flow"
    PHRASE = "phrase"


class Needs(Enum):
    """What a kind of question must be about."""

    SYMBOL = "a symbol"
    PATH = "a directory or file"
    EITHER = "a symbol, directory or file"
    NOTHING = "anything"


@attrs.frozen(slots=False)
class IntentRule:
    """A way of asking, the kind of question it is, and what it must be about to be one."""

    words: str
    kind: Intent
    needs: Needs

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What such a question holds; compiled when first asked for, which a question of one word never does."""
        return re.compile(rf"\b(?:{self.words})\b", re.IGNORECASE)


_USING = (
    r"who (?:else )?(?:calls|uses|imports|depends on|invokes|needs)"
    r"|(?:what|which \w+) (?:calls?|uses?|imports?|depends? on|needs?)"
    r"|(?:callers|usages?|users|uses|references|importers|dependents) (?:of|to)"
    r"|where (?:is|are|does|do)\b.{1,80}\b(?:used|called|imported|referenced|instantiated)"
    r"|(?:impact|effect) of chang\w+|what (?:would |will )?breaks?|safe to (?:remove|delete|rename|change)"
    r"|is .{1,80}\b(?:used|called|imported)"
)
_CODE = r"(?:code|functions?|methods?|class(?:es)?|symbols?|definitions?|variables?|constants?)"
_ASKED_FOR = r"(?:(?:what|which|where|are|is|there|any|list|show|me|find|all|the|of|unit|integration)\s+)*"
_WHOLE = r"(?:(?:this|the|whole|entire)\s+)*(?:project|repo(?:sitory)?|code ?base|workspace|code)"
_PARTS = r"(?:sub)?(?:packages|modules|crates|director(?:ies|y)|folders|components|namespaces|projects|workspaces)"

RULES = (
    IntentRule(
        rf"(?:unused|dead|unreferenced|uncalled|unreachable) (?:\w+ )?{_CODE}"
        rf"|{_CODE} (?:(?:that|which) )?(?:is|are) (?:never|not|no longer) (?:used|called|referenced)"
        rf"|{_CODE} (?:that )?(?:nobody|nothing|no one) (?:uses|calls|references)",
        Intent.UNUSED,
        Needs.NOTHING,
    ),
    IntentRule(
        rf"\A{_ASKED_FOR}(?:(?:http|url|rest|api|web|cli)\s+)?(?:entry[ -]?points?|routes|endpoints|urls)"
        rf"(?: (?:are there|there are|exist|defined|registered|declared))?(?: (?:in|of) {_WHOLE})?(?=\W*\Z)",
        Intent.ENTRIES,
        Needs.NOTHING,
    ),
    IntentRule(
        rf"\A{_ASKED_FOR}tests? (?:\w+ ){{0,2}}?"
        r"(?:cover\w*|exercis\w+|verif\w+|check\w*|for|of|uses?|using|calls?|touch\w*|hit)"
        r"|(?:is|are) .{1,80}\b(?:tested|covered)|has .{1,80}\btests",
        Intent.TESTS,
        Needs.EITHER,
    ),
    IntentRule(
        r"(?:what|which \w+) (?:does|do) .{1,80}\b(?:inherit|extend|derive|implement|subclass)s?"
        r"|(?:base|parent|super) ?class(?:es)? of|(?:bases|parents|ancestors|supertypes|superclasses) of",
        Intent.BASES,
        Needs.SYMBOL,
    ),
    IntentRule(
        r"who (?:else )?(?:inherits|overrides|subclasses|implements|extends|derives|satisfies)"
        r"|(?:what|which \w+|\w+ that) (?:override|inherit|subclass|implement|extend|derive|satisf)\w*"
        r"|(?:subclass(?:es)?|overrides|implement(?:ation|er|or)s|descendants|derived classes|child(?:ren| classes)) of"
        r"|(?:where (?:is|are)|is)\b.{1,80}\boverrid\w+",
        Intent.SUBTYPES,
        Needs.SYMBOL,
    ),
    IntentRule(
        r"(?:what|which(?: \w+)?) (?:does|do) .{1,80}\b(?:call|invoke|execute)"
        r"|(?:what|which \w+) (?:is|are) (?:called|invoked) (?:by|from|in)|callees of|calls (?:made )?by"
        r"|call (?:tree|graph|flow) of",
        Intent.CALLEES,
        Needs.SYMBOL,
    ),
    IntentRule(_USING, Intent.USAGE, Needs.SYMBOL),
    IntentRule(_USING, Intent.DEPENDENTS, Needs.PATH),
    IntentRule(
        r"why|history of|who (?:else )?(?:wrote|added|changed|introduced|removed|last|maintains|owns|touched|authored)"
        r"|when (?:was|were|did|has)|(?:introduced|blame|changelog) (?:of|for|in)|reason for|rationale"
        r"|what (?:has |was )?(?:recently )?changed|(?:last|latest|recent) (?:changes?|commits?|edits?)"
        r"|(?:commits|changes) (?:to|in|of|for|touching)",
        Intent.HISTORY,
        Needs.EITHER,
    ),
    IntentRule(
        r"what(?:'s| is| are| does)? (?:there )?(?:in|inside|within)|what does .{1,60} contain"
        r"|(?:structure|overview|layout|contents|map|api|purpose|exports?|interface) of|exports? (?:in|from)"
        r"|(?:describe|summari[sz]e|outline|map)",
        Intent.MAP,
        Needs.PATH,
    ),
    IntentRule(
        rf"\A{_ASKED_FOR}(?:(?:top[- ]level|main|public)\s+)?{_PARTS}"
        rf"(?: (?:are there|there are|exist))?(?: (?:in|of) (?:{_WHOLE}|\S*\w))?(?=\W*\Z)",
        Intent.LIST_MODULES,
        Needs.NOTHING,
    ),
    IntentRule(
        rf"(?:structure|overview|layout|architecture|map|purpose) of {_WHOLE}(?=\W*\Z)"
        rf"|\A(?:project|repo(?:sitory)?|code ?base) (?:structure|overview|layout|map)(?=\W*\Z)"
        rf"|\A(?:describe|summari[sz]e|explain|outline|map) {_WHOLE}(?=\W*\Z)"
        rf"|\Awhat (?:is|does) {_WHOLE}(?: do| about| for)?(?=\W*\Z)|\Aarchitecture(?=\W*\Z)"
        rf"|\Awhat(?:'s| is| are)? (?:there )?(?:in|inside|within) {_WHOLE}(?=\W*\Z)|\A(?:an? )?overview(?=\W*\Z)"
        rf"|\Ahow (?:does|do) (?:it|this|everything|all of (?:it|this)|{_WHOLE}) (?:all )?work(?=\W*\Z)"
        r"|\A(?:where|how) (?:do|should|can) (?:i|we|one) (?:start|begin)(?: reading)?(?=\W*\Z)"
        r"|\A(?:what(?:'s| is| does) (?:it|this)|explain (?:it|this)|tell me about (?:it|this))(?: do)?(?=\W*\Z)",
        Intent.MAP,
        Needs.NOTHING,
    ),
    IntentRule(
        r"how (?:does|do|is|are|did|can|to)|what happens|walk me through|trace|flow (?:of|from)|explain how",
        Intent.FLOW,
        Needs.NOTHING,
    ),
)
"""The ways of asking, in order: the first that fits and has what it needs is taken. No other text is a question of a
kind: a bare name, path or place is recognised as such before, and everything else is a phrase."""

_OF_WHOLE = frozenset({Intent.UNUSED, Intent.ENTRIES, Intent.MAP, Intent.LIST_MODULES})
"""Asked about a directory or file where one is named, else about everything."""

_PAST = re.compile(
    r"\b(?:was|were|did|has|\w+ed|wrote|history|commits?|blame|last|latest|recent|when)\b", re.IGNORECASE
)
"""What tells a question for the past from one for a reason in the code: only there a name may be spelled freely."""

_KIND_WORD = r"(?:class|function|method|struct|interface|trait|enum|type|macro|module|file|constant|variable|property)"
_NAME = (
    rf"(?:the |an? )?(?:{_KIND_WORD} )?[`'\"]?(?P<name>[\w./:$]*\w(?:[!?](?=\s+\w))?)(?:\(\))?[`'\"]?"
    rf"(?: {_KIND_WORD})?"
)
_OF_NAME = (
    r"signature|definition|declaration|source(?: code)?|code|body|implementation|doc(?:s|string|umentation)?"
    r"|parameters|arguments|meaning"
)
ASKED_NAME = re.compile(
    rf"(?:(?:where|what)(?:'s| is| are|(?P<does> does))(?: defined)?|where can i find"
    rf"|explain|describe|define|locate|find|show(?: me)?|tell me about)"
    rf" {_NAME}(?: (?:defined|implemented|declared|located|written|found|do|mean|for|return))?\W*"
    rf"|(?:(?:show|give|print|get|find|read|what is|where is)(?: me)? )?(?:the )?(?:{_OF_NAME}) (?:of|for) "
    rf"{_NAME.replace('?P<name>', '?P<of>')}\W*",
    re.IGNORECASE,
)
"""A question for what one name stands for."""


@attrs.frozen
class Question:
    """What is asked, about what, and where to stay.

    Attributes:
        kind: The way of asking.
        text: The question.
        definition: What it is about, if that is a symbol.
        others: The other definitions that go by the name it used.
        path: What it is about, if that is a file or directory; "." for everything.
        line: The line asked about, 0 for none.
        scope: The path of a directory or file to stay within.
        missing: For a phrase that asks about a symbol by a name which nothing has, that name.
    """

    kind: Intent
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


def find_others(question: Question) -> tuple[Definition, ...]:
    """The other definitions that go by the name, without a class's own constructors."""
    meant = question.definition
    if meant is None or not is_class(meant.kind):
        return question.others
    span = meant.symbol.span
    return tuple(each for each in question.others if each.file != meant.file or not span.contains(each.line))


def _read(code: CodeIndex, text: str, scope: str | None) -> Question:
    if any(frame.function for frame in read_query(text).frames):
        return Question(Intent.TRACEBACK, text)
    if len(text) > _MAX_QUESTION_LENGTH:
        return Question(Intent.PHRASE, text)
    if len(text.split()) == 1:
        return _read_name(code, text, scope)
    missing = ""
    for rule in RULES:
        if not rule.pattern.search(text):
            continue
        named, path = _subject(code, text, rule, scope)
        if named or path or rule.needs is Needs.NOTHING:
            return Question(rule.kind, text, named[0] if named else None, named[1:], path)
        missing = missing or next(iter(find_absent(text)), "")
        if rule.needs in {Needs.SYMBOL, Needs.EITHER}:
            missing = missing or get_unknown(text)
    asked = ASKED_NAME.fullmatch(text)
    found = _read_asked(code, asked["name"] or asked["of"], scope) if asked else None
    if asked and found and found.definition and (asked["of"] or asked["does"]):
        return attrs.evolve(found, kind=Intent.CODE, text=text)
    return found or Question(Intent.PHRASE, text, missing=missing)


def _subject(code: CodeIndex, text: str, rule: IntentRule, scope: str | None) -> tuple[tuple[Definition, ...], str]:
    """What a question of a kind is about: definitions, or a path, or neither."""
    if rule.needs is Needs.NOTHING:
        place = get_path(code, text, is_written=True) if rule.kind in _OF_WHOLE else None
        return (), place or ("." if rule.kind in {Intent.MAP, Intent.LIST_MODULES} else "")
    written = get_path(code, text, is_written=True)
    if rule.needs is Needs.SYMBOL and written:
        return (), ""
    if written or rule.needs is Needs.PATH:
        return (), written or get_path(code, text) or ""
    is_loose = rule.kind is not Intent.HISTORY or _PAST.search(text) is not None
    named = resolve_mentions(code, text, scope, is_loose=is_loose)
    return named, "" if named or rule.needs is Needs.SYMBOL else get_path(code, text) or ""


def _read_asked(code: CodeIndex, name: str, scope: str | None) -> Question | None:
    """What one name stands for: a class or function, else a directory or file, else a value; None for neither."""
    found = _read_name(code, name, scope)
    is_sure = found.path or (found.definition and not is_value(found.definition))
    if is_sure or not name.islower():
        return found if found.definition or found.path else None
    meant = find_inflected(code, name, scope)
    if meant:
        return Question(Intent.SYMBOL, meant[0].name, meant[0], meant[1:])
    path = get_path(code, name) or get_path(code, name.removesuffix("s"))
    return Question(Intent.MAP, path, path=path) if path else found if found.definition else None


def _read_name(code: CodeIndex, text: str, scope: str | None) -> Question:
    """A text of one word: a place, a symbol, a path, or a word."""
    text = text.strip(QUOTES)
    path, _, line = text.rpartition(":")
    if path and re.fullmatch("[1-9][0-9]{0,8}", line):
        files = [file for file in _find_written(code, path) if is_within(file, scope)]
        if files:
            number = int(line)
            around = code.graph.enclosing(files[0], number)
            return Question(Intent.PLACE, text, around, path=files[0], line=number)
    named = get_path(code, text, is_written=True) if "/" in text or PATHLIKE.fullmatch(text) else None
    absent = () if named else find_absent(text)
    if absent:
        named = next(iter(_find_written(code, absent[0])), None)
        if not named:
            return Question(Intent.PHRASE, text, missing=absent[0])
    if named:
        return Question(Intent.MAP, text, path=named)
    found = code.find_definitions(text, scope=scope) or _find_spelt_alike(code, text, scope)
    if found:
        return Question(Intent.SYMBOL, text, found[0], found[1:])
    named = get_path(code, text)
    if named:
        return Question(Intent.MAP, text, path=named)
    namesakes = code.find_definitions(text.rpartition(".")[2], scope=scope) if "." in text else ()
    return Question(Intent.PHRASE, text, others=namesakes, missing=text)


def _find_written(code: CodeIndex, path: str) -> tuple[str, ...]:
    """The files that a path names, which may be that of another machine."""
    from avionics.index.search.exact_mentions import find_files_ending

    return find_paths(code.files, path) or (find_files_ending(code.files, path) if path.startswith("/") else ())


def _find_spelt_alike(code: CodeIndex, name: str, scope: str | None) -> tuple[Definition, ...]:
    """The definitions of a name without regard to case and underscores; a plain word names no values so."""
    found = find_folded(code, name, scope)
    return found if not name.isalpha() or any(not is_value(each) for each in found) else ()
