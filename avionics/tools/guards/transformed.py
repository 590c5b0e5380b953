"""Transform the arguments of a call for its caller.

Examples are row-level security, filters on queries, and values that only the server knows. A transform receives
well-formed arguments, and its result is validated again before the tool runs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from avionics.model.errors import ConfigError
from avionics.model.tools import Caller, ToolContext, ToolDefinitionProtocol
from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage


class ToolRejection(Struct, frozen=True):
    """Why a transform rejects a call."""

    reason: str


Transformed: TypeAlias = Mapping[str, Any] | ToolRejection
Transform: TypeAlias = Callable[
    [ToolDefinitionProtocol, Mapping[str, Any], Caller, ToolContext], Transformed | Awaitable[Transformed]
]
"""`transform_args(tool, args, user, context)`; a registry may have a method of that name instead."""


class ArgumentTransform:
    """Transforms the arguments of calls; unchanged unless a subclass overrides it."""

    def transform_args(
        self,
        tool: ToolDefinitionProtocol,  # noqa: ARG002  what a subclass decides by
        args: Mapping[str, Any],
        user: Caller,  # noqa: ARG002
        context: ToolContext,  # noqa: ARG002
    ) -> Any:
        """Return the arguments of a call for that user; a subclass may change or reject them.

        The executor asks it before every call, whatever views lie between. A `ToolRejection` refuses the call.
        """
        return args


def transforms_arguments(registry: object) -> bool:
    """Return whether a registry may change or reject arguments."""
    transform = getattr(registry, "transform_args", None)
    return transform is not None and getattr(transform, "__func__", None) is not ArgumentTransform.transform_args


class TransformGuard(Guard, frozen=True):
    """A guard that transforms; it records the transform, so that each is applied once."""

    transform: Transform | None = None


def transformed(transform: Transform) -> TransformGuard:
    """Let the transform change the arguments or reject the call: `rejected`, with its reason."""

    def decide(step: PendingCall, outcome: Transformed) -> Decision:
        if outcome is step.arguments:
            return step
        if isinstance(outcome, ToolRejection):
            return Refusal("rejected", outcome.reason)
        if not isinstance(outcome, Mapping):
            raise ConfigError(f"the transform of {step.tool.name} returned neither arguments nor a ToolRejection")
        return step.evolve(arguments=outcome)

    async def wait(step: PendingCall, outcome: Awaitable[Transformed]) -> Decision:
        return decide(step, await outcome)

    def check(step: PendingCall) -> Decision | Awaitable[Decision]:
        outcome = transform(step.tool, step.arguments, step.context.caller, step.context)
        if outcome is step.arguments:
            return step
        return wait(step, outcome) if isinstance(outcome, Awaitable) else decide(step, outcome)

    return TransformGuard(check, Stage.WHAT, transform)
