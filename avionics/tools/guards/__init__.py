"""Policies: one file each, passed to a `ToolExecutor` as a tuple.

    ToolExecutor(registry, guards=(enabled(threads), permitted(), transformed(transform), approved(ask)))

Knows: which policies there are.
Does not know: what they decide.
"""

from avionics.tools.guards.approved import ApprovalRequest, Approvals, approved, build_digest
from avionics.tools.guards.enabled import EnabledTools, enabled, find_enabled
from avionics.tools.guards.permitted import EVERYTHING, READ_ONLY, get_denial, is_visible, permitted
from avionics.tools.guards.transformed import ToolRejection, transformed

__all__ = [
    "EVERYTHING", "READ_ONLY", "ApprovalRequest", "Approvals", "EnabledTools", "ToolRejection", "approved",
    "build_digest", "enabled", "find_enabled", "get_denial", "is_visible", "permitted", "transformed",
]  # fmt: skip
