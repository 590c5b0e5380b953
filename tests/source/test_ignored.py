"""Ignore rules that leave little of a directory are named, with how much they ignore."""

from __future__ import annotations

import os
import subprocess

import pytest

from avionics.settings import Settings
from avionics.source.ignored import IgnoredBy
from avionics.source.tree import SourceTree
from tests.conftest import write_files


@pytest.fixture
def tree(tmp_path):
    """Return what plants files and returns their tree; in a git work tree if asked."""

    def plant(files, *, is_worktree=False, **settings):
        root = write_files(tmp_path / "tree", files)
        if is_worktree:
            subprocess.run(["git", "init", "-q", str(root)], check=True)
        return SourceTree(root, Settings(**settings))

    return plant


def many(directory, count=60):
    return {f"{directory}/f{number}.c": "" for number in range(count)}


EVERYTHING = {".gitignore": "# built elsewhere\n/*\n", **many("drivers"), "init/main.c": ""}


def test_a_rule_that_leaves_nothing_is_named_and_obeyed_in_a_work_tree(tree):
    found = tree(EVERYTHING, is_worktree=True)
    assert found.walk().files == ()
    assert found.ignored == (IgnoredBy(".gitignore", 2, "/*", 62),)


def test_it_is_not_obeyed_elsewhere(tree):
    found = tree(EVERYTHING)
    assert len(found.walk().files) == 62
    assert found.ignored == (IgnoredBy(".gitignore", 2, "/*", 62, is_obeyed=False),)


def test_a_pattern_that_leaves_little_is_named(tree):
    found = tree({".gitignore": "build\n*.c\n", "main.py": "", "build/x.py": "", **many("lib", 70)}, is_worktree=True)
    assert found.walk().paths == (".gitignore", "main.py")
    assert found.ignored == (IgnoredBy(".gitignore", 2, "*.c", 70),)


@pytest.mark.parametrize(
    "files",
    [
        {".gitignore": "node_modules/\n", "main.js": "", **many("node_modules/x", 300)},
        {".gitignore": "*.o\n", "main.c": "", "main.o": ""},
        {".gitignore": "*.c\n!lib/*.c\n", **many("lib", 70)},
        {"main.c": ""},
        {".gitignore": "/*\n"},
    ],
    ids=["a named directory", "few files", "taken back", "no rules", "only itself"],
)
def test_ordinary_rules_are_not_named(files, tree):
    found = tree(files, is_worktree=True)
    found.walk()
    assert [rule for rule in found.ignored if rule.file != ".gitignore" or rule.count > 1] == []


def test_rules_of_directories_above_and_below_are_named(tree, tmp_path):
    tree({".ignore": "*.c\n", **many("src/deep", 70), "src/.gitignore": "/deep/*.h\n"}, is_worktree=True)
    below = SourceTree(tmp_path / "tree" / "src", Settings())
    assert below.walk().paths == (".gitignore",)
    assert below.ignored == (IgnoredBy("../.ignore", 1, "*.c", 70),)


def test_no_rule_is_obeyed_if_that_is_asked_for(tree):
    found = tree(EVERYTHING, is_worktree=True, obeys_ignore_files=False)
    assert len(found.walk().files) == 62
    assert found.ignored == ()


def test_counting_follows_no_link_and_reads_no_pipe(tree, tmp_path):
    found = tree({"a/x.c": "", "b.txt": ""}, is_worktree=True)
    outside = tmp_path / "outside"
    outside.mkdir()
    for number in range(80):
        (outside / f"{number}.c").touch()
    (found.root / ".gitignore").write_text("*\n")
    (found.root / "link").symlink_to(outside)
    os.mkfifo(found.root / "a" / ".gitignore")
    assert found.walk().files == ()
    assert found.ignored == (IgnoredBy(".gitignore", 1, "*", 5),)


TRACKED = {
    ".gitignore": "gen/\n*.log.py\n",
    "app.py": "",
    "gen/made.py": "",
    "gen/other.py": "",
    "sub/day.log.py": "",
    "sub/night.log.py": "",
}


def track(root, *paths):
    subprocess.run(["git", "-C", str(root), "add", "-f", *paths], check=True)


@pytest.mark.parametrize("version", [2, 3, 4])
def test_files_that_git_tracks_are_found_whatever_gitignore_says(tree, version):
    planted = tree(TRACKED, is_worktree=True)
    root = planted.root
    track(root, "app.py", "gen/made.py", "sub/day.log.py")
    subprocess.run(["git", "-C", str(root), "update-index", "--index-version", str(version)], check=True)
    if version == 3:
        subprocess.run(["git", "-C", str(root), "update-index", "--skip-worktree", "app.py"], check=True)
    wanted = (".gitignore", "app.py", "gen/made.py", "sub/day.log.py")
    assert planted.walk().paths == wanted
    (root / "gen" / "made.py").unlink()
    assert planted.walk().paths == (".gitignore", "app.py", "sub/day.log.py")
    assert SourceTree(root / "sub", Settings()).walk().paths == ("day.log.py",)


def test_the_other_ignore_files_hold_for_tracked_files_too(tree):
    planted = tree({**TRACKED, ".ignore": "# nothing\n"}, is_worktree=True)
    track(planted.root, "app.py", "gen/made.py")
    assert planted.walk().paths == (".gitignore", ".ignore", "app.py")


@pytest.mark.parametrize(
    "written", [b"", b"DIRC", b"DIRC" + bytes([0, 0, 0, 2, 0, 0, 0, 9]) + b"\x81" * 90, b"\0" * 200]
)
def test_an_index_of_another_form_adds_nothing(tree, written):
    planted = tree(TRACKED, is_worktree=True)
    (planted.root / ".git" / "index").write_bytes(written)
    assert planted.walk().paths == (".gitignore", "app.py")


def test_an_index_adds_no_file_of_the_repository_itself_or_outside_of_it(tree):
    planted = tree(TRACKED, is_worktree=True)
    track(planted.root, "gen/made.py")
    index = planted.root / ".git" / "index"
    for planned in (b".git/config", b"../tree/app", b"gen//made.p"):
        index.write_bytes(index.read_bytes().replace(b"gen/made.py", planned))
        assert planted.walk().paths == (".gitignore", "app.py")
        index.write_bytes(index.read_bytes().replace(planned, b"gen/made.py"))
