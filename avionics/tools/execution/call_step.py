"""A call on its way through the corridor, and what may be asked or told along it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import Any, TypeAlias

import attrs

from avionics.model.results import ToolResult
from avionics.model.tools import ToolCall, ToolContext, ToolDefinitionProtocol


class Stage(str, Enum):
    """When a guard is asked.

    WHO: before the arguments are looked at. WHAT: once they are known to be well-formed; may change them.
    FINAL: once they are as they will run; may no longer change them.
    """

    WHO = "who"
    WHAT = "what"
    FINAL = "final"


@attrs.frozen(slots=False)
class PendingCall:
    """A call on its way: what was found, and the arguments as they stand."""

    call: ToolCall
    context: ToolContext
    tool: ToolDefinitionProtocol
    arguments: Mapping[str, Any]


@attrs.frozen
class Refusal:
    """Why a call may not go on: `not_enabled`, `permission_denied`, `approval_required` or `rejected`."""

    error_type: str
    reason: str
    hint: str = ""


Decision: TypeAlias = PendingCall | Refusal
Check: TypeAlias = Callable[[PendingCall], Decision | Awaitable[Decision]]


@attrs.frozen
class Guard:
    """A policy: takes a step and gives it back, perhaps changed, or refuses; may be asynchronous."""

    check: Check
    stage: Stage = Stage.WHAT


class Event(str, Enum):
    """What there is to tell of a call.

    ACCESS: the guards have let it in, or refused. INVOCATION: its tool is about to run. RESULT: it is over.
    """

    ACCESS = "access"
    INVOCATION = "invocation"
    RESULT = "result"


@attrs.frozen(slots=False)
class Observation:
    """What is told of a call.

    Attributes:
        call: As it came; the call of a fallback names the fallback's tool.
        context: Its circumstances.
        result: What came of it; None before it is over, and when it was cancelled.
        moment: What there is to tell.
        arguments: As the guards left them; None before they were looked at.
        refusal: Why it was refused, if it was.
        seconds: How long it has taken so far, guards and all.
    """

    call: ToolCall
    context: ToolContext
    result: ToolResult | None = None
    moment: Event = Event.RESULT
    arguments: Mapping[str, Any] | None = attrs.field(default=None, eq=False)
    refusal: Refusal | None = attrs.field(default=None, eq=False)
    seconds: float = attrs.field(default=0.0, eq=False)


@attrs.frozen
class Observer:
    """Who is told, and of what; a fault of its own changes no result."""

    tell: Callable[[Observation], object]
    moments: frozenset[Event] = frozenset({Event.RESULT})
