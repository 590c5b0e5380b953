"""Say a question in plain words as code would: without the words that only ask, with those that code has for it.

People ask "where is it made sure that ..."; of this only what follows is searched for. An open question, which names
nothing in the code, rarely has its words, so that related ones are searched for as well.
"""

from __future__ import annotations

import re

from msgspec import structs

from avionics.index.code_index import CodeIndex
from avionics.index.search.query import Query, read_query, spellings_of, text_stems
from avionics.index.search.synonyms import concepts_of, forms_of, meanings_of, read_said
from avionics.late_pattern import late_pattern

_DECIDES_THAT = (
    r"(?:decides?|decided|determines?|determined|checks?|checked|ensures?|ensured|makes? sure|verif\w+"
    r"|finds? out|found out|figures? out|knows?|sees?|tells?)\b"
)
_ONLY_ASKS = late_pattern(
    rf"\b(?:where|how|when|who|what|which \w+)\b(?:((?: \w+){{0,3}}?) {_DECIDES_THAT}"
    r"(?: (?:if|that|whether to)\b|(?= (?:how|what|where|whether|which|who)\b))"
    rf"|(?>(?: (?:is|are|was|were|do|does|did|it|they|we|you|this|the|code|program))*) {_DECIDES_THAT})",
    re.IGNORECASE,
)
"""Words of the question itself, which the code need not have, and what decides, which it may well name."""
_ABOUT_DURATION = late_pattern(
    r"\bhow long (?:may|can|does|do|will|should|must|is|are)\b|\btakes? (?=before|until)", re.IGNORECASE
)
_PART = r"(?:the )?(?:exact )?(?:code|places?|spots?|lines?|functions?|methods?)"
_ASKED_PLACE = late_pattern(
    r"(?:\A|[,;:.–-] )\W*(?:in |at )?(?:which|what) (?:place|file|code|function|method|class|line|module|part)s?\b"
    r"(?: (?:of|in) the code)?|\bwhere (?:exactly )?in the (?:code|source)\b"
    rf"|\b(?:i|we)(?:['’](?:m|re)| am| are)? (?:looking|searching) for {_PART}(?: (?:that|which|where))?\b"
    rf"|\b(?:point me (?:to|at)|show me|tell me) (?:it|that|this|where|which|how|{_PART}(?: (?:that|which|where))?)\b"
    rf"|\bi(?:['’]d| would)? (?:like|want) to (?:see|know|find) (?:where|how|which|{_PART})\b",
    re.IGNORECASE,
)
"""Words that ask for a place in the code."""
_HOW_LONG = late_pattern(r"\bhow long\b", re.IGNORECASE)
_CLAUSE = late_pattern(r"\s(?:before|after|while|until|once|so that|because|instead of)\s.*\Z", re.IGNORECASE)
"""A clause that says more of what is asked about; that of a condition (`when`, `if`) is a part of it."""
_FORM_WEIGHT, _SYNONYM_WEIGHT = 0.6, 0.3
"""The weights of another form of a word, also of a synonym if no file has the word, and of a synonym otherwise."""
_RELATED_WEIGHT = 0.5
"""The weight of any other word for one of an open question, of which only the best one counts."""
_DONE = late_pattern(
    r"(?<=\w )(?:\w{3,}ed|done|found|read|set|[a-z]{3,}(?:own|ent|ept|ade|aken|itten|uilt|ost))\W*\Z", re.IGNORECASE
)
"""What is done to something, at the end of a question; code often has another word for it."""
_TOO_MUCH = late_pattern(r"\btoo (?:many|much|often)\b", re.IGNORECASE)
_LIMITING = frozenset(text_stems("max maximum limit exceed"))
"""Stems of the lines where something is too much; whole functions with such words mostly set the limit."""
_ABOUT_REFUSALS = late_pattern(
    r"\b(?:ensur|guarant|prevent|protect|forbid|forbad|forbidden|refus|reject|disallow|prohibit|den(?:y|ie)|guard)\w*"
    r"|\bma(?:kes?|de) sure\b|\b(?:not|never) (?:be )?(?:allowed|permitted)\b",
    re.IGNORECASE,
)
_REFUSING = frozenset(text_stems("raise throw panic bail abort reject invalid error refuse"))
"""Stems of the lines where something is refused; the lines around them mostly have words of it as well."""


def shorten_question(text: str) -> str:
    """Return a question without the words that only ask."""
    return _ASKED_PLACE.sub(" ", _ABOUT_DURATION.sub(" ", _ONLY_ASKS.sub(r"\1 ", text))).strip()


def add_words_of_code(text: str, *, is_sentence: bool = True) -> str:
    """Return a question without the words that only ask, a sentence with words that code uses for the same things."""
    if not is_sentence:
        return shorten_question(text)
    text = shorten_question(read_said(_HOW_LONG.sub("timeout how long", text)))
    main = _CLAUSE.sub("", text)
    return text if main == text else f"{text} {main}"


def add_forms(code: CodeIndex, query: Query, *, is_open: bool) -> Query:
    """Return the query of a sentence with the forms of its words that names of code have.

    For an open question, related words are added as well.
    """
    more: dict[str, float] = {}
    ideas: dict[str, str] = {}
    for stemmed, weight in query.terms.items():
        forms, is_known = forms_of(stemmed), code.words.term_postings(spellings_of(stemmed)).size > 0
        share = (_RELATED_WEIGHT if is_open else _SYNONYM_WEIGHT) if is_known else _FORM_WEIGHT
        related = concepts_of(stemmed) if is_open else frozenset()
        for each in (meanings_of(stemmed) | related) - query.terms.keys():
            worth = weight * (_FORM_WEIGHT if each in forms else share)
            if worth > more.get(each, 0.0):
                more[each], ideas[each] = worth, stemmed
    return structs.replace(query, terms={**more, **query.terms}, ideas=ideas if is_open else {})


def list_subject_stems(text: str) -> frozenset[str]:
    """Return the stems of what a question is about, without what is done to it."""
    return frozenset(read_query(_DONE.sub("", shorten_question(text))).terms)


def list_telling_stems(text: str, *, is_sentence: bool) -> frozenset[str]:
    """Return the stems of the lines that answer a question."""
    wanted = frozenset(read_query(add_words_of_code(text, is_sentence=is_sentence)).terms)
    wanted |= _REFUSING if _ABOUT_REFUSALS.search(text) else frozenset()
    return wanted | _LIMITING if _TOO_MUCH.search(text) else wanted
