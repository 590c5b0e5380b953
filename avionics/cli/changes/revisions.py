"""Ranges of revisions as they are written on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from avionics.workspace import Workspace


def read_range(workspace: Workspace, written: str) -> tuple[str, str | None]:
    """Return the base and the head of `BASE`, `BASE..HEAD` or `BASE...HEAD`; None as head for the files on disk.

    Raises:
        UsageError: There is no such revision.
        HistoryError: The two of `BASE...HEAD` have no common ancestor.
    """
    base, dots, last = written.partition("..")
    head = last.removeprefix(".") or ("HEAD" if last else None) if dots else None
    if last.startswith("."):
        base = workspace.history.require_merge_base(base or "HEAD", head or "HEAD")
    return base or "HEAD", head
