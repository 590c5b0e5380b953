"""Guess the intent of a question that no rule reads from the words before the name that it ends with."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.tools.questions.intents import Intent

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
_OTHERWISE = late_pattern(r"\W*(?:how|why|when|where|if|after|before|once|suppose)\b", re.IGNORECASE)
"""The beginning of a question about what a program does."""
_MAX_BETWEEN = 3
"""The maximum number of words between the one that tells the intent and the name."""


def get_cue(text: str, name: str) -> Intent | None:
    """Return the intent that the words before a name tell, if a text ends with that name, else None.

    Args:
        text: The question.
        name: A name in it that is written as code.
    """
    said = re.fullmatch(
        rf"(.*?)[`'\"]?{re.escape(name)}[`'\"]?(?:\(\))?(?: (?:please|pls|here|anywhere))?\W*", text, re.DOTALL
    )
    if said is None or _OTHERWISE.match(text):
        return None
    before = " ".join(said[1].split()[-_MAX_BETWEEN - 1 :])
    return next((intent for intent, words in _CUES if words.search(before)), None)
