"""The common part of tools that use the disk: one root, and writing below it without following links."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from avionics.model.enums import Permission, ToolDomain
from avionics.model.errors import SourceError, UsageError
from avionics.settings import Settings
from avionics.source.paths import RepoPath, SkipReason, open_directory, open_subdirectory
from avionics.source.tree import SourceTree
from avionics.tools.base import BaseTool

_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class RootedTool(BaseTool):
    """A tool that stays below one directory.

    Args:
        root: The directory; by default the current one.
        settings: The limits.
    """

    category = ToolDomain.FILESYSTEM
    required_permissions = frozenset({Permission.FILESYSTEM_READ})

    def __init__(self, root: str | Path = ".", settings: Settings | None = None) -> None:
        super().__init__()
        self.settings = settings or Settings.from_environment()
        self.tree = SourceTree(Path(root), self.settings)

    def require_place(self, path: str) -> RepoPath:
        """Parse a caller's path. Raise `UsageError` if it is not a path, or leads out of the root."""
        return RepoPath.parse(self.tree.resolve(path), ())

    def require_directory(self, path: str) -> Path:
        """Return the real path of a directory below the root, reached without following a link.

        Raise `SourceError` if there is no such directory; `UsageError` if it is not a path, or leads out of the root.
        """
        place = self.require_place(path)
        os.close(require_open_directory(self.tree.root, place))
        return self.tree.root.joinpath(*place.parts)


def require_open_directory(root: Path, place: RepoPath) -> int:
    """Return a descriptor of a directory, to be closed. Raise `SourceError` if a link is on the way."""
    directory = open_directory(root, place.parts)
    if isinstance(directory, SkipReason):
        raise _build_refusal(root, place, directory)
    return directory


def write_beneath(
    root: Path, place: RepoPath, data: bytes, *, create_directories: bool = False, mode: int = 0o666
) -> bool:
    """Write a whole file atomically and return whether it is new: a concurrent reader sees the old or the new contents.

    A link is never written through, and another name of the file (a hard link) keeps the old contents. The mode is that
    of a new file; a replaced file keeps its own. Raise `SourceError` if it cannot be written there, or `UsageError` if
    it is the root itself.
    """
    if not place.parts:
        raise UsageError("the root is a directory", hint="name a file in it")
    directory = open_parent(root, place, create_directories=create_directories)
    try:
        return _replace(directory, place, data, mode)
    except OSError as error:
        raise SourceError(f"{str(place)!r} cannot be written: {error.strerror}") from error
    finally:
        os.close(directory)


def open_parent(root: Path, place: RepoPath, *, create_directories: bool = False) -> int:
    """Return a descriptor of a place's directory, to be closed. Raise `SourceError` if a link is on the way."""
    above = RepoPath(place.parts[:-1])
    if not create_directories:
        return require_open_directory(root, above)
    directory = require_open_directory(root, RepoPath(()))
    for name in above.parts:
        try:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, dir_fd=directory)
            inner = open_subdirectory(directory, name)
        except OSError as error:
            raise SourceError(f"{str(above)!r} cannot be created: {error.strerror}") from error
        finally:
            os.close(directory)
        if isinstance(inner, SkipReason):
            raise _build_refusal(root, above, inner)
        directory = inner
    return directory


def _build_refusal(root: Path, place: RepoPath, reason: SkipReason) -> SourceError:
    """Return the error for a path that is not a directory."""
    for depth in range(1, len(place.parts) + 1):
        part = RepoPath(place.parts[:depth])
        mode = _get_mode(None, str(root.joinpath(*part.parts)))
        if mode is None:
            return SourceError(
                f"there is no directory {str(part)!r}",
                hint="list the parent directory, or set create_dirs",
            )
        if not stat.S_ISDIR(mode):
            kind = "a link" if stat.S_ISLNK(mode) else "a file"
            return SourceError(f"{str(part)!r} is {kind}, not a directory", hint="links are not followed")
    return SourceError(f"{str(place)!r} is not a directory: {reason.value}")


def is_inside_git(place: RepoPath) -> bool:
    """Return whether a place is in a git directory, whose files can make git run programs."""
    return any(part.casefold() == ".git" for part in place.parts)


def _replace(directory: int, place: RepoPath, data: bytes, mode: int) -> bool:
    """Write a new file in place of an existing one; return whether it is new."""
    name = place.parts[-1]
    before = _get_mode(directory, name)
    if before is not None and not stat.S_ISREG(before):
        kind = "a directory" if stat.S_ISDIR(before) else "not a regular file"
        raise SourceError(f"{str(place)!r} is {kind}", hint="only regular files are written, no links")
    fresh = f".{secrets.token_hex(8)}.new"
    descriptor = os.open(fresh, _NEW_FILE, mode, dir_fd=directory)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if before is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(before) & 0o777)
            file.write(data)
        os.rename(fresh, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(fresh, dir_fd=directory)
        raise
    return before is None


def _get_mode(directory: int | None, name: str) -> int | None:
    """Return the mode of an entry itself, None if it does not exist."""
    try:
        return os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
