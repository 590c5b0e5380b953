"""The state of the work tree, as an agent reads it."""

from __future__ import annotations

import pytest

from avionics.model.enums import Status
from avionics.model.errors import HistoryError
from avionics.tools.answers.answer import to_result
from avionics.tools.standalone.git_status import StatusItem, git_status


def test_a_clean_work_tree_is_an_answer(git_repository, workspace):
    repository = git_repository({"a.py": "1\n"})
    answer = git_status(workspace(root=repository.root))
    assert (answer.branch, answer.is_clean, answer.changes) == ("main", True, ())
    assert to_result(answer).status is Status.SUCCESS
    assert answer.headline() == f"on main at {answer.head[:10]} “first” (2024-01-01): clean"


def test_every_kind_of_change_is_listed_and_ignored_files_are_not(git_repository, workspace):
    repository = git_repository({"a.py": "1\n", "b.py": "1\n", ".gitignore": "*.log\n"})
    (repository.root / "b.py").write_text("2\n")
    repository.git("add", "b.py")
    for name in ("a.py", "new.py", "x.log"):
        (repository.root / name).write_text("33\n")
    answer = git_status(workspace(root=repository.root))
    assert answer.changes == (
        StatusItem("b.py", "staged", "modified"),
        StatusItem("a.py", "unstaged", "modified"),
        StatusItem("new.py", "untracked", "new"),
    )
    assert answer.headline().endswith(": 1 staged, 1 unstaged, 1 untracked")


def test_a_repository_before_its_first_commit_has_a_status(git_repository, workspace):
    repository = git_repository()
    (repository.root / "a.py").write_text("1\n")
    answer = git_status(workspace(root=repository.root))
    assert answer.headline() == "on main, no commits yet: 1 untracked"


def test_a_directory_without_git_is_an_error_with_a_hint(workspace):
    with pytest.raises(HistoryError, match="no git history here") as caught:
        git_status(workspace({"a.py": "1\n"}))
    assert "git init" in caught.value.hint


def test_the_files_of_a_submodule_are_not_untracked_here(git_repository, workspace):
    inner = git_repository({"lib.py": "def lib(): ...\n"}, name="inner")
    outer = git_repository({"app.py": "1\n"}, name="outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner.root), "libs/inner")
    outer.commit("with a submodule")
    (outer.root / "new.py").write_text("1\n")
    assert git_status(workspace(root=outer.root)).changes == (StatusItem("new.py", "untracked", "new"),)
