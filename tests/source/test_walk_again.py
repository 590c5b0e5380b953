"""Walking again: what an earlier walk remembered never changes what is found.

Knows: trees that change between walks.
Does not know: how a walk remembers.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import structs

from avionics.settings import Settings
from avionics.source import mounts
from avionics.source import walk as walking
from avionics.source.walk import LITTLE_FILES, Walk, walk
from tests.conftest import write_files

SETTLED_SECONDS = 0.06
"""What changed so long ago shows every later change."""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree of three levels, settled."""
    root = tmp_path / "root"
    # In a tree of fewer files, each walk counts what the ignore rules leave out.
    more = [f"e/{number}.py" for number in range(LITTLE_FILES)]
    paths = ("a/b/one.py", "a/b/two.py", "a/three.py", "c/four.py", "five.py", *more)
    write_files(root, {path: path for path in paths})
    time.sleep(SETTLED_SECONDS)
    return root


def remembered(root: Path) -> Walk:
    """A walk after which the next one need not list all."""
    return walk(root, Settings(), Walk((), ()))


def again(root: Path, before: Walk) -> Walk:
    """A walk that remembers, which must be what one is that remembers nothing."""
    found = walk(root, Settings(), before)
    assert found == walk(root, Settings())
    return found


def count_lists(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The directories listed from now on."""
    listed: list[object] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (listed.append(path), scandir(path))[1])
    return listed


def test_directories_that_did_not_change_are_not_listed_again(tree, monkeypatch):
    before = remembered(tree)
    listed = count_lists(monkeypatch)
    assert walk(tree, Settings(), before) is before
    assert listed == []
    (tree / "a" / "b" / "new.py").write_text("")
    assert "a/b/new.py" in walk(tree, Settings(), before).paths
    assert len(listed) == 2  # and the root, which git's own rules may change from elsewhere


def test_what_git_tracks_is_found_whatever_is_ignored_meanwhile(tree):
    git = partial(subprocess.run, cwd=tree, check=True, capture_output=True)
    git(["git", "init", "-q"])
    (tree / ".gitignore").write_text("four.py\nout/\n")
    (tree / "out").mkdir()
    (tree / "out" / "kept.py").write_text("")
    time.sleep(SETTLED_SECONDS)
    before = again(tree, remembered(tree))
    assert "c/four.py" not in before.paths
    git(["git", "add", "-f", "c/four.py"])
    tracked = again(tree, before)
    assert "c/four.py" in tracked.paths
    (tree / "c" / "four.py").unlink()
    gone = again(tree, tracked)
    (tree / "c" / "four.py").write_text("back")
    assert "c/four.py" in again(tree, gone).paths
    git(["git", "add", "-f", "out/kept.py"])
    time.sleep(SETTLED_SECONDS)
    (tree / "out" / "kept.py").unlink()
    without = again(tree, again(tree, gone))
    (tree / "out" / "kept.py").write_text("back")
    assert "out/kept.py" in again(tree, without).paths


@pytest.mark.parametrize("change", [{"max_file_bytes": 3}, {"max_files": 3}, {"obeys_ignore_files": False}])
def test_a_walk_with_other_limits_starts_over(tree, change):
    (tree / ".gitignore").write_text("one.py\n")
    time.sleep(SETTLED_SECONDS)
    before = walk(tree, Settings())
    assert walk(tree, Settings(**change), before) == walk(tree, Settings(**change)) != before


def test_nothing_is_remembered_where_a_directory_may_lie(tree, monkeypatch, tmp_path):
    told = tmp_path / "mounts"
    told.write_text(f"server:/share {tree} nfs4 rw 0 0\n")
    monkeypatch.setattr(mounts, "_MOUNTS", told)
    before = remembered(tree)
    listed = count_lists(monkeypatch)
    walk(tree, Settings(), before)
    assert len(listed) == 5


def test_a_directory_changed_within_the_clocks_step_is_listed_again(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    clock = SimpleNamespace(time_ns=lambda: (tmp_path / "a").stat().st_ctime_ns + 1)
    monkeypatch.setattr(walking, "time", clock)
    before = remembered(tmp_path)
    listed = count_lists(monkeypatch)
    walk(tmp_path, Settings(), before)
    assert len(listed) == 2


def test_edits_in_place_are_seen(tree):
    before = remembered(tree)
    file = tree / "a" / "b" / "one.py"
    status = file.stat()
    file.write_text("a/b/two.p2")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert again(tree, before) != before


def test_a_file_that_grew_too_large_is_skipped_and_comes_back(tree):
    small = Settings(max_file_bytes=100)
    before = walk(tree, small, Walk((), ()))
    file = tree / "a" / "three.py"
    file.write_text("x" * 101)
    found = walk(tree, small, before)
    assert found == walk(tree, small)
    assert [each.path for each in found.skipped] == ["a/three.py"]
    file.write_text("x")
    assert walk(tree, small, found) == walk(tree, small)


def test_a_bound_on_files_counts_those_remembered(tree):
    before = remembered(tree)
    few = Settings(max_files=3)
    assert walk(tree, few, before) == walk(tree, few)


def test_ignore_rules_edited_in_place_hold_below(tree):
    rules = tree / "a" / ".gitignore"
    rules.write_text("# none\n")
    time.sleep(SETTLED_SECONDS)
    before = again(tree, remembered(tree))
    rules.write_text("one.py\n")
    hidden = again(tree, before)
    assert "a/b/one.py" not in hidden.paths
    rules.write_text("# none\n")
    assert "a/b/one.py" in again(tree, hidden).paths


def test_rules_from_outside_the_root_hold_below(tree):
    outer = tree.parent
    (outer / ".git" / "info").mkdir(parents=True)
    before = again(tree, remembered(tree))
    (outer / ".git" / "info" / "exclude").write_text("two.py\n")
    hidden = again(tree, before)
    assert "a/b/two.py" not in hidden.paths
    (outer / ".gitignore").write_text("one.py\n")
    assert "a/b/one.py" not in again(tree, hidden).paths


def test_a_directory_that_becomes_a_link_is_left(tree):
    before = remembered(tree)
    (tree / "a" / "b").rename(tree.parent / "outside")
    (tree / "a" / "b").symlink_to(tree.parent / "outside")
    assert [each.path for each in again(tree, before).skipped] == ["a/b"]


@pytest.mark.parametrize("keeps_listings", [True, False])
def test_whatever_happens_between_walks_they_find_what_a_first_walk_finds(tree, keeps_listings):
    drawn = random.Random(7)
    before = remembered(tree)
    for step in range(150):
        _change(tree, drawn, step)
        if drawn.random() < 0.15:
            time.sleep(SETTLED_SECONDS)
        before = again(tree, before)
        if not keeps_listings:
            before = structs.replace(before, listings={})


def _change(root: Path, drawn: random.Random, step: int) -> None:
    """Something happens to the tree."""
    folders = [root, *(path for path in sorted(root.rglob("*")) if path.is_dir() and not path.is_symlink())]
    files = [path for path in sorted(root.rglob("*.py")) if path.is_file() and not path.is_symlink()]
    folder, file = drawn.choice(folders), drawn.choice(files) if files else root / "five.py"
    below = [each for each in folders[1:] if each not in folder.parents and each != folder]
    match drawn.randrange(9):
        case 0 | 1:
            file.write_text(f"{step:04}")
        case 2:
            (folder / f"n{step}.py").write_text("")
        case 3:
            file.unlink(missing_ok=True)
        case 4:
            (folder / f"d{step}").mkdir()
        case 5 if below:
            drawn.choice(below).rename(folder / f"r{step}")
        case 6 if len(folders) > 6:
            shutil.rmtree(folders[-1])
        case 7:
            (folder / ".gitignore").write_text(drawn.choice(["", "n*\n", "/a\n", "r*/\n!r1*\n"]))
        case 8:
            (folder / f"l{step}.py").symlink_to(file)
