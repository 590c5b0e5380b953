"""A pending call in the pipeline, and the interfaces of guards and observers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import Any, TypeAlias

from msgspec import Struct, structs

from avionics.model.results import ToolResult
from avionics.model.tools import ToolCall, ToolContext, ToolDefinitionProtocol


class Stage(str, Enum):
    """When a guard runs.

    WHO: before the arguments are validated. WHAT: once they are valid; may change them. FINAL: once they are final; may
    no longer change them.
    """

    WHO = "who"
    WHAT = "what"
    FINAL = "final"


class PendingCall(Struct, frozen=True):
    """A call in the pipeline: the tool and the current arguments."""

    call: ToolCall
    context: ToolContext
    tool: ToolDefinitionProtocol
    arguments: Mapping[str, Any]

    def evolve(self, **changes: Any) -> PendingCall:
        """Return the call with changed fields, for a guard that changes it."""
        return structs.replace(self, **changes)


class Refusal(Struct, frozen=True):
    """Why a call may not continue: `not_enabled`, `permission_denied`, `approval_required` or `rejected`."""

    error_type: str
    reason: str
    hint: str = ""


Decision: TypeAlias = PendingCall | Refusal
Check: TypeAlias = Callable[[PendingCall], Decision | Awaitable[Decision]]


class Guard(Struct, frozen=True):
    """A policy: receives a step and returns it, perhaps changed, or refuses; may be asynchronous."""

    check: Check
    stage: Stage = Stage.WHAT


class Event(str, Enum):
    """An event of a call.

    ACCESS: the guards have admitted or refused it. INVOCATION: its tool is about to run. RESULT: it has ended.
    """

    ACCESS = "access"
    INVOCATION = "invocation"
    RESULT = "result"


class Observation(Struct, frozen=True):
    """The event that an observer receives.

    Attributes:
        call: The original call; for a fallback it names the fallback's tool.
        context: Its circumstances.
        result: Its result; None before the end, and if it was cancelled.
        moment: The event.
        arguments: The arguments after the guards; None before they were validated.
        refusal: Why it was refused, if it was.
        seconds: The time so far, including guards.
    """

    call: ToolCall
    context: ToolContext
    result: ToolResult | None = None
    moment: Event = Event.RESULT
    arguments: Mapping[str, Any] | None = None
    refusal: Refusal | None = None
    seconds: float = 0.0


class Observer(Struct, frozen=True):
    """A listener and the events it receives; its errors change no result."""

    tell: Callable[[Observation], object]
    moments: frozenset[Event] = frozenset({Event.RESULT})
