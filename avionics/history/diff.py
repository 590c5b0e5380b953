"""Compare two states of the files."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from avionics.history.repo import GitRepository, require_argument
from avionics.late_pattern import late_pattern
from avionics.model.errors import HistoryError

HUNK = late_pattern(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_STATUS = {"A": "added", "C": "copied", "D": "deleted", "M": "modified", "R": "renamed", "T": "type changed"}
PATCHES = {"T": 2, "U": 0}
"""The number of patches that git prints for a file: two if it became a link, none if it is in conflict, else one."""


class Hunk(Struct, frozen=True):
    r"""Changed lines, each with ` `, `+`, `-` or `\` before it; `section` is what git says is around them."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    section: str
    lines: tuple[str, ...]


class FileDiff(Struct, frozen=True):
    """A changed file.

    Attributes:
        status: A value of `_STATUS`, or "conflicted".
        added: The number of lines added.
        deleted: The number of lines deleted.
        previous: Its former path if it was renamed or copied, else "".
        is_binary: Whether git compares its bytes only.
        hunks: Its changed lines; none if only paths were asked for.
    """

    path: str
    status: str
    added: int
    deleted: int
    previous: str = ""
    is_binary: bool = False
    hunks: tuple[Hunk, ...] = ()


def find_differences(
    repository: GitRepository,
    base: str,
    head: str | None,
    path: str = "",
    *,
    index: Path | None = None,
    context: int = 3,
) -> tuple[FileDiff, ...]:
    """Return the files that changed between a commit and another one, or the contents of an index, sorted by path."""
    name, *revisions = _get_command(base, head)
    paths = (require_argument(path),) if path else ()
    options = ("-M", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--full-index")
    names = repository.run_text(name, *options, "--raw", "-z", *revisions, "--", *paths, index=index)
    prefixes = ("--src-prefix=a/", "--dst-prefix=b/", f"--unified={context}")
    patch = repository.run_text(name, *options, *prefixes, "--patch", *revisions, "--", *paths, index=index)
    entries = _names(names)
    patches = re.split(r"(?m)^diff --git ", patch)[1:]
    if len(patches) != sum(PATCHES.get(status, 1) for status, _, _ in entries):
        raise HistoryError("git's list of files does not match its patch", hint="ask again, or for one path")
    remaining = iter(patches)
    return tuple(
        _file_diff(status, previous, path, "".join(next(remaining) for _ in range(PATCHES.get(status, 1))))
        for status, previous, path in entries
    )


def find_changed_paths(
    repository: GitRepository,
    base: str,
    head: str | None = None,
    *,
    index: Path | None = None,
    finds_renames: bool = True,
) -> tuple[FileDiff, ...]:
    """Return the files in which another commit, or an index, differs from a commit, without their lines."""
    name, *revisions = _get_command(base, head)
    renames = "-M" if finds_renames else "--no-renames"
    options = (renames, "--no-ext-diff", "--ignore-submodules=dirty", "--raw", "-z")
    output = repository.run_text(name, *options, *revisions, "--", index=index)
    return tuple(_file_diff(status, previous, path, "") for status, previous, path in _names(output))


def _get_command(base: str, head: str | None) -> tuple[str, ...]:
    """Return git's command that compares a commit with another one, or with an index if there is none."""
    return ("diff-tree", "-r", base, head) if head else ("diff-index", "--cached", base)


def get_old_lines(hunks: tuple[Hunk, ...], start_line: int, end_line: int) -> tuple[int, int] | None:
    """Return the lines before a change that became some lines, () if all are new; hunks have no context."""
    first = _old_line(hunks, start_line, at_end=False)
    last = _old_line(hunks, end_line, at_end=True)
    return (first, last) if first <= last else None


def _old_line(hunks: tuple[Hunk, ...], line: int, *, at_end: bool) -> int:
    """Return the line before the change that became `line`; within a hunk, the edge of what was replaced."""
    shift = 0
    for hunk in hunks:
        if hunk.new_lines and hunk.new_start <= line < hunk.new_start + hunk.new_lines:
            if at_end:
                return hunk.old_start + hunk.old_lines - 1 if hunk.old_lines else hunk.old_start
            return hunk.old_start if hunk.old_lines else hunk.old_start + 1
        end = hunk.new_start + hunk.new_lines - 1 if hunk.new_lines else hunk.new_start
        if line > end:
            shift += hunk.old_lines - hunk.new_lines
    return line + shift


def _names(text: str) -> tuple[tuple[str, str, str], ...]:
    """Return status letter, former path and path of each entry of `--raw -z`."""
    tokens = iter(text.split("\0"))
    entries = []
    for token in tokens:
        if not token.startswith(":"):
            continue
        status = token.rsplit(" ", 1)[1][:1]
        path = next(tokens)
        previous = ""
        if status in "RC":
            previous, path = path, next(tokens)
        entries.append((status, previous, path))
    return tuple(entries)


def _file_diff(status: str, previous: str, path: str, patch: str) -> FileDiff:
    """Build the difference of a file from its part of the patch."""
    hunks = []
    for part in re.split(r"(?m)^(?=@@ )", patch)[1:]:
        heading, *lines = part.removesuffix("\n").split("\n")
        match = HUNK.match(heading)
        assert match is not None
        old_start, old_lines, new_start, new_lines, section = match.groups()
        shown = tuple(line for line in lines if line[:1] in {" ", "+", "-", "\\"})
        hunks.append(
            Hunk(int(old_start), int(old_lines or 1), int(new_start), int(new_lines or 1), section.strip(), shown)
        )
    return FileDiff(
        path,
        _STATUS.get(status, "conflicted"),
        sum(line.startswith("+") for hunk in hunks for line in hunk.lines),
        sum(line.startswith("-") for hunk in hunks for line in hunk.lines),
        previous,
        not hunks and "\nBinary files " in patch,
        tuple(hunks),
    )
