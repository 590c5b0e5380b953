"""Check which callers may use which tools.

Three conditions must hold: the caller's role may execute, the caller is in one of the tool's access groups, and it has
every permission that the tool needs.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from avionics.model.enums import Permission
from avionics.model.tools import Caller
from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage

READ_ONLY: Final = frozenset({Permission.FILESYSTEM_READ})
"""The permissions of a caller that may only read: `Caller(permissions=READ_ONLY)`."""

EVERYTHING: Final = frozenset(Permission)
"""All permissions."""

EXECUTING_ROLES: Final = frozenset({"", "traverser"})
"""Of agents only the traverser executes; a caller without a role is a person or a program."""


def permitted(executing_roles: Collection[str] = EXECUTING_ROLES) -> Guard:
    """Refuse callers that may not run a tool: `permission_denied`.

    Args:
        executing_roles: The roles that may execute; others only see tools.
    """

    def check(step: PendingCall) -> Decision:
        caller = step.context.caller
        if caller.role not in executing_roles:
            return Refusal(
                "permission_denied",
                f"a {caller.role} may see tools but not run them",
                hint="put the call into the plan for the traverser",
            )
        denial = get_denial(step.tool, caller)
        return Refusal("permission_denied", *denial) if denial else step

    return Guard(check, Stage.WHO)


def is_visible(tool: Any, caller: Caller) -> bool:
    """Return whether the tool is listed for the caller; a planner sees what its groups and permissions allow."""
    return get_denial(tool, caller) is None


def get_denial(tool: Any, caller: Caller) -> tuple[str, str] | None:
    """Return why a tool is not available to the caller, and the remedy; None if it is.

    A tool has `access_groups` (none: everyone) and `required_permissions`; both may be absent.
    """
    groups: Collection[str] = getattr(tool, "access_groups", ())
    if groups and caller.groups.isdisjoint(groups):
        return f"{caller.id} may not use {tool.name}", f"it is for the groups {', '.join(sorted(groups))}"
    needed: Collection[Permission] = getattr(tool, "required_permissions", ())
    if needed and caller.permissions is not None:
        lacking = sorted(permission.value for permission in needed if permission not in caller.permissions)
        if lacking:
            return f"{tool.name} needs permissions that {caller.id} does not have", f"grant {', '.join(lacking)}"
    return None
