"""Two versions of a workspace to compare, and the files that differ between them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from avionics.history.worktree import is_in_submodule
from avionics.model.errors import HistoryError
from avionics.model.reasons import Reason, ReasonKind
from avionics.source.paths import SkipReason
from avionics.tools.revisions import SHORT

if TYPE_CHECKING:
    from avionics.index.changes.symbol_diff import ChangedFile, RevisionView
    from avionics.workspace import Workspace

_NAMED = 3
"""Files named in a message; all are counted."""


@attrs.frozen
class RevisionPair:
    """The version before and the one after.

    Attributes:
        base: The workspace before.
        head: The workspace after.
        title: `HEAD (1a2b3c4d5e6f) → the files on the disk`.
        revision: The commit after, "" for the files on the disk.
        files: The files of supported languages that differ.
        others: The other files that differ, by their path after, or before for removed ones.
        renamed: Files whose path changed: (before, after).
        reasons: Why the comparison is less than everything.
    """

    base: Workspace
    head: Workspace
    title: str
    revision: str
    files: tuple[ChangedFile, ...]
    others: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    reasons: tuple[Reason, ...]

    @property
    def before(self) -> RevisionView:
        """The code before."""
        from avionics.index.changes.symbol_diff import RevisionView

        return RevisionView(self.base.code, self.base.source)

    @property
    def after(self) -> RevisionView:
        """The code after."""
        from avionics.index.changes.symbol_diff import RevisionView

        return RevisionView(self.head.code, self.head.source)

    def list_other_files(self) -> tuple[Reason, ...]:
        """Return that files in unsupported languages differ; () when none does."""
        if not self.others:
            return ()
        return (Reason(ReasonKind.FILES_UNSUPPORTED, len(self.others), subject=_first(self.others)),)


def open_revision_pair(workspace: Workspace, base: str | None, head: str | None) -> RevisionPair:
    """Open two versions of a workspace, and find the files that differ between them.

    Args:
        workspace: The files on the disk.
        base: The revision before; the last commit when None.
        head: The revision after; the files on the disk when None.

    Raises:
        UsageError: There is no such revision.
        HistoryError: There is no history.
    """
    from avionics.index.changes.symbol_diff import ChangedFile

    workspace.history.require_head()
    before = workspace.at(base or "HEAD")
    after = workspace if head is None else workspace.at(head)
    pairs = {}
    for each in workspace.history.find_changed_paths(before.revision, after.revision or None):
        was = each.previous or ("" if each.status == "added" else each.path)
        now = "" if each.status == "deleted" else each.path
        pairs[each.path] = (now if each.status == "copied" else was, now)
    inner = workspace.history.find_submodules() if head is None else ()
    untracked = [path for path in after.code.files if path not in before.source.blobs] if head is None else []
    pairs |= {path: ("", path) for path in untracked if path not in pairs and not is_in_submodule(path, inner)}
    _require_fetched(before, [was for was, _ in pairs.values()])
    _require_fetched(after, [now for _, now in pairs.values()])
    code, others = [], []
    for path, (was, now) in sorted(pairs.items()):
        is_code = (was and before.code.has_file(was)) or (now and after.code.has_file(now))
        code.append(ChangedFile(was, now)) if is_code else others.append(path)
    return RevisionPair(
        before,
        after,
        f"{_title(before, base or 'HEAD')} → {_title(after, head or '') if head else 'the files on the disk'}",
        after.revision,
        tuple(code),
        tuple(others),
        tuple((was, now) for was, now in pairs.values() if was and now and was != now),
        (*_check_ancestry(workspace, before, after), *_list_submodules(inner)),
    )


def _require_fetched(workspace: Workspace, paths: Iterable[str]) -> None:
    """Refuse to compare files that were not fetched: they would seem to have been removed."""
    wanted = set(paths)
    skipped = workspace.source.walk().skipped if workspace.revision else ()
    missing = [each.path for each in skipped if each.reason is SkipReason.NOT_FETCHED and each.path in wanted]
    if missing:
        raise HistoryError(
            f"{len(missing)} of the files that differ are not in this partial clone ({', '.join(missing[:_NAMED])})",
            hint="`git diff` between the two fetches them",
        )


def _title(workspace: Workspace, asked: str) -> str:
    short = workspace.revision[:SHORT]
    return short if workspace.revision.startswith(asked) else f"{asked} ({short})"


def _first(paths: tuple[str, ...]) -> str:
    """Return the first paths, separated by commas."""
    return ", ".join((*paths[:_NAMED], "…") if len(paths) > _NAMED else paths)


def _list_submodules(inner: tuple[str, ...]) -> tuple[Reason, ...]:
    """Return that submodules are not compared: they have histories of their own."""
    return (Reason(ReasonKind.SUBMODULES, len(inner), subject=_first(inner)),) if inner else ()


def _check_ancestry(workspace: Workspace, before: Workspace, after: Workspace) -> tuple[Reason, ...]:
    """Return that the base is not an ancestor of the head; () where it is one."""
    head = after.revision or workspace.history.require_head()
    if workspace.history.is_ancestor(before.revision, head):
        return ()
    return (Reason(ReasonKind.BASE_NOT_ANCESTOR),)
