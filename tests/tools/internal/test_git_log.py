"""The commits of a path, as an agent reads them."""

from __future__ import annotations

import pytest

from avionics.model.enums import Certainty, Status
from avionics.model.errors import OutsideWorkspaceError
from avionics.tools.answers.answer import to_result
from avionics.tools.internal.workspace.git_log import get_first_paragraph, git_log


@pytest.fixture
def repository(git_repository):
    made = git_repository({"a.py": "one\ntwo\nthree\n", "b.py": "1\n"})
    made.git("mv", "a.py", "c.py")
    made.commit("rename\n\nIt is no longer about a.\n\nSigned-off-by: Ada <a@b>")
    made.commit("other", {"b.py": "2\n"}, author="Bo <bo@example.org>", date="2024-03-04T05:06:07+00:00")
    return made


def test_all_commits_newest_first(repository, workspace):
    answer = git_log(workspace(root=repository.root))
    assert [item.subject for item in answer.commits] == ["other", "rename", "first"]
    assert (answer.coverage.found, answer.coverage.certainty) == (3, Certainty.EXACT)
    newest = answer.commits[0]
    assert newest.to_text() == f"{newest.commit[:10]} 2024-03-04 Bo: other [+1 −1]"


def test_a_file_s_commits_go_back_through_its_rename(repository, workspace):
    answer = git_log(workspace(root=repository.root), "./c.py")
    assert [(item.subject, item.why) for item in answer.commits] == [
        ("rename", "It is no longer about a."),
        ("first", ""),
    ]


def test_more_commits_than_shown_are_said_to_exist(repository, workspace):
    answer = git_log(workspace(root=repository.root), limit=2)
    result = to_result(answer)
    assert (len(answer.commits), answer.coverage.found, result.status) == (2, 3, Status.PARTIAL)
    assert "shown 2 of at least 3" in result.text


def test_a_path_that_never_was_gives_near_ones(repository, workspace):
    answer = git_log(workspace(root=repository.root), "src/c.py")
    assert to_result(answer).status is Status.NOT_FOUND
    assert [item.name for item in answer.near] == ["c.py"]


def test_a_deleted_file_still_has_commits(repository, workspace):
    repository.commit("drop", {"b.py": None})
    answer = git_log(workspace(root=repository.root), "b.py")
    assert [item.subject for item in answer.commits] == ["drop", "other", "first"]


def test_a_path_outside_is_refused(repository, workspace):
    with pytest.raises(OutsideWorkspaceError):
        git_log(workspace(root=repository.root), "../x")


def test_the_first_paragraph_is_prose_in_one_line():
    assert get_first_paragraph("Co-authored-by: A <a@b>\n\nBecause\nof this.\n\nMore.") == "Because of this."
    assert get_first_paragraph("Signed-off-by: A <a@b>") == ""
    assert len(get_first_paragraph("x" * 1000)) == 300


@pytest.mark.parametrize(
    ("body", "paragraph"),
    [
        ("## Summary\n\nTwo lamps less.\n\n## Why\n\nThey were\ntoo bright.\n\nAnd hot.", "They were too bright."),
        ("# Summary\nTwo lamps less.\n\n# Tests\nNone.", "Two lamps less."),
        ("#12 is fixed by this.\n\nMore.", "#12 is fixed by this."),
        ("## Why", ""),
    ],
)
def test_a_heading_is_no_paragraph_and_that_of_the_reason_is_preferred(body, paragraph):
    assert get_first_paragraph(body) == paragraph
