"""Git: inspect a repository below the root, commit, and clone.

Reading uses the history adapter, which does not obey the repository's configuration. So does committing: blobs, trees
and the commit are created in the adapter's private directory and then copied, so that no hook, filter or signing
program of the repository ever runs. Cloning uses https to public addresses only.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct, structs
from pydantic import Field

from avionics.history.diff import FileDiff, find_differences
from avionics.history.history import History
from avionics.history.repo import GitRepository
from avionics.history.status import EMPTY_TREE
from avionics.history.worktree import build_index, find_tracked, find_work_tree_changes
from avionics.model.enums import Permission, RiskLevel, ToolDomain
from avionics.model.errors import HistoryError, UsageError
from avionics.sandbox.confinement import MAX_TIMEOUT_SECONDS
from avionics.sandbox.git_program import run_git
from avionics.settings import Settings
from avionics.source.paths import RepoPath
from avionics.source.tree import SourceTree
from avionics.tools.base import ToolInput
from avionics.tools.builtin.addresses import parse_networks, require_addresses
from avionics.tools.builtin.commit import build_commit
from avionics.tools.builtin.rooted import RootedTool, is_inside_git, open_parent

MAX_COMMITS: Final = 100
MAX_DIFF_LINES: Final = 2_000

_CLONE_BYTES: Final = 2_000_000_000
_CLONE: Final = ("clone", "--quiet", "--template=", "--no-recurse-submodules")


class GitPathInput(ToolInput):
    """Which repository."""

    path: str = Field(default=".", description="The repository's directory, relative to the root")


class _Opened(Struct, frozen=True):
    """A repository's directory, its history, and the commands of git on it."""

    directory: Path
    history: History
    repository: GitRepository


class GitTool(RootedTool):
    """A tool that works on one repository below the root."""

    category = ToolDomain.CODE

    @contextmanager
    def opened(self, path: str) -> Iterator[_Opened]:
        """Open the repository at a path and close it afterwards."""
        directory = self.require_directory(path)
        history = History.open(directory, self.settings)
        repository = GitRepository(directory, self.settings)
        try:
            yield _Opened(directory, history, repository)
        finally:
            history.close()
            repository.close()


class GitStatusTool(GitTool):
    """Shows the branch and everything uncommitted."""

    name = "git.status"
    description = "Show the working tree status of a git repository"
    input_model = GitPathInput

    def _execute(self, input_data: GitPathInput) -> dict[str, Any]:
        with self.opened(input_data.path) as opened:
            present = SourceTree(opened.directory, self.settings).walk().paths
            status = opened.history.get_status(present)
        return {
            "branch": status.branch,
            "head": status.head.oid if status.head else "",
            "upstream": status.upstream,
            "ahead": status.ahead,
            "behind": status.behind,
            "staged": [structs.asdict(each) for each in status.staged],
            "unstaged": [structs.asdict(each) for each in status.unstaged],
            "untracked": list(status.untracked),
            "conflicted": list(status.conflicted),
            "not_compared": list(status.not_compared),
            "is_clean": not (status.staged or status.unstaged or status.untracked or status.conflicted),
        }


class GitLogInput(GitPathInput):
    """A repository and the amount of history."""

    count: int = Field(default=10, description="The maximum number of commits to show", ge=1, le=MAX_COMMITS)
    oneline: bool = Field(default=False, description="Whether to show one line per commit")


class GitLogTool(GitTool):
    """Shows commits, newest first."""

    name = "git.log"
    description = "Show the commit history of a git repository"
    input_model = GitLogInput

    def _execute(self, input_data: GitLogInput) -> dict[str, Any]:
        with self.opened(input_data.path) as opened:
            commits = opened.history.find_commits(limit=input_data.count)
        if input_data.oneline:
            return {"commits": [f"{commit.oid[:10]} {commit.subject}" for commit in commits]}
        fields = ("oid", "author", "email", "time", "subject", "body")
        return {"commits": [{name: getattr(commit, name) for name in fields} for commit in commits]}


