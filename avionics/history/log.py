"""Find the commits that changed a path, a text or some lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from avionics.history.commits import LOG, Commit, iter_records, parse_commits
from avionics.history.diff import find_changed_paths
from avionics.history.repo import GitRepository, require_argument
from avionics.late_pattern import late_pattern

MAX_TOGETHER_FILES = 50
"""A commit over more files (a reformat, a vendored tree) does not show which files belong together."""
_MAX_MOVES = 5
"""The moves of a directory that are followed."""

_HUNK = late_pattern(r"^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_NEW_PATH = late_pattern(r"^\+\+\+ b/(.*?)\n@@ -", re.MULTILINE | re.DOTALL)
"""`git log -L` does not quote paths, not even newlines in them."""


class LineChange(Struct, frozen=True):
    """A commit that changed some lines.

    Attributes:
        path: The file they were in after it.
        start_line: The first line after it.
        end_line: The last line after it.
        is_introduction: Whether it introduced all of them.
        text: The lines of its patch that are there after it, with what git prints around the changed ones.
    """

    commit: Commit
    path: str
    start_line: int
    end_line: int
    is_introduction: bool
    text: str = ""


class CoChange(Struct, frozen=True):
    """A file that changed in the same commits, and in how many."""

    path: str
    commits: int


def find_commits(
    repository: GitRepository,
    revision: str,
    path: str = "",
    *,
    limit: int,
    follow: bool = False,
    counts: bool = False,
    word: str = "",
    since: int | None = None,
    without: str = "",
) -> tuple[Commit, ...]:
    """Return commits from a revision backwards, newest first.

    Args:
        repository: The repository.
        revision: The id of a commit.
        path: A file or directory that they changed.
        limit: The maximum number.
        follow: Whether to continue under the former names of a renamed file; `path` is one file.
        counts: Whether to count the lines added and deleted in each file.
        word: Only commits that change the number of occurrences of this text.
        since: Only commits that were made from this time on, in seconds since 1970.
        without: Only commits that the history of this commit does not have.
    """
    options = ["-z", f"--max-count={limit}"]
    options += ["--follow"] if follow else []
    options += ["--numstat"] if counts else []
    options += [f"-S{require_argument(word)}"] if word else []
    options += [f"--since={since}"] if since is not None else []
    paths = [require_argument(path)] if path else []
    left_out = [f"^{without}"] if without else []
    return parse_commits(repository.run_text(*LOG, *options, revision, *left_out, "--", *paths))


def find_directory_commits(
    repository: GitRepository, revision: str, path: str, *, limit: int, counts: bool = False
) -> tuple[Commit, ...]:
    """Return at most `limit` commits that changed a directory or its former places, newest first.

    `git log --follow` continues under the former name of one file only.
    """
    commits: list[Commit] = []
    for _ in range(_MAX_MOVES):
        found = find_commits(repository, revision, path, limit=limit - len(commits), counts=counts)
        commits += found
        former = _get_former_place(repository, found[-1], path) if found and len(commits) < limit else ""
        if not former:
            break
        revision, path = found[-1].parents[0], former
    return tuple(commits)


def find_line_changes(
    repository: GitRepository, revision: str, path: str, start_line: int, end_line: int, *, limit: int
) -> tuple[LineChange, ...]:
    """Return the commits that changed some lines of a file at a revision, newest first, through renames."""
    lines = f"-L{start_line},{end_line}:{require_argument(path)}"
    text = repository.run_text(*LOG, f"--max-count={limit}", lines, revision)
    return tuple(_line_change(commit, patch, path) for commit, patch in iter_records(text))


def find_co_changes(
    repository: GitRepository, commits: Iterable[Commit], leaving_out: frozenset[str]
) -> tuple[tuple[CoChange, ...], int]:
    """Return the files that changed together in these commits, most often first, and the commits counted."""
    together: Counter[str] = Counter()
    counted = 0
    for files in read_touched_files(repository, commits).values():
        if len(files) <= MAX_TOGETHER_FILES:
            counted += 1
            together.update(files - leaving_out)
    ranked = sorted(together.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple(CoChange(path, count) for path, count in ranked), counted


def read_touched_files(repository: GitRepository, commits: Iterable[Commit]) -> dict[str, frozenset[str]]:
    """Return commit id → the files it changed, for commits with one parent or none.

    Only trees are read, so this is cheaper than `find_commits` with counts, and works where contents are missing.
    """
    oids = frozenset(commit.oid for commit in commits)
    options = ("--stdin", "-r", "--root", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv")
    text = repository.run_text("diff-tree", *options, given="".join(f"{oid}\n" for oid in sorted(oids)).encode())
    found: dict[str, set[str]] = {}
    touched: set[str] = set()
    for token in text.split("\0"):
        if token in oids:
            touched = found.setdefault(token, set())
        elif token:
            touched.add(token)
    return {oid: frozenset(files) for oid, files in found.items()}


def _line_change(commit: Commit, patch: str, path: str) -> LineChange:
    """Return the position of the lines after the commit, from the patch that `git log -L` prints."""
    named = _NEW_PATH.search(patch)
    body = patch[named.end(1) :] if named else patch
    hunks = [(int(old or 1), int(start), int(count or 1)) for old, start, count in _HUNK.findall(body)]
    return LineChange(
        commit,
        named[1] if named else path,
        min((start for _, start, _ in hunks), default=0),
        max((start + max(count, 1) - 1 for _, start, count in hunks), default=0),
        bool(hunks) and all(old == 0 for old, _, _ in hunks),
        "\n".join(line[1:] for line in body.split("\n") if line[:1] in {" ", "+"}),
    )


def _get_former_place(repository: GitRepository, commit: Commit, path: str) -> str:
    """Return the directory from which a commit moved most files that it put into another; "" if it added them."""
    if not commit.parents:
        return ""
    changed = find_changed_paths(repository, commit.parents[0], commit.oid)
    inside = [each for each in changed if each.path.startswith(f"{path}/")]
    ends = ((each.previous or "", each.path.removeprefix(path)) for each in inside)
    former = Counter(previous.removesuffix(end) for previous, end in ends if previous.endswith(end))
    place, count = next(iter(former.most_common(1)), ("", 0))
    return place if 2 * count > len(inside) and place != path else ""
