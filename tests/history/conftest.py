"""Histories of real repositories, and a fingerprint of everything in one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from avionics.history.history import History
from avionics.settings import Settings


@pytest.fixture
def history(settings: Settings) -> Iterator[Callable[[Path], History]]:
    """Opens the history of a directory."""
    opened = []

    def open_history(root: Path) -> History:
        opened.append(History.open(root, settings))
        return opened[-1]

    yield open_history
    for each in opened:
        each.close()


@pytest.fixture
def fingerprint() -> Callable[[Path], dict[str, tuple[object, ...]]]:
    """Path → mode, time and content of every entry below a directory, `.git` too."""

    def take(root: Path) -> dict[str, tuple[object, ...]]:
        found = {}
        for directory, names, files in os.walk(root):
            for name in names + files:
                path = Path(directory) / name
                status = path.lstat()
                content = hashlib.sha1(path.read_bytes()).hexdigest() if path.is_file() else ""
                found[str(path.relative_to(root))] = (status.st_mode, status.st_mtime_ns, status.st_size, content)
        return found

    return take
