"""The git history of a workspace."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from avionics.history.blame import BlameLine, find_blame
from avionics.history.commits import Commit
from avionics.history.diff import FileDiff, find_changed_paths, find_differences, get_old_lines
from avionics.history.files import get_mode
from avionics.history.line_history import LineStory, get_line_story
from avionics.history.log import CoChange, find_co_changes, find_commits, find_directory_commits, read_touched_files
from avionics.history.objects import BlobReader, TreeEntry, list_tree
from avionics.history.repo import GitRefusedError, GitRepository, require_argument
from avionics.history.status import EMPTY_TREE, RepositoryStatus, get_status
from avionics.history.touched_definitions import DefinitionLines, TouchedCommit, list_commits, read_touched
from avionics.history.worktree import (
    Statuses,
    build_index,
    find_submodules,
    find_tracked,
    find_work_tree_changes,
    get_blob_id,
    read_content,
)
from avionics.model.errors import AvionicsError, HistoryError, UsageError
from avionics.model.naming import plural
from avionics.settings import Settings


class History:
    """The git history of a workspace, which is the top of a work tree. Git is started only when a method needs it.

    Paths are relative to the root with forward slashes, "" for all of it. Revisions are branches, tags or commit ids.
    """

    _is_work_tree = True

    def __init__(self, repository: GitRepository, blobs: BlobReader, settings: Settings) -> None:
        self._repository = repository
        self._blobs = blobs
        self._settings = settings

    @classmethod
    def open(cls, root: Path, settings: Settings) -> History:
        """Return the history of the work tree at a directory."""
        repository = GitRepository(root.resolve(), settings)
        return cls(repository, BlobReader(repository, settings.max_file_bytes, settings.git_timeout_seconds), settings)

    def is_available(self) -> bool:
        """Return whether there is a readable history."""
        try:
            self.require_available()
        except AvionicsError:
            return False
        return True

    def require_available(self) -> None:
        """Raise if the history cannot be read.

        Raise `HistoryError` if there is no git history at the root, or it cannot be trusted; `MissingDependencyError`
        if Git is not installed.
        """
        self._repository.run("version")

    @property
    def is_shallow(self) -> bool:
        """Return whether the clone is shallow: it lacks older commits."""
        return self._repository.private.is_shallow

    def close(self) -> None:
        """Remove temporary files; the next question creates them again."""
        self._blobs.close()
        self._repository.close()

    def get_head(self) -> str | None:
        """Return the id of HEAD's commit; None before the first commit."""
        return self._repository.get_head()

    def require_head(self) -> str:
        """Return the id of HEAD's commit. Raise `HistoryError` if there are no commits yet."""
        head = self._repository.get_head()
        if head is None:
            raise HistoryError("no commits yet", hint="make the first commit with `git commit`")
        return head

    def list_references(self) -> tuple[str, ...]:
        """Return the names of branches and tags, as they are written on a command line."""
        self.require_available()
        names = (name.split("/", 2)[-1] for name in self._repository.private.refs if name.startswith("refs/"))
        return tuple(sorted(dict.fromkeys(names)))

    def get_release_before(self, tag: str) -> str | None:
        """Return the tag of the previous release: the nearest tag among the ancestors of `tag` that begins like it.

        None if `tag` is not a tag, or that of the first release. Tags begin alike up to a digit: `v1.2`, `v1.3`.
        """
        named = self._repository.get_tag(tag)
        if named is None:
            return None
        alike = re.sub(r"[\\*?\[\]]", "?", re.split(r"\d", named, maxsplit=1)[0])
        return self._get_nearest_tag(f"{alike}[0-9]*", f"refs/tags/{require_argument(named)}~1")

    def get_last_release(self) -> str | None:
        """Return the nearest tag with a digit among HEAD and its ancestors; None without one."""
        return self._get_nearest_tag("*[0-9]*", self.require_head())

    def _get_nearest_tag(self, pattern: str, revision: str) -> str | None:
        with contextlib.suppress(GitRefusedError):
            return self._repository.run_text("describe", "--tags", "--abbrev=0", f"--match={pattern}", revision).strip()
        return None

    def require_commit(self, revision: str) -> str:
        """Return the commit id of a revision. Raise `UsageError` if there is none; the hint names similar ones."""
        return self._repository.require_commit(revision)

    def get_blob(self, oid: str) -> bytes | None:
        """Return the bytes of a blob. None if it is missing, not a blob, or larger than `settings.max_file_bytes`."""
        return self._blobs.read(oid)

    def get_status(self, present: Iterable[str]) -> RepositoryStatus:
        """Return the state of the work tree; `present` are the paths of its files that are not ignored."""
        return get_status(self._repository, self._settings, present)

    def find_commits(
        self,
        path: str = "",
        *,
        limit: int,
        follow: bool = False,
        counts: bool = False,
        word: str = "",
        since: int | None = None,
    ) -> tuple[Commit, ...]:
        """Return commits from HEAD backwards, newest first, as `avionics.history.log.find_commits` does.

        A directory is also followed to its former places.
        """
        head = self.require_head()
        if follow and not word and self.get_kind(path, head) == "tree":
            return find_directory_commits(self._repository, head, path, limit=limit, counts=counts)
        return find_commits(
            self._repository, head, path, limit=limit, follow=follow, counts=counts, word=word, since=since
        )

    def find_commits_between(self, base: str, head: str, *, limit: int) -> tuple[Commit, ...]:
        """Return the commits that a revision has and another one has not, newest first, with their changed lines."""
        first, last = self.require_commit(base), self.require_commit(head)
        return find_commits(self._repository, last, limit=limit, counts=True, without=first)

    def get_line_story(self, path: str, start_line: int, end_line: int) -> LineStory:
        """Return the commits that changed lines of a current file, through renames and moves; none for new lines."""
        head = self.require_head()
        lines = self._committed_lines(head, path, start_line, end_line)
        if lines is None:
            return LineStory((), (), is_whole=True)
        return get_line_story(self._repository, head, path, *lines, limit=self._settings.max_history_commits)

    def find_co_changes(self, commits: Iterable[Commit], path: str) -> tuple[tuple[CoChange, ...], int]:
        """Return the files that changed in the same commits as a path, most often first, and the commit count.

        Only files that are still in HEAD are returned. Commits over very many files are skipped, because they do not
        show which files belong together.
        """
        some = tuple(commits)
        own = {name for commit in some for touch in commit.files for name in (touch.path, touch.previous)} | {path}
        found, counted = find_co_changes(self._repository, some, frozenset(own))
        present = self.list_tree(self.require_head())
        return tuple(each for each in found if each.path in present), counted

    def read_touched_files(self, commits: Iterable[Commit]) -> dict[str, frozenset[str]]:
        """Return commit id → the files it changed; merges are left out."""
        return read_touched_files(self._repository, commits)

    def list_commits(self, limit: int) -> tuple[str, ...]:
        """Return the ids of HEAD's last commits without merges, newest first; () before the first commit."""
        head = self.get_head()
        return list_commits(self._repository, head, limit) if head else ()

    def read_touched(self, oids: Sequence[str], definitions: DefinitionLines) -> tuple[TouchedCommit, ...]:
        """Return the words of commits and the definitions they touch; fewer if git fails too often."""
        return read_touched(self._repository, oids, definitions)

    def find_blame(self, path: str, start_line: int = 1, end_line: int | None = None) -> tuple[BlameLine, ...]:
        """Return the lines of a current file, each with the commit that last changed it.

        Raise `UsageError` if the file has fewer lines, or git does not track it.
        """
        head = self.require_head()
        kind = self.get_kind(path, head)
        if kind is None:
            raise UsageError(f"not committed yet: {path}", hint="git_status lists untracked files")
        if kind != "blob":
            raise UsageError(f"not a file: {path or 'the whole workspace'}", hint="name one file")
        content = self._content(head, path)
        count = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
        if not count and start_line == 1:
            return ()
        if start_line > count:
            raise UsageError(f"{path} has {plural(count, 'line')}", hint=f"ask for lines between 1 and {count}")
        last = min(count if end_line is None else end_line, count)
        unsaved = content if self._is_work_tree else None
        return find_blame(self._repository, head, path, start_line, last, content=unsaved)

    def find_surviving_lines(self, commit: Commit, path: str) -> tuple[int, ...]:
        """Return the current lines of a file that a commit last changed; () if the file has unsaved changes."""
        head = self.require_head()
        committed = self.get_committed(path)
        if committed is None or self._content(head, path) != committed or not commit.parents:
            return ()
        count = committed.count(b"\n") + (not committed.endswith(b"\n"))
        lines = find_blame(self._repository, f"{commit.parents[0]}..{head}", path, 1, count)
        return tuple(each.line for each in lines if each.oid == commit.oid)

    def find_differences(
        self, path: str = "", base: str | None = None, head: str | None = None
    ) -> tuple[tuple[FileDiff, ...], tuple[str, ...]]:
        """Return the changes from `base` (default: HEAD) to `head` (default: the work tree).

        Returns:
            The changed files, and those known to have changed that are too large to compare line by line.
        """
        repository = self._repository
        if head is not None:
            first = self.require_commit(base) if base is not None else self.require_head()
            return find_differences(repository, first, self.require_commit(head), path), ()
        empty = EMPTY_TREE[repository.private.object_format]
        first = self.require_commit(base) if base is not None else self.get_head() or empty
        with self._work_tree_index(path) as (index, left):
            return find_differences(repository, first, None, path, index=index), left

    def find_changed_paths(
        self, base: str, head: str | None = None, statuses: Statuses = MappingProxyType({})
    ) -> tuple[FileDiff, ...]:
        """Return the files that changed from `base` to `head` (default: the tracked files of the work tree).

        No lines are read. Files of the work tree with `statuses` are not examined again.
        """
        repository = self._repository
        if head is not None:
            return find_changed_paths(repository, base, head)
        with self._work_tree_index(statuses=statuses, stores_contents=False) as (index, _):
            found = find_changed_paths(repository, base, index=index, finds_renames=False)
        if not {"added", "deleted"} <= {each.status for each in found}:
            return found
        # Git reads the files that were added and deleted to find those that were renamed.
        with self._work_tree_index(statuses=statuses) as (index, _):
            return find_changed_paths(repository, base, index=index)

    def commit_index(self, index: Path | None) -> str:
        """Return a commit of the staged changes; it exists only in the private object store.

        `index` is one such as git names to its hooks; None reads the repository's own. Raise `HistoryError` if the
        index holds a conflict, or cannot be read.
        """
        repository = self._repository
        with tempfile.TemporaryDirectory(dir=repository.private.path) as directory:
            copied = None if index is None else _copy(index, Path(directory) / "index")
            tree = repository.run_text("write-tree", index=copied).strip()
        author = ("-c", "user.name=avionics", "-c", "user.email=avionics@localhost")
        parent = repository.get_head()
        parents = ("-p", parent) if parent else ()
        return repository.run_text(*author, "commit-tree", tree, *parents, "-m", "staged").strip()

    def is_ancestor(self, ancestor: str, commit: str) -> bool:
        """Return whether a commit is an ancestor of another, in the history that was fetched, or the same."""
        if ancestor == commit:
            return True
        output = self._repository.run_text("rev-list", "--max-count=1", ancestor, f"^{commit}", "--")
        return not output.strip()

    def require_merge_base(self, first: str, second: str) -> str:
        """Return the latest common ancestor of two revisions. Raise `HistoryError` if none was fetched."""
        commits = (self.require_commit(first), self.require_commit(second))
        try:
            return self._repository.run_text("merge-base", *commits).strip()
        except HistoryError as error:
            hint = "fetch more history: git fetch --unshallow"
            raise HistoryError(f"{first} and {second} have no common ancestor here", hint=hint) from error

    def find_submodules(self) -> tuple[str, ...]:
        """Return the directories of the work tree that are git submodules."""
        if not self._is_work_tree or get_mode(self._repository.root / ".gitmodules") is None:
            return ()
        return find_submodules(find_tracked(self._repository))

    def get_kind(self, path: str, revision: str) -> str | None:
        """Return the type of a path in a commit: "blob" (file or link), "tree", "commit" (submodule) or None."""
        return self._entry(path, revision)[0] or None

    def list_tree(self, revision: str, *, sizes: bool = False) -> Mapping[str, TreeEntry]:
        """Return the files of a revision by path, including links and submodules."""
        return list_tree(self._repository, self.require_commit(revision), sizes=sizes)

    def read_blob(self, oid: str) -> bytes:
        """Return the bytes of a blob. Raise `HistoryError` if it is missing, no blob, or over `max_file_bytes`."""
        content = self.get_blob(oid)
        if content is None:
            raise HistoryError(
                f"no readable blob {oid}", hint="it may be missing in a partial clone, or larger than the limit"
            )
        return content

    def get_committed(self, path: str) -> bytes | None:
        """Return a file as HEAD has it; None if HEAD has no such file, or if there is no HEAD.

        Raise `HistoryError` if there is no git history at the root, or it cannot be trusted; `MissingDependencyError`
        if Git is not installed.
        """
        head = self._repository.get_head()
        kind, oid = self._entry(path, head) if head is not None else ("", "")
        return self.get_blob(oid) if kind == "blob" else None

    @contextlib.contextmanager
    def _work_tree_index(
        self, path: str = "", statuses: Statuses = MappingProxyType({}), *, stores_contents: bool = True
    ) -> Iterator[tuple[Path, tuple[str, ...]]]:
        """Yield an index of the tracked files as they are now, and the files that are too large for it."""
        repository = self._repository
        changes = find_work_tree_changes(repository, find_tracked(repository), self._settings, path, statuses)
        with tempfile.TemporaryDirectory(dir=repository.private.path) as directory:
            index = Path(directory) / "index"
            yield index, build_index(repository, changes, index, self._settings, stores_contents=stores_contents)

    def _content(self, head: str, path: str) -> bytes:
        """Return the current file, or that of HEAD if it was deleted from the work tree."""
        content = read_content(self._repository, path, self._settings.max_file_bytes)
        return content if content is not None else self.read_blob(self._entry(path, head)[1])

    def _entry(self, path: str, commit: str) -> tuple[str, str]:
        """Return kind and id of a path in a commit; ("", "") if it does not exist."""
        if not path:
            return "tree", f"{commit}^{{tree}}"
        output = self._repository.run_text("ls-tree", "-z", "--full-tree", commit, "--", require_argument(path))
        _, kind, oid = output.partition("\t")[0].split(" ") if output else ("", "", "")
        return kind, oid

    def _committed_lines(self, head: str, path: str, start_line: int, end_line: int) -> tuple[int, int] | None:
        """Return the lines of HEAD's file that lines of the current file come from; None if all are new."""
        _, recorded = self._entry(path, head)
        if not recorded:
            return None
        content = read_content(self._repository, path, self._settings.max_file_bytes)
        if content is None or get_blob_id(content, self._repository.private.object_format) == recorded:
            return start_line, end_line
        with self._work_tree_index(path) as (index, _):
            differences = find_differences(self._repository, head, None, path, index=index, context=0)
        hunks = next((each.hunks for each in differences if each.path == path), ())
        return get_old_lines(hunks, start_line, end_line)


class RevisionHistory(History):
    """The git history up to a commit."""

    _is_work_tree = False

    def __init__(self, history: History, commit: str) -> None:
        super().__init__(history._repository, history._blobs, history._settings)
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
        """Raise `UsageError`, because only a work tree has a status."""
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


def _copy(index: Path, copied: Path) -> Path:
    """Copy an index, which git would write to."""
    try:
        copied.write_bytes(index.read_bytes())
    except OSError as error:
        raise HistoryError(f"cannot read the index {index}: {error.strerror}") from None
    return copied
