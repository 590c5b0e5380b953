"""Plan without a model, by the rules that recognize the intent of a question.

A question with one part becomes one call of `analyze`, which selects the tools. A question with several parts ("where
is Order, and who calls it?") becomes one call for each part; "it" refers to the subject of the part before.
"""

from __future__ import annotations

import re

from msgspec import Struct

from avionics.agents.plans import Correction, Draft, Plan, PlanStep, Round
from avionics.index.code_index import CodeIndex
from avionics.index.search.query import find_names
from avionics.late_pattern import late_pattern
from avionics.model.errors import IndexStateError
from avionics.tools.ids import ToolId
from avionics.tools.questions.intents import Intent, Question
from avionics.tools.questions.reading import read_question
from avionics.tools.resolution.path_resolver import WRITTEN_ROUTE
from avionics.workspace import Workspace

_QUESTION_WORD = r"(?:who|what|where|why|how|when|which|is|does|explain|describe|list)\b"
_HOW_TO_RUN = r"how\s+(?:do|can|should|would|to)(?:\s+(?:i|we|you|one))?\s+run\s+(?:it|them|that|those|these)\b"
"""A question that needs no step of its own: answers about tests say how to run them."""
_ITS_DEFAULT = r"what(?:['’]?s|\s+is|\s+are)\s+(?:its|the|their)\s+defaults?(?:\s+values?)?\W*\Z"
"""A question that needs no step of its own: answers about options say what they are by default."""
_BETWEEN_PARTS = late_pattern(
    rf"(?<![ei]\.[eg])[?;.]\s+(?:and\s+|then\s+)?(?!{_ITS_DEFAULT})(?={_QUESTION_WORD})"
    rf"|,?\s+and\s+(?:then\s+)?(?!{_HOW_TO_RUN}|{_ITS_DEFAULT})(?={_QUESTION_WORD})"
    r"|,\s+(?=(?:who|where)\s+(?:\w+\s+){1,3}it\W*\Z)",
    re.IGNORECASE,
    needs=("?", ";", ".", ",", "and"),
)
_TELLS = late_pattern(
    r"(?:i|we|my|our|it|the|an?|some|when|if|after|suppose)\b(?!.*\b(?:what|which|where|who|how|why)\b)", re.IGNORECASE
)
"""A sentence that only tells something which a later one asks about."""
_ASKS = late_pattern(r"\b(?:what|which|where|who|whom|how|why|when)\b", re.IGNORECASE)
"""A word without which a piece before the last one asks for nothing."""
_STARTS_QUESTION = late_pattern(_QUESTION_WORD, re.IGNORECASE)
_PRONOUN = late_pattern(r"\b(?:it|this|that|(?<=from )there)\b(?!\s+(?:is|that)\b)", re.IGNORECASE)
_MAX_CHARACTERS = 300
"""Longer text is an issue or a traceback and counts as one question, however many sentences it has."""
_MAX_PARTS = 4
_MIN_WORDS = 4
"""A part with fewer words belongs to the part before: "and why?", "which option?"."""

_OF_PAIR = frozenset({Intent.CHANGES, Intent.HISTORY, Intent.COMMITS, Intent.MAP, Intent.PHRASE})
"""What a sentence that names no revisions may seem to ask for, after one that does."""

_REFERS = late_pattern(r"\b(?:they|them|these|those)\b", re.IGNORECASE)
"""Words for what an earlier part is about."""


class RulePlanner(Struct, frozen=True):
    """Makes plans by rules, without a model."""

    workspace: Workspace
    scope: str | None = None

    async def decide(
        self,
        question: str,
        rounds: tuple[Round, ...] = (),
        wrong: tuple[Correction, ...] = (),  # noqa: ARG002  the signature of every planner
        *,
        may_plan: bool = True,
    ) -> Plan | Draft:
        """Return the plan for a question; once it has run, its results are the answer."""
        if rounds or not may_plan:
            return Draft("")
        return self.plan(question)

    def plan(self, question: str) -> Plan:
        """Return the steps that answer a question."""
        try:
            with self.workspace.pinned_index():
                parts = _read_parts(self.workspace.code, question, self.scope)
        except IndexStateError:
            with self.workspace.pinned_index(refresh=True):
                parts = _read_parts(self.workspace.code, question, self.scope)
        return Plan(tuple(self._plan_step(number, *part) for number, part in enumerate(parts.items(), 1)))

    def _plan_step(self, number: int, text: str, part: Question) -> PlanStep:
        # Pass the whole question on: `part.text` may be only the message that it quotes.
        arguments = {"query": text, **({"scope": self.scope} if self.scope else {})}
        why = part.intent.meaning + (f" ({part.subject})" if part.subject else "")
        return PlanStep(str(number), ToolId.ANALYZE.value, arguments, why)


