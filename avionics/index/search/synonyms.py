"""Words that people and code have for the same thing.

People ask where bots are left out; the code ignores crawlers. A question is therefore also compared by synonyms, which
count less than its own words. `synonyms.txt` lists single words, `concepts.txt` words that are only related, and this
module what people say in several.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from pathlib import Path

from avionics.index.search.query import is_stop_word, stem
from avionics.late_pattern import late_pattern

_SPELLED = (("our", "or"), ("is", "iz"), ("iz", "is"), ("ys", "yz"), ("yz", "ys"), ("ll", "l"))
"""The endings of stems in British and in American spelling: `colour`, `normalise`, `analyze`, `cancelled`."""
_MIN_SPELLED = 6
_SAID = tuple(
    (late_pattern(pattern, re.IGNORECASE), word)
    for pattern, word in (
        (r"\bhttps\b", "tls"),
        (r"#!", " shebang "),
        (r"\bsymbolic links?\b", "symlink"),
        (r"\b(?:another|a second|one more) (?:try|go|chance)\b", "retry"),
        (r"\bbl(?:ows?|ew|own|owing) up\b", "crash exception"),
        (r"\bchang(?:es?|ed) on disk\b", "changes on disk watch"),
        (r"\btim(?:e|es|ed|ing) out\b", "timeout"),
        (r"\b(?:at (?:once|(?:the|one|a) (?:same )?time)|side by side|in parallel)\b", "concurrent"),
        (r"\bone (?:after|by) (?:the other|another|one)\b|\bin sequence\b", "serial"),
        (r"\bin turns?\b", "robin"),
        (r"\bhow many times\b", "attempts"),
        (r"\b(?:more|less|enough) time\b", r"\g<0> timeout"),
        (r"\bhow (?:often|frequently)\b", "interval"),
        (r"\bhow (?:fast|quickly)\b", r"\g<0> interval"),
        (
            r"\b(?:queries|requests|answers|repl(?:y|ies)|responses|packets)(?= (?:\w+ ){0,4}(?:per|a|each) second\b)",
            r"\g<0> rate qps",
        ),
        (r"\bhow (?:many|much|large|big)\b(?! (?:days|hours|minutes|seconds|milliseconds|weeks|months)\b)", "limit"),
        (r"\b(?:turn|switch|shut)\w* ((?:\w+ ){0,3})off\b", r"disable \1"),
        (r"\bdeactivat\w+|\bforbid\w*", "disable"),
        (r"\b(?:stop|keep|prevent)(?:s|ped|ping|ed|ing)? ((?:\w+ ){0,3})from being(?= \w)", r"ignore exclude \1"),
        (r"\b(?:stop|keep|prevent)(?:s|ped|ping|ed|ing)? ((?:\w+ ){0,3})from(?= \w+ing\b)", r"disable \1"),
        (
            r"\b(?:in)?to (?:another|a different|some other) (?:folder|directory|place|path|location)\b",
            r"\g<0> destination output",
        ),
        (r"\b(?:somewhere|anywhere) else\b|\belsewhere\b", r"\g<0> outside"),
        (r"\bonly (?:one|a single) (?:instance|copy|process)\b", r"\g<0> instance lock pid"),
        (r"\b(?:cut|cuts|chopp?ed|chops?) (?:off|short)\b", "truncate"),
        (r"\bslow(?:s|ed|ing)? ((?:\w+ ){0,2})down\b", r"throttle \1"),
        (r"\b(?:leaves?|left|leaving|keeps?|kept) ((?:\S+ ){0,6})out\b", r"exclude \1"),
        (r"\bget rid of\b", "remove"),
        (r"\bh(?:ang(?:s|ing)?|ung) up\b(?: on\b)?", "disconnect close"),
        (r"\bbla(?:nk|ck)(?:s|ed|ing)? out\b", "redact mask"),
        (r"\b(?:turn(?:s|ed|ing)?|sen(?:ds?|t)) ((?:\w+ ){0,2})away\b", r"reject block \1"),
        (r"\bt(?:akes?|aken|aking|ook) ((?:\w+ ){0,3})away\b", r"remove \1"),
        (r"\b(?:is|are|be|being) (?:really )?the same(?: ones?| thing)?\b", "equal"),
        (r"\bescap(?:es?|ed|ing) (?:from |out of )?(?=(?:the|its|an?|this|my)\b)", r"\g<0> outside traversal "),
        (r"\b(?:call(?:s|ing)?|phon(?:es?|ing)) home\b", "telemetry"),
        (
            r"\b(?:shortly|right|directly|quickly) after (?:each other|one another)\b|\bin quick succession\b",
            "debounce",
        ),
        (r"\bkeeps? (?:\w+ ){0,2}alive\b", r"\g<0> keepalive heartbeat"),
        (r"\bgo(?:es)? (?:right |straight )?ahead\b", "force"),
        (r"\b(?:under|below|beneath) an? (?:sub-?)?(?:path|folder|directory)\b", r"\g<0> prefix base"),
        (r"\btr(?:y|ies|ied|ying) (?:\w+ )?again\b", "retry"),
        (r"\btak(?:es?|en|ing) ((?:\w+ ){0,2})back\b", r"undo \1"),
        (r"\b(?:gives?|gave|given|giving|hand(?:s|ed|ing)?) ((?:\w+ ){0,3})back\b", r"return \1"),
        (
            r"\bif (?:i|we|you|nobody|no one) (?:do(?:es)?n['’]?t )?(?:says?|specif(?:y|ies)|choos(?:e|es)|sets?)\b",
            "default",
        ),
        (r"\b(?:go(?:es)?|went|carr(?:y|ies)|carried) on\b|\bpick(?:s|ed)? up where\b", "resume continue"),
        (r"\b(?:broken|broke|breaks?) off\b", "interrupt partial"),
        (r"\bhalf[- ](?:written|finished|done|read)\b", "partial incomplete"),
        (r"\bh(?:old(?:s|ing)?|eld) back\b", "throttle limit"),
        (r"\b(?:only|just) (?:once|one time|a single time)\b", "once"),
        (r"\b(?:already|still) (?:have|has|there|exists?)\b", "exists"),
        (r"\b(?:tell|tells|told) ((?:\w+ ){0,3})apart\b", r"distinguish unique \1"),
        (r"\bturn(?:s|ed)? ((?:\w+ ){0,3})into\b", r"convert \1"),
        (r"\b(?:runs?|ran|running) out of\b", r"\g<0> exhausted"),
        (r"\b(?:runs?|ran|running) out\b(?! of)", "expire"),
        (r"\bfalls? back\b", "fallback"),
        (r"\bhow often\b", "interval"),
        (r"\bfor good\b", "permanent"),
        (r"\bself[- ]signed\b", "insecure"),
        (r"\bctrl[-+ ]c\b", "interrupt sigint abort"),
        (r"\bthr(?:ow|own|ew)s? ((?:\w+ )?)away\b", r"discard remove \1"),
        (r"\bthr(?:ow|own|ew)s? ((?:\w+ ){0,2})out\b", r"remove \1"),
        (r"\b(?:tak(?:en|es?|ing)|took) ((?:\w+ ){0,2})over\b", r"takeover \1"),
        (r"\b(?:put(?:s|ting)?|bring(?:s|ing)?|brought) ((?:\w+ ){0,2})back\b", r"restore \1"),
        (r"\bkeeps? up\b", "slow"),
        (r"\bg(?:ives?|ave|iving) up\b", "abort"),
        (r"\b(?:turn(?:s|ed|ing)?) ((?:\w+ ){0,2})down\b", r"reject \1"),
        (r"\b(?:log|sign)(?:s|ged|ging|ed|ing)? off\b", "logout quit"),
        (r"\bstays? away\b", "retry backoff"),
        (r"\b(?:remov|delet|clean|purg|wip)(?:es|ed|e|s|ing)\b", r"\g<0> keep"),
        (r"\b(?:by (?:it|them)sel(?:f|ves)|on (?:its|their) own)\b", "automatic"),
        (r"\b(?:more than once|a second time)\b", "twice"),
        (r"\b(?:out of date|outdated)\b", "stale"),
        (
            r"\b(?:do(?:es)?n['’]?t|do(?:es)? not) exist\b|\b(?:not|isn['’]t|aren['’]t) (?:yet )?(?:there|found)\b",
            "missing",
        ),
        (r"\bdon['’]?t ask\b|\bwithout asking\b", "confirm"),
        (r"\b(?:log|sign)(?:s|ged|ging|ed|ing)? in\b", "login"),
        (r"\b(look|set|clean|start)(?:s|ed|ing|ting)? up\b", r"\1up"),
        (r"\bsign(?:s|ed|ing)? up\b|\b(?:make|create|open)s? (?:an?|new|their own) accounts?\b", "signup"),
        (r"\b(?:go(?:es)?|went|gone|going) wrong\b", "fail"),
        (r"\bnew(?:er)? (?:versions?|releases?)\b", r"\g<0> update"),
        (r"\b(?:wrong|bad|incorrect|failed) (?:passwords?|log-?ins?)\b", r"\g<0> brute attempts"),
        (r"\btimes? of (?:the )?day\b|\bat (?:certain|fixed) times\b", r"\g<0> schedule"),
        (r"\bin (?:the|my|a) (?:terminal|shell)\b", r"\g<0> foreground"),
        (r"\b(?:start|begin)(?:s|ning|ing)? with a dot\b", "hidden"),
        (r"\b(?:runs?|executes?|calls?) (?:an?|my|some) (?:program|script|command)\b", r"\g<0> script hook exec"),
        (r"\b(?:check|verif|validat)\w* (?:\w+ ){0,3}certificates?\b", r"\g<0> insecure"),
        (r"\bbehind (?:an? |the )?(?:reverse )?proxy\b", r"\g<0> trusted forwarded"),
        (r"\bolder than\b", r"\g<0> age retention"),
        (r"\bonly (?:allow|let|accept|permit)\w*\b", r"\g<0> whitelist"),
        (r"\b(?:only|just) (?:some|certain|particular|a few)\b", r"\g<0> filter"),
        (r"\b(?:allow|accept|permit)\w* (?:bigger|larger|longer|more)\b", r"\g<0> limit"),
        (
            r"\b(?:if|that|whether|which|who) (?:(?:an?|the|some) )?(?:\w+ )?"
            r"(?:may|(?:is|are) (?:allowed|permitted) to) \w+",
            r"\g<0> allow permission",
        ),
        (r"\b(?:another|a different|a new) (\w+) (?:each|every) time\b", r"random \1"),
        (r"\buser ?names? and (?:an? )?passwords?\b", r"\g<0> auth"),
        (r"\bwhere\b.{1,60}\b(?:stored|kept|saved|put|written)\b", r"\g<0> path folder"),
        (r"\bgoogle\b|\bsearch engines?\b", r"\g<0> robot crawler"),
        (r"\b(?:my|our|your|their|its) own\b", r"\g<0> custom"),
    )
)
"""What people say in several words → the word that code has for it."""
_ITSELF = r"\g<0>"
"""How a replacement begins that keeps what the text says, and adds words to it."""
_AGAIN = late_pattern(r"\b((?:[a-z]+ ){1,3})(?:again|anew|once more)\b", re.IGNORECASE)
_MIN_REPEATED = 3


@functools.cache
def _read_sections() -> dict[str, list[str]]:
    """Return section of `synonyms.txt` → its lines."""
    sections: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("synonyms.txt").read_text("utf-8").split("\n"):
        if line.startswith("["):
            lines = sections[line.strip("[]")] = []
        elif line and not line.startswith("#"):
            lines.append(line)
    return sections


@functools.cache
def _read_groups(section: str) -> dict[str, frozenset[str]]:
    """Return stem → the stems of all groups of a section that it is in."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in _read_sections()[section]:
        stems = {stem(word) for word in line.split()}
        for each in stems:
            found[each] |= stems
    return {each: frozenset(stems) for each, stems in found.items()}


