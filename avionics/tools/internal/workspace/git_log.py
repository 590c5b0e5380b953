"""git_log: list the commits that touched a path, newest first."""

from __future__ import annotations

import re
from typing import Annotated

from msgspec import Struct

from avionics.history.commits import Commit
from avionics.late_pattern import late_pattern
from avionics.model.enums import Certainty
from avionics.model.naming import plural
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage
from avionics.tools.answers.answer import part, shorten
from avionics.tools.answers.items import NameItem
from avionics.tools.answers.next_step import suggest_same
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.tools.resolution.path_resolver import get_prefix
from avionics.tools.schema.parameters import Bounds
from avionics.workspace import Workspace

MAX_COMMITS = 100
"""No call lists more commits than this."""
_MAX_BODY_CHARACTERS = 300
_HEADING = late_pattern(r"#{1,6}\s")
_REASON = late_pattern(r"\b(?:why|reason|rationale|motivation|problem|background|context)", re.IGNORECASE)


class CommitItem(Struct, frozen=True):
    """A commit: date, author, message, and the lines added and deleted in the files asked about."""

    commit: str
    date: str
    author: str
    email: str
    subject: str
    why: str = ""
    files: tuple[str, ...] = ()
    added: int = 0
    deleted: int = 0

    @classmethod
    def of(cls, commit: Commit) -> CommitItem:
        """Return the item of a commit; `why` is the first paragraph of its body."""
        return cls(
            commit.oid,
            commit.time,
            commit.author,
            commit.email,
            commit.subject,
            get_first_paragraph(commit.body),
            tuple(touch.path for touch in commit.files),
            sum(max(0, touch.added) for touch in commit.files),
            sum(max(0, touch.deleted) for touch in commit.files),
        )

    def to_text(self) -> str:
        if len(self.files) == 1:
            touched = f" [+{self.added} −{self.deleted}]"
        else:
            touched = f" [{len(self.files)} files +{self.added} −{self.deleted}]" if self.files else ""
        why = f"\n    {self.why}" if self.why else ""
        return f"{self.commit[:10]} {self.date[:10] or 'no date'} {self.author}: {self.subject}{touched}{why}"


class GitLogAnswer(Struct, frozen=True):
    """Commits, newest first; similar paths if no commit touched the path."""

    path: str
    coverage: Coverage
    commits: tuple[CommitItem, ...] = part("")
    near: tuple[NameItem, ...] = part("similar paths")

    def headline(self) -> str:
        place = self.path or "the workspace"
        return f"commits of {place}, newest first" if self.commits else f"no commit touched {place}"


@tool(ToolId.GIT_LOG, accepts="a path, by default all", returns="commits, newest first")
def git_log(
    workspace: Workspace, path: str | None = None, limit: Annotated[int, Bounds(ge=1, le=MAX_COMMITS)] = 20
) -> GitLogAnswer:
    """List the commits that touched a file or directory, following renames of a file.

    Args:
        path: A file or directory; default: everything.
        limit: The maximum number of commits.
    """
    history = workspace.history
    place = get_prefix(workspace.source, path)
    is_file = bool(place) and history.get_kind(place, history.require_head()) == "blob"
    found = history.find_commits(place, limit=limit + 1, follow=is_file, counts=True)
    commits = tuple(CommitItem.of(commit) for commit in found[:limit])
    near = () if commits else tuple(NameItem(name) for name in workspace.source.find_near(place))
    is_all = len(found) == len(commits)
    coverage = get_coverage(len(found), len(commits), is_all=is_all, is_shallow=history.is_shallow)
    return GitLogAnswer(place, coverage, commits, near)


def get_coverage(
    found: int, shown: int, *, is_all: bool, is_shallow: bool, reasons: tuple[Reason, ...] = ()
) -> Coverage:
    """Return the coverage of commits; `is_all` means that there are no others."""
    if is_shallow:
        reasons = (*reasons, Reason(ReasonKind.SHALLOW_CLONE))
    certainty = Certainty.EXACT if is_all and not is_shallow else Certainty.AT_LEAST
    limit = min(found, MAX_COMMITS)
    following = suggest_same(f"for {plural(limit - shown, 'more commit')}", limit=limit) if limit > shown else None
    return Coverage(found, shown, certainty, reasons=reasons, next=following)


def get_first_paragraph(body: str) -> str:
    """Return the first paragraph of a message's body on one line; "" if there are only trailers and headings.

    If the body has headings of Markdown, the paragraph is that below the first one that announces a reason.
    """
    first, is_reason = "", False
    for paragraph in body.replace("\r\n", "\n").split("\n\n"):
        lines = [line.strip() for line in paragraph.split("\n")]
        headings = [line for line in lines if _HEADING.match(line)]
        is_reason = _REASON.search(headings[-1]) is not None if headings else is_reason
        kept = (line for line in lines if line and line not in headings and not line.lower().startswith(_TRAILERS))
        if text := shorten(" ".join(kept), _MAX_BODY_CHARACTERS):
            if is_reason:
                return text
            first = first or text
    return first


_TRAILERS = ("signed-off-by:", "co-authored-by:", "reviewed-by:", "change-id:", "git-svn-id:", "--hg--", "extra :")
