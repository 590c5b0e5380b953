"""Read a question: a name alone directly, anything else by the rules, whose modules are imported only for it."""

from __future__ import annotations

from avionics.index.code_index import CodeIndex
from avionics.index.search.query import read_query
from avionics.tools.questions.intents import Intent, Question
from avionics.tools.resolution.symbol_resolver import rank_by_use


def read_question(code: CodeIndex, text: str, scope: str | None = None, *, may_guess: bool = True) -> Question:
    """Return the intent and the subject of a question, within a directory or file if a scope is given.

    With `may_guess`, the intent of a question that no rule reads is guessed from its words.
    """
    # One name that something has needs none of the rules for sentences. A line of a log may consist of "ERROR".
    named = code.find_definitions(text, scope=scope) if text.isidentifier() and not text.isupper() else ()
    if named:
        first, *others = rank_by_use(code, named)
        return Question(Intent.SYMBOL, read_query(text), first, tuple(others), scope=scope)
    from avionics.tools.questions.question_reader import read_in_full

    return read_in_full(code, text, scope, may_guess=may_guess)
