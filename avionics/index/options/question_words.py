"""Read what a text that asks for an option calls it: its kind, and the words that identify it."""

from __future__ import annotations

import re

from avionics.index.options.declared_names import OptionKind
from avionics.index.search.query import stem, text_stems
from avionics.index.search.synonyms import read_said
from avionics.late_pattern import late_pattern

VARIABLES = frozenset({OptionKind.ENVIRONMENT, OptionKind.SETTING})
"""The kinds of options that people call variables."""
PLAIN = frozenset({OptionKind.SETTING, OptionKind.CONSTANT})
"""The kinds of lines that may be about anything else as well."""
_ONLY = (
    (late_pattern(r"\benv(?:ironment)?\b", re.IGNORECASE), frozenset({OptionKind.ENVIRONMENT})),
    (
        late_pattern(r"\bsystem propert|\bpropert(?:y|ies)\b", re.IGNORECASE),
        frozenset({OptionKind.PROPERTY, OptionKind.SETTING}),
    ),
    (
        late_pattern(r"\bflags?\b|\bcommand[- ]line\b|\bcli\b|\bswitch(?:es)?\b(?! off| on)", re.IGNORECASE),
        frozenset({OptionKind.FLAG}),
    ),
    (late_pattern(r"\bvariables?\b", re.IGNORECASE), VARIABLES),
    (late_pattern(r"\bconstants?\b", re.IGNORECASE), PLAIN),
)
"""Words of a question that say which kind is meant."""
_HEAD = late_pattern(
    r"\b(?:which|what|any|an?)(?: [\w-]+){0,2}? (?:option|setting|flag|switch|variable|var|key|knob|propert(?:y|ie)"
    r"|parameter|argument|directive|constant|preference|keyword)(?:e?s)?\b",
    re.IGNORECASE,
)
"""Where a text says what it asks for."""
_ASKING = """
option setting directive keyword constant flag switch variable env environment config configuration configure key knob
preference property parameter param toggle control set determine govern decide choose select give change adjust define
specify influence affect tell call name value default argument cli system tune let point thing var program code file
whether back below above behind inside outside turn enable try say go goes going override instead people nobody
anybody somebody everybody anyone someone everyone another different pls plz please thank take want need happen put
make work one certain although whose each ever even yet also already again still both rather sometimes
sometime always usually often later sooner afterwards meanwhile ago today yesterday tomorrow month week nice nicely
horrible angry annoying hate ugly fine silly terrible great good bad better really actually simply possible possibly
ours yours mine myself yourself itself themselves lots thousands dozens hundred couple half shall would could since
during else look like know seem think believe mean wonder offer told complain enough two three four five six seven
eight nine ten eleven twelve fifteen twenty thirty sixty
"""
_SAID = frozenset(map(stem, _ASKING.split()))
"""Stems of the words with which people ask for an option."""
_COMMAND_LINE = late_pattern(
    r"\bcommand[- ]lines?\b|\bcommand(?= (?:option|flag|switch|argument|parameter)s?\b)", re.IGNORECASE
)
"""Words that ask for an option; elsewhere a command is what the option is about."""
LISTING = frozenset(
    map(stem, ("read", "use", "support", "accept", "recognize", "honor", "available", "exist", "list", "there", "all"))
)
"""Stems of the words with which people ask for all of them."""
NAMING = frozenset(
    {"default", "command", "file", "system", "program", "cli", "line", "name", "config", "configuration"}
)
"""Those of them that names of options have too."""
OF_FILES = NAMING & frozenset(map(stem, ("config", "configuration", "file")))
"""Those of them that say more of an option that is asked for by one other word: the location of the config file."""
_ASKED_KIND = late_pattern(
    r"\b(?:(?:system|environment|env|command[- ]line|config(?:uration)?)[- ](?:file )?){1,3}"
    r"(?=(?:option|setting|flag|switch|variable|var|key|propert|parameter)\w*)",
    re.IGNORECASE,
)
"""What a text calls the kind of the option."""
_COUNT_OF = late_pattern(r"\b(?:number|amount|count) of\b", re.IGNORECASE)
"""Words that nearly any option with a number has, and that few are named after."""
_MANY = late_pattern(r"\b(?:files|lines)\b", re.IGNORECASE)
_WITHOUT = late_pattern(r"\bwithout\s++(?:\w+ing\s+)?((?:\w+\s+){0,2}\w+)")
"""The thing that somebody wants to do without, which is the subject of the option: `without a config file`."""
ASKS_FOR_OPTION = late_pattern(
    r"\b(?:option|setting|directive|keyword|constant|flag|switch|variable|var|env\w*|config\w*|key|knob|preference"
    r"|propert(?:y|ie)|param\w*|toggle|argument)s?\b"
    r"|\bwhat (?:controls|governs|determines|configures)\b|\bwhat(?:'s|s| is| are) the (?:defaults?|\w+est)\b"
    r"|\Adefault\b",
    re.IGNORECASE,
)


