"""compare_revisions: list the symbols that differ between two revisions, and the changes that may break users."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.index.changes.symbol_diff import ChangeKind, SymbolChange, find_changes
from avionics.index.scopes.symbol_lookup import is_within
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.change_items import ChangeItem, RevisionAnswer
from avionics.tools.answers.reasons import describe_reasons
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import get_prefix
from avionics.tools.resolution.revision_pair import open_revision_pair

if TYPE_CHECKING:
    from avionics.index.changes.api_compat import ApiBreak
    from avionics.workspace import Workspace


class BreakItem(Struct, frozen=True):
    """A change that may break users of the public API, and how."""

    symbol: str
    kind: str
    file: str
    line: int
    was: str
    reason: str

    @classmethod
    def of(cls, found: ApiBreak) -> BreakItem:
        """Return the item of a break."""
        before, after = found.change.before, found.change.after
        place = (after.file, after.line) if after else ("", 0)
        was, reason = f"{before.file}:{before.line}" if before else "", "; ".join(describe_reasons(found.reasons))
        named = before or found.change.definition
        return cls(named.symbol.qualname, named.kind.value, *place, was, reason)

    def to_text(self) -> str:
        place = f"{self.file}:{self.line}" if self.file else f"was {self.was}"
        return f"{place} {self.kind} {self.symbol}: {self.reason}"


class RenamedItem(Struct, frozen=True):
    """A renamed file."""

    before: str
    after: str

    def to_text(self) -> str:
        return f"{self.before} → {self.after}"


class CompareRevisionsAnswer(RevisionAnswer, frozen=True):
    """The symbols that differ, by kind of change."""

    breaks: tuple[BreakItem, ...] = part("may break users of the public API", share=4.0)
    removed: tuple[ChangeItem, ...] = part("removed", share=2.0, counts=True)
    signatures: tuple[ChangeItem, ...] = part("signature changed", share=2.0, counts=True)
    moved: tuple[ChangeItem, ...] = part("moved", share=1.5, counts=True)
    renamed: tuple[RenamedItem, ...] = part("renamed files", share=0.5)
    bodies: tuple[ChangeItem, ...] = part("body changed", share=2.0, counts=True)
    added: tuple[ChangeItem, ...] = part("added", share=1.5, counts=True)
    comments: tuple[ChangeItem, ...] = part("only comments, documentation or quotes changed", share=0.5, counts=True)


@tool(
    ToolId.COMPARE_REVISIONS,
    accepts="one or two revisions, optionally a directory or file",
    returns="symbols added, removed, moved, changed in signature or body; public API breaks first",
)
def compare_revisions(
    workspace: Workspace, base: str, head: str | None = None, scope: str | None = None
) -> CompareRevisionsAnswer:
    """Compare two revisions symbol by symbol: API breaks, removed, moved, changed, added.

    Args:
        base: The revision before: a commit, tag or branch.
        head: The revision after; the files on disk by default.
        scope: Only symbols of this directory or file, before or after.
    """
    from avionics.index.changes.api_compat import find_api_breaks

    within = get_prefix(workspace.source, scope)
    pair = open_revision_pair(workspace, base, head).without_vendored(within)
    before, after = pair.before, pair.after
    changes = find_changes(before, after, pair.files, within)
    breaks = find_api_breaks(before, after, changes)
    read = (each.after for each in pair.files if after.code.has_file(each.after) and is_within(each.after, within))
    problems = sorted(after.code.problems(read))
    named = ", ".join(problems[:3])
    unread = (Reason(ReasonKind.CHANGED_FILES_PARSED_IN_PART, len(problems), subject=named),) if problems else ()
    reasons = (*pair.reasons, *unread, *pair.list_other_files(within))

    def items(change: ChangeKind) -> tuple[ChangeItem, ...]:
        return tuple(ChangeItem.of(each) for each in changes if each.change is change)

    return CompareRevisionsAnswer(
        pair.title,
        _summarize(changes, len(breaks), within),
        pair.revision,
        Coverage.of(len(changes), is_exact=not unread, reasons=reasons, settled=True),
        tuple(map(BreakItem.of, breaks)),
        items(ChangeKind.REMOVED),
        items(ChangeKind.SIGNATURE),
        items(ChangeKind.MOVED),
        tuple(RenamedItem(*each) for each in pair.renamed if any(is_within(path, within) for path in each)),
        items(ChangeKind.BODY),
        items(ChangeKind.ADDED),
        items(ChangeKind.TEXT),
    )


def _summarize(changes: Collection[SymbolChange], breaks: int, scope: str) -> str:
    """Count the changed symbols, their files, and the breaking changes."""
    if not changes:
        return f"no changed symbols{f' in {scope}' if scope else ''}"
    files = {each.definition.file for each in changes}
    return f"{plural(len(changes), 'changed symbol')} in {plural(len(files), 'file')}, {breaks} may break users"
