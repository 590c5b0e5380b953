"""What differs, as an agent reads it."""

from __future__ import annotations

import pytest

from avionics.model.enums import Status
from avionics.model.errors import UsageError
from avionics.tools.answers.answer import to_result
from avionics.tools.internal.workspace.git_diff import git_diff


@pytest.fixture
def repository(git_repository):
    made = git_repository({"a.py": "one\ntwo\n", "dir/b.py": "1\n"})
    made.git("tag", "v1")
    made.commit("second", {"a.py": "one\nTWO\n"})
    (made.root / "dir" / "b.py").write_text("1\n2\n")
    return made


def test_without_revisions_it_is_about_what_is_not_committed(repository, workspace):
    answer = git_diff(workspace(root=repository.root))
    assert [(file.file, file.added, file.deleted) for file in answer.files] == [("dir/b.py", 1, 0)]
    assert [hunk.text for hunk in answer.hunks] == [" 1\n+2"]
    assert answer.headline() == "HEAD → work tree: 1 file differs, +1 −0 lines"


def test_from_a_revision_to_another(repository, workspace):
    answer = git_diff(workspace(root=repository.root), base="v1", head="main")
    assert [(file.file, file.status) for file in answer.files] == [("a.py", "modified")]
    assert [(hunk.old_line, hunk.new_line, hunk.text) for hunk in answer.hunks] == [(1, 1, " one\n-two\n+TWO")]


def test_from_a_revision_to_the_work_tree_within_a_directory(repository, workspace):
    opened = workspace(root=repository.root)
    assert [file.file for file in git_diff(opened, base="v1").files] == ["a.py", "dir/b.py"]
    assert [file.file for file in git_diff(opened, "dir", base="v1").files] == ["dir/b.py"]


def test_nothing_differing_is_not_found(repository, workspace):
    answer = git_diff(workspace(root=repository.root), "a.py")
    assert (answer.headline(), to_result(answer).status) == ("HEAD → work tree: no differences", Status.NOT_FOUND)


def test_an_unknown_revision_names_near_ones(repository, workspace):
    with pytest.raises(UsageError, match="no such revision: v2") as caught:
        git_diff(workspace(root=repository.root), base="v2")
    assert "v1" in caught.value.hint
