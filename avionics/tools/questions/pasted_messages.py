"""Read messages that programs printed, as people paste them: after a question or a time stamp, with a trace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.search.query import Query
from avionics.late_pattern import late_pattern

if TYPE_CHECKING:
    from avionics.index.search.message_templates import Fit

ASKS_ORIGIN = late_pattern(
    r"\b(?:throws?|thrown|raises?|raised|prints?|printed|logs?|logged|emits?|reports?|says?|error|message|warning"
    r"|returned|displayed|shown|output|come from|comes from)\b",
    re.IGNORECASE,
)
"""Words with which people ask where a quoted message comes from."""
_MIN_MESSAGE_WORDS = 4
_LEVEL_LETTERS = 4
"""The letters in which the names of a level agree: `WARN`, `warning`."""
_MIN_QUOTED = 5
"""The minimum number of words of a quotation that may be a message itself, of an error that another one wraps."""
_MAX_PRINTED = 2_000
"""Characters; longer text is an issue or a log with more than one message."""
_ASKS_OF = r"(?:where|what|which|who|how|why|list|show|give|explain|describe|find|name|tell|please)\b"
"""The word behind a name and a colon with which somebody asks about what has the name."""
_PRINTED = late_pattern(
    r"(?:Exception in thread |Caused by: |Uncaught |thread '\w+' panicked|panic: |fatal(?: error)?: |E\d{3,5}: )"
    rf"|\w*Error: (?!{_ASKS_OF})"
    rf"|(?:[\w.$]+\.)?[A-Z]\w*(?:Error|Exception|Warning|Failure|Fault)\b\s*(?::(?!:| +{_ASKS_OF})|[(\[])"
    r"|(?i:(?:[\w.-]{1,40}: |\w+ )?(?:error|warn(?:ing)?|critical|fatal|panic|notice|hint|note))(?:\[\w+\])?: +"
    r"(?!(?:where|what|which|who|how|why)\b)\S"
    r"|(?i:error|failed|failure|unable|cannot|could not|couldn't|can't|invalid|unexpected)\b"
    r"[^?:\n]{3,120}: [^?\n]+(?:\n|\Z)"
    rf"|(?:[\w.$]+[.:])?[A-Z][a-z]+[A-Z]\w*: +(?!{_ASKS_OF}|(?:is|are|does|do|since|when|any)\b)\S+ +\S+ +\S",
    needs=(":", "(", "[", "panicked", "Exception in thread ", "Uncaught "),
)
"""The beginning of a message that a program printed."""
_LEVEL = r"(?:error|err|warn(?:ing)?|info|debug|trace|verbose|critical|crit|fatal|severe|notice|panic)"
_LOGGED = late_pattern(
    r"\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d[T ,]+|[A-Z][a-z]{2} +\d{1,2} )?\d\d:\d\d(?::\d\d)?\b"
    r"|[IWEF]\d{4} \d\d:\d\d:\d\d"
    rf"|[\[(<]\W*(?i:{_LEVEL})\W*[\])>]|(?:ERROR|WARN|WARNING|FATAL|CRITICAL|SEVERE)\b(?=[^?\n]*(?:\n|\Z))"
    rf"|(?:INFO|DEBUG|TRACE)(?:[:|\t]|  | +\S+[:\]])"
    rf"|(?:\w+=\S+ )*(?:level|lvl|severity)=\W?(?i:{_LEVEL})\b"
    rf"|\{{\s*\"(?:level|lvl|severity|time|ts|timestamp|msg|message|error)\"\s*:"
    rf"|[\w./-]+:\d+(?::\d+)?: +\S+ +\S|\[\d+(?::\d+)?\]:? |\[[\w./-]+:\d+\] |(?i:{_LEVEL}): +\S+ +\S",
    needs=(":", "[", "(", "<", "|", "ERROR", "WARN", "FATAL", "CRITICAL", "SEVERE", "INFO", "DEBUG", "TRACE", "="),
)
"""The beginning of a line of a log."""
_LOG_HEAD = late_pattern(
    r"\A\W{0,2}\d{4}[-/]\d\d[-/]\d\d[T ,]{1,2}\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?: ?(?:Z|[+-]\d\d:?\d\d))?\b"
    r"[\s\]),|-]{0,4}",
    needs=("-", "/"),
)
_LEVEL_HEAD = late_pattern(
    r"\A(?:[\w.]{1,60} - )?"
    r"[\[(<]? ?(?P<level>(?<=[\[(< ])(?i:error|warn|info|debug|trace|critical|fatal|severe|notice)"
    r"|(?:ERROR|WARN|INFO|DEBUG|TRACE|CRITICAL|FATAL|SEVERE|NOTICE))(?i:ing)? ?[\])>]?(?: ?[-:|])?\s++(?=\S)"
)
"""The time, and the level with the name of the logger before it, which a log writes before the message."""
_MARKED = late_pattern(
    r"[\u00d7\u25cf\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]\ufe0f? {1,3}"
    rf"(?!(?i:{_ASKS_OF}|(?:is|are|does|do|can|i)\b))\S+ +\S+ +\S"
)
"""A message behind the sign that terminals show before it, such as a cross or a warning triangle."""
_CAUSED = late_pattern(
    r"(?!\W{0,9}(?:why|what|where|how|who|which|when|i|we)\b)[^?:\n]{3,120}: "
    r"(?>(?:[\w$]++\.)*)\w*?(?:Error|Exception)\b[:(]",
    needs=(": ",),
)
"""A message that ends with that of the error which caused it."""
_DENIED = late_pattern(
    r"(?:'[^'\n]{1,120}'|\"[^\"\n]{1,120}\") (?:is|are|was|has|does|did|can|could|must|may)(?: not|n['’]t|not)\b"
    r"[^?\n]{0,200}(?:\n|\Z)"
)
"""A message that begins with a quoted value, and says what it is not."""
_PREFIXED = late_pattern(r"[a-z][\w./-]*: (?:[\w'-]+[ ,]+){1,}\w", needs=(": ",))
"""A message after the name of the program or package that printed it."""
_GETTING = late_pattern(
    r"\W*(?:why|what|where|how|i|we)\b[^:\n]{0,60}?\b(?:gets?|got|getting|sees?|seeing|causes?|raises?|throws?|means?"
    r"|triggers?|prints?|logs?|emits?|produces?)"
    r"(?: (?:the|this|an?))?(?: (?:error|message|exception|warning))?\b\W+",
    re.IGNORECASE,
    needs=("get", "got", "see", "cause", "raise", "throw", "mean", "trigger", "print", "log", "emit", "produce"),
)
"""What people write before such a message."""
_COMPLAINS = late_pattern(
    r"(?=[A-Z][a-z]+ )(?=.*?\b(?i:cannot|can['’]t|could not|couldn['’]t|unable|failed|failure|invalid|unknown|missing"
    r"|not|no"
    r"|unexpected|denied|refused|too)\b)(?:\S+ +){3,}\S+[^?\n]*\Z"
)
"""A capitalized sentence that says that something went wrong, after such words."""
_LED_IN = late_pattern(
    r"\W*(?:(?:so|and|but|also|now|hi|please|help)\W+)?(?:i|we|it|he|she|they|users?|somebody|someone|where|why|what"
    r"|when"
    r"|how|who|which|my|our|keeps?|still|always|getting|got|seeing)\b[^:\n]{0,60}:\s+(?=\S+\s+\S+\s+\S)",
    re.IGNORECASE,
    needs=(":",),
)
_TELLS = late_pattern(
    r"\b(?:gets?|getting|got|sees?|seeing|saw|seen|says?|saying|said|tells?|told|fail(?:s|ed|ing)?|print(?:s|ed)?"
    r"|logs?|logged|report(?:s|ed)?|complain(?:s|ed)?|show(?:s|n|ed)?|throw(?:s|n)?|crash(?:es|ed)?|die[sd]|errors?"
    r"|messages?|warnings?|exceptions?|comes? from)\b",
    re.IGNORECASE,
)
"""The text that people write before a colon and a message: the beginning of a sentence with a verb of saying."""
_ASKING = late_pattern(
    r"\A(?:so |and |please )?(?:where|what|who|which \w+|why)(?: \w+)?? (?:does|do|did|is|are|was|causes?|raises?"
    r"|throws?|prints?|logs?"
    r"|emits?|triggers?|produces?|says?|(?:am i|do i) (?:get|see)\w*)(?: (?:the|this|an?|my))?(?: (?:error|message"
    r"|warning|exception|text))*\b:?\s+"
    r"|\A(?:i (?:get|got|see|am getting|keep getting)|getting|error message|find the source of|locate)\b(?: (?:the"
    r"|this|an?))?"
    r"(?: (?:error|message|warning|exception))*:?\s+",
    re.IGNORECASE,
)
_ASKED = late_pattern(
    r"(?<!\s)\s+(?:com(?:e|es|ing) from|(?:is |are |gets? )?(?:raised|thrown|logged|printed|emitted|produced|generated"
    r"|returned|written"
    r"|shown|displayed|reported|output))(?: (?:from|by|in the code|at))?\W*\Z",
    re.IGNORECASE,
)
_ASKED_BEHIND = late_pattern(
    r"(?<=\w)\W*[:,;.?!–-]\W*(?:so |and )?(?:where|who|what|which|why)\b[^\n]{0,60}\?\Z", re.IGNORECASE
)
_COLOR = late_pattern(r"(?:\x1b|\\x1b|\\033|\\e|␛)?\[\d*(?:;\d+)*m")
"""The codes that colour text on a terminal, perhaps without the escape character, which pasting loses."""
_VALUE = late_pattern(
    r"\"[^\"\n]*\"|`[^`\n]*`|(?<!\w)'[^'\n]*'|<[^<>\n]*>|\{[^{}\n]*\}|%\S+|(?<![\w-])[^\s/\\]{0,200}[/\\]\S*+"
    r"|(?<![\w-])[\d.:]{1,60}\b"
    r"|(?<![\w-])--?[A-Za-z][\w-]*"
)
_FIELDS = late_pattern(
    r"\"\w+\"\s*:\s*\"((?:[^\"\\]|\\.)*)\"|\b(?:msg|message|err|error|cause|reason)=\"((?:[^\"\\]|\\.)*)\""
)
"""A quoted value of a line of a log that consists of keys and values."""
_SYSTEM = late_pattern(
    r"no such file or directory|permission denied|connection (?:refused|reset by peer|timed out)|broken pipe"
    r"|file exists|operation (?:not permitted|timed out)|(?:is|not) a directory|address already in use|invalid argument"
    r"|no space left on device|resource temporarily unavailable|(?:device or )?resource busy|directory not empty"
    r"|input/output error|too many open files|\(os error \d+\)",
    re.IGNORECASE,
)
"""The message of the operating system, which a program adds to its own."""
_HELP = late_pattern(r"\n[ \t]*+(?:[Tt]ry|[Ss]ee|[Uu]se|[Rr]un|[Tt]ype)\b[^\n]{0,80}?(?:\s-h\b|\bhelp\b)[^\n]*\s*\Z")
"""A last line that tells how to get help, which programs print below many messages."""
_OPENED = late_pattern(r"(?: ?[\"'`])?")
_QUOTES = ('"', "'", "`", "“", "‘", "«")
_CLASS = late_pattern(r"\A[A-Z][^\Wa-z]*+[a-z][^\WA-Z]*+[A-Z]\w*+\Z")
_ADVICE = late_pattern(r"\b(?:hint|help|tip|note|suggestion|usage)s?:\s*\Z", re.IGNORECASE)
"""What precedes advice, which is not the cause of the message above it."""
_CAUSE = late_pattern(r"\bcaused? by\b|\bcause\b|\breason\b|(?::| [-–—])\s*\Z", re.IGNORECASE)


class PastedMessage(Struct, frozen=True):
    """A message as it was pasted.

    Attributes:
        text: Its text, without the words that ask about it and without colours.
        words: Its words in lower case.
        spans: The start and the end of each word in the text.
        plain: For each word whether it is not part of a value such as a path, a flag or a quotation.
        places: The positions of each word.
        names: Its words that are written like names of classes, unchanged.
        level: The beginning of the level that a log wrote before it, such as `warn`, "" for none.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    plain: tuple[bool, ...]
    places: dict[str, list[int]]
    names: frozenset[str]
    level: str = ""

    def get_share(self, found: Fit) -> float:
        """Return the share of the plain words that a text contains, or for which it has a placeholder."""
        shared = len(found.words)
        return shared / max(1, shared + sum(self.plain[: found.start]) + sum(self.plain[found.end :]))

    def is_led_by(self, found: Fit) -> bool:
        """Return whether a text begins the message, up to a value in it: `Unknown tool: "x"`."""
        is_first = found.start == 0 or (found.start == 1 and self.words[0].endswith(("error", "exception")))
        return is_first and found.end < len(self.words) and not self.plain[found.end]

    def is_cause(self, end: int, start: int) -> bool:
        """Return whether the text names the message from `start` as the cause of the one that ends at `end`.

        A message may begin with values, of which a text in code has no words.
        """
        while start > end and not self.plain[start - 1]:
            start -= 1
        before, behind = self.spans[end - 1][1], self.spans[start][0]
        between = self.text[before:behind].rstrip("\"'`([ ")
        return before <= behind and _CAUSE.search(between) is not None and _ADVICE.search(between) is None

    def list_pairs(self) -> tuple[str, ...]:
        """Return the adjacent words of the message with the text between them.

        Of its values, only long ones have any.
        """
        said = _SYSTEM.sub("\n", self.text)
        quoted = "\n".join(each[0][1:-1] for each in _VALUE.finditer(said) if len(each[0].split()) >= _MIN_QUOTED)
        own = tuple(dict.fromkeys((*_iter_pairs(said), *_iter_pairs(quoted))))
        return own or tuple(dict.fromkeys(_iter_pairs(self.text)))

    def list_triples(self) -> tuple[str, ...]:
        """Return three adjacent words of the message each, for where too many lines have two of them.

        One before a quoted value ends with the quotation mark, which the code has as well.
        """
        ends = range(3, len(self.words) + 1)
        spans = ((self.spans[at - 3][0], self.spans[at - 1][1]) for at in ends if all(self.plain[at - 3 : at]))
        texts = (self.text[start:end] + _OPENED.match(self.text, end)[0] for start, end in spans)  # type: ignore[index]
        return tuple(dict.fromkeys(each for each in texts if "\n" not in each))


