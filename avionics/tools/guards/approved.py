"""Require approval of risky calls.

An approval is for the hash of the caller, the thread, the tool's name and its final arguments; if any of them differs,
the call needs a new approval.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from threading import Lock
from typing import Any, Final, TypeAlias

from msgspec import Struct

from avionics.model.enums import RiskLevel
from avionics.model.results import to_plain
from avionics.model.tools import Caller
from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage
from avionics.tools.schema.plain_signature import is_awaitable

RISKY: Final = frozenset({RiskLevel.HIGH})
"""The risks that need approval by default."""


class ApprovalRequest(Struct, frozen=True):
    """A request for approval.

    Attributes:
        arguments: The exact arguments it would run with.
        risk_level: The risk of running it.
        thread_id: The conversation.
        digest: The hash of tool and arguments.
    """

    tool: str
    arguments: Mapping[str, Any]
    risk_level: RiskLevel
    caller: Caller
    thread_id: str
    digest: str


Approver: TypeAlias = Callable[[ApprovalRequest], bool | Awaitable[bool]]


class Approvals:
    """An approver that accepts each granted digest once, for approvals between two calls."""

    def __init__(self) -> None:
        self._granted: set[str] = set()
        self._lock = Lock()

    def grant(self, digest: str) -> None:
        """Approve the call with that digest once."""
        with self._lock:
            self._granted.add(digest)

    def __call__(self, request: ApprovalRequest) -> bool:
        """Return whether the call was approved, and consume the approval."""
        with self._lock:
            found = request.digest in self._granted
            self._granted.discard(request.digest)
        return found


def approved(approver: Approver | None = None, risks: Collection[RiskLevel] = RISKY) -> Guard:
    """Refuse risky calls without approval: `approval_required`; the hint contains the digest to approve.

    Args:
        approver: Asked with the final arguments; by default nothing is approved. May be asynchronous.
        risks: The risks that need approval; empty for a fully trusted caller.
    """
    risky = tuple(risks)

    async def ask(step: PendingCall) -> Decision:
        who = (step.context.caller.id, step.context.thread_id)
        digest = build_digest(step.tool.name, step.arguments, *who)
        if approver is not None:
            context, tool = step.context, step.tool
            request = ApprovalRequest(
                tool.name, to_plain(step.arguments), tool.risk_level, context.caller, context.thread_id, digest
            )
            answer = approver(request)
            said_yes = await answer if is_awaitable(answer) else answer
            if said_yes is True and build_digest(step.tool.name, step.arguments, *who) == digest:
                return step
        return Refusal(
            "approval_required",
            f"{step.tool.name} has {step.tool.risk_level.value} risk and was not approved",
            hint=f"request approval of {digest}",
        )

    def check(step: PendingCall) -> Decision | Awaitable[Decision]:
        return ask(step) if step.tool.risk_level in risky else step

    return Guard(check, Stage.FINAL)


def build_digest(tool: str, arguments: Mapping[str, Any], caller_id: str = "anonymous", thread_id: str = "") -> str:
    """Return the SHA-256, in hexadecimal, of a call with its final arguments in any order: what an approval is for."""
    import json
    from hashlib import sha256

    bound = [caller_id, thread_id, tool, to_plain(arguments)]
    return sha256(json.dumps(bound, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
