"""The rules that recognize what a question asks, by its words."""

from __future__ import annotations

import re
from enum import Enum
from functools import cached_property

from msgspec import Struct


class Intent(str, Enum):
    """What a question asks for."""

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
    """What a question with an intent must be about."""

    SYMBOL = "a symbol"
    PATH = "a directory or file"
    EITHER = "a symbol, directory or file"
    NOTHING = "anything"


class IntentRule(Struct, frozen=True, dict=True):
    """Words that express an intent, if the question is about what the intent needs."""

    words: str
    intent: Intent
    needs: Needs

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Return the words as a pattern, compiled on first use because a question of one word never needs it."""
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
"""The rules in order; the first that matches and has what it needs decides. Names, paths and places without other words
are recognized before, and every other text is a phrase."""

ABOUT_EVERYTHING = frozenset({Intent.UNUSED, Intent.ENTRIES, Intent.MAP, Intent.LIST_MODULES})
"""Intents of questions about everything, unless the question names a directory or file."""

ABOUT_PAST = re.compile(
    r"\b(?:was|were|did|has|\w+ed|wrote|history|commits?|blame|last|latest|recent|when)\b", re.IGNORECASE
)
"""Words of questions about the past. Other questions with "why" are about the code, and must spell names exactly."""

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
"""A question about what one name means."""