HOW_MUCH = late_pattern(
    r"\bhow (?:long|many|much|often|big|large|deep|old|far|soon|late|frequently|loud|fast|high|wide)\b"
    r"|\b(?:from|up to|at|on|above|below|after|beyond|until) (?:which|what) (?:\w+ )?(?:size|length|number|amount|count"
    r"|width|height|depth|level|age|port|column|percentage|rate|speed|interval)\b",
    re.IGNORECASE,
)
"""Words of a question for a number that may be configurable."""
ASKS_NUMBER = late_pattern(
    rf"{HOW_MUCH.pattern}"
    r"|\b(?:timeout|interval|delay|size|number|amount|longest|largest|biggest|maximum|minimum)\b",
    re.IGNORECASE,
)
"""A question for an option that has a number."""


_NUMBER = (
    r"(?:\d[\d.,]*+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|sixty|half an"
    r"|(?:a )?few|several|some|many|these|those)"
)
_MEASURED = (
    (
        "duration",
        late_pattern(
            r"\bhow (?:long|often|old|soon|late|frequently)\b"
            r"|\bhow many (?:milli)?(?:seconds|minutes|hours|days|weeks|months)\b"
            r"|\b(?:timeouts?|intervals?|delays?|deadlines?|lifetimes?|durations?|ttl)\b"
            rf"|\b{_NUMBER}[ -]?(?:ms|(?:milli)?sec(?:ond)?s?|min(?:ute)?s?|hours?|days?|weeks?|months?|years?)\b",
            re.IGNORECASE,
        ),
        "timeout interval delay age ttl expire expiry expiration lifetime duration period deadline seconds secs sec"
        " millis milliseconds ms minutes hours days grace backoff wait frequency retention",
    ),
    (
        "size",
        late_pattern(
            r"\bhow (?:big|large)\b|\bhow many (?:kilo|mega|giga)?bytes\b"
            r"|\bhow much (?:memory|ram|space|disk|storage|data)\b|\b(?:sizes?|(?:kilo|mega|giga)?bytes?)\b"
            r"|\b\d[\d.,]*+ ?(?:[kmg]i?b|bytes?|(?:kilo|mega|giga)bytes?)\b",
            re.IGNORECASE,
        ),
        "size bytes byte kb mb gb kib mib gib width height",
    ),
    (
        "count",
        late_pattern(
            r"\bhow (?:many|often|frequently)\b|\b(?:number|amount|count) of\b|\bhow many times\b", re.IGNORECASE
        ),
        "count",
    ),
)
"""What a number measures, how a text asks for such a number, and the words in names of options that have one."""


def read_measures(text: str) -> frozenset[str]:
    """Return what the number that a text asks for may measure, empty if it asks for none."""
    return frozenset(measure for measure, asks, _ in _MEASURED if asks.search(text))


def list_measures() -> dict[str, tuple[str, ...]]:
    """Return measure → the stems in names of options that have it."""
    return {measure: tuple(map(stem, words.split())) for measure, _, words in _MEASURED}


_KEPT_SO = late_pattern(
    r"\bhow (?:many|much|long)\b.{0,160}\b((?:is|are|be|gets?|stays?|remains?)"
    r" (?:kept|stored|held|allowed|shown|displayed|used|valid|alive|fresh))\b"
    r"|\bwhat(?:'s| is| are) the \w{1,20}est .{0,160} (accept|take|handle|allow|support)s?\W*\Z",
    re.IGNORECASE,
)


def read_manner(text: str) -> tuple[str, ...]:
    """Return the stems of the words with which any number of things is asked for, as `kept` and `stay valid`."""
    kept = _KEPT_SO.search(text)
    return text_stems(kept[1] or kept[2]) if kept else ()


def read_kinds(text: str) -> frozenset[OptionKind]:
    """Return the kinds of options that a text may ask for: what it calls them where it asks, else anywhere."""
    head = _HEAD.search(text)
    asked = head[0] if head else text
    return next((kinds for pattern, kinds in _ONLY if pattern.search(asked)), frozenset(OptionKind))


def names_an_option(text: str) -> bool:
    """Return whether a text says which option it asks for: "what is its default?" does not."""
    return not {stem("default")}.issuperset(read_wanted(text))


_ACRONYM = late_pattern(r"\b(?:[a-z][A-Z]{2,}|[A-Z]{2,}[a-z]\d?)\b")
"""An acronym with a small letter, which is one word: `gRPC`, `mTLS`, `NVMe`, `IPv4`, or the plural `URLs`."""
_CONTRACTED = late_pattern(r"['’](?:ve|ll|re|d|m|s)\b", re.IGNORECASE)


def read_wanted(text: str) -> list[str]:
    """Return the stems of a question that identify the option."""
    asked = _COUNT_OF.sub(
        " ", _COMMAND_LINE.sub(" ", read_said(_ACRONYM.sub(lambda each: each[0].lower(), _CONTRACTED.sub(" ", text))))
    )
    words = list(dict.fromkeys(text_stems(_ASKED_KIND.sub(" ", asked))))
    # In "how many files" the word "files" identifies the option; in "which file" it does not.
    many = {stem(each[0]) for each in _MANY.finditer(text)}
    many.update(word for each in _WITHOUT.finditer(text) for word in text_stems(each[1]) if word in NAMING)
    # An option's own name may consist of such words: "which variable sets the default command?"
    chosen = [each for each in words if each not in _SAID or each in many]
    naming = NAMING if not chosen else OF_FILES if len(chosen) == 1 else frozenset[str]()
    return [*chosen, *(each for each in words if each in naming and each not in chosen)]
