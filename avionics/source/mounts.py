"""Mounts: which file systems keep their word about changes.

Knows: Linux, and its file systems that note every change themselves.
Does not know: what is done about a change.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_TRUSTED = frozenset({"bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs", "tmpfs", "xfs", "zfs"})
"""Others are shared over a network, or are programs: what they say of a directory may be old."""

_MOUNTS = Path("/proc/self/mounts")


def is_trusted(root: Path) -> bool:
    """Whether a directory lies on a file system that notes every change; False also where that is not known."""
    place = os.path.realpath(root)
    above = [mount for mount in _read_mounts() if place == mount[1] or place.startswith(f"{mount[1].rstrip('/')}/")]
    return bool(above) and max(above, key=lambda mount: len(mount[1]))[2] in _TRUSTED


def has_mounts_below(root: Path) -> bool:
    """Whether something else is mounted inside a directory."""
    place = os.path.realpath(root)
    return any(mount[1].startswith(f"{place}/") for mount in _read_mounts())


def _read_mounts() -> list[list[str]]:
    """What is mounted: device, directory, type; none where that cannot be known."""
    if not sys.platform.startswith("linux"):
        return []
    try:
        return [line.split() for line in _MOUNTS.read_text("utf-8", "surrogateescape").splitlines()]
    except OSError:
        return []
