"""Paths: what callers type, and what opening refuses.

Knows: a workspace with links, pipes and odd names.
Does not know: how a path is parsed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from avionics.model.errors import OutsideWorkspaceError, SourceError, UsageError
from avionics.settings import Settings
from avionics.source.tree import SourceTree


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    root = tmp_path / "repo"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("inside\n")
    (tmp_path / "repo-evil").mkdir()
    (tmp_path / "repo-evil" / "secret.py").write_text("SECRET")
    (tmp_path / "secret.txt").write_text("SECRET")
    return SourceTree(root, Settings())


@pytest.mark.parametrize(
    ("typed", "clean"),
    [
        ("src/app.py", "src/app.py"),
        ("./src//app.py/", "src/app.py"),
        ("src/../src/./app.py", "src/app.py"),
        (".", "."),
        ("src/..", "."),
        ("{root}/src/app.py", "src/app.py"),
        ("{root}/../repo/src", "src"),
        ("//{root}/src", "src"),
        ("{root}", "."),
        ("a\\b.py", "a\\b.py"),
        ("-rf", "-rf"),
        ("..hidden", "..hidden"),
        ("a\nb\x1b", "a\nb\x1b"),
    ],
)
def test_a_typed_path_becomes_clean_and_relative(tree: SourceTree, typed: str, clean: str) -> None:
    assert tree.resolve(typed.format(root=tree.root)) == clean


@pytest.mark.parametrize(
    "typed",
    [
        "../secret.txt",
        "src/../../secret.txt",
        "..",
        "/etc/passwd",
        "/",
        "{root}-evil/secret.py",
        "{root}/../secret.txt",
        "a/../../repo-evil/secret.py",
    ],
)
def test_a_path_that_leads_out_is_refused(tree: SourceTree, typed: str) -> None:
    for ask in (tree.resolve, tree.read):
        with pytest.raises(OutsideWorkspaceError) as refused:
            ask(typed.format(root=tree.root))
        assert refused.value.hint


@pytest.mark.parametrize("typed", ["", "a\0b", "x" * 5_000, "\ud800.py"])
def test_what_is_no_path_is_refused(tree: SourceTree, typed: str) -> None:
    with pytest.raises(UsageError, match="not a path"):
        tree.resolve(typed)


def test_the_root_may_be_spelled_through_a_link(tree: SourceTree, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(tree.root)
    assert SourceTree(tmp_path / "alias", Settings()).resolve(f"{tmp_path}/alias/src/app.py") == "src/app.py"


def test_a_root_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a directory"):
        SourceTree(tmp_path / "nowhere", Settings())


def test_links_pipes_directories_and_large_files_are_not_read(tree: SourceTree, tmp_path: Path) -> None:
    root = tree.root
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "inner.py").symlink_to("src/app.py")
    (root / "link_dir").symlink_to(tmp_path)
    os.mkfifo(root / "pipe.py")
    (root / "large.bin").write_bytes(b"x" * 2_000_001)
    reasons = {}
    for path in ("link.txt", "inner.py", "link_dir/secret.txt", "pipe.py", "src", ".", "large.bin"):
        with pytest.raises(SourceError) as refused:
            tree.read(path)
        reasons[path] = str(refused.value)
    assert reasons == {
        "link.txt": "'link.txt' cannot be read: a link",
        "inner.py": "'inner.py' cannot be read: a link",
        "link_dir/secret.txt": "'link_dir/secret.txt' cannot be read: a link",
        "pipe.py": "'pipe.py' cannot be read: not a regular file",
        "src": "'src' is a directory",
        ".": "'.' is a directory",
        "large.bin": "'large.bin' is larger than 2,000,000 bytes",
    }


def test_a_missing_file_names_the_nearest(tree: SourceTree) -> None:
    for typed in ("app.py", "src/ap.py", "src/app.py/x"):
        with pytest.raises(SourceError, match="there is no file") as refused:
            tree.read(typed)
        assert refused.value.hint == "did you mean src/app.py?"


def test_odd_names_are_read_and_listed(tree: SourceTree) -> None:
    names = ["-x.py", "new\nline.py", "esc\x1b[31m.py", os.fsdecode(b"latin\xe9.py"), "back\\slash.py", "ünï.py"]
    for name in names:
        (tree.root / name).write_text(name, encoding="utf-8", errors="surrogateescape")
    assert {file.path for file in tree.walk().files} == {*names, "src/app.py"}
    for name in names:
        assert tree.text(name) == name


def test_a_directory_swapped_for_a_link_does_not_lead_out(tree: SourceTree, tmp_path: Path) -> None:
    found = [file.path for file in tree.walk().files]
    (tree.root / "src" / "app.py").unlink()
    (tree.root / "src").rmdir()
    (tmp_path / "app.py").write_text("SECRET")
    (tree.root / "src").symlink_to(tmp_path)
    assert tree.search("SECRET", paths=found).matches == ()
    assert [entry.path for entry in tree.search("SECRET", paths=found).skipped] == ["src/app.py"]
