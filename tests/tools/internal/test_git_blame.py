"""Who wrote which lines, as an agent reads it."""

from __future__ import annotations

import pytest

from avionics.model.errors import UsageError
from avionics.tools.answers.answer import citations_of
from avionics.tools.internal.workspace.git_blame import git_blame


@pytest.fixture
def repository(git_repository):
    made = git_repository({"a.py": "one\ntwo\nthree\nfour\n"})
    made.commit("second", {"a.py": "one\nTWO\nTHREE\nfour\n"}, author="Bo <bo@example.org>")
    return made


def test_lines_in_a_row_of_one_commit_are_one_item(repository, workspace):
    answer = git_blame(workspace(root=repository.root), "a.py")
    assert [(run.start_line, run.end_line, run.author, run.text) for run in answer.runs] == [
        (1, 1, "Ada", "one"),
        (2, 3, "Bo", "TWO\nTHREE"),
        (4, 4, "Ada", "four"),
    ]
    assert answer.headline() == "a.py: 4 lines from 2 commits of 2 authors"
    assert [str(citation) for citation in citations_of(answer)] == ["a.py:1", "a.py:2", "a.py:4"]


def test_only_the_lines_asked_for(repository, workspace):
    answer = git_blame(workspace(root=repository.root), "a.py", 3, 99)
    assert [(run.start_line, run.end_line) for run in answer.runs] == [(3, 3), (4, 4)]


def test_lines_not_committed_are_said_to_be(repository, workspace):
    (repository.root / "a.py").write_text("one\nTWO\nTHREE\nfour\nfive\n")
    last = git_blame(workspace(root=repository.root), "a.py").runs[-1]
    assert (last.commit, last.subject, last.text) == ("", "not committed yet", "five")


@pytest.mark.parametrize(("path", "start", "end"), [("a.py", 9, None), ("a.py", 3, 2), ("no.py", 1, None), (".", 1, 1)])
def test_lines_that_are_not_there_are_an_error(repository, workspace, path, start, end):
    with pytest.raises(UsageError):
        git_blame(workspace(root=repository.root), path, start, end)