def _read_parts(code: CodeIndex, question: str, scope: str | None) -> dict[str, Question]:
    """Return the texts of a question's parts and how each is read; the whole if a part would be no question."""
    pieces = [piece.strip() for piece in _BETWEEN_PARTS.split(question) if piece.strip(" ?.!")]
    is_long = len(question) > _MAX_CHARACTERS or "\n" in question.strip()
    if not is_long and 1 < len(pieces) <= _MAX_PARTS:
        parts: dict[str, Question] = {}
        told: set[str] = set()
        about, is_stated, is_of_statement = "", False, False
        for piece in pieces:
            text = _PRONOUN.sub(lambda _, name=about: name, piece, count=1) if about else piece
            refers = is_stated and text != piece
            if refers:
                parts.popitem()
            parts[text] = read_question(code, text, scope, may_guess=piece is pieces[-1] or bool(_ASKS.search(piece)))
            # "The lock is taken twice. Why was this necessary?" asks about more than the name of the lock.
            is_of_statement |= refers and parts[text].intent is Intent.HISTORY
            is_told = parts[text].intent is Intent.FLOW or not _has_intent(parts[text])
            is_stated = (is_told or _TELLS.match(text) is not None) and _STARTS_QUESTION.match(text) is None
            if is_stated and not is_told:
                told.add(text)
            about = _read_topic(code, text) if is_stated else _refer_to(parts[text])
        if any(_has_intent(part) for text, part in parts.items() if text not in told) and all(
            map(_stands_alone, parts.values())
        ):
            whole = read_question(code, question, scope)
            first, *later = parts.values()
            # "Suppose draw takes one more argument. What has to be fixed?" states a change, then asks about it.
            are_told = not any(_STARTS_QUESTION.match(each) or f"{each}?" in question for each in pieces[:-1])
            is_option = whole.intent is Intent.OPTION and (are_told or first.intent is not Intent.OPTION)
            is_told = whole.intent is Intent.SIGNATURE or is_option
            is_whole = is_told and not any(each.subject for each in later)
            # "We go from v1 to v2. What changed in src/main?" asks for one comparison.
            is_whole |= _names_pair(whole) and all(each.intent in _OF_PAIR for each in later)
            # "The lock is taken twice. Which bug made this necessary?" has its subject in the statement.
            is_whole |= is_of_statement or any(each.intent is Intent.HISTORY and not each.subject for each in later)
            return {question: whole} if is_whole else parts
    return {question: read_question(code, question, scope)}


def _names_pair(part: Question) -> bool:
    """Return whether a question names the revisions that it compares."""
    return part.intent is Intent.CHANGES and part.change is not None and part.change.is_pair


def _read_topic(code: CodeIndex, statement: str) -> str:
    """Return what a statement such as "I am about to change `draw`" is about: its route or only name; "" if unclear.

    An acronym that no code defines, such as "JSON", only says more of something else.
    """
    route = WRITTEN_ROUTE.search(statement)
    names = [
        each
        for each in dict.fromkeys(find_names(statement))
        if not (each.isalpha() and each.isupper()) or code.find_definitions(each)
    ]
    return route[0] if route else f"`{names[0]}`" if len(names) == 1 else ""


def _has_intent(part: Question) -> bool:
    """Return whether a part asks more than for matches of its words, or asks about one name."""
    return part.intent is not Intent.PHRASE or part.is_about_name


def _stands_alone(part: Question) -> bool:
    """Return whether a part is a question by itself: "where is that configured" asks for the option of another part."""
    from avionics.index.options.question_words import names_an_option

    if part.intent is Intent.OPTION and not names_an_option(part.text):
        return False
    # In "compare v1 with v2. Which files did they touch?", only the whole says what "they" are.
    if not (_has_intent(part) or find_names(part.text)) and _REFERS.search(part.text):
        return False
    is_long = len(part.text.split()) >= _MIN_WORDS
    is_clear = _has_intent(part) and (is_long or bool(part.subject))
    return is_clear or (is_long and _STARTS_QUESTION.match(part.text) is not None)


def _refer_to(part: Question) -> str:
    """Return how a later part may refer to the subject of one."""
    if part.definition:
        return f"`{part.subject}`"
    return "this project" if part.path == "." else part.path
