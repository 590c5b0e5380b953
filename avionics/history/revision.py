"""The history as of a commit: the same questions, as if that commit were checked out unmodified."""

from __future__ import annotations

from collections.abc import Iterable

from avionics.history.diff import FileDiff, find_differences
from avionics.history.history import History
from avionics.history.status import EMPTY_TREE, RepositoryStatus
from avionics.model.errors import UsageError


class RevisionHistory(History):
    """The git history up to a commit.

    Args:
        history: The history of the work tree, which owns all resources.
        commit: The id of the commit.
    """

    _is_work_tree = False

    def __init__(self, history: History, commit: str) -> None:
        self._settings = history._settings
        self._repository = history._repository
        self._blobs = history._blobs
        self._commit = commit

    def close(self) -> None:
        """Do nothing: the work tree's history owns all resources."""

    def get_head(self) -> str:
        """Return the commit itself."""
        return self._commit

    def require_head(self) -> str:
        """Return the commit itself."""
        return self._commit

    def get_status(self, present: Iterable[str]) -> RepositoryStatus:  # noqa: ARG002  the work tree's signature
        """Raise: only a work tree has a status."""
        raise UsageError("a revision has no status", hint="ask without a revision about the work tree")

    def find_differences(
        self, path: str = "", base: str | None = None, head: str | None = None
    ) -> tuple[tuple[FileDiff, ...], tuple[str, ...]]:
        """Return the changes from `base` (default: the commit's first parent) to `head` (default: the commit)."""
        last = self._commit if head is None else self.require_commit(head)
        if base is not None:
            first = self.require_commit(base)
        else:
            listed = self._repository.run_text("rev-list", "--parents", "--max-count=1", self._commit, "--")
            parents = listed.split()[1:]
            first = parents[0] if parents else EMPTY_TREE[self._repository.private.object_format]
        return find_differences(self._repository, first, last, path), ()

    def _content(self, head: str, path: str) -> bytes:
        """Return the file as of the commit."""
        return self.read_blob(self._entry(path, head)[1])

    def _committed_lines(self, head: str, path: str, start_line: int, end_line: int) -> tuple[int, int] | None:
        """Return the lines themselves; None if the file does not exist."""
        return (start_line, end_line) if self._entry(path, head)[1] else None
