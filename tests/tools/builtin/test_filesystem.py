"""File system tools: inside the root, never through a link."""

from __future__ import annotations

import os

import pytest

from avionics.tools.builtin import FILESYSTEM_TOOLS, build_builtin_tools


@pytest.fixture
def run(directory, tmp_path):
    """Runs a file system tool on a small tree with links that lead out of it."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("secret")
    root = directory(
        {"a.txt": "ä\n", "src/b.py": "x = 1\n", "src/deep/c.py": "", ".hidden/d.txt": "", "latin.txt": b"\xe4"}
    )
    (root / "link.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (root / "out").symlink_to(tmp_path / "outside")
    tools = {tool.name.removeprefix("filesystem."): tool for tool in build_builtin_tools(root, FILESYSTEM_TOOLS)}
    return lambda name, **arguments: tools[name].execute(**arguments)


def test_a_file_is_read(run):
    assert run("read_file", path="./src/../a.txt").data == {"path": "a.txt", "content": "ä\n", "size_bytes": 3}


def test_an_encoding_can_be_given(run):
    assert run("read_file", path="latin.txt").error.startswith("'latin.txt' is not utf-8 text")
    assert run("read_file", path="latin.txt", encoding="latin-1").data["content"] == "ä"


@pytest.mark.parametrize("encoding", ["nonsense", "hex", "../x", "\0", ""])
def test_an_encoding_that_is_none_is_refused(run, encoding):
    assert run("read_file", path="a.txt", encoding=encoding).error.startswith("unknown text encoding")
    assert run("write_file", path="n.txt", content="x", encoding=encoding).error.startswith("unknown text encoding")


ESCAPES = [
    "..",
    "../outside/secret.txt",
    "/etc/passwd",
    "src/../../outside/secret.txt",
    "link.txt",
    "out/secret.txt",
    "a\0b",
    "",
    "/",
]


@pytest.mark.parametrize("path", ESCAPES)
def test_nothing_outside_the_root_is_read(run, path):
    output = run("read_file", path=path)
    assert not output.success
    assert "secret" not in str(output.data)


@pytest.mark.parametrize("path", ESCAPES)
def test_nothing_outside_the_root_is_written(run, path, tmp_path):
    assert not run("write_file", path=path, content="changed", create_dirs=True).success
    assert (tmp_path / "outside" / "secret.txt").read_text() == "secret"
    assert os.listdir(tmp_path / "outside") == ["secret.txt"]


def test_no_directory_is_made_outside_the_root(run, tmp_path):
    assert not run("write_file", path="out/new/x.txt", content="x", create_dirs=True).success
    assert not (tmp_path / "outside" / "new").exists()


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("write_file", {"path": "a.txt/b", "content": "x"}, "'a.txt' is a file, not a directory"),
        ("write_file", {"path": "gone/b", "content": "x"}, "there is no directory 'gone'"),
        ("write_file", {"path": "src", "content": "x"}, "'src' is a directory"),
        ("list_directory", {"path": "out"}, "'out' is a link, not a directory"),
        ("list_directory", {"path": "src/gone/x"}, "there is no directory 'src/gone'"),
    ],
)
def test_an_error_names_its_cause(run, tool, arguments, error):
    assert run(tool, **arguments).error == error


def test_a_pipe_is_neither_read_nor_written(run, tmp_path):
    os.mkfifo(tmp_path / "repository" / "pipe")
    assert not run("read_file", path="pipe").success
    assert not run("write_file", path="pipe", content="x").success


def test_a_missing_file_names_the_nearest(run):
    assert run("read_file", path="src/bb.py").error == "there is no file 'src/bb.py'"


def test_a_file_is_written_and_keeps_its_mode(run, tmp_path):
    file = tmp_path / "repository" / "run.sh"
    assert run("write_file", path="run.sh", content="1").data == {"path": "run.sh", "size_bytes": 1, "created": True}
    file.chmod(0o750)
    assert run("write_file", path="run.sh", content="é", encoding="latin-1").data["created"] is False
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"\xe9", 0o750)


def test_directories_are_made_only_when_asked_for(run, tmp_path):
    assert not run("write_file", path="new/deep/x.txt", content="x").success
    assert run("write_file", path="new/deep/x.txt", content="x", create_dirs=True).success
    assert (tmp_path / "repository" / "new" / "deep" / "x.txt").read_text() == "x"


def test_what_is_written_replaces_a_hard_link_and_not_its_other_name(run, tmp_path):
    os.link(tmp_path / "outside" / "secret.txt", tmp_path / "repository" / "hard.txt")
    assert run("write_file", path="hard.txt", content="mine").success
    assert (tmp_path / "outside" / "secret.txt").read_text() == "secret"


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".GIT/config", "src/.git/config"])
def test_nothing_is_written_that_git_would_run(run, path):
    assert "inside a git directory" in run("write_file", path=path, content="#!/bin/sh", create_dirs=True).error


def test_a_file_that_could_not_be_read_again_is_not_written(run):
    assert "more than 2,000,000 bytes" in run("write_file", path="big.txt", content="x" * 2_000_001).error


def test_nothing_is_left_where_writing_failed(run, tmp_path):
    assert not run("write_file", path="src", content="x").success
    assert sorted(os.listdir(tmp_path / "repository" / "src")) == ["b.py", "deep"]
    assert not [name for name in os.listdir(tmp_path / "repository") if name.endswith(".new")]


def paths(output):
    assert output.success, output.error
    return [entry["path"] for entry in output.data["entries"]]


def test_a_directory_is_listed_links_as_links(run):
    assert run("list_directory").data == {
        "path": ".",
        "entries": [
            {"path": "a.txt", "type": "file", "size_bytes": 3},
            {"path": "latin.txt", "type": "file", "size_bytes": 1},
            {"path": "link.txt", "type": "link", "size_bytes": None},
            {"path": "out", "type": "link", "size_bytes": None},
            {"path": "src", "type": "directory", "size_bytes": None},
        ],
        "truncated": False,
    }


def test_a_listing_can_go_down_and_show_what_is_hidden(run):
    assert paths(run("list_directory", path="src", recursive=True)) == ["src/b.py", "src/deep", "src/deep/c.py"]
    assert ".hidden/d.txt" in paths(run("list_directory", recursive=True, include_hidden=True))
    assert ".hidden" not in paths(run("list_directory", recursive=True))


def test_a_pattern_narrows_a_listing(run):
    assert paths(run("list_directory", recursive=True, pattern="*.py")) == ["src/b.py", "src/deep/c.py"]
    assert paths(run("list_directory", path="src", recursive=True, pattern="./*.py")) == ["src/b.py"]
    assert not run("list_directory", pattern="../*").success


def test_a_long_listing_says_that_it_is_cut(run, tmp_path):
    for number in range(1_100):
        (tmp_path / "repository" / "src" / f"{number}.txt").touch()
    output = run("list_directory", path="src")
    assert (len(output.data["entries"]), output.data["truncated"]) == (1_000, True)


@pytest.mark.parametrize("path", ["..", "out", "a.txt", "missing"])
def test_what_is_no_directory_here_is_not_listed(run, path):
    assert not run("list_directory", path=path).success


def test_info_says_what_stands_there(run, tmp_path):
    os.utime(tmp_path / "repository" / "a.txt", (0, 0))
    (tmp_path / "repository" / "a.txt").chmod(0o644)
    assert run("get_info", path="a.txt").data == {
        "path": "a.txt",
        "type": "file",
        "size_bytes": 3,
        "modified": "1970-01-01T00:00:00+00:00",
        "permissions": "-rw-r--r--",
    }
    assert run("get_info", path="link.txt").data["type"] == "link"
    assert run("get_info", path=".").data["type"] == "directory"


@pytest.mark.parametrize("path", ["..", "out/secret.txt", "missing", "src/missing.py"])
def test_there_is_no_info_on_what_is_not_there(run, path):
    assert not run("get_info", path=path).success
