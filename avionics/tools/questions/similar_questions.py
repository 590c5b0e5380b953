"""Find the questions that are read and most similar to one that is not."""

from __future__ import annotations

from collections.abc import Iterator

from avionics.index.search.query import stem
from avionics.late_pattern import late_pattern
from avionics.tools.questions.intent_rules import RULES
from avionics.tools.questions.intents import IntentRule

_WORD = late_pattern(r"[^\W\d]\w*")
_COMMON = frozenset({"the", "a", "an", "is", "are", "of", "to", "in", "do", "does", "it", "i", "for", "and"})
_MAX_READINGS = 2
_PLACEHOLDER = "NAME"


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
