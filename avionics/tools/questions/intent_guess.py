"""Guess the intent of a question from its words, and tell when the guess is preferred to what a rule reads."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct

from avionics.tools.questions.intents import Intent

_PLAUSIBLE, _LIKELY, _SURE = 0.5, 0.7, 0.85
"""The probability from which on a guess is preferred: if a question has a name written as code and no rule reads it,
if rules often mistake the one intent for the other, and in all other cases."""
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
