"""Transformed: what a call's arguments become for the caller who makes it.

Row-level security, filters on queries, values only the server knows. A transform is given well-formed arguments, and
what it makes of them is checked again before it runs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import attrs

from avionics.model.errors import ConfigError
from avionics.model.tools import Caller, ToolContext, ToolDefinitionProtocol
from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage


@attrs.frozen
class ToolRejection:
    """Why a transform will not let a call run."""

    reason: str


Transformed: TypeAlias = Mapping[str, Any] | ToolRejection
Transform: TypeAlias = Callable[
    [ToolDefinitionProtocol, Mapping[str, Any], Caller, ToolContext], Transformed | Awaitable[Transformed]
]
"""`transform_args(tool, args, user, context)`; a registry may have a method of that name instead."""


@attrs.frozen
class TransformGuard(Guard):
    """A guard that transforms; it says by what, so that one transform takes part once."""

    transform: Transform | None = None


def transformed(transform: Transform) -> TransformGuard:
    """Lets the transform change the arguments or reject the call: `rejected`, with its reason."""

    def decide(step: PendingCall, outcome: Transformed) -> Decision:
        if outcome is step.arguments:
            return step
        if isinstance(outcome, ToolRejection):
            return Refusal("rejected", outcome.reason)
        if not isinstance(outcome, Mapping):
            raise ConfigError(f"the transform of {step.tool.name} gave neither arguments nor a ToolRejection")
        return attrs.evolve(step, arguments=outcome)

    async def wait(step: PendingCall, outcome: Awaitable[Transformed]) -> Decision:
        return decide(step, await outcome)

    def check(step: PendingCall) -> Decision | Awaitable[Decision]:
        outcome = transform(step.tool, step.arguments, step.context.caller, step.context)
        if outcome is step.arguments:
            return step
        return wait(step, outcome) if isinstance(outcome, Awaitable) else decide(step, outcome)

    return TransformGuard(check, Stage.WHAT, transform)
