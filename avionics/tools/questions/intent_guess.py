"""Guess the intent of a question from its words, and find the questions that are read and most similar to it.

A guess is preferred to what a rule reads only where rules are often wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct

from avionics.index.search.query import stem
from avionics.late_pattern import late_pattern
from avionics.tools.questions.intents import Intent, IntentRule
from avionics.tools.questions.rules.intent_rules import RULES

_PLAUSIBLE, _LIKELY, _SURE = 0.5, 0.7, 0.85
"""The probability from which on a guess is preferred: if a question has a name written as code and no rule reads it,
if rules often mistake the one intent for the other, and in all other cases."""
_CERTAIN = 0.9
"""The probability from which on a description in plain words is preferred to what a rule reads in some of them."""
_MAX_SHORT = 10
"""The words of a question that rules read rightly, unless they often mistake one intent for another."""
_OVERRULED = {
    Intent.PHRASE: frozenset(Intent),
    Intent.FLOW: frozenset({Intent.OPTION, Intent.PATH, Intent.MAP}),
    Intent.IMPACT: frozenset({Intent.SIGNATURE}),
    Intent.MAP: frozenset(
        {Intent.OPTION, Intent.HISTORY, Intent.PATH, Intent.USAGE, Intent.CHANGES, Intent.SUBTYPES, Intent.SIGNATURE}
    ),
    # "Explain the idea behind cart.py" asks for no commits.
    Intent.HISTORY: frozenset({Intent.MAP}),
    Intent.DEPENDENTS: frozenset({Intent.MAP, Intent.OPTION, Intent.USAGE}),
    Intent.IMPORTS: frozenset({Intent.MAP}),
    # "How does it get out: from the loop to the client" has the form of a message that somebody got.
    Intent.ERROR: frozenset({Intent.PATH, Intent.OPTION, Intent.HISTORY}),
    # "Which setting is this called" does not mean the callers of a function `line` that it mentions, too.
    Intent.USAGE: frozenset({Intent.OPTION, Intent.PATH}),
}
"""The intents as which rules often read a question wrongly, each with those that it has then."""
_SAME = {
    Intent.CALLEES: frozenset({Intent.USAGE, Intent.PATH}),
    Intent.CODE: frozenset({Intent.MAP}),
    Intent.IMPACT: frozenset({Intent.USAGE, Intent.SIGNATURE, Intent.DEPENDENTS}),
    Intent.IMPORTS: frozenset({Intent.USAGE, Intent.DEPENDENTS}),
    Intent.SIGNATURE: frozenset({Intent.USAGE}),
    Intent.SYMBOL: frozenset({Intent.MAP}),
}
"""Intents that the guessed kinds do not tell from others, each with those."""
_MISTAKEN = frozenset(
    {Intent.USAGE, Intent.DEPENDENTS, Intent.CHANGES, Intent.SIGNATURE, Intent.HISTORY, Intent.OPTION}
)
"""The intents that rules may read in a description because a plain word of it is a name as well."""
BY_WORDS = frozenset({Intent.ERROR, Intent.OPTION})
"""The intents of questions that need not name any code."""
_INTENTS = {
    "calls": Intent.USAGE,
    "changed": Intent.CHANGES,
    "contents": Intent.MAP,
    "dead": Intent.USAGE,
    "error": Intent.ERROR,
    "explain": Intent.MAP,
    "implements": Intent.SUBTYPES,
    "imports": Intent.DEPENDENTS,
    "option": Intent.OPTION,
    "path": Intent.PATH,
    "signature": Intent.SIGNATURE,
    "tests": Intent.TESTS,
    "why": Intent.HISTORY,
}
"""The intents of the kinds of questions that can be guessed; others are only searched for."""
GUESSABLE = frozenset({*_INTENTS.values(), *_OVERRULED, *_SAME, Intent.BASES})
"""The intents as which rules may read questions of these kinds."""
_WORD = late_pattern(r"[^\W\d]\w*")
_COMMON = frozenset({"the", "a", "an", "is", "are", "of", "to", "in", "do", "does", "it", "i", "for", "and"})
_MAX_READINGS = 2
_PLACEHOLDER = "NAME"


class Guess(Struct, frozen=True):
    """The likeliest intent of a question, None for a description to be searched for, and its probability."""

    intent: Intent | None
    probability: float

    def overrules(self, by_rules: Intent, *, is_named: bool, words: int) -> bool:
        """Return whether the guess is preferred to an intent that the rules read.

        `is_named` tells whether the question has a path or a name that is written as code, `words` how long it is.
        """
        if self.intent in {by_rules, *_SAME.get(by_rules, ())}:
            return False
        is_often_mistaken = self.intent in _OVERRULED.get(by_rules, ()) and self.intent is not None
        if words <= _MAX_SHORT and not is_often_mistaken:
            return False
        if self.intent is None:
            if by_rules in _MISTAKEN and not is_named:
                return self.probability >= _CERTAIN
            return by_rules is Intent.FLOW and self.probability >= _SURE
        if self.intent in BY_WORDS:
            # A search for plain words also looks for options.
            return self.probability >= _SURE and (is_named or words > _MAX_SHORT)
        if by_rules is Intent.PHRASE and is_named:
            return self.probability >= _PLAUSIBLE
        return self.probability >= (_LIKELY if is_often_mistaken else _SURE)


def guess_intent(text: str, *, is_path: bool) -> Guess:
    """Return the likeliest intent of a question.

    What imports a thing that is not named by a path is what uses its name.
    """
    # Rules read most questions.
    from avionics.tools.question_kinds.classifier import guess_kinds

    rates = defaultdict[Intent | None, float](float)
    for kind, rate in guess_kinds(text).items():
        intent = _INTENTS.get(kind.value)
        rates[Intent.USAGE if intent is Intent.DEPENDENTS and not is_path else intent] += rate
    intent, probability = max(rates.items(), key=lambda each: each[1])
    return Guess(intent, probability)


def find_similar_questions(text: str, subject: str = "") -> tuple[str, ...]:
    """Return the two most similar questions that are understood, about `subject` if it is given.

    An example that the text has word for word is left out: it was understood, and the repository has no answer to it.
    """
    said = _read_words(text)
    ranked = sorted((rule for rule in RULES if rule.example), key=lambda rule: -_rate_likeness(rule, said))
    examples = dict.fromkeys(rule.example.replace("{}", subject or _PLACEHOLDER) for rule in ranked)
    return tuple(each for each in examples if each != text.lower())[:_MAX_READINGS]


def _rate_likeness(rule: IntentRule, said: frozenset[str]) -> float:
    """Return how many words a text shares with a rule: with its example, and a little with its pattern."""
    return 2 * len(_read_words(rule.example) & said) + len(frozenset(_iter_words(rule.words)) & said)


def _read_words(text: str) -> frozenset[str]:
    return frozenset(_iter_words(text))


def _iter_words(text: str) -> Iterator[str]:
    return (stem(word.lower()) for word in _WORD.findall(text) if word.lower() not in _COMMON)
