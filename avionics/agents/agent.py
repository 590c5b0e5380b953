"""The agent: plan, traverse, and again for a few rounds; then an answer whose every citation stands."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any, Protocol

import attrs

from avionics.agents.citation_claims import Claims, check_claims, strike
from avionics.agents.limits import AgentLimits
from avionics.agents.planner import Correction, PlanRefusedError, Round
from avionics.agents.plans import Draft, Plan
from avionics.agents.traverser import StepResult, Traverser
from avionics.model.chat import ChatReply
from avionics.model.errors import DeadlineExceededError


class PlannerProtocol(Protocol):
    """Who decides what to do next."""

    async def decide(
        self,
        question: str,
        rounds: tuple[Round, ...] = (),
        wrong: tuple[Correction, ...] = (),
        *,
        may_plan: bool = True,
    ) -> Plan | Draft:
        """Return a plan, or the answer."""
        ...


@attrs.frozen
class Inquiry:
    """A question, all that was done for it, and the answer.

    Attributes:
        question: What was asked.
        text: The answer in words; "" when what was found is the answer.
        rounds: What was planned and found.
        citations: The places the answer cites, all verified.
        notes: What to know about the answer: citations struck out, bounds met.
        milliseconds: How long all of it took.
    """

    question: str
    text: str
    rounds: tuple[Round, ...]
    citations: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    milliseconds: int = 0

    @property
    def evidence(self) -> tuple[StepResult, ...]:
        """Return what all rounds found."""
        return tuple(evidence for each in self.rounds for evidence in each.evidence)


class Agent:
    """Answers questions.

    Args:
        planner: Decides.
        traverser: Executes.
        workspace: What is asked about: citations are verified in its files.
        limits: How far it may go.
    """

    def __init__(
        self, planner: PlannerProtocol, traverser: Traverser, workspace: Any, limits: AgentLimits | None = None
    ) -> None:
        self._planner = planner
        self._traverser = traverser
        self._workspace = workspace
        self._limits = limits or AgentLimits()

    async def ask(self, question: str) -> Inquiry:
        """Return the answer to a question.

        Raises:
            PlanRefusedError: The plans stayed malformed; nothing of the last one ran.
            RemoteError: The model cannot be had.
            DeadlineExceededError: It took longer than allowed.
        """
        started = perf_counter()
        try:
            async with asyncio.timeout(self._limits.seconds):
                inquiry = await self._ask(question)
        except TimeoutError:
            raise DeadlineExceededError(
                f"no answer within {self._limits.seconds:g} s", hint="narrow the question, or allow more time"
            ) from None
        return attrs.evolve(inquiry, milliseconds=int((perf_counter() - started) * 1000))

    async def _ask(self, question: str) -> Inquiry:
        rounds: tuple[Round, ...] = ()
        while True:
            may_plan = len(rounds) < self._limits.max_rounds
            try:
                decision = await self._planner.decide(question, rounds, may_plan=may_plan)
            except PlanRefusedError:
                if not rounds:
                    raise
                return Inquiry(question, "", rounds, notes=("the model gave no answer; this is what the tools found",))
            if isinstance(decision, Draft):
                return await self._verify(question, rounds, decision)
            done = tuple(evidence for each in rounds for evidence in each.evidence)
            rounds = (*rounds, Round(decision, await self._traverser.traverse(decision, done)))

    async def _verify(self, question: str, rounds: tuple[Round, ...], draft: Draft) -> Inquiry:
        """Return the answer once its citations stand: sent back while they do not, and struck out where it stays so."""
        evidence = tuple(evidence for each in rounds for evidence in each.evidence)
        if not draft.text:
            return Inquiry(question, "", rounds)
        claims = self._check(draft, evidence)
        wrong: tuple[Correction, ...] = ()
        while claims.unfounded and len(wrong) < self._limits.max_repairs:
            faults = tuple(
                f"{each}: no tool returned this place, or the file has no such line" for each in claims.unfounded
            )
            wrong = (*wrong, Correction(ChatReply(draft.text), faults))
            try:
                decision = await self._planner.decide(question, rounds, wrong, may_plan=False)
            except PlanRefusedError:
                break
            assert isinstance(decision, Draft)
            draft, claims = decision, self._check(decision, evidence)
        notes = [f"not verified and removed: {', '.join(claims.unfounded)}"] if claims.unfounded else []
        if not claims.standing:
            notes.append("cites nothing: take it as a guess")
        return Inquiry(question, strike(draft.text, claims.unfounded), rounds, claims.standing, tuple(notes))

    def _check(self, draft: Draft, evidence: tuple[StepResult, ...]) -> Claims:
        return check_claims(draft.text, evidence, self._workspace)
