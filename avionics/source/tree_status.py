"""Record the status of everything that a walk depends on, so that a later walk can tell that nothing changed."""

from __future__ import annotations

import os
import stat
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from avionics.settings import Settings
from avionics.source.paths import Skipped, list_to_top
from avionics.source.racy import is_racy

IGNORE_FILES = (".gitignore", ".ignore", ".avionicsignore")
MAX_IGNORE_BYTES = 65_536
"""Hand-written ignore files are far smaller."""

Status = tuple[int, ...]
"""Device, inode, perhaps more, modification time and change time; () of what is not there."""

_SEPARATOR, _INTEGER = "\0", "q"

Limits = tuple[int, int, bool]
"""The settings that a walk obeys."""


class TreeStatus(Struct, frozen=True, dict=True):
    """What a walk depended on besides the files it found.

    A later walk finds the same files while all of this is as it was, because no name appears in a directory without
    changing its status. The statuses of directories are kept in columns: a stored status is decoded for every answer.

    Attributes:
        limits: The settings that it used.
        listed: The directories, separated by NUL.
        statuses: The devices of the directories before they were listed, their inodes, modification and change times.
        others: Other paths, relative to the root or absolute, such as ignore files and git's index → status.
        skipped: The entries that were skipped.
    """

    limits: Limits
    listed: str
    statuses: tuple[bytes | list[int], ...]
    others: dict[str, Status]
    skipped: tuple[Skipped, ...]

    @classmethod
    def of(
        cls, limits: Limits, folders: Mapping[str, Status], others: dict[str, Status], skipped: tuple[Skipped, ...]
    ) -> TreeStatus:
        """Return the status of a walk; `folders` are directories with their statuses."""
        columns = zip(*folders.values(), strict=True)
        return cls(limits, _SEPARATOR.join(folders), tuple(map(pack_numbers, columns)), others, skipped)

    @cached_property
    def folders(self) -> dict[str, Status]:
        """Return directory → its status before it was listed."""
        return {path: tuple(status) for path, *status in self._iter_folders()}

    def _iter_folders(self) -> Iterator[tuple[str, int, int, int, int]]:
        """Yield each directory with its device, inode, modification and change time."""
        if not self.statuses:
            return iter(())
        devices, inodes, mtimes, ctimes = map(unpack_numbers, self.statuses)
        return zip(self.listed.split(_SEPARATOR), devices, inodes, mtimes, ctimes, strict=True)

    def is_current(self, root: int, settings: Settings) -> bool:
        """Return whether the tree below a descriptor of its root is as it was, apart from the files found in it."""
        look = os.stat
        try:
            for path, device, inode, mtime, ctime in self._iter_folders():
                found = look(path or ".", dir_fd=root, follow_symlinks=False)
                if (
                    found.st_mtime_ns != mtime
                    or found.st_ctime_ns != ctime
                    or found.st_ino != inode
                    or found.st_dev != device
                ):
                    return False
        except OSError:
            return False
        return self.limits == get_limits(settings) and all(
            read_status(root, path) == known for path, known in self.others.items()
        )

    def is_racy(self, looked_ns: int) -> bool:
        """Return whether a path may have changed unnoticed since it was examined."""
        known = (*self.folders.values(), *self.others.values())
        return any(each and is_racy(max(each[-2:]), looked_ns) for each in known)


def pack_numbers(numbers: Sequence[int]) -> bytes | list[int]:
    """Return the numbers as bytes, or as they are if one is too large."""
    try:
        return array(_INTEGER, numbers).tobytes()
    except OverflowError:
        return list(numbers)


def unpack_numbers(packed: bytes | list[int]) -> Sequence[int]:
    """Return packed numbers."""
    return array(_INTEGER, packed) if isinstance(packed, bytes) else packed


def get_limits(settings: Settings) -> Limits:
    """Return the settings that a walk obeys."""
    return settings.max_file_bytes, settings.max_files, settings.obeys_ignore_files


def read_status(root: int, path: str) -> Status:
    """Return the status of a path; of `.git` only its identity, because much in it changes that no walk reads."""
    try:
        found = os.stat(path, dir_fd=root, follow_symlinks=False)
    except OSError:
        return ()
    if path.endswith("/.git"):
        return found.st_dev, found.st_ino, stat.S_IFMT(found.st_mode), 0, 0
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def iter_outside(root: Path) -> Iterator[str]:
    """Yield the paths outside the tree that decide which files belong to it, up to the git root."""
    above = list_to_top(root)
    for at, folder in enumerate(map(str, above or (root, *root.parents))):
        yield f"{folder}/.git"
        if at:
            yield from (f"{folder}/{name}" for name in IGNORE_FILES)
    if above:
        yield f"{above[-1]}/.git/info/exclude"
        yield f"{above[-1]}/.git/index"
