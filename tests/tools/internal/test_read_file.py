"""read_file shows lines of a file."""

from __future__ import annotations

import os

import pytest

from avionics.model.errors import OutsideWorkspaceError, SourceError, UsageError
from avionics.model.results import complete
from avionics.tools.answers.items import CodeItem
from avionics.tools.internal.files.read_file import ReadFileAnswer, read_file

FILES = {"src/a.py": "one\r\ntwo\x0c\nthree", "empty.py": "", "b.bin": b"\0", "long.js": "x" * 1_000}


def test_a_whole_file_is_shown(workspace):
    assert read_file(workspace(FILES), "./src/a.py") == ReadFileAnswer(
        "src/a.py", 3, complete(1), (CodeItem("src/a.py", 1, 3, "one\ntwo\x0c\nthree"),)
    )


@pytest.mark.parametrize(
    ("start", "end", "item"),
    [
        (2, 2, CodeItem("src/a.py", 2, 2, "two\x0c")),
        (2, None, CodeItem("src/a.py", 2, 3, "two\x0c\nthree")),
        (None, 1, CodeItem("src/a.py", 1, 1, "one")),
        (3, 99, CodeItem("src/a.py", 3, 3, "three")),
    ],
)
def test_a_range_of_lines_is_exact(workspace, start, end, item):
    assert read_file(workspace(FILES), "src/a.py", start, end).code == (item,)


@pytest.mark.parametrize(("start", "end"), [(4, None), (4, 9), (3, 2)])
def test_a_range_outside_the_file_names_its_length(workspace, start, end):
    with pytest.raises(UsageError, match="it has 3"):
        read_file(workspace(FILES), "src/a.py", start, end)


def test_an_empty_file_is_no_failure(workspace):
    answer = read_file(workspace(FILES), "empty.py")
    assert answer == ReadFileAnswer("empty.py", 0, complete(1))
    assert answer.headline() == "empty.py is empty"


def test_an_overlong_line_is_shown_cut(workspace):
    assert read_file(workspace(FILES), "long.js").code[0].text == "x" * 400 + "…"


def test_what_is_no_text_file_of_the_workspace_is_refused(workspace):
    opened = workspace(FILES)
    os.mkfifo(opened.root / "pipe.py")
    refusals = {
        "b.bin": "is binary",
        "src": "is a directory",
        "pipe.py": "not a regular file",
        "a.py": "there is no file",
    }
    for path, reason in refusals.items():
        with pytest.raises(SourceError, match=reason):
            read_file(opened, path)
    with pytest.raises(OutsideWorkspaceError):
        read_file(opened, "../secret")
