"""A watch: it vouches only for what has not changed."""

from __future__ import annotations

import os
import time

import pytest

from avionics.source import mounts as mounting
from avionics.source.watch import Watch


@pytest.fixture
def watch(tmp_path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.py").write_text("a = 1\n")
    started = Watch.start(root)
    if started is None:
        pytest.skip("nothing can be watched here")
    started.is_quiet()
    started.note_look(time.monotonic())
    yield root, started
    started.close()


def test_a_tree_that_nobody_touches_is_vouched_for(watch):
    _, started = watch
    assert all(started.is_quiet() for _ in range(5))


CHANGES = {
    "edit": lambda root: (root / "a.py").write_text("a = 2\n"),
    "creation": lambda root: (root / "sub/b.py").write_text("b = 1\n"),
    "deletion": lambda root: (root / "a.py").unlink(),
    "rename": lambda root: (root / "a.py").rename(root / "sub/c.py"),
    "edit that hides": lambda root: hidden_edit(root / "a.py"),
    "directory": lambda root: (root / "new/er").mkdir(parents=True),
    "coming in": lambda root: os.rename(outside(root), root / "d.py"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_no_change_is_vouched_for(watch, change):
    root, started = watch
    for _ in range(5):
        CHANGES["edit"](root)
        assert not started.is_quiet()
        started.note_look(time.monotonic())
        assert started.is_quiet()
    CHANGES[change](root)
    assert not started.is_quiet()
    assert not started.is_quiet(), "only a look helps"


def test_a_file_in_a_directory_that_is_new_is_seen(watch):
    root, started = watch
    (root / "new").mkdir()
    (root / "new/e.py").write_text("e = 1\n")
    assert not started.is_quiet()
    (root / "new/e.py").write_text("e = 2\n")
    assert not started.is_quiet()


def test_nothing_is_vouched_for_long_after_a_look_or_a_jump_of_the_clock(watch):
    _, started = watch
    started.note_look(time.monotonic() - 60)
    assert not started.is_quiet()
    started.note_look(time.monotonic())
    assert started.is_quiet()
    started._drift += 3600
    assert not started.is_quiet()


def test_a_file_system_that_may_not_tell_is_not_watched(tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text(f"server:/x {tmp_path} nfs4 rw 0 0\n/dev/sda / ext4 rw 0 0\n")
    monkeypatch.setattr(mounting, "_MOUNTS", mounts)
    assert Watch.start(tmp_path) is None


def hidden_edit(path):
    before = path.stat()
    path.write_text("a = 3\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def outside(root):
    path = root.parent / "outside.py"
    path.write_text("d = 1\n")
    return path
