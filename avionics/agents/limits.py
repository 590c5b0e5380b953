"""How far an agent may go for one question."""

from __future__ import annotations

import attrs


@attrs.frozen
class AgentLimits:
    """Bounds of one question.

    Attributes:
        max_rounds: How often results feed back into a new plan: each round costs a turn of the model.
        max_steps: How many steps a plan may have: more is a model that does not choose.
        max_calls: How many calls all rounds together may make.
        max_repairs: How often a malformed plan, or an answer with wrong citations, is sent back.
        step_tokens: How long one result may be.
        max_tokens: How much all results together may be: what a small model can still read.
        seconds: How long all of it may take.
    """

    max_rounds: int = 3
    max_steps: int = 6
    max_calls: int = 12
    max_repairs: int = 2
    step_tokens: int = 2_000
    max_tokens: int = 16_000
    seconds: float = 180.0