@functools.cache
def _read_meant() -> dict[str, frozenset[str]]:
    """Return the stem of what people say → the stems that code has for it."""
    entries = (each.partition(":") for each in _read_sections()["meanings"])
    return {stem(said.strip()): frozenset(map(stem, meant.split())) for said, _, meant in entries}


@functools.cache
def _read_concepts() -> dict[str, frozenset[str]]:
    """Return stem → the stems that `concepts.txt` relates to it, in either direction."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in Path(__file__).with_name("concepts.txt").read_text("utf-8").splitlines():
        word, colon, related = line.partition(":")
        if colon and not line.startswith("#"):
            for each in map(stem, related.split()):
                found[stem(word)].add(each)
                found[each].add(stem(word))
    return {each: frozenset(stems) for each, stems in found.items()}


def forms_of(stemmed: str) -> frozenset[str]:
    """Return the stems of a word in its other forms, such as its abbreviation, with its own."""
    other = (
        stemmed.removesuffix(one) + two
        for one, two in _SPELLED
        if stemmed.endswith(one) and len(stemmed) >= _MIN_SPELLED
    )
    spelled = frozenset((stemmed, *other))
    return spelled.union(*(_read_groups("forms").get(each, frozenset()) for each in spelled))


def meanings_of(stemmed: str) -> frozenset[str]:
    """Return the stems that code may have for one, with its own and its other forms."""
    forms, meant = forms_of(stemmed), _read_meant()
    return forms.union(*(meant.get(each, frozenset()) for each in forms))


def concepts_of(stemmed: str) -> frozenset[str]:
    """Return the stems of words that are about the same thing as one, beside its meanings."""
    return _read_concepts().get(stemmed, frozenset())


def kinds_of(stemmed: str) -> frozenset[str]:
    """Return the stems that name the same kind of option as one, and those that code may have for it."""
    return meanings_of(stemmed) | _read_groups("kinds").get(stemmed, frozenset())


def read_hints(text: str) -> frozenset[str]:
    """Return the stems of words that code may have beside what a text says; it means no more by them."""
    found: set[str] = set()
    for pattern, word in _SAID:
        if word.startswith(_ITSELF) and pattern.search(text):
            found.update(map(stem, word.removeprefix(_ITSELF).split()))
        text = pattern.sub(word, text)
    repeated = _AGAIN.sub(_repeat, text)
    return frozenset(found.union(map(stem, set(repeated.split()) - set(text.split()))))


def read_said(text: str, *, with_hints: bool = True) -> str:
    """Return a text with the words that code has in place of what it says in several words.

    Without hints, no words are added that code may have beside those.
    """
    for pattern, word in _SAID:
        if with_hints or not word.startswith(_ITSELF):
            text = pattern.sub(word, text)
    return _AGAIN.sub(_repeat, text)


def _repeat(again: re.Match[str]) -> str:
    """Return what is done again, with the verbs of code for it: `resend` for "sent to them again"."""
    words = (word for word in again[1].lower().split() if len(word) >= _MIN_REPEATED and not is_stop_word(word))
    return " ".join([again[0], *(f"re{form}" for word in words for form in sorted(forms_of(stem(word))))])
