"""Permitted: which callers may use which tools.

Three questions, all of which must be answered yes: does the caller's role execute at all, is it in one of the tool's
access groups, and was it granted every permission the tool needs.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from avionics.model.enums import Permission
from avionics.model.tools import Caller
from avionics.tools.execution.call_step import Decision, Guard, PendingCall, Refusal, Stage

READ_ONLY: Final = frozenset({Permission.FILESYSTEM_READ})
"""What a caller is granted who may look and touch nothing: `Caller(permissions=READ_ONLY)`."""

EVERYTHING: Final = frozenset(Permission)
"""Every permission there is."""

EXECUTING_ROLES: Final = frozenset({"", "traverser"})
"""Of agents only the traverser executes; a caller without a role is a person or a program."""


def permitted(executing_roles: Collection[str] = EXECUTING_ROLES) -> Guard:
    """Refuses callers that may see a tool at most: `permission_denied`.

    Args:
        executing_roles: Roles that may execute; any other may only see.
    """

    def check(step: PendingCall) -> Decision:
        caller = step.context.caller
        if caller.role not in executing_roles:
            return Refusal(
                "permission_denied",
                f"a {caller.role} sees tools and does not execute them",
                hint="put the call into the plan for the traverser",
            )
        denial = get_denial(step.tool, caller)
        return Refusal("permission_denied", *denial) if denial else step

    return Guard(check, Stage.WHO)


def is_visible(tool: Any, caller: Caller) -> bool:
    """Whether the tool is listed for the caller; a planner sees what its groups and permissions allow."""
    return get_denial(tool, caller) is None


def get_denial(tool: Any, caller: Caller) -> tuple[str, str] | None:
    """Why a tool is not for the caller, and what would mend it; None where it is.

    A tool names its `access_groups` (none: everyone) and its `required_permissions`; both may be absent.
    """
    groups: Collection[str] = getattr(tool, "access_groups", ())
    if groups and caller.groups.isdisjoint(groups):
        return f"{caller.id} may not use {tool.name}", f"it is for the groups {', '.join(sorted(groups))}"
    needed: Collection[Permission] = getattr(tool, "required_permissions", ())
    if needed and caller.permissions is not None:
        lacking = sorted(permission.value for permission in needed if permission not in caller.permissions)
        if lacking:
            return f"{tool.name} needs permissions {caller.id} was not granted", f"grant {', '.join(lacking)}"
    return None
