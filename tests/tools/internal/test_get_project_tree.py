"""get_project_tree shows the whole workspace at a glance."""

from __future__ import annotations

from avionics.model.results import complete
from avionics.tools.answers.answer import render
from avionics.tools.internal.files.get_project_tree import GetProjectTreeAnswer, TreeEntryItem, get_project_tree

FILES = {"a.py": "", "src/b.py": "", "src/web/c.py": ""}


def test_files_stand_under_their_directories(workspace):
    answer = get_project_tree(workspace(FILES))
    assert answer == GetProjectTreeAnswer(
        3,
        3,
        complete(5),
        (
            TreeEntryItem("a.py", 1, is_directory=False),
            TreeEntryItem("src", 2, is_directory=True),
            TreeEntryItem("src/b.py", 1, is_directory=False),
            TreeEntryItem("src/web", 1, is_directory=True),
            TreeEntryItem("src/web/c.py", 1, is_directory=False),
        ),
    )
    assert "a.py\nsrc/  (2)\n  b.py\n  web/  (1)\n    c.py\n" in render(answer)


def test_depth_folds_what_lies_deeper(workspace):
    answer = get_project_tree(workspace(FILES), depth=1)
    assert [item.path for item in answer.entries] == ["a.py", "src"]
