"""The agent: plan and traverse for a few rounds, then answer with verified citations."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, structs

from avionics.agents.plans import (
    AgentLimits,
    Correction,
    Draft,
    Plan,
    PlanRefusedError,
    Round,
    StepResult,
    list_evidence,
)
from avionics.agents.traverser import Traverser
from avionics.model.chat import ChatReply
from avionics.model.errors import DeadlineExceededError
from avionics.tools.execution.deadlines import Deadlines

if TYPE_CHECKING:
    from avionics.agents.citation_claims import Claims


class PlannerProtocol(Protocol):
    """Decides on the next step."""

    async def decide(
        self,
        question: str,
        rounds: tuple[Round, ...] = (),
        wrong: tuple[Correction, ...] = (),
        *,
        may_plan: bool = True,
    ) -> Plan | Draft:
        """Return a plan, or the answer."""


class Inquiry(Struct, frozen=True):
    """A question, the work done for it, and its answer.

    Attributes:
        text: The answer in words; "" if the results themselves are the answer.
        rounds: The plans and their results.
        citations: The places that the answer cites, all verified.
        notes: Remarks about the answer: citations removed, limits reached.
    """

    question: str
    text: str
    rounds: tuple[Round, ...]
    citations: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    milliseconds: int = 0

    @property
    def evidence(self) -> tuple[StepResult, ...]:
        """Return the results of all rounds."""
        return list_evidence(self.rounds)


class Agent:
    """Answers questions: a planner decides what to do, a traverser does it, and citations are verified."""

    def __init__(
        self, planner: PlannerProtocol, traverser: Traverser, workspace: Any, limits: AgentLimits | None = None
    ) -> None:
        self._planner = planner
        self._traverser = traverser
        self._workspace = workspace
        self._limits = limits or AgentLimits()

    async def ask(self, question: str) -> Inquiry:
        """Answer a question.

        Raise `PlanRefusedError` if the plans stayed malformed, so that nothing of the last one ran; `RemoteError` if
        the model is unavailable; `DeadlineExceededError` if the time is up.
        """
        started = perf_counter()
        inquiry = await Deadlines().within(self._limits.seconds, self._ask(question))
        if inquiry is None:
            raise DeadlineExceededError(
                f"no answer within {self._limits.seconds:g} s", hint="narrow the question, or allow more time"
            )
        return structs.replace(inquiry, milliseconds=int((perf_counter() - started) * 1000))

    async def _ask(self, question: str) -> Inquiry:
        rounds: tuple[Round, ...] = ()
        while True:
            may_plan = len(rounds) < self._limits.max_rounds
            try:
                decision = await self._planner.decide(question, rounds, may_plan=may_plan)
            except PlanRefusedError:
                if not rounds:
                    raise
                return Inquiry(
                    question, "", rounds, notes=("the model gave no answer; these are the results of the tools",)
                )
            if isinstance(decision, Draft):
                return await self._verify(question, rounds, decision)
            done = await self._traverser.traverse(decision, list_evidence(rounds))
            rounds = (*rounds, Round(decision, done))

    async def _verify(self, question: str, rounds: tuple[Round, ...], draft: Draft) -> Inquiry:
        """Verify the citations of an answer: let the model correct wrong ones, and remove those that stay wrong."""
        if not draft.text:
            return Inquiry(question, "", rounds)
        from avionics.agents.citation_claims import strike

        evidence = list_evidence(rounds)
        claims = self._check(draft, evidence)
        wrong: tuple[Correction, ...] = ()
        while claims.unverified and len(wrong) < self._limits.max_repairs:
            faults = tuple(
                f"{each}: no tool returned this place, or the file has no such line" for each in claims.unverified
            )
            wrong = (*wrong, Correction(ChatReply(draft.text), faults))
            try:
                decision = await self._planner.decide(question, rounds, wrong, may_plan=False)
            except PlanRefusedError:
                break
            assert isinstance(decision, Draft)
            draft, claims = decision, self._check(decision, evidence)
        notes = [f"not verified and removed: {', '.join(claims.unverified)}"] if claims.unverified else []
        if not claims.verified:
            notes.append("no citations: treat the answer as a guess")
        return Inquiry(question, strike(draft.text, claims.unverified), rounds, claims.verified, tuple(notes))

    def _check(self, draft: Draft, evidence: tuple[StepResult, ...]) -> Claims:
        from avionics.agents.citation_claims import check_claims

        return check_claims(draft.text, evidence, self._workspace)
