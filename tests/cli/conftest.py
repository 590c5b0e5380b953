"""What the tests of commands share: a cache for each test, and a repository to stand in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have commands keep what they index in a cache of the test's own."""
    monkeypatch.setenv("AVIONICS_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def enter(directory: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes files into a new directory, makes it the current one, and gives its path."""

    def make(files):
        root = directory(files)
        monkeypatch.chdir(root)
        return root

    return make
