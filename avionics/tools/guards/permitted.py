"""Permitted: which callers may use which tools.

Three questions, all of which must be answered yes: does the caller's role execute at all, is it in one of the tool's
access groups, and was it granted every permission the tool needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from avionics.model.grants import Grant, read_permissions
from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage
from avionics.tools.registries.access import EVERYTHING, READ_ONLY, get_denial, is_visible

__all__ = ["EVERYTHING", "EXECUTING_ROLES", "READ_ONLY", "get_denial", "is_visible", "permitted"]

EXECUTING_ROLES: Final = frozenset({"", "traverser"})
"""Among agents only the traverser executes; a caller without a role is a person or a program."""


def permitted(executing_roles: Collection[str] = EXECUTING_ROLES, *, grants: Grant | Iterable[Grant] = ()) -> Guard:
    """Build the guard that refuses callers without the right to a tool: `permission_denied`.

    Args:
        executing_roles: Roles that may execute; any other may only see.
        grants: What callers may do whose own permissions are not stated, beside reading the workspace.
    """
    granted = READ_ONLY | read_permissions(grants)

    def check(step: PendingCall) -> Decision:
        caller = step.context.caller
        if caller.role not in executing_roles:
            return Refusal(
                "permission_denied",
                f"a {caller.role} sees tools and does not execute them",
                hint="put the call into the plan for the traverser",
            )
        denial = get_denial(step.tool, caller, granted)
        return Refusal("permission_denied", *denial) if denial else step

    return Guard(check, Stage.WHO)
