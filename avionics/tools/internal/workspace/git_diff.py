"""git_diff: what differs between two revisions, or between one and the work tree.

Knows: history.
Does not know: git commands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from avionics.history.diff import FileDiff, Hunk
from avionics.model.enums import Certainty
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import estimate_tokens, part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.internal.workspace.git_log import get_place
from avionics.tools.revisions import SHORT

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class FileDiffItem:
    """A file that differs, and by how many lines."""

    file: str
    status: str
    added: int
    deleted: int
    previous: str = ""
    is_binary: bool = False

    @classmethod
    def of(cls, difference: FileDiff) -> FileDiffItem:
        """The item of a difference."""
        return cls(
            difference.path,
            difference.status,
            difference.added,
            difference.deleted,
            difference.previous,
            difference.is_binary,
        )

    def to_text(self) -> str:
        """One line."""
        before = f" (was {self.previous})" if self.previous else ""
        size = "binary" if self.is_binary else f"+{self.added} −{self.deleted}"
        return f"{self.status} {self.file}{before} {size}"


@attrs.frozen
class HunkItem:
    """A run of changed lines of a file, with the lines around it."""

    file: str
    old_line: int
    new_line: int
    section: str
    text: str

    @classmethod
    def of(cls, file: str, hunk: Hunk) -> HunkItem:
        """The item of a hunk."""
        return cls(file, hunk.old_start, hunk.new_start, hunk.section, "\n".join(hunk.lines))

    def to_text(self) -> str:
        """Where, and the lines marked with + and −."""
        return f"{self._heading()}\n{self.text}"

    def cut(self, tokens: int) -> HunkItem | None:
        """As many of the first lines as fit, or None when not even three do."""
        room = tokens - estimate_tokens(f"{self._heading()}\n")
        kept: list[str] = []
        for line in self.text.split("\n"):
            room -= estimate_tokens(f"{line}\n")
            if room < 0:
                break
            kept.append(line)
        return attrs.evolve(self, text="\n".join(kept)) if len(kept) >= 3 else None

    def _heading(self) -> str:
        """The file, its lines before and after, and the code around."""
        section = f" in {self.section}" if self.section else ""
        return f"{self.file} line {self.old_line} → {self.new_line}{section}"


@attrs.frozen
class GitDiffAnswer:
    """The files that differ, then the changed lines."""

    base: str
    head: str
    coverage: Coverage
    files: tuple[FileDiffItem, ...] = part("files", share=1.0)
    hunks: tuple[HunkItem, ...] = part("changed lines", share=3.0)

    def headline(self) -> str:
        """What was compared, and how much differs."""
        added = sum(file.added for file in self.files)
        deleted = sum(file.deleted for file in self.files)
        differ = f"{len(self.files)} files differ, +{added} −{deleted} lines" if self.files else "nothing differs"
        return f"{self.base} → {self.head}: {differ}"


@tool(ToolId.GIT_DIFF, accepts="a path, one or two revisions", returns="the files and lines that differ")
def git_diff(
    workspace: Workspace, path: str | None = None, base: str | None = None, head: str | None = None
) -> GitDiffAnswer:
    """Show what differs between two revisions, or from a revision to the files as they are now.

    Args:
        path: Only this file or directory.
        base: The revision to start from; the last commit when left out.
        head: The revision to compare it with; the files as they are now when left out.
    """
    place = get_place(workspace, path)
    differences, left = workspace.history.find_differences(place, base, head)
    reasons = tuple(Reason(ReasonKind.TOO_LARGE_TO_COMPARE, subject=name) for name in left)
    found = len(differences) + len(left)
    return GitDiffAnswer(
        base or ("its parent" if workspace.revision else "HEAD"),
        head or workspace.revision[:SHORT] or "work tree",
        Coverage(found, len(differences), Certainty.EXACT, reasons=reasons),
        tuple(FileDiffItem.of(difference) for difference in differences),
        tuple(HunkItem.of(difference.path, hunk) for difference in differences for hunk in difference.hunks),
    )
