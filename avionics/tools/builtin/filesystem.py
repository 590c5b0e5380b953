"""Read and write files and directories below one root without following links."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from msgspec import Struct, structs
from pydantic import Field

from avionics.model.enums import Permission, RiskLevel
from avionics.model.errors import SourceError, UsageError
from avionics.model.naming import did_you_mean
from avionics.source.globs import compile_glob
from avionics.source.paths import RepoPath, SkipReason, open_directory
from avionics.tools.base import ToolInput
from avionics.tools.builtin.rooted import RootedTool, is_inside_git, require_open_directory, write_beneath

MAX_ENTRIES: Final = 1_000
"""The maximum number of entries listed; the result says if there are more."""

MAX_LOOKED_AT: Final = 100_000
"""The most entries compared with a pattern."""


class ReadFileInput(ToolInput):
    """Which file to read."""

    path: str = Field(description="The file, relative to the root")
    encoding: str = Field(default="utf-8", description="The encoding of its text", max_length=40)


class ReadFileTool(RootedTool):
    """Reads a text file."""

    name = "filesystem.read_file"
    description = "Read the contents of a text file"
    input_model = ReadFileInput

    def _execute(self, input_data: ReadFileInput) -> dict[str, Any]:
        data = self.tree.read(input_data.path)
        try:
            content = data.decode(input_data.encoding)
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{input_data.path!r} is not {input_data.encoding} text: {error.reason} at byte {error.start}",
                hint="give its encoding, such as latin-1",
            ) from None
        except (LookupError, ValueError):
            raise _build_unknown_encoding_error(input_data.encoding) from None
        return {"path": self.tree.resolve(input_data.path), "content": content, "size_bytes": len(data)}


class WriteFileInput(ToolInput):
    """A file and its new contents."""

    path: str = Field(description="The file, relative to the root")
    content: str = Field(description="The whole new content")
    encoding: str = Field(default="utf-8", description="The encoding of the text", max_length=40)
    create_dirs: bool = Field(default=False, description="Whether to create missing directories")


class WriteFileTool(RootedTool):
    """Writes a file as a whole."""

    name = "filesystem.write_file"
    description = "Write content to a file, replacing its contents"
    risk_level = RiskLevel.MEDIUM
    required_permissions = frozenset({Permission.FILESYSTEM_WRITE})
    input_model = WriteFileInput

    def _execute(self, input_data: WriteFileInput) -> dict[str, Any]:
        try:
            data = input_data.content.encode(input_data.encoding)
        except UnicodeEncodeError as error:
            raise UsageError(f"the content cannot be written as {input_data.encoding}: {error.reason}") from None
        except (LookupError, ValueError):
            raise _build_unknown_encoding_error(input_data.encoding) from None
        most = self.settings.max_file_bytes
        if len(data) > most:
            raise UsageError(f"the content has more than {most:,} bytes", hint="write it in parts, to several files")
        place = self.require_place(input_data.path)
        if is_inside_git(place):
            raise UsageError(f"{place} is inside a git directory", hint="git.commit records changes")
        is_new = write_beneath(self.tree.root, place, data, create_directories=input_data.create_dirs)
        return {"path": str(place), "size_bytes": len(data), "created": is_new}


class ListDirectoryInput(ToolInput):
    """Which directory to list, and which of its entries."""

    path: str = Field(default=".", description="The directory, relative to the root")
    recursive: bool = Field(default=False, description="Whether to include subdirectories")
    include_hidden: bool = Field(default=False, description="Whether to list names that start with a dot")
    pattern: str | None = Field(default=None, description="Only paths that match this glob, such as *.py")


class ListDirectoryTool(RootedTool):
    """Lists a directory; links are listed and not followed."""

    name = "filesystem.list_directory"
    description = "List the contents of a directory"
    input_model = ListDirectoryInput

    def _execute(self, input_data: ListDirectoryInput) -> dict[str, Any]:
        place = self.require_place(input_data.path)
        os.close(require_open_directory(self.tree.root, place))
        matches = compile_glob(input_data.pattern).fullmatch if input_data.pattern else None
        start = len(place.parts) and len(str(place)) + 1
        found: list[dict[str, Any]] = []
        is_truncated = False
        entries = self._iter_entries(place, recursive=input_data.recursive, hidden=input_data.include_hidden)
        for looked_at, entry in enumerate(entries):
            if looked_at >= MAX_LOOKED_AT or len(found) >= MAX_ENTRIES:
                is_truncated = True
                break
            if matches is None or matches(entry.path, start):
                found.append(structs.asdict(entry))
        return {"path": str(place), "entries": found, "truncated": is_truncated}

    def _iter_entries(self, place: RepoPath, *, recursive: bool, hidden: bool) -> Iterator[DirectoryEntry]:
        """Yield the entries of a directory by name, each directory before its contents."""
        waiting = [place]
        while waiting:
            here = waiting.pop()
            directory = open_directory(self.tree.root, here.parts)
            if isinstance(directory, SkipReason):
                continue
            try:
                names = sorted(name for name in os.listdir(directory) if hidden or not name.startswith("."))
                entries = tuple(entry for name in names if (entry := _get_entry(directory, here, name)))
            finally:
                os.close(directory)
            yield from entries
            if recursive:
                inner = (entry.path for entry in reversed(entries) if entry.type == "directory")
                waiting.extend(RepoPath(tuple(path.split("/"))) for path in inner)


class GetInfoInput(ToolInput):
    """The path to examine."""

    path: str = Field(description="The file or directory, relative to the root")


class GetInfoTool(RootedTool):
    """Describes the entry at a path; a link is not followed."""

    name = "filesystem.get_info"
    description = "Get the type, size and times of a file or directory"
    input_model = GetInfoInput

    def _execute(self, input_data: GetInfoInput) -> dict[str, Any]:
        place = self.require_place(input_data.path)
        directory = require_open_directory(self.tree.root, RepoPath(place.parts[:-1]))
        try:
            status = os.stat(place.parts[-1] if place.parts else ".", dir_fd=directory, follow_symlinks=False)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                raise SourceError(f"{str(place)!r} cannot be examined: {error.strerror}") from None
            near = self.tree.find_near(str(place))
            hint = did_you_mean(near, "list the directory first")
            raise SourceError(f"{str(place)!r} does not exist", hint=hint) from None
        finally:
            os.close(directory)
        return {
            "path": str(place),
            "type": _get_kind(status.st_mode),
            "size_bytes": status.st_size,
            "modified": datetime.fromtimestamp(status.st_mtime, UTC).isoformat(),
            "permissions": stat.filemode(status.st_mode),
        }


class DirectoryEntry(Struct, frozen=True):
    """An entry of a directory; the size is None for anything but a file."""

    path: str
    type: str
    size_bytes: int | None


def _get_entry(directory: int, place: RepoPath, name: str) -> DirectoryEntry | None:
    """Return an entry with its own status, or None if it has disappeared."""
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except OSError:
        return None
    size = status.st_size if stat.S_ISREG(status.st_mode) else None
    return DirectoryEntry("/".join((*place.parts, name)), _get_kind(status.st_mode), size)


def _get_kind(mode: int) -> str:
    """Return the type of an entry."""
    if stat.S_ISREG(mode):
        return "file"
    if stat.S_ISDIR(mode):
        return "directory"
    return "link" if stat.S_ISLNK(mode) else "other"


def _build_unknown_encoding_error(name: str) -> UsageError:
    return UsageError(f"unknown text encoding {name!r}", hint="give one that Python knows, such as utf-16")