class GitDiffInput(GitPathInput):
    """Which repository, and which changes."""

    staged: bool = Field(default=False, description="Whether to show staged changes instead of unstaged ones")
    file_path: str | None = Field(default=None, description="Only this file or directory of the repository")


class GitDiffTool(GitTool):
    """Shows unstaged or staged changes."""

    name = "git.diff"
    description = "Show uncommitted changes of a git repository line by line"
    input_model = GitDiffInput

    def _execute(self, input_data: GitDiffInput) -> dict[str, Any]:
        asked = input_data.file_path
        place = "" if asked is None else str(RepoPath.parse(asked, ()))
        with self.opened(input_data.path) as opened:
            differ = self._find_staged if input_data.staged else self._find_unstaged
            found, left = differ(opened.repository, "" if place == "." else place)
        lines = [line for each in found for line in _iter_patch(each)]
        return {
            "files": [
                {"path": each.path, "status": each.status, "added": each.added, "deleted": each.deleted}
                for each in found
            ],
            "patch": "\n".join(lines[:MAX_DIFF_LINES]),
            "truncated": len(lines) > MAX_DIFF_LINES,
            "not_compared": list(left),
        }

    def _find_staged(self, repository: GitRepository, place: str) -> tuple[tuple[FileDiff, ...], tuple[str, ...]]:
        """Return the changes from HEAD to the index."""
        base = repository.get_head() or EMPTY_TREE[repository.private.object_format]
        return find_differences(repository, base, None, place), ()

    def _find_unstaged(self, repository: GitRepository, place: str) -> tuple[tuple[FileDiff, ...], tuple[str, ...]]:
        """Return the changes from the index to the work tree."""
        tracked = find_tracked(repository)
        if any(file.stage for file in tracked):
            raise HistoryError("there are conflicts in the index", hint="git.status lists them; resolve them first")
        base = repository.run_text("write-tree").strip()
        changes = find_work_tree_changes(repository, tracked, self.settings, place)
        with tempfile.TemporaryDirectory(dir=repository.private.path) as directory:
            index = Path(directory) / "index"
            left = build_index(repository, changes, index, self.settings)
            return find_differences(repository, base, None, place, index=index), left


class GitCommitInput(GitPathInput):
    """What to commit, and why."""

    message: str = Field(description="The commit message", min_length=1, max_length=50_000)
    add_all: bool = Field(
        default=False, description="Whether to commit all changes and new files, not only staged ones"
    )


class GitCommitTool(GitTool):
    """Commits changes. Hooks, filters and signing programs do not run.

    Args:
        root: The directory it stays below.
        settings: The limits.
        author: The committer if the repository's configuration names none.
        email: Their address.
    """

    name = "git.commit"
    description = "Create a git commit"
    risk_level = RiskLevel.HIGH
    required_permissions = frozenset({Permission.FILESYSTEM_READ, Permission.FILESYSTEM_WRITE})
    input_model = GitCommitInput

    def __init__(
        self,
        root: str | Path = ".",
        settings: Settings | None = None,
        *,
        author: str = "avionics",
        email: str = "avionics@localhost",
    ) -> None:
        super().__init__(root, settings)
        self._identity = (author, email)

    def _validate(self, input_data: GitCommitInput) -> None:
        if not input_data.message.strip() or "\0" in input_data.message:
            raise ValueError("message: a commit needs a message without null characters")

    def _execute(self, input_data: GitCommitInput) -> dict[str, Any]:
        with self.opened(input_data.path) as opened:
            done = build_commit(
                opened.repository, input_data.message, self._identity, self.settings, add_all=input_data.add_all
            )
        return {
            "commit": done.oid,
            "branch": done.branch,
            "subject": input_data.message.strip().partition("\n")[0],
            "left_out": list(done.left_out),
        }


class GitCloneInput(ToolInput):
    """What to clone, and where."""

    url: str = Field(description="The repository's https address", min_length=1, max_length=2_000)
    destination: str | None = Field(default=None, description="A new directory, relative to the root")
    depth: int | None = Field(default=None, description="How many commits of history to fetch", ge=1)