def _iter_pairs(text: str) -> Iterator[str]:
    from avionics.index.search.message_templates import WORD

    for piece in _VALUE.split(text):
        for first, last in pairwise(WORD.finditer(piece)):
            if "\n" not in piece[first.end() : last.start()]:
                yield piece[first.start() : last.end()]


def read_message(text: str) -> PastedMessage:
    """Return a message without the words that ask about it; for a very long one its beginning and end."""
    from avionics.index.search.message_templates import WORD, list_places

    said = _ASKED.sub("", _ASKED_BEHIND.sub("", _ASKING.sub("", _COLOR.sub("", text.strip()))))
    if said.startswith("{") or "=" in said.partition(" ")[0]:
        fields = ("".join(each) for each in _FIELDS.findall(said))
        said = "\n".join(each.replace('\\"', '"') for each in fields) or said
    said = _LOG_HEAD.sub("", _HELP.sub("", said))
    logged = _LEVEL_HEAD.match(said)
    said = said[logged.end() :] if logged else said
    if len(said) > _MAX_PRINTED:
        said = f"{said[: _MAX_PRINTED // 2]}\n{said[-_MAX_PRINTED // 2 :]}"
    found = list(WORD.finditer(said))
    words = tuple(each[0].replace("’", "'").lower() for each in found)
    names = frozenset(each[0] for each in found if _CLASS.search(each[0]))
    spans = (each.span() for pattern in (_VALUE, _SYSTEM) for each in pattern.finditer(said))
    valued = frozenset(at for span in spans for at in range(*span))
    plain = tuple(each.start() not in valued for each in found)
    level = logged["level"].lower()[:_LEVEL_LETTERS] if logged else ""
    return PastedMessage(said, words, tuple(each.span() for each in found), plain, list_places(words), names, level)


