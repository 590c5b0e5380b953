"""The limits of an agent for one question."""

from __future__ import annotations

from msgspec import Struct


class AgentLimits(Struct, frozen=True):
    """The limits of one question.

    Attributes:
        max_rounds: How often results lead to a new plan; each round costs a turn of the model.
        max_steps: The maximum number of steps of one plan.
        max_calls: The calls of all rounds together.
        max_repairs: How often a malformed plan, or an answer with wrong citations, is returned to the model.
        step_tokens: The length of one result.
        max_tokens: The length of all results together, which a small model can still read.
        seconds: The time for everything.
    """

    max_rounds: int = 3
    max_steps: int = 6
    max_calls: int = 12
    max_repairs: int = 2
    step_tokens: int = 2_000
    max_tokens: int = 16_000
    seconds: float = 180.0
