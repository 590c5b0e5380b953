"""The planner without a model: the words of the question decide, by the table in `tools/questions/intent_rules`.

A question of one part is one step: `analyze` chooses and joins the tools for its kind. A question of several parts
("where is Order, and who calls it?") is one step a part, all at once; "it" is what the part before was about.

Knows: how questions are joined, which kinds there are.
Does not know: how any part is answered.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from avionics.agents.planner import Correction, Round
from avionics.agents.plans import Draft, Plan, PlanStep
from avionics.model.errors import IndexStateError
from avionics.tools.questions.intent_rules import ASKED_NAME, Intent, Question, read_question

if TYPE_CHECKING:
    from avionics.workspace import Workspace

_ASKING = r"(?:who|what|where|why|how|when|which|is|does|explain|describe|list)\b"
_JOINT = re.compile(rf"[?;.]\s+(?:and\s+|then\s+)?(?={_ASKING})|,?\s+and\s+(?:then\s+)?(?={_ASKING})", re.IGNORECASE)
_ASKS = re.compile(_ASKING, re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|this|that)\b(?!\s+(?:is|that)\b)", re.IGNORECASE)
_MAX_CHARACTERS = 300
"""Longer text is an issue or a traceback: one question, however many sentences it has."""
_MAX_PARTS = 4
_MIN_WORDS = 4
"""Words that ask less than this are the rest of another question: "and why?"."""

_REASONS = {
    Intent.TRACEBACK: "a traceback: its frames lead to the code",
    Intent.SYMBOL: "a name: its definition, code and users",
    Intent.CODE: "what a symbol says: its definition and code",
    Intent.PLACE: "a place: what stands there, and who uses it",
    Intent.MAP: "what is in a directory or file",
    Intent.LIST_MODULES: "what there is in all, or in a directory",
    Intent.USAGE: "who uses a symbol",
    Intent.SUBTYPES: "who inherits or overrides",
    Intent.BASES: "what a class builds on",
    Intent.CALLEES: "what a function calls",
    Intent.DEPENDENTS: "who imports a directory or file",
    Intent.TESTS: "which tests use something",
    Intent.UNUSED: "what nothing uses",
    Intent.ENTRIES: "where control comes in",
    Intent.HISTORY: "why something is as it is: its commits",
    Intent.FLOW: "how something works: the best matches and what they call",
    Intent.PHRASE: "words: what they match best",
}


@attrs.frozen
class RulePlanner:
    """Plans by rules; deterministic, and needs no model.

    Attributes:
        workspace: What names mean here.
        scope: A directory or file to stay within.
    """

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
        """The plan of a question; once it was carried out, what was found is the answer."""
        if rounds or not may_plan:
            return Draft("")
        return self.plan(question)

    def plan(self, question: str) -> Plan:
        """The steps that answer a question."""
        try:
            with self.workspace.pinned_index():
                parts = self._split(question)
        except IndexStateError:
            with self.workspace.pinned_index(refresh=True):
                parts = self._split(question)
        steps = (self._step(number, part) for number, part in enumerate(parts, 1))
        return Plan(tuple(steps))

    def _step(self, number: int, question: Question) -> PlanStep:
        arguments = {"query": question.text, **({"scope": self.scope} if self.scope else {})}
        about = question.definition.symbol.qualname if question.definition else question.path
        why = _REASONS[question.kind] + (f" ({about})" if about else "")
        return PlanStep(str(number), "analyze", arguments, why)

    def _split(self, question: str) -> tuple[Question, ...]:
        """The parts of a question, or the whole where a part would be no question of a kind by itself."""
        code = self.workspace.code
        whole = read_question(code, question, self.scope)
        pieces = [piece.strip() for piece in _JOINT.split(question) if piece.strip(" ?.!")]
        is_long = len(question) > _MAX_CHARACTERS or "\n" in question.strip()
        if is_long or not 1 < len(pieces) <= _MAX_PARTS:
            return (whole,)
        parts: list[Question] = []
        for piece in pieces:
            about = _name_of(parts[-1]) if parts else ""
            part = read_question(
                code, _PRONOUN.sub(lambda _, name=about: name, piece, count=1) if about else piece, self.scope
            )
            parts.append(part)
        are_of_a_kind = [part.kind is not Intent.PHRASE or _asks_where(part) for part in parts]
        if any(are_of_a_kind) and all(map(_stands_alone, parts, are_of_a_kind)):
            return tuple(parts)
        return (whole,)


def _asks_where(question: Question) -> bool:
    """Whether a part such as "where is Order" or "explain Order" is about one name."""
    return ASKED_NAME.fullmatch(question.text) is not None


def _stands_alone(part: Question, is_of_a_kind: bool) -> bool:
    """Whether a part is a question without the others: of a kind, or one that asks for words of its own."""
    return is_of_a_kind or (_ASKS.match(part.text) is not None and len(part.text.split()) >= _MIN_WORDS)


def _name_of(question: Question) -> str:
    """What a later "it" means."""
    return f"`{question.definition.symbol.qualname}`" if question.definition else question.path
