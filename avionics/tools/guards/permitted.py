"""Check which callers may use which tools.

Three conditions must hold: the caller's role may execute, the caller is in one of the tool's access groups, and it has
every permission that the tool needs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from avionics.model.grants import Grant, read_permissions
from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage
from avionics.tools.guards.access import EVERYTHING, READ_ONLY, get_denial, is_visible

__all__ = ["EVERYTHING", "EXECUTING_ROLES", "READ_ONLY", "get_denial", "is_visible", "permitted"]

EXECUTING_ROLES: Final = frozenset({"", "traverser"})
"""Among agents only the traverser executes; a caller without a role is a person or a program."""


def permitted(executing_roles: Collection[str] = EXECUTING_ROLES, *, grants: Grant | Iterable[Grant] = ()) -> Guard:
    """Build the guard that refuses callers without the right to a tool: `permission_denied`.

    Args:
        executing_roles: The roles that may execute; others only see tools.
    """
    granted = READ_ONLY | read_permissions(grants)

    def check(step: PendingCall) -> Decision:
        caller = step.context.caller
        if caller.role not in executing_roles:
            return Refusal(
                "permission_denied",
                f"a {caller.role} may see tools but not run them",
                hint="put the call into the plan for the traverser",
            )
        denial = get_denial(step.tool, caller, granted)
        return Refusal("permission_denied", *denial) if denial else step

    return Guard(check, Stage.WHO)