def get_message(query: Query) -> str:
    """Return the message that a text is, or whose origin it asks for; "" if it has none."""
    text = query.text
    if len(text) > _MAX_PRINTED:
        return ""
    said = _COLOR.sub("", text)
    if any(each.match(said) for each in (_PRINTED, _LOGGED, _MARKED, _CAUSED, _DENIED)):
        return text
    return _get_quoted(query) or _get_pasted(text)


def _get_quoted(query: Query) -> str:
    """Return the quoted message whose origin a question asks for; "" if there is none."""
    text = query.text
    asks = ASKS_ORIGIN.search(text) is not None
    # A phrase after a colon is the end of a message, not a quoted message.
    quoted = (each for each in query.phrases if text[: max(0, text.find(each))].endswith(_QUOTES))
    getting = _GETTING.match(text)
    for each in quoted:
        if getting and getting.end() <= text.find(each) and len(each.split()) > 1:
            return each
        told = asks or _TELLS.search(text[: max(0, text.find(each))])
        if _PRINTED.match(each) or _LOGGED.match(each) or (told and len(each.split()) >= _MIN_MESSAGE_WORDS):
            return each
    return ""


def _get_pasted(text: str) -> str:
    """Return the message at the end of a question, as a program printed it; "" if there is none."""
    asking = _GETTING.match(text)
    rest = text[asking.end() :] if asking else ""
    if _PRINTED.match(rest) or _LOGGED.match(rest) or _PREFIXED.match(rest) or _COMPLAINS.match(rest):
        return rest
    led = _LED_IN.match(text)
    return text[led.end() :] if led and _TELLS.search(led[0]) else ""
