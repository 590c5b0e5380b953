"""Walking: real git is the judge of what is ignored.

Knows: trees with ignore files, and git.
Does not know: how rules are matched.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import structs

from avionics.model.errors import SourceError
from avionics.settings import Settings
from avionics.source.paths import Skipped, SkipReason
from avionics.source.tree import SourceTree
from avionics.source.walk import MAX_DEPTH, MAX_IGNORE_BYTES
from tests.conftest import write_files
from tests.timing import within_cost


def plant(root: Path, files: dict[str, str]) -> SourceTree:
    return SourceTree(write_files(root, files), Settings())


def paths(tree: SourceTree) -> list[str]:
    return [file.path for file in tree.walk().files]


def git_says(root: Path) -> list[str]:
    """What git lists as untracked and not ignored."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    for command in (["init", "-q", "--template="], ["ls-files", "-z", "--others", "--exclude-standard"]):
        listed = subprocess.run(["git", *command], cwd=root, check=True, capture_output=True, env=environment)
    return sorted(os.fsdecode(entry) for entry in listed.stdout.split(b"\0") if entry)


NAMES = ["a", "b", "ab", "a.py", "b.txt", "a b", "[x]", "#h", "!n"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)
GLOBS = r"* ** *** ? a* *b *.py [ab] [!a]* [a-b]? *.* \#h \!n \[x] [ a**b [[:alpha:]] []x] [^b] **a"
SEGMENTS = st.sampled_from([*NAMES, *GLOBS.split(), "a\\"])
RULES = st.tuples(
    st.sampled_from(["", "", "!", "#"]),
    st.sampled_from(["", "", "/"]),
    st.lists(SEGMENTS, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "", "/", " ", "\\ ", "\r"]),
).map("".join)
IGNORES = st.lists(RULES, max_size=6).map("\n".join)


@settings(max_examples=120)
@example(["a/b/ab", "b/a"], {"": "a/**/ab\n/b/*\n!/b/a"})
@example(["a/a"], {"a": "[/[[:alpha:]]"})
@example(["a/a.py", "b/a/a.py"], {"": "a/", "b": "!a/\n!a"})
@given(
    st.lists(PATHS, min_size=1, max_size=12),
    st.dictionaries(st.sampled_from(["", "a", "a/b", "b"]), IGNORES, max_size=3),
)
def test_the_walk_finds_what_git_does_not_ignore(files: list[str], ignores: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path in [*files, *(f"{place}/.gitignore" for place in ignores)]:
            place = root / path.lstrip("/")
            if any(parent.is_file() for parent in place.parents) or place.exists():
                continue
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(ignores.get(os.path.dirname(path), "") if path.endswith(".gitignore") else "", newline="")
        expected = git_says(root)
        assert paths(SourceTree(root, Settings())) == expected


def test_all_kinds_of_ignore_files_hold_at_every_level(tmp_path: Path) -> None:
    rules = {
        ".gitignore": "*.log\nbuild/\n",
        ".ignore": "!keep.log\n",
        ".avionicsignore": "docs/*.md\n",
        ".git/info/exclude": "private.py\nkeep.log\n",
        "src/.gitignore": "!x.log\n",
    }
    ignored = ["x.log", "build/out.py", "docs/a.md", "private.py", ".git/config", "src/.git"]
    kept = ["keep.log", "docs/sub/a.md", "src/x.log", "src/build"]
    tree = plant(tmp_path, {**rules, **dict.fromkeys([*ignored, *kept], "")})
    assert paths(tree) == sorted([*kept, ".gitignore", ".ignore", ".avionicsignore", "src/.gitignore"])


def test_rules_above_the_root_hold_up_to_the_git_root(tmp_path: Path) -> None:
    rules = {
        ".gitignore": "*.never\n",
        "repo/.git/info/exclude": "*.tmp\n",
        "repo/.gitignore": "/sub/inner/x.py\n*.log\ninner/\n",
        "repo/sub/.gitignore": "!a.log\n",
    }
    plant(tmp_path, rules)
    tree = plant(tmp_path / "repo/sub/inner", dict.fromkeys(["x.py", "y.py", "a.log", "b.log", "c.tmp", "d.never"], ""))
    assert paths(tree) == ["a.log", "d.never", "y.py"]


def test_what_is_no_file_is_skipped_with_its_reason(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"a.py": "", "large.py": "x" * 2_000_001})
    (tmp_path / "link").symlink_to("a.py")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe.py")
    assert tree.walk().skipped == (
        Skipped("large.py", SkipReason.TOO_LARGE),
        Skipped("link", SkipReason.LINK),
        Skipped("loop", SkipReason.LINK),
        Skipped("pipe.py", SkipReason.NOT_REGULAR),
    )
    assert paths(tree) == ["a.py"]


