"""Approved: what runs only after somebody said yes to exactly that.

An approval is for the hash of the tool's name and its final arguments: another tool, or the same tool with anything
else, needs another one.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Collection, Mapping
from threading import Lock
from typing import Any, Final, TypeAlias

import attrs

from avionics.model.enums import RiskLevel
from avionics.model.results import to_plain
from avionics.model.tools import Caller
from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage

RISKY: Final = frozenset({RiskLevel.HIGH})
"""What needs approval unless the policy says otherwise."""


@attrs.frozen
class ApprovalRequest:
    """What somebody is asked to approve.

    Attributes:
        tool: Its name.
        arguments: Exactly what it would run with.
        risk_level: What running it may do.
        caller: Who wants it.
        thread_id: In which conversation.
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
    """An approver that says yes once to each digest it was given; for approvals that come between two calls."""

    def __init__(self) -> None:
        self._granted: set[str] = set()
        self._lock = Lock()

    def grant(self, digest: str) -> None:
        """Say yes, once, to the call of that digest."""
        with self._lock:
            self._granted.add(digest)

    def __call__(self, request: ApprovalRequest) -> bool:
        """Whether the call was granted; it is no more, then."""
        with self._lock:
            found = request.digest in self._granted
            self._granted.discard(request.digest)
        return found


def approved(approver: Approver | None = None, risks: Collection[RiskLevel] = RISKY) -> Guard:
    """Refuses what is risky and was not approved: `approval_required`; the hint carries the digest to approve.

    Args:
        approver: Asked with the final arguments; nobody approves unless given. May be asynchronous.
        risks: What needs approval; empty for a caller that is trusted with everything.
    """
    risky = tuple(risks)

    async def ask(step: PendingCall) -> Decision:
        digest = build_digest(step.tool.name, step.arguments)
        if approver is not None:
            context, tool = step.context, step.tool
            request = ApprovalRequest(
                tool.name, to_plain(step.arguments), tool.risk_level, context.caller, context.thread_id, digest
            )
            answer = approver(request)
            said_yes = await answer if inspect.isawaitable(answer) else answer
            if said_yes is True and build_digest(step.tool.name, step.arguments) == digest:
                return step
        return Refusal(
            "approval_required",
            f"{step.tool.name} is of {step.tool.risk_level.value} risk and was not approved",
            hint=f"ask for approval of {digest}",
        )

    def check(step: PendingCall) -> Decision | Awaitable[Decision]:
        return ask(step) if step.tool.risk_level in risky else step

    return Guard(check, Stage.FINAL)


def build_digest(tool: str, arguments: Mapping[str, Any]) -> str:
    """The hash an approval is for: SHA-256 of the tool's name and its arguments, whatever their order."""
    import json
    from hashlib import sha256

    written = json.dumps([tool, to_plain(arguments)], sort_keys=True, separators=(",", ":"))
    return sha256(written.encode()).hexdigest()
