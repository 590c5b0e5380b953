"""compare_revisions: which symbols differ between two versions, and which of that breaks users.

Knows: two versions, changes of symbols.
Does not know: git, how changes are found.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from avionics.model.enums import Certainty
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.change_items import ChangeItem
from avionics.tools.answers.items import plural
from avionics.tools.answers.reasons import describe_reasons
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.revision_pair import open_revision_pair

if TYPE_CHECKING:
    from avionics.index.changes.api_compat import ApiBreak
    from avionics.index.changes.symbol_diff import SymbolChange
    from avionics.workspace import Workspace


@attrs.frozen
class BreakItem:
    """A change that may break code outside, and how."""

    symbol: str
    kind: str
    file: str
    line: int
    was: str
    reason: str

    @classmethod
    def of(cls, found: ApiBreak) -> BreakItem:
        """The item of a break."""
        before, after = found.change.before, found.change.after
        assert before is not None
        place = (after.file, after.line) if after else ("", 0)
        return cls(
            before.symbol.qualname,
            before.kind.value,
            *place,
            f"{before.file}:{before.line}",
            "; ".join(describe_reasons(found.reasons)),
        )

    def to_text(self) -> str:
        """One line."""
        place = f"{self.file}:{self.line}" if self.file else f"was {self.was}"
        return f"{place} {self.kind} {self.symbol}: {self.reason}"


@attrs.frozen
class RenamedItem:
    """A file that has another path now."""

    before: str
    after: str

    def to_text(self) -> str:
        """One line."""
        return f"{self.before} → {self.after}"


@attrs.frozen
class CompareRevisionsAnswer:
    """The symbols that differ, by what happened to them; `revision` is the commit of the places named."""

    title: str
    summary: str
    revision: str
    coverage: Coverage
    breaks: tuple[BreakItem, ...] = part("may break users of the public API", share=4.0)
    removed: tuple[ChangeItem, ...] = part("removed", share=2.0, counts=True)
    signatures: tuple[ChangeItem, ...] = part("changed in signature", share=2.0, counts=True)
    moved: tuple[ChangeItem, ...] = part("moved", share=1.5, counts=True)
    renamed: tuple[RenamedItem, ...] = part("renamed files", share=0.5)
    bodies: tuple[ChangeItem, ...] = part("changed in body", share=2.0, counts=True)
    added: tuple[ChangeItem, ...] = part("added", share=1.5, counts=True)
    comments: tuple[ChangeItem, ...] = part("changed in comments, documentation or quotes only", share=0.5, counts=True)

    def headline(self) -> str:
        """What was compared, and how much differs."""
        return f"{self.title}: {self.summary}"


@tool(
    ToolId.COMPARE_REVISIONS,
    accepts="one or two revisions, perhaps a directory or file",
    returns="symbols added, removed, moved, changed in signature or body; public API breaks first",
)
def compare_revisions(
    workspace: Workspace, base: str, head: str | None = None, scope: str | None = None
) -> CompareRevisionsAnswer:
    """Compare two revisions symbol by symbol: API breaks, removed, moved, changed, added.

    Args:
        base: The revision before: a commit, tag or branch.
        head: The revision after; the files on the disk when left out.
        scope: Only symbols of this directory or file, before or after.
    """
    from avionics.index.changes.api_compat import find_api_breaks
    from avionics.index.changes.symbol_diff import ChangeKind, find_changes

    sides = open_revision_pair(workspace, base, head)
    within = "" if scope is None or workspace.source.resolve(scope) == "." else workspace.source.resolve(scope)
    before, after = sides.before, sides.after
    changes = find_changes(before, after, sides.files, within)
    breaks = find_api_breaks(before, after, changes)
    problems = sorted({file.after for file in sides.files if file.after} & sides.head.code.problems().keys())
    named = ", ".join(problems[:3])
    unread = (Reason(ReasonKind.CHANGED_FILES_PARSED_IN_PART, len(problems), subject=named),) if problems else ()

    def items(change: ChangeKind) -> tuple[ChangeItem, ...]:
        return tuple(ChangeItem.of(each) for each in changes if each.change is change)

    return CompareRevisionsAnswer(
        sides.title,
        _summarize(changes, len(breaks)),
        sides.revision,
        Coverage(
            len(changes),
            len(changes),
            Certainty.AT_LEAST if unread else Certainty.EXACT,
            reasons=(*sides.reasons, *unread, *sides.list_other_files()),
            settled=True,
        ),
        tuple(map(BreakItem.of, breaks)),
        items(ChangeKind.REMOVED),
        items(ChangeKind.SIGNATURE),
        items(ChangeKind.MOVED),
        tuple(RenamedItem(*pair) for pair in sides.renamed),
        items(ChangeKind.BODY),
        items(ChangeKind.ADDED),
        items(ChangeKind.TEXT),
    )


def _summarize(changes: Iterable[SymbolChange], breaks: int) -> str:
    """How many symbols of how many files, and how many breaks."""
    every = tuple(changes)
    files = {each.definition.file for each in every}
    if not every:
        return "no symbol differs"
    return f"{plural(len(every), 'symbol')} of {plural(len(files), 'file')} differ; {breaks} may break users"
