"""Open two revisions of a workspace and list the files that differ between them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from msgspec import Struct, structs

from avionics.history.worktree import is_in_submodule
from avionics.index.changes.symbol_diff import ChangedFile, RevisionView
from avionics.index.code_index import CodeIndex
from avionics.index.model.file_roles import FileRole, role_of
from avionics.index.scopes.symbol_lookup import is_within
from avionics.late_pattern import late_pattern
from avionics.model.errors import HistoryError
from avionics.model.naming import list_first, plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.source.paths import SkipReason
from avionics.syntax.registry import is_prose
from avionics.tools.revisions import SHORT
from avionics.workspace import Workspace


def read_range(workspace: Workspace, written: str) -> tuple[str, str | None]:
    """Return the base and the head of `BASE`, `BASE..HEAD` or `BASE...HEAD`; None as head for the files on disk.

    Raise `UsageError` if there is no such revision, or `HistoryError` if the two of `BASE...HEAD` have no common
    ancestor.
    """
    base, _, last = written.partition("..")
    head = last.removeprefix(".") or "HEAD" if last else None
    if last.startswith("."):
        base = workspace.history.require_merge_base(base or "HEAD", head or "HEAD")
    return base or "HEAD", head


STAGED = ":staged"
"""The head that stands for the staged files; no revision can have this name."""

_NAMED, _NAMED_OTHERS = 3, 6
"""The number of files that a reason names: of those that were not compared, and of those that nothing else tells of."""
_DOCUMENT_NAME = late_pattern(r"(?:change|news|history|readme|authors|contribut|licen|copying)\w*\Z", re.IGNORECASE)
"""The name of a document that has no suffix."""


class RevisionPair(Struct, frozen=True, dict=True):
    """The revision before a change and the one after it.

    Attributes:
        title: `HEAD (1a2b3c4d5e6f) → the files on disk`.
        revision: The commit after, "" for the files on disk.
        files: The files in supported languages that differ.
        others: The other files that differ, by their path after the change, or before it if removed.
        renamed: The renamed files: (before, after).
        reasons: Why the comparison is incomplete.
    """

    base: Workspace
    head: Workspace
    title: str
    revision: str
    files: tuple[ChangedFile, ...]
    others: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    reasons: tuple[Reason, ...]

    @cached_property
    def before(self) -> RevisionView:
        """Return the code before the change."""
        return RevisionView(_read_files(self.base.code, (each.before for each in self.files)), self.base.source)

    @cached_property
    def after(self) -> RevisionView:
        """Return the code after the change."""
        return RevisionView(_read_files(self.head.code, (each.after for each in self.files)), self.head.source)

    def without_vendored(self, scope: str) -> RevisionPair:
        """Return the pair without vendored files outside the scope, and with a reason that counts them."""
        if scope and role_of(f"{scope}/file") is FileRole.VENDORED:
            return self
        kept = tuple(each for each in self.files if not _is_vendored(each.before, each.after))
        left = [each.after or each.before for each in self.files if _is_vendored(each.before, each.after)]
        if not left:
            return self
        homes = tuple(dict.fromkeys(path.rpartition("/")[0] for path in left))
        reason = Reason(ReasonKind.VENDORED_FILES_NOT_COMPARED, len(left), subject=list_first(homes))
        renamed = tuple(each for each in self.renamed if not _is_vendored(*each))
        return structs.replace(self, files=kept, renamed=renamed, reasons=(*self.reasons, reason))

    def list_other_files(self, scope: str = "") -> tuple[Reason, ...]:
        """Return the reason that files in unsupported languages differ, in a directory or file if given; else ()."""
        others = tuple(sorted((each for each in self.others if is_within(each, scope)), key=_is_document))
        named = list_first(others, _NAMED_OTHERS)
        return (Reason(ReasonKind.FILES_UNSUPPORTED, len(others), subject=named),) if others else ()


def open_revision_pair(
    workspace: Workspace, base: str | None, head: str | None, index: Path | None = None
) -> RevisionPair:
    """Return two revisions and the files that differ between them.

    The base is the last commit if None; the head is the files on disk if None, and what is staged (in `index`, or in
    the repository's own) if STAGED. Raise `UsageError` if there is no such revision, or `HistoryError` if there is no
    history.
    """
    workspace.history.require_head()
    before = workspace.at(base or "HEAD")
    named = head
    if head == STAGED:
        head = workspace.history.commit_index(index)
        named = "the staged files"
    after = workspace if head is None else workspace.at(head)
    inner = workspace.history.find_submodules() if head is None else ()
    pairs = _pair_paths(before, after)
    if head is None:
        untracked = [path for path in after.code.files if path not in before.source.blobs]
        pairs |= {path: ("", path) for path in untracked if path not in pairs and not is_in_submodule(path, inner)}
    _require_fetched(before, [was for was, _ in pairs.values()])
    _require_fetched(after, [now for _, now in pairs.values()])
    old = _read_files(before.code, (was for was, _ in pairs.values()))
    new = _read_files(after.code, (now for _, now in pairs.values()))
    code, others, unread = [], [], 0
    for path, (was, now) in sorted(pairs.items()):
        if was in old.unread or now in new.unread:
            unread += 1
        elif (was and old.has_file(was)) or (now and new.has_file(now)):
            code.append(ChangedFile(was, now))
        else:
            others.append(path)
    shown = _name_revision(after, named) if named else "the files on disk"
    return RevisionPair(
        before,
        after,
        f"{_name_revision(before, base or 'HEAD')} → {shown}",
        after.revision,
        tuple(code),
        tuple(others),
        tuple((was, now) for was, now in pairs.values() if was and now and was != now),
        (
            *_check_ancestry(workspace, before, after),
            *((Reason(ReasonKind.SUBMODULES, len(inner), subject=list_first(inner)),) if inner else ()),
            *((Reason(ReasonKind.FILES_NOT_READ, unread),) if unread else ()),
        ),
    )


def _read_files(code: CodeIndex, paths: Iterable[str]) -> CodeIndex:
    """Return an index that has read some files: the full one if there was no time to read them one by one.

    A file that was not read would seem to have lost all that it defines.
    """
    wanted = [path for path in paths if path and code.has_file(path)]
    code.load_facts(wanted)
    return code.with_every_file() if any(path in code.unread for path in wanted) else code


def _pair_paths(before: Workspace, after: Workspace) -> dict[str, tuple[str, str]]:
    """Return the paths of each changed file before and after, "" where it does not exist; a copy has no path before."""
    pairs = {}
    for each in after.find_changed_since(before.revision):
        was = each.previous or ("" if each.status == "added" else each.path)
        now = "" if each.status == "deleted" else each.path
        pairs[each.path] = (now if each.status == "copied" else was, now)
    return pairs


def _is_vendored(*paths: str) -> bool:
    """Return whether a file is a copy of another project's, under each of its paths."""
    return all(role_of(path) is FileRole.VENDORED for path in paths if path)


def _require_fetched(workspace: Workspace, paths: Iterable[str]) -> None:
    """Raise if a partial clone lacks a file to compare: it would seem to be removed."""
    wanted = set(paths)
    skipped = workspace.source.walk().skipped if workspace.revision else ()
    missing = [each.path for each in skipped if each.reason is SkipReason.NOT_FETCHED and each.path in wanted]
    if missing:
        named = ", ".join(missing[:_NAMED])
        raise HistoryError(
            f"this partial clone lacks {plural(len(missing), 'changed file')} ({named})",
            hint="`git diff` between the two revisions fetches them",
        )


def _name_revision(workspace: Workspace, asked: str) -> str:
    short = workspace.revision[:SHORT]
    return short if workspace.revision.startswith(asked) else f"{asked} ({short})"


def _is_document(path: str) -> bool:
    """Return whether a file is documentation or data by its name, and not a script or the unit of a service."""
    return is_prose(path) or _DOCUMENT_NAME.match(path.rpartition("/")[2]) is not None


def _check_ancestry(workspace: Workspace, before: Workspace, after: Workspace) -> tuple[Reason, ...]:
    """Return the reason that the base is not an ancestor of the head; () if it is."""
    head = after.revision or workspace.history.require_head()
    if workspace.history.is_ancestor(before.revision, head):
        return ()
    return (Reason(ReasonKind.BASE_NOT_ANCESTOR),)
