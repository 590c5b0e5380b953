"""git_status: show uncommitted changes, and the branch relative to its upstream."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.workspace import Workspace


class StatusItem(Struct, frozen=True):
    """A path that differs from the last commit: where (staged, unstaged, …) and how."""

    file: str
    state: str
    change: str
    previous: str = ""

    def to_text(self) -> str:
        before = f" (was {self.previous})" if self.previous else ""
        return f"{self.state}: {self.change} {self.file}{before}"


class GitStatusAnswer(Struct, frozen=True):
    """The state of the work tree; a clean one counts as one result."""

    branch: str
    head: str
    subject: str
    date: str
    upstream: str
    ahead: int
    behind: int
    is_clean: bool
    is_shallow: bool
    coverage: Coverage
    changes: tuple[StatusItem, ...] = part("changes")

    def headline(self) -> str:
        place = f"on {self.branch}" if self.branch else "on no branch (detached HEAD)"
        commit = f" at {self.head[:10]} “{self.subject}” ({self.date[:10]})" if self.head else ", no commits yet"
        follows = f"; {self.ahead} ahead of and {self.behind} behind {self.upstream}" if self.upstream else ""
        shallow = "; a shallow clone" if self.is_shallow else ""
        counts = Counter(change.state for change in self.changes)
        state = ", ".join(f"{count} {name}" for name, count in counts.items()) or "clean"
        return f"{place}{commit}{follows}{shallow}: {state}"


@tool(ToolId.GIT_STATUS, accepts="nothing", returns="branch, last commit, upstream, changed and untracked files")
def git_status(workspace: Workspace) -> GitStatusAnswer:
    """Show the branch, its last commit and everything uncommitted."""
    walk = workspace.source.walk()
    status = workspace.history.get_status(file.path for file in walk.files)
    # What blocks a commit comes first.
    changes = (
        *(StatusItem(path, "conflicted", "both sides changed") for path in status.conflicted),
        *(StatusItem(each.path, "staged", each.change, each.previous) for each in status.staged),
        *(StatusItem(each.path, "unstaged", each.change, each.previous) for each in status.unstaged),
        *(StatusItem(path, "untracked", "new") for path in status.untracked),
    )
    head = status.head
    uncertain = (Reason(ReasonKind.NOT_COMPARED, len(status.not_compared)),) if status.not_compared else ()
    count = max(1, len(changes))
    return GitStatusAnswer(
        branch=status.branch,
        head=head.oid if head else "",
        subject=head.subject if head else "",
        date=head.time if head else "",
        upstream=status.upstream,
        ahead=status.ahead,
        behind=status.behind,
        is_clean=not changes,
        is_shallow=status.is_shallow,
        coverage=Coverage.of(count, is_exact=not uncertain, reasons=uncertain, unresolved=len(status.not_compared)),
        changes=changes,
    )