class GitCloneTool(RootedTool):
    """Clones over https from a public address.

    Args:
        root: The directory it stays below.
        settings: The limits.
        allowed_networks: Networks that may be contacted although they are not public.
        certificates: A file of certificates to trust instead of the system's.
    """

    name = "git.clone"
    description = "Clone a git repository over https"
    category = ToolDomain.CODE
    risk_level = RiskLevel.MEDIUM
    required_permissions = frozenset({Permission.FILESYSTEM_WRITE, Permission.NETWORK_ACCESS})
    timeout_seconds = MAX_TIMEOUT_SECONDS + 10.0
    input_model = GitCloneInput

    def __init__(
        self,
        root: str | Path = ".",
        settings: Settings | None = None,
        *,
        allowed_networks: tuple[str, ...] = (),
        certificates: Path | None = None,
    ) -> None:
        super().__init__(root, settings)
        self._allowed = parse_networks(allowed_networks)
        self._certificates = certificates

    def _execute(self, input_data: GitCloneInput) -> dict[str, Any]:
        host, port = require_remote(input_data.url)
        address = require_addresses(host, port, self._allowed)[0]
        pinned = f"{host}:{port}:[{address}]" if ":" in address else f"{host}:{port}:{address}"
        place = self.require_place(input_data.destination or get_default_destination(input_data.url))
        if not place.parts or is_inside_git(place):
            raise UsageError(f"cannot clone to {str(place)!r}", hint="name a new directory as destination")
        directory = open_parent(self.tree.root, place)
        try:
            # Create the directory here, so that it is empty: git refuses one with contents.
            os.mkdir(place.parts[-1], dir_fd=directory)
        except OSError as error:
            raise UsageError(f"{str(place)!r} cannot be created: {error.strerror}", hint="name a new one") from None
        finally:
            os.close(directory)
        target = self.tree.root.joinpath(*place.parts)
        with ExitStack() as undoing:
            undoing.callback(shutil.rmtree, target, ignore_errors=True)
            self._clone(input_data, target, pinned)
            undoing.pop_all()
        return {"path": str(place), "url": input_data.url}

    def _clone(self, asked: GitCloneInput, target: Path, pinned: str) -> None:
        """Run git, which contacts the checked address and no other."""
        depth = () if asked.depth is None else (f"--depth={asked.depth}",)
        trust = () if self._certificates is None else ("-c", f"http.sslCAInfo={self._certificates}")
        outcome = run_git(
            ("-c", f"http.curloptResolve={pinned}", *trust, *_CLONE, *depth, "--", asked.url, str(target)),
            self.settings.program_directories,
            target,
            file_bytes=_CLONE_BYTES,
            readable=() if self._certificates is None else (self._certificates,),
        )
        if outcome.exit_code != 0:
            last = outcome.stderr.strip().rpartition("\n")[2][:300]
            raise HistoryError(f"git clone failed: {last or 'no reason given'}", hint="check the address")


def require_remote(url: str) -> tuple[str, int]:
    """Return the host and port of a URL. Raise `UsageError` if it is not https, or contains a password."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 443
    except ValueError:
        parts, host, port = urlsplit(""), None, 0
    if parts.scheme != "https" or not host or not re.fullmatch(r"[\w.:-]+", host) or re.search(r"[\s\x00-\x1f]", url):
        raise UsageError(
            f"not an https address: {url[:80]!r}", hint="https://host/path; other protocols are not supported"
        )
    if parts.username is not None:
        raise UsageError("the address contains credentials, which would be stored in the clone", hint="remove them")
    return host, port


def get_default_destination(url: str) -> str:
    """Return the last part of an address, as git names the directory."""
    return urlsplit(url).path.rstrip("/").rpartition("/")[2].removesuffix(".git") or "."


def _iter_patch(difference: FileDiff) -> Iterator[str]:
    """Yield the lines of a file's patch."""
    yield f"--- {difference.previous or difference.path} ({difference.status})"
    yield f"+++ {difference.path}"
    if difference.is_binary:
        yield "Binary files differ"
    for hunk in difference.hunks:
        section = f" {hunk.section}" if hunk.section else ""
        yield f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@{section}"
        yield from hunk.lines
