"""git_diff: show what differs between two revisions, or between a revision and the work tree."""

from __future__ import annotations

from msgspec import Struct, structs

from avionics.history.diff import FileDiff, Hunk
from avionics.model.enums import Certainty
from avionics.model.naming import agree
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.answers.items import count_fitting
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import get_prefix
from avionics.tools.revisions import SHORT
from avionics.workspace import Workspace


class FileDiffItem(Struct, frozen=True):
    """A file that differs, and the number of lines added and deleted."""

    file: str
    status: str
    added: int
    deleted: int
    previous: str = ""
    is_binary: bool = False

    @classmethod
    def of(cls, difference: FileDiff) -> FileDiffItem:
        """Return the item of a difference."""
        return cls(
            difference.path,
            difference.status,
            difference.added,
            difference.deleted,
            difference.previous,
            difference.is_binary,
        )

    def to_text(self) -> str:
        before = f" (was {self.previous})" if self.previous else ""
        size = "binary" if self.is_binary else f"+{self.added} −{self.deleted}"
        return f"{self.status} {self.file}{before} {size}"


class HunkItem(Struct, frozen=True):
    """Consecutive changed lines of a file, with the lines around them."""

    file: str
    old_line: int
    new_line: int
    section: str
    text: str

    @classmethod
    def of(cls, file: str, hunk: Hunk) -> HunkItem:
        """Return the item of a hunk."""
        return cls(file, hunk.old_start, hunk.new_start, hunk.section, "\n".join(hunk.lines))

    def to_text(self) -> str:
        return f"{self._write_heading()}\n{self.text}"

    def cut(self, tokens: int) -> HunkItem | None:
        """Return as many of the first lines as fit, or None if fewer than three do."""
        lines = self.text.split("\n")
        count = count_fitting([self._write_heading(), *lines], tokens) - 1
        return structs.replace(self, text="\n".join(lines[:count])) if count >= 3 else None

    def _write_heading(self) -> str:
        """Return the file, its lines before and after, and the function around them."""
        section = f" in {self.section}" if self.section else ""
        return f"{self.file} line {self.old_line} → {self.new_line}{section}"


class GitDiffAnswer(Struct, frozen=True):
    """The files that differ, then the changed lines."""

    base: str
    head: str
    coverage: Coverage
    files: tuple[FileDiffItem, ...] = part("files", share=1.0)
    hunks: tuple[HunkItem, ...] = part("changed lines", share=3.0)

    def headline(self) -> str:
        added = sum(file.added for file in self.files)
        deleted = sum(file.deleted for file in self.files)
        differ = f"{agree(len(self.files), 'file', 'differs', 'differ')}, +{added} −{deleted} lines"
        return f"{self.base} → {self.head}: {differ if self.files else 'no differences'}"


@tool(ToolId.GIT_DIFF, accepts="a path, one or two revisions", returns="the files and lines that differ")
def git_diff(
    workspace: Workspace, path: str | None = None, base: str | None = None, head: str | None = None
) -> GitDiffAnswer:
    """Show what differs between two revisions, or from a revision to the files on disk.

    Args:
        path: Only this file or directory.
        base: The revision before; default: HEAD.
        head: The revision after; default: the files on disk.
    """
    place = get_prefix(workspace.source, path)
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
