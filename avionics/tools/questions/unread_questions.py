"""Guess what a question that no rule reads asks for: its intent by a few words, and its two nearest readings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from avionics.index.search.query import stem
from avionics.late_pattern import late_pattern
from avionics.tools.questions.intent_rules import RULES
from avionics.tools.questions.intents import Intent, IntentRule

_CUES = (
    (
        Intent.TESTS,
        late_pattern(r"\b(?:tests?|tested|testing|specs?|covers?|covered|covering|coverage)\b", re.IGNORECASE),
    ),
    (
        Intent.SUBTYPES,
        late_pattern(r"\b(?:subclass|sub-?type|inherit|deriv|implement|overrid|hierarchy|descend)\w*", re.IGNORECASE),
    ),
    (Intent.HISTORY, late_pattern(r"\b(?:authors?|commits?|blame|history|wrote|maintain\w*)\b", re.IGNORECASE)),
    (
        Intent.USAGE,
        late_pattern(
            r"\b(?:call|us(?:e|es|ed|er|ers|age|ages|ing)\b|referenc|import|depend|caught\b|catch|throw|rais(?:e|ing)"
            r"|access|instantiat)\w*",
            re.IGNORECASE,
        ),
    ),
)
"""The intents in the order in which they are tried, with the words that tell them."""
_SURE_CUES = (
    (
        Intent.TESTS,
        late_pattern(
            r"\b(?:which|what|any|an?|all|show|list|find|run|see)\b[^.?!,;]{0,30}\b(?:tests?|specs?)\b(?! \w+s\b)",
            re.IGNORECASE,
        ),
    ),
    (
        Intent.SUBTYPES,
        late_pattern(r"\b(?:implementations|implementers|implementors|subclasses|sub-?types)\b", re.IGNORECASE),
    ),
    (
        Intent.USAGE,
        late_pattern(
            r"\b(?:every|all|each|any|the) (?:calls?|callers?|call ?sites?|usages?|uses) (?:of|to)\b", re.IGNORECASE
        ),
    ),
)
"""The intents in the order in which they are tried, with words that tell them wherever they are."""
_BETWEEN = late_pattern(
    r"\b(?:between|path|way|route|trace|chain|reach(?:ed|es)?|(?:gets?|leads?|comes?|goes) to)\b", re.IGNORECASE
)
"""Words that ask how control gets from one name to another."""
_OTHERWISE = late_pattern(r"\W*(?:how|why|when|where|if|after|before|once|suppose)\b", re.IGNORECASE)
"""The beginning of a question about what a program does."""
_MAX_BETWEEN = 3
"""The maximum number of words between the one that tells the intent and the name."""
_WORD = late_pattern(r"[^\W\d]\w*")
_COMMON = frozenset({"the", "a", "an", "is", "are", "of", "to", "in", "do", "does", "it", "i", "for", "and"})
_MAX_READINGS = 2
_PLACEHOLDER = "NAME"


def get_cue(text: str, name: str) -> Intent | None:
    """Return the intent that some words of a text tell, or those before a name that it ends with, else None.

    Args:
        text: The question.
        name: A name in it that is written as code.
    """
    for intent, words in _SURE_CUES:
        if words.search(text):
            return intent
    said = re.fullmatch(
        rf"(.*?)[`'\"]?{re.escape(name)}[`'\"]?(?:\(\))?(?: (?:please|pls|here|anywhere))?\W*", text, re.DOTALL
    )
    if said is None or _OTHERWISE.match(text):
        return None
    before = " ".join(said[1].split()[-_MAX_BETWEEN - 1 :])
    return next((intent for intent, words in _CUES if words.search(before)), None)


def asks_for_path(text: str) -> bool:
    """Return whether a text with two names asks how control gets from the first to the second."""
    return _BETWEEN.search(text) is not None


def find_similar_questions(text: str, subject: str = "") -> tuple[str, ...]:
    """Return the two most similar questions that are understood, about `subject` if it is given."""
    said = _stems(text)
    ranked = sorted((rule for rule in RULES if rule.example), key=lambda rule: -_likeness(rule, said))
    return tuple(dict.fromkeys(rule.example.replace("{}", subject or _PLACEHOLDER) for rule in ranked))[:_MAX_READINGS]


def _likeness(rule: IntentRule, said: frozenset[str]) -> float:
    """Return how many words a text shares with a rule: with its example, and a little with its pattern."""
    return 2 * len(_stems(rule.example) & said) + len(frozenset(_iter_stems(rule.words)) & said)


def _stems(text: str) -> frozenset[str]:
    return frozenset(_iter_stems(text))


def _iter_stems(text: str) -> Iterator[str]:
    return (stem(word.lower()) for word in _WORD.findall(text) if word.lower() not in _COMMON)
