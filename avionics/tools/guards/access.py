"""Which callers may use which tools, by access groups and permissions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from avionics.model.enums import Permission
from avionics.model.grants import Grant, read_groups, read_permissions
from avionics.model.tools import Caller

READ_ONLY: Final[frozenset[Grant]] = frozenset({Permission.FILESYSTEM_READ})
"""The permissions of everyone unless an executor grants more: reading the workspace."""

EVERYTHING: Final[frozenset[Grant]] = frozenset(Permission)
"""Every permission of avionics; `Permission.UNCONFINED` is among them."""


def get_required(tool: Any) -> frozenset[Grant]:
    """Return the permissions a caller needs for a tool; none if the tool declares none."""
    return read_permissions(getattr(tool, "required_permissions", None))


def is_visible(tool: Any, caller: Caller) -> bool:
    """Return whether a tool is listed for a caller.

    A caller whose permissions are not stated sees all that its groups allow; the executor decides what it may run.
    """
    return get_denial(tool, caller, None) is None


def get_denial(tool: Any, caller: Caller, grants: Collection[Grant] | None) -> tuple[str, str] | None:
    """Return why a caller may not use a tool and what would change that; None if the caller may.

    Args:
        tool: Its `access_groups` (none: everyone) and `required_permissions` decide; both may be absent.
        caller: The caller.
        grants: The permissions of callers that state none of their own; None skips the check for them.
    """
    groups = getattr(tool, "access_groups", None)
    if groups and caller.groups.isdisjoint(allowed := read_groups(groups)):
        return f"{caller.id} may not use {tool.name}", f"it is for the groups {', '.join(sorted(allowed))}"
    needed = get_required(tool)
    granted = grants if caller.permissions is None else caller.permissions
    if not needed or granted is None:
        return None
    if needed.issubset(granted):
        return None
    lacking = sorted(_spell(permission) for permission in needed if permission not in granted)
    return f"{tool.name} needs permissions that {caller.id} does not have", f"grant {', '.join(lacking)}"


def _spell(permission: Grant) -> str:
    return permission.value if isinstance(permission, Permission) else permission
