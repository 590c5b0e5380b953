"""Globs as callers write them.

Knows: a small tree.
Does not know: how a glob is matched.
"""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avionics.model.errors import OutsideWorkspaceError, SourceError, UsageError
from avionics.settings import Settings
from avionics.source.globs import compile_glob, name_regex
from avionics.source.tree import SourceTree
from tests.conftest import write_files
from tests.timing import within_cost

FILES = [
    "README.md",
    "setup.py",
    "src/app.py",
    "src/app.ts",
    "src/web/view.tsx",
    "src/web/[id].py",
    "tests/test_app.py",
]


@pytest.fixture
def tree(tmp_path: Path) -> SourceTree:
    return SourceTree(write_files(tmp_path, dict.fromkeys(FILES, "")), Settings())


@pytest.mark.parametrize(
    ("glob", "path", "found"),
    [
        ("*.md", ".", ["README.md"]),
        ("app.*", ".", ["src/app.py", "src/app.ts"]),
        ("./*.py", ".", ["setup.py"]),
        ("**/*.py", ".", ["setup.py", "src/app.py", "src/web/[id].py", "tests/test_app.py"]),
        ("src/*", ".", ["src/app.py", "src/app.ts"]),
        ("src/**", ".", ["src/app.py", "src/app.ts", "src/web/[id].py", "src/web/view.tsx"]),
        ("src/", ".", ["src/app.py", "src/app.ts", "src/web/[id].py", "src/web/view.tsx"]),
        ("src/**/*.{ts,tsx}", ".", ["src/app.ts", "src/web/view.tsx"]),
        ("{src,tests}/**/*app.py", ".", ["src/app.py", "tests/test_app.py"]),
        ("**/web/*.py", ".", ["src/web/[id].py"]),
        (r"**/\[id].py", ".", ["src/web/[id].py"]),
        ("[!s]*.py", ".", ["src/app.py", "src/web/[id].py", "tests/test_app.py"]),
        ("*.py", "src", ["src/app.py", "src/web/[id].py"]),
        ("web/*", "src", ["src/web/[id].py", "src/web/view.tsx"]),
        ("{root}/src/*.py", ".", ["src/app.py"]),
        ("none*", ".", []),
    ],
)
def test_a_glob_finds(tree: SourceTree, glob: str, path: str, found: list[str]) -> None:
    assert list(tree.find_paths(glob.replace("{root}", str(tree.root)), path)) == found


def test_what_is_no_glob_is_refused(tree: SourceTree) -> None:
    for glob in ("", "[a", "a\\", "[[:nope:]]", "x\0", "a" * 1_001, "{a,b}" * 8):
        with pytest.raises(UsageError, match="not a glob"):
            tree.find_paths(glob)
    for glob in ("/etc/**", "../*", "src/../../*", "{a,..}/x"):
        with pytest.raises(OutsideWorkspaceError):
            tree.find_paths(glob)
    with pytest.raises(SourceError):
        tree.find_paths("*.py", "nowhere")


def test_explosive_globs_cost_nothing() -> None:
    for glob, path in (
        ("a*" * 60 + "b", "a" * 250),
        ("**/a/" * 60 + "b", "a/" * 150 + "c"),
        ("**/a*a*/" * 30 + "b", "aaaa/" * 150 + "c"),
    ):
        assert within_cost(10, compile_glob(glob).fullmatch, path) is None


@given(st.text("ab*?.", max_size=8), st.text("ab.", max_size=10))
def test_a_name_matches_as_in_a_shell(glob: str, name: str) -> None:
    ours = re.compile(name_regex(glob), re.DOTALL).fullmatch(name)
    assert bool(ours) == fnmatch.fnmatchcase(name, glob)
