"""Make a commit without git ever reading the repository's configuration.

Everything is created in the private directory of the history adapter. Then the new objects, the branch and the index
are copied into the repository, in that order and each under git's own lock file, so that a concurrent git command sees
all or nothing.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, structs

from avionics.history.repo import GitRepository
from avionics.history.status import EMPTY_TREE
from avionics.history.worktree import WorkTreeChange, build_index, find_tracked, find_work_tree_changes
from avionics.model.errors import HistoryError
from avionics.settings import Settings
from avionics.source.paths import RepoPath
from avionics.source.tree import SourceTree
from avionics.tools.builtin.rooted import is_inside_git, open_parent, write_beneath

MAX_COMMITTED_BYTES = 64_000_000
"""If a file is larger, nothing is committed."""


class Committed(Struct, frozen=True):
    """A new commit, its branch, and what a commit of everything omitted: links and special files."""

    oid: str
    branch: str
    left_out: tuple[str, ...]


def build_commit(
    repository: GitRepository, message: str, identity: tuple[str, str], settings: Settings, *, add_all: bool
) -> Committed:
    """Commit what is staged, or with `add_all` all changes and new files.

    The repository was just opened, so that its private directory contains only the commit's objects. `identity` is the
    name and address of the committer if the configuration names none. Raise `HistoryError` if there is nothing to
    commit, or no branch to commit on.
    """
    private = repository.private
    branch, head = private.head, repository.get_head()
    if not branch.startswith("refs/heads/"):
        raise HistoryError("HEAD is detached", hint="check out a branch first")
    tracked = find_tracked(repository)
    if any(file.stage for file in tracked):
        raise HistoryError("there are conflicts in the index", hint="git.status lists them; resolve them first")
    with tempfile.TemporaryDirectory(dir=private.path) as directory:
        index = private.path / "index"
        left_out: tuple[str, ...] = ()
        if add_all:
            index = Path(directory) / "index"
            left_out = _stage_everything(
                repository, index, structs.replace(settings, max_file_bytes=MAX_COMMITTED_BYTES)
            )
        tree = repository.run_text("write-tree", index=index).strip()
        if head and repository.run_text("rev-parse", f"{head}^{{tree}}").strip() == tree:
            raise HistoryError("there is nothing to commit", hint="stage changes first, or commit with add_all")
        if not head and tree == EMPTY_TREE[private.object_format]:
            raise HistoryError("there is nothing to commit", hint="write a file first, and commit with add_all")
        commit = _write_commit(repository, tree, head, message, identity)
        _hand_over(repository, commit, head, index if add_all else None)
    return Committed(commit, branch.removeprefix("refs/heads/"), left_out)


def _stage_everything(repository: GitRepository, index: Path, settings: Settings) -> tuple[str, ...]:
    """Write the index of the work tree with new files that are not ignored; return the omitted files."""
    tracked = find_tracked(repository)
    changes = find_work_tree_changes(repository, tracked, settings)
    known = {file.path for file in tracked}
    walked = SourceTree(repository.root, settings).walk()
    fresh = tuple(
        WorkTreeChange(path, "added", 0o100755 if os.access(repository.root / path, os.X_OK) else 0o100644)
        for path in walked.paths
        if path not in known and not is_inside_git(RepoPath(tuple(path.split("/"))))
    )
    build_index(repository, (*changes, *fresh), index, settings)
    large = [change.path for change in changes if change.kind == "not compared"]
    if large:
        raise HistoryError(f"too large to commit: {', '.join(large[:5])}", hint="commit such files yourself")
    return tuple(each.path for each in walked.skipped if each.path not in known)


def _write_commit(
    repository: GitRepository, tree: str, head: str | None, message: str, identity: tuple[str, str]
) -> str:
    """Create the commit object and return its id."""
    config = repository.private.config
    name, email = config.get("user.name") or identity[0], config.get("user.email") or identity[1]
    who = ("-c", f"user.name={name}", "-c", f"user.email={email}")
    parents = ("-p", head) if head else ()
    given = message.strip().encode("utf-8", "surrogateescape") + b"\n"
    return repository.run_text(*who, "commit-tree", *parents, tree, given=given).strip()


def _hand_over(repository: GitRepository, commit: str, head: str | None, index: Path | None) -> None:
    """Copy the commit into the repository: its objects, then the index, then the branch."""
    private = repository.private
    layout = private.layout
    branch = RepoPath(tuple(private.head.split("/")))
    with _locked(layout.common_directory, branch), contextlib.ExitStack() as stack:
        if index is not None:
            stack.enter_context(_locked(layout.git_directory, RepoPath(("index",))))
        private.refresh()
        if repository.get_head() != head or private.head.split("/") != list(branch.parts):
            raise HistoryError("the branch has moved in the meantime", hint="read the log and commit again")
        for folder, name, content in _iter_objects(private.path / "objects"):
            place = RepoPath(("objects", folder, name))
            write_beneath(layout.common_directory, place, content, create_directories=True, mode=0o444)
        if index is not None:
            write_beneath(layout.git_directory, RepoPath(("index",)), index.read_bytes())
        write_beneath(layout.common_directory, branch, f"{commit}\n".encode(), create_directories=True)


def _iter_objects(directory: Path) -> Iterator[tuple[str, str, bytes]]:
    """Yield the loose objects of a private directory."""
    for folder in sorted(directory.iterdir()):
        if len(folder.name) == 2:
            for entry in sorted(folder.iterdir()):
                yield folder.name, entry.name, entry.read_bytes()


@contextlib.contextmanager
def _locked(directory: Path, place: RepoPath) -> Iterator[None]:
    """Hold git's lock on a file of the repository."""
    above = open_parent(directory, place, create_directories=True)
    name = f"{place.parts[-1]}.lock"
    try:
        os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=above))
    except OSError as error:
        os.close(above)
        raise HistoryError(f"{place} is locked: {error.strerror}", hint="another git command may be running") from None
    try:
        yield
    finally:
        os.unlink(name, dir_fd=above)
        os.close(above)
