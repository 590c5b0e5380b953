"""Tell which file systems report changes reliably."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_TRUSTED = frozenset({"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs", "tmpfs", "xfs", "zfs"})
"""Others are network or user-space file systems, whose directory status may be stale."""

_MOUNTS = Path("/proc/self/mounts")


def is_trusted(root: Path) -> bool:
    """Return whether a directory is on a file system that reports every change; False also if that is unknown."""
    place = os.path.realpath(root)
    above = [mount for mount in _read_mounts() if place == mount[1] or place.startswith(f"{mount[1].rstrip('/')}/")]
    return bool(above) and max(above, key=lambda mount: len(mount[1]))[2] in _TRUSTED


def has_mounts_below(root: Path) -> bool:
    """Return whether another file system is mounted inside a directory."""
    place = os.path.realpath(root)
    return any(mount[1].startswith(f"{place}/") for mount in _read_mounts())


def _read_mounts() -> list[list[str]]:
    """Return the mounts as [device, directory, type]; none if the system does not report them."""
    if not sys.platform.startswith("linux"):
        return []
    try:
        return [line.split() for line in _MOUNTS.read_text("utf-8", "surrogateescape").splitlines()]
    except OSError:
        return []
