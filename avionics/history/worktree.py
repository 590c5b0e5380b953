"""Compare the work tree with the index without git.

When git reads a work tree, it opens ignore files, attribute files and nested repositories wherever they lead, and may
run filters. So git only reads the index, which records the former state of each file; this module stats the files and,
in doubt, hashes them. Changed contents are written as objects into the private directory, where git can compare them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import threading
import time
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from msgspec import Struct

from avionics.history.files import get_mode, is_directory, read_beneath, read_link_beneath
from avionics.history.repo import GitRepository
from avionics.late_pattern import late_pattern
from avionics.model.errors import HistoryError
from avionics.settings import Settings

_MAX_HASH_BYTES = 64_000_000
"""A larger file whose times differ is listed as not compared."""

_SUBMODULE = 0o160000
_SKIP_WORKTREE = 0x4000_0000
_ENTRY = late_pattern(
    rb"(\d{6}) ([0-9a-f]{40,64}) ([0-3])\t([^\0]+)\0"
    rb"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n  dev: \d+\tino: \d+\n  uid: \d+\tgid: \d+\n"
    rb"  size: (\d+)\tflags: ([0-9a-f]+)\n"
)


_SECOND_NS = 1_000_000_000


class FileStatus(Protocol):
    """The status of a regular file, as a walk of the work tree found it."""

    @property
    def size(self) -> int:
        """Return the size in bytes."""

    @property
    def mtime_ns(self) -> int:
        """Return when it was modified, in nanoseconds since 1970."""

    @property
    def ctime_ns(self) -> int:
        """Return when its content, mode or name last changed, in nanoseconds since 1970."""


Statuses = Mapping[str, FileStatus]
"""Path → status of the files that were just examined; others are examined when they are needed."""


class TrackedFile(Struct, frozen=True):
    """An entry of the index; `stage` is 0 unless the path is in conflict."""

    path: str
    mode: int
    oid: str
    stage: int
    ctime_ns: int
    mtime_ns: int
    size: int
    flags: int


class WorkTreeChange(Struct, frozen=True):
    """A tracked file that differs from the index.

    Attributes:
        kind: "modified", "deleted", "conflicted" or "not compared" (too large, or out of time).
        mode: Its current mode as git writes it, 0 if it does not exist.
    """

    path: str
    kind: str
    mode: int = 0


def find_tracked(repository: GitRepository) -> tuple[TrackedFile, ...]:
    """Return the entries of the index, sorted by path."""
    output = repository.run("ls-files", "--stage", "--debug", "-z")
    files = []
    position = 0
    while position < len(output):
        match = _ENTRY.match(output, position)
        if match is None:
            raise HistoryError("unknown format of git's index listing", hint="report this with your `git version`")
        position = match.end()
        mode, oid, stage, path, changed_s, changed_ns, written_s, written_ns, size, flags = match.groups()
        ctime_ns = int(changed_s) * _SECOND_NS + int(changed_ns)
        mtime_ns = int(written_s) * _SECOND_NS + int(written_ns)
        name = os.fsdecode(path)
        files.append(
            TrackedFile(name, int(mode, 8), oid.decode(), int(stage), ctime_ns, mtime_ns, int(size), int(flags, 16))
        )
    return tuple(files)


def find_submodules(tracked: Iterable[TrackedFile]) -> tuple[str, ...]:
    """Return the directories of the index that are submodules."""
    return tuple(file.path for file in tracked if stat.S_IFMT(file.mode) == _SUBMODULE)


def is_in_submodule(path: str, submodules: Iterable[str]) -> bool:
    """Return whether a path is a submodule, or below one."""
    return any(path == each or path.startswith(f"{each}/") for each in submodules)


def find_work_tree_changes(
    repository: GitRepository,
    tracked: tuple[TrackedFile, ...],
    settings: Settings,
    path: str = "",
    statuses: Statuses = MappingProxyType({}),
) -> tuple[WorkTreeChange, ...]:
    """Return the tracked files at or under a path that differ from the index, sorted by path.

    For files whose status is given, a mode that was only set in the index (`git add --chmod`) goes unnoticed.
    """
    until = time.monotonic() + settings.git_timeout_seconds
    comparison = _Comparison(repository, until)
    asked = [file for file in tracked if file.path == path or file.path.startswith(f"{path}/")] if path else tracked
    changes: dict[str, WorkTreeChange] = {}
    for file in asked:
        known = statuses.get(file.path)
        if known is not None and comparison.is_settled(file, known):
            continue
        change = comparison.at(file)
        if change is not None:
            changes[file.path] = change
    return tuple(changes.values())


def build_index(
    repository: GitRepository,
    changes: tuple[WorkTreeChange, ...],
    index: Path,
    settings: Settings,
    *,
    stores_contents: bool = True,
) -> tuple[str, ...]:
    """Write the index of the current work tree: the private copy with the changes applied.

    Unless git reads the contents of the changed files (`stores_contents`), it is given only their ids.

    Returns:
        The changed files left as they are in the index, because they are too large to compare line by line.
    """
    private = repository.private
    if (private.path / "index").exists():
        shutil.copyfile(private.path / "index", index)
    converts_ends = _converts_ends(repository)
    lines, left = [], []
    for change in changes:
        content = _read(repository.root, change.path, settings.max_file_bytes) if change.mode else None
        if content is not None:
            content = content.replace(b"\r\n", b"\n") if converts_ends else content
            if stores_contents:
                oid = write_blob(private.path / "objects", content, private.object_format)
            else:
                oid = get_blob_id(content, private.object_format)
            lines.append(f"{change.mode:o} {oid}\t{change.path}\0")
        elif change.mode:
            left.append(change.path)
        else:
            lines.append(f"0 {'0' * len(get_blob_id(b'', private.object_format))}\t{change.path}\0")
    repository.run("update-index", "-z", "--index-info", given=os.fsencode("".join(lines)), index=index)
    return tuple(left)


def read_content(repository: GitRepository, path: str, limit_bytes: int) -> bytes | None:
    """Return a file of the work tree as git would store it; None if missing, irregular or longer than the limit."""
    content = _read(repository.root, path, limit_bytes)
    return content.replace(b"\r\n", b"\n") if content is not None and _converts_ends(repository) else content


def get_blob_id(content: bytes, object_format: str) -> str:
    """Return git's id of these bytes as a blob."""
    return hashlib.new(object_format, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def write_blob(objects: Path, content: bytes, object_format: str) -> str:
    """Store bytes as a loose object and return its id."""
    oid = get_blob_id(content, object_format)
    place = objects / oid[:2] / oid[2:]
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        fresh = place.with_suffix(f".{threading.get_ident()}")
        fresh.write_bytes(zlib.compress(b"blob %d\0" % len(content) + content, 1))
        fresh.replace(place)
    return oid


class _Comparison:
    """One comparison of the work tree."""

    def __init__(self, repository: GitRepository, until: float) -> None:
        private = repository.private
        self._root = repository.root
        self._prefix = os.path.join(repository.root, "")
        self._until = until
        self._index_time_ns = private.index_time_ns
        self._object_format = private.object_format
        self._has_modes = private.config.get("core.filemode", "true").lower() != "false"
        self._converts_ends = _converts_ends(repository)
        self._directories: dict[str, bool] = {"": True}

    def is_settled(self, file: TrackedFile, now: FileStatus) -> bool:
        """Return whether the status of a regular file proves that it is as git recorded it.

        A change of its mode is one of its change time. Both times must be older than the index, see `at`.
        """
        return (
            now.ctime_ns == file.ctime_ns
            and now.mtime_ns == file.mtime_ns
            and now.size == file.size
            and now.ctime_ns < self._index_time_ns
            and now.mtime_ns < self._index_time_ns
            and not file.stage
            and stat.S_ISREG(file.mode)
        )

    def at(self, file: TrackedFile) -> WorkTreeChange | None:
        """Return how a file differs from its entry, None if it does not."""
        # A submodule is another repository, and a sparse checkout omits files on purpose.
        if stat.S_IFMT(file.mode) == _SUBMODULE or file.flags & _SKIP_WORKTREE:
            return None
        now = self._stat(file.path)
        if now is None:
            return WorkTreeChange(file.path, "conflicted" if file.stage else "deleted")
        mode = _git_mode(now, 0 if self._has_modes else file.mode)
        if file.stage:
            return WorkTreeChange(file.path, "conflicted", mode)
        same_times = now.st_mtime_ns == file.mtime_ns
        same_size = now.st_size & 0xFFFF_FFFF == file.size
        # A file written at the same time as the index, or later, may have been changed without changing its times.
        is_settled = now.st_mtime_ns < self._index_time_ns
        if mode == file.mode and same_times and same_size and is_settled:
            return None
        if mode != file.mode or not (same_size or self._converts_ends):
            return WorkTreeChange(file.path, "modified", mode)
        return self._compared(file, now.st_size, mode)

    def _compared(self, file: TrackedFile, size: int, mode: int) -> WorkTreeChange | None:
        """Return the change of a file, comparing contents."""
        content = None
        if size <= _MAX_HASH_BYTES and time.monotonic() < self._until:
            content = _read(self._root, file.path, _MAX_HASH_BYTES)
        if content is None:
            return WorkTreeChange(file.path, "not compared", mode)
        plain = content.replace(b"\r\n", b"\n") if self._converts_ends else content
        ids = {get_blob_id(text, self._object_format) for text in (content, plain)}
        return None if file.oid in ids else WorkTreeChange(file.path, "modified", mode)

    def _stat(self, path: str) -> os.stat_result | None:
        """Return the status of the entry itself; None if it is missing, behind a link, or nothing that git tracks."""
        if not self._is_inside(path.rpartition("/")[0]):
            return None
        try:
            now = os.lstat(f"{self._prefix}{path}")
        except OSError:
            return None
        return now if stat.S_ISREG(now.st_mode) or stat.S_ISLNK(now.st_mode) else None

    def _is_inside(self, directory: str) -> bool:
        """Return whether every component of a directory is itself a directory."""
        unknown = []
        while directory not in self._directories:
            unknown.append(directory)
            directory = directory.rpartition("/")[0]
        # The index may name a path with more components than Python has stack, so this is a loop.
        for below in reversed(unknown):
            self._directories[below] = self._directories[directory] and is_directory(f"{self._prefix}{below}")
            directory = below
        return self._directories[directory]


def _converts_ends(repository: GitRepository) -> bool:
    """Return whether git may have stored files with other line ends than the work tree has."""
    conversion = repository.private.config.get("core.autocrlf", "false").lower()
    return conversion in {"true", "input"} or get_mode(repository.root / ".gitattributes") is not None


def _read(root: Path, path: str, limit_bytes: int) -> bytes | None:
    """Return the bytes of a file, or the target of a link."""
    target = read_link_beneath(root, path)
    return target if target is not None else read_beneath(root, path, limit_bytes)


def _git_mode(now: os.stat_result, recorded: int) -> int:
    """Return the mode as git writes it; the recorded one on file systems without modes."""
    if stat.S_ISLNK(now.st_mode):
        return 0o120000
    if stat.S_IFMT(recorded) == stat.S_IFREG:
        return recorded
    return 0o100755 if now.st_mode & stat.S_IXUSR else 0o100644
