"""Compare the work tree, the index and the branch."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from avionics.history.commits import Commit
from avionics.history.diff import find_changed_paths
from avionics.history.log import find_commits
from avionics.history.repo import GitRepository
from avionics.history.worktree import find_submodules, find_tracked, find_work_tree_changes, is_in_submodule
from avionics.settings import Settings

EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""The id of the empty tree, which every repository has; by object format."""


class PathStatus(Struct, frozen=True):
    """A path and its change; `previous` is its former path if renamed."""

    path: str
    change: str
    previous: str = ""


class RepositoryStatus(Struct, frozen=True):
    """The state of a work tree.

    Attributes:
        branch: The name of the branch, "" if HEAD is detached.
        head: HEAD's commit, None before the first.
        upstream: The upstream branch as last fetched, "" if there is none.
        ahead: The number of commits the upstream lacks.
        behind: The number of commits the branch lacks.
        staged: Changes from HEAD to the index.
        unstaged: Changes from the index to the work tree.
        untracked: Files in neither a commit nor the index, except those of submodules.
        not_compared: Files too large or too many to compare in time.
    """

    branch: str
    head: Commit | None
    upstream: str
    ahead: int
    behind: int
    staged: tuple[PathStatus, ...]
    unstaged: tuple[PathStatus, ...]
    untracked: tuple[str, ...]
    conflicted: tuple[str, ...]
    not_compared: tuple[str, ...]
    is_shallow: bool


def get_status(repository: GitRepository, settings: Settings, present: Iterable[str]) -> RepositoryStatus:
    """Return the state of the work tree; `present` are the paths of its files that are not ignored."""
    private = repository.private
    head = repository.get_head()
    tracked = find_tracked(repository)
    conflicted = tuple(sorted({file.path for file in tracked if file.stage}))
    changes = find_work_tree_changes(repository, tracked, settings)
    staged = find_changed_paths(repository, head or EMPTY_TREE[private.object_format])
    upstream = _upstream(repository)
    ahead, behind = _distance(repository, head, upstream)
    known = {file.path for file in tracked}
    submodules = find_submodules(tracked)
    return RepositoryStatus(
        private.head.removeprefix("refs/heads/") if private.head.startswith("refs/") else "",
        find_commits(repository, head, limit=1)[0] if head else None,
        upstream.removeprefix("refs/remotes/"),
        ahead,
        behind,
        tuple(PathStatus(file.path, file.status, file.previous) for file in staged if file.status != "conflicted"),
        tuple(PathStatus(each.path, each.kind) for each in changes if each.kind in {"modified", "deleted"}),
        tuple(sorted(path for path in present if path not in known and not is_in_submodule(path, submodules))),
        conflicted,
        tuple(each.path for each in changes if each.kind == "not compared"),
        private.is_shallow,
    )


def _upstream(repository: GitRepository) -> str:
    """Return the reference of the upstream branch; "" if there is none."""
    private = repository.private
    branch = private.head.removeprefix("refs/heads/")
    remote = private.config.get(f"branch.{branch}.remote", "")
    merge = private.config.get(f"branch.{branch}.merge", "")
    name = merge if remote == "." else f"refs/remotes/{remote}/{merge.removeprefix('refs/heads/')}"
    return name if name in private.refs else ""


def _distance(repository: GitRepository, head: str | None, upstream: str) -> tuple[int, int]:
    """Return the number of commits that only HEAD has, and that only the upstream has."""
    if not head or not upstream:
        return 0, 0
    between = f"{head}...{repository.private.refs[upstream]}"
    ahead, behind = repository.run_text("rev-list", "--left-right", "--count", between, "--").split()
    return int(ahead), int(behind)
