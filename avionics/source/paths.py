"""Parse paths from callers into normalized relative paths, and open files below a root.

Opening goes one component at a time and follows no links, so nothing outside the root is opened even when directories
are swapped meanwhile.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path, PurePosixPath

from msgspec import Struct

from avionics.model.errors import OutsideWorkspaceError, UsageError
from avionics.model.mappings import group_pairs
from avionics.model.naming import list_first
from avionics.model.reasons import Reason, ReasonKind

MAX_PATH_CHARACTERS = 4096
"""The longest path that POSIX systems accept."""

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NO_FOLLOW = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class SkipReason(str, Enum):
    """Why something in the tree was skipped, or read only in part."""

    LINK = "a link"
    DIRECTORY = "a directory"
    NOT_REGULAR = "not a regular file"
    TOO_LARGE = "too large"
    TOO_DEEP = "too deep"
    TOO_MANY = "too many files"
    UNREADABLE = "unreadable"
    MISSING = "missing"
    NOT_FETCHED = "not in this partial clone"
    BINARY = "binary"
    IGNORE_FILE = "an ignore file that is too large and was not applied"


class Skipped(Struct, frozen=True):
    """A path that was skipped (or read only in part), and why."""

    path: str
    reason: SkipReason


def summarize_skipped(skipped: Iterable[Skipped]) -> tuple[Reason, ...]:
    """Return one reason for all paths that were skipped for the same cause, with the first two of them."""
    causes = group_pairs((entry.reason, entry.path) for entry in skipped)
    return tuple(
        Reason(ReasonKind.FILES_SKIPPED, len(paths), subject=cause.value, detail=list_first(paths, 2))
        for cause, paths in causes.items()
    )


class RepoPath(Struct, frozen=True):
    """A path in the workspace: components below the root, none of them `.` or `..`."""

    parts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, roots: Iterable[Path]) -> RepoPath:
        """Parse a caller's path: relative, or absolute below one of the spellings of the root.

        Raise `UsageError` if the text is not a path, or `OutsideWorkspaceError` if it leads out of the workspace.
        """
        if not text or "\0" in text or len(text) > MAX_PATH_CHARACTERS or not _is_encodable(text):
            raise UsageError(f"not a path: {text[:80]!r}", hint="give a path relative to the workspace: src/app.py")
        parts = _normalize(text)
        if text.startswith("/"):
            parts = _strip_root(parts, roots, text)
        if ".." in parts:
            raise _build_outside_error(text)
        return cls(parts)

    def __str__(self) -> str:
        return "/".join(self.parts) or "."


def list_to_top(root: Path) -> tuple[Path, ...]:
    """Return a directory and those above it, up to the top of their git repository; () outside of one."""
    above = (root, *root.parents)
    top = next((at for at, folder in enumerate(above) if os.path.lexists(f"{folder}/.git")), -1)
    return above[: top + 1]


def open_directory(root: Path, parts: Iterable[str]) -> int | SkipReason:
    """Return a descriptor of the directory below the root, or why there is none; the caller closes it."""
    try:
        directory = os.open(root, _DIRECTORY)
    except OSError as error:
        return _get_reason(error)
    for name in parts:
        inner = open_subdirectory(directory, name)
        os.close(directory)
        if isinstance(inner, SkipReason):
            return inner
        directory = inner
    return directory


@contextmanager
def opened_directory(root: Path, parts: Iterable[str] = ()) -> Iterator[int | SkipReason]:
    """Open the directory below the root for a block: yield a descriptor, or why there is none."""
    directory = open_directory(root, parts)
    try:
        yield directory
    finally:
        if isinstance(directory, int):
            os.close(directory)


def open_subdirectory(directory: int, name: str) -> int | SkipReason:
    """Return a descriptor of a directory directly inside another, or why there is none; the caller closes it."""
    try:
        return os.open(name, _DIRECTORY | _NO_FOLLOW, dir_fd=directory)
    except OSError as error:
        refused = _get_obstacle(directory, name)
        return _get_reason(error) if refused is None or refused is SkipReason.DIRECTORY else refused


def open_regular(directory: int, name: str) -> int | SkipReason:
    """Return a descriptor of a regular file in a directory, or why there is none; the caller closes it.

    The name is checked before it is opened, because opening a pipe or a device has side effects.
    """
    refused = _get_obstacle(directory, name)
    if refused is not None:
        return refused
    try:
        descriptor = os.open(name, os.O_RDONLY | _NO_FOLLOW, dir_fd=directory)
    except OSError as error:
        return _get_reason(error)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return SkipReason.NOT_REGULAR


def _get_obstacle(directory: int, name: str) -> SkipReason | None:
    """Return why the entry is not a regular file, or None when it is one."""
    try:
        mode = os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except OSError as error:
        return _get_reason(error)
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISDIR(mode):
        return SkipReason.DIRECTORY
    return SkipReason.LINK if stat.S_ISLNK(mode) else SkipReason.NOT_REGULAR


def _get_reason(error: OSError) -> SkipReason:
    """Return the reason for an error of the system."""
    if error.errno == errno.ELOOP:
        return SkipReason.LINK
    if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG}:
        return SkipReason.MISSING
    return SkipReason.UNREADABLE


def _is_encodable(text: str) -> bool:
    """Return whether the text can be a file name; a lone surrogate cannot, unless it stands for a byte."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _normalize(text: str) -> tuple[str, ...]:
    """Return the components with `.` and `x/..` resolved; leading `..` remain."""
    parts: list[str] = []
    for part in text.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part == ".." and text.startswith("/"):
            continue
        elif part not in {"", "."}:
            parts.append(part)
    return tuple(parts)


def _strip_root(parts: tuple[str, ...], roots: Iterable[Path], text: str) -> tuple[str, ...]:
    """Return the components of an absolute path that follow the root's."""
    for root in roots:
        above = PurePosixPath(root).parts[1:]
        if parts[: len(above)] == above:
            return parts[len(above) :]
    raise _build_outside_error(text)


def _build_outside_error(text: str) -> OutsideWorkspaceError:
    return OutsideWorkspaceError(
        f"{text[:200]!r} is outside the workspace", hint="give a path relative to the workspace: src/app.py"
    )