def test_ignore_files_that_are_pipes_or_links_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("*.py\n")
    tree = plant(tmp_path / "root", {"a.py": ""})
    os.mkfifo(tree.root / ".gitignore")
    (tree.root / ".ignore").symlink_to(tmp_path / "outside")
    (tree.root / ".avionicsignore").mkdir()
    assert paths(tree) == ["a.py"]


def test_an_ignore_file_too_large_is_listed_and_not_obeyed(tmp_path: Path) -> None:
    tree = plant(tmp_path, {".gitignore": "*.py\n" + "#" * MAX_IGNORE_BYTES, "a.py": ""})
    assert paths(tree) == [".gitignore", "a.py"]
    assert tree.walk().skipped == (Skipped(".gitignore", SkipReason.IGNORE_FILE),)


def test_explosive_ignore_rules_cost_nothing(tmp_path: Path) -> None:
    stars = "a*" * 40 + "b\n" + "**/a/" * 40 + "b\n" + "[" * 50 + "\n"
    deep = "/".join(["a"] * 60)
    tree = plant(tmp_path, {".gitignore": stars, f"{deep}/{'a' * 250}": "", "a" * 251: ""})
    assert len(within_cost(20, paths, tree)) == 3


def test_too_many_files_and_too_deep_directories_are_said(tmp_path: Path) -> None:
    plant(tmp_path, {f"d{number}/x.py": "" for number in range(9)})
    few = SourceTree(tmp_path, structs.replace(Settings(), max_files=3)).walk()
    assert [file.path for file in few.files] == ["d0/x.py", "d1/x.py", "d2/x.py"]
    assert {entry.reason for entry in few.skipped} == {SkipReason.TOO_MANY}
    deep = tmp_path.joinpath(*["n"] * (MAX_DEPTH + 2))
    deep.mkdir(parents=True)
    skipped = SourceTree(tmp_path, Settings()).walk().skipped
    assert [entry.reason for entry in skipped] == [SkipReason.TOO_DEEP]


def test_a_file_carries_what_the_disk_says_of_it(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"a.py": "12345"})
    found = os.stat(tmp_path / "a.py")
    assert [structs.astuple(file) for file in tree.walk().files] == [
        ("a.py", 5, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_directory_is_skipped(tmp_path: Path) -> None:
    tree = plant(tmp_path, {"d/x.py": ""})
    (tmp_path / "d").chmod(0)
    skipped = tree.walk().skipped
    (tmp_path / "d").chmod(0o755)
    assert skipped == (Skipped("d", SkipReason.UNREADABLE),)


def test_files_at_a_path_are_the_file_itself_or_all_below(tmp_path: Path) -> None:
    tree = plant(tmp_path, {".ignore": "*.log", "src/a.py": "", "src/b/c.py": "", "srcx.py": "", "x.log": ""})
    found = {
        scope: [file.path for file in tree.walk(scope).files] for scope in (".", "src", "src/a.py", "src/b/", "x.log")
    }
    assert found == {
        ".": [".ignore", "src/a.py", "src/b/c.py", "srcx.py"],
        "src": ["src/a.py", "src/b/c.py"],
        "src/a.py": ["src/a.py"],
        "src/b/": ["src/b/c.py"],
        "x.log": ["x.log"],
    }
    with pytest.raises(SourceError, match="there is no file 'sr'"):
        tree.walk("sr")
