"""A watch: it vouches only for what has not changed."""

from __future__ import annotations

import os
import time

import pytest

from avionics.source import mounts as mounting
from avionics.source.watch import Watch
from tests.timing import PATIENCE_SECONDS


@pytest.fixture
def watch(tmp_path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "a.py").write_text("a = 1\n")
    started = Watch.start(root, PATIENCE_SECONDS)
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


class Late:
    """Deliver each event one round late."""

    def __init__(self, events):
        self.events, self.held, self.due = events, set(), set()

    def begin_round(self):
        self.due, self.held = self.held, set()

    def __next__(self):
        self.held |= next(self.events)
        found, self.due = self.due, set()
        return found

    def close(self):
        self.events.close()


def test_the_event_of_an_earlier_cookie_says_nothing(watch):
    root, started = watch
    started._patience_seconds = 0.05
    started._events = late = Late(started._events)
    assert not started.is_quiet()
    started.note_look(time.monotonic())
    (root / "a.py").write_text("a = 2\n")
    late.begin_round()
    assert not started.is_quiet(), "what arrived was the event before"


def test_what_moves_with_its_directory_is_seen(watch):
    root, started = watch
    (root / "sub/deep").mkdir()
    (root / "sub/deep/b.py").write_text("b = 0\n")
    for number, (old, new) in enumerate([("sub", "p"), ("p", "q/r"), ("q", "sub")]):
        (root / new).parent.mkdir(exist_ok=True)
        (root / old).rename(root / new)
        assert not started.is_quiet()
        started.note_look(time.monotonic())
        assert started.is_quiet()
        next(root.rglob("b.py")).write_text(f"b = {number}\n")
        assert not started.is_quiet()
        started.note_look(time.monotonic())


def test_after_very_many_events_it_starts_again(watch):
    root, started = watch
    events = started._events
    for number in range(2_100):
        os.close(os.open(root / f"sub/n{number}.py", os.O_CREAT | os.O_WRONLY))
    while started._events is events:
        assert not started.is_quiet()
    started.note_look(time.monotonic())
    assert started.is_quiet()
    (root / "sub/n7.py").write_text("n = 7\n")
    assert not started.is_quiet()


def test_another_directory_in_the_place_of_the_root_is_never_vouched_for(tmp_path):
    (tmp_path / "one/root").mkdir(parents=True)
    (tmp_path / "two/root").mkdir(parents=True)
    started = Watch.start(tmp_path / "one/root", PATIENCE_SECONDS)
    if started is None:
        pytest.skip("nothing can be watched here")
    started.is_quiet()
    started.note_look(time.monotonic())
    assert started.is_quiet()
    (tmp_path / "one").rename(tmp_path / "three")
    (tmp_path / "two").rename(tmp_path / "one")
    for _ in range(2):
        assert not started.is_quiet()
        started.note_look(time.monotonic())
    (tmp_path / "one").rename(tmp_path / "two")
    (tmp_path / "three").rename(tmp_path / "one")
    assert not started.is_quiet(), "the last look was of another one"
    started.close()


def hidden_edit(path):
    before = path.stat()
    path.write_text("a = 3\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def outside(root):
    path = root.parent / "outside.py"
    path.write_text("d = 1\n")
    return path
