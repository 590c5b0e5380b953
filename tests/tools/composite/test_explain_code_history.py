"""Who, when and why, as an agent reads it."""

from __future__ import annotations

import pytest

from avionics.model.enums import Certainty, Status
from avionics.model.errors import HistoryError, UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.tools.answers.answer import citations_of, to_result
from avionics.tools.answers.next_step import write_python
from avionics.tools.composite.explain_code_history import explain_code_history

GREET = "def greet(name):\n    polite = 'hello and good morning, ' + name\n    return polite\n"


@pytest.fixture
def repository(git_repository):
    made = git_repository({"old.py": f"import os\n\n\n{GREET}", "other.py": "1\n"})
    made.git("mv", "old.py", "new.py")
    made.commit("Rename for clarity", {"other.py": "2\n"})
    made.commit(
        "Say hi (#41)\n\nPeople asked for\nless ceremony, see GH-40.",
        {"new.py": f"import os\n\n\n{GREET.replace('hello', 'hi')}", "other.py": "3\n"},
        author="Bo <bo@example.org>",
        date="2024-02-03T00:00:00+00:00",
    )
    made.commit("Import sys", {"new.py": f"import sys\n\n\n{GREET.replace('hello', 'hi')}"})
    return made


def test_the_lines_of_a_symbol_are_explained_through_a_rename(repository, workspace):
    answer = explain_code_history(workspace(root=repository.root), symbol="greet")
    assert answer.headline() == "greet (new.py:4-6): 2 commits; its file: 4 commits, +8 −2 lines"
    assert [(item.subject, item.why) for item in answer.commits] == [
        ("Say hi (#41)", "People asked for less ceremony, see GH-40."),
        ("first", ""),
    ]
    assert [item.subject for item in answer.introduction] == ["first"]
    assert [(item.author, item.commits) for item in answer.authors] == [("Bo", 1), ("Ada", 1)]
    assert [item.number for item in answer.mentions] == [41, 40]
    assert [(item.path, item.commits, item.of_commits) for item in answer.together] == [("other.py", 3, 4)]
    assert [(item.line, item.lines, item.author) for item in answer.blame] == [(4, 2, "Ada"), (5, 1, "Bo")]
    assert [(attempt.step, attempt.outcome, attempt.found) for attempt in answer.attempts] == [
        ("commits that touched the lines", "found", 2),
        ("commits of the path, through renames", "found", 4),
        ("who changed the lines last", "found", 3),
    ]
    assert to_result(answer).status is Status.SUCCESS
    assert [str(citation) for citation in citations_of(answer)] == ["new.py:4", "new.py:5"]


def test_lines_may_be_given_instead_of_a_symbol(repository, workspace):
    answer = explain_code_history(workspace(root=repository.root), path="new.py", start_line=1, end_line=1)
    assert [item.subject for item in answer.commits] == ["Import sys", "first"]


def test_a_file_is_explained_by_all_its_commits(repository, workspace):
    answer = explain_code_history(workspace(root=repository.root), path="new.py", limit=2)
    assert [item.subject for item in answer.commits] == ["Import sys", "Say hi (#41)"]
    assert (answer.coverage.found, answer.coverage.shown, answer.coverage.certainty) == (4, 2, Certainty.EXACT)
    assert [item.subject for item in answer.introduction] == ["first"]


def test_a_directory_is_explained_too(git_repository, workspace):
    repository = git_repository({"pkg/a.py": "1\n", "b.py": "1\n"})
    repository.commit("outside", {"b.py": "2\n"})
    answer = explain_code_history(workspace(root=repository.root), path="pkg")
    assert [item.subject for item in answer.commits] == ["first"]


def test_a_symbol_that_was_removed_is_found_by_its_name(repository, workspace):
    repository.commit("Drop greet", {"new.py": "import sys\n"})
    answer = explain_code_history(workspace(root=repository.root), symbol="greet")
    assert [item.subject for item in answer.commits] == ["Drop greet", "first"]
    assert answer.attempts[-1].step == "commits that added or removed the name"


def test_lines_not_committed_yet_fall_back_to_the_file(repository, workspace):
    with (repository.root / "new.py").open("a") as file:
        file.write("\n\ndef fresh():\n    return 1\n")
    answer = explain_code_history(workspace(root=repository.root), symbol="fresh")
    assert [(attempt.step, attempt.outcome) for attempt in answer.attempts][:2] == [
        ("commits that touched the lines", "not_found"),
        ("commits of the path, through renames", "found"),
    ]
    assert [item.subject for item in answer.blame] == ["the work tree, not committed yet"]


def test_what_history_does_not_hold_is_said_to_be_not_recorded(repository, workspace):
    answer = explain_code_history(workspace(root=repository.root), symbol="never_was")
    assert answer.headline() == "never_was (not defined in the code now): no commits found"
    assert to_result(answer).status is Status.NOT_FOUND


def test_reasons_that_no_message_gives_are_said_to_be_missing(git_repository, workspace):
    repository = git_repository({"a.py": "1\n"})
    answer = explain_code_history(workspace(root=repository.root), path="a.py")
    assert answer.headline().endswith("; the commit has no body")


def test_a_path_that_never_was_gives_near_ones(repository, workspace):
    answer = explain_code_history(workspace(root=repository.root), path="src/new.py")
    assert [item.name for item in answer.near] == ["new.py"]


def test_a_shallow_clone_is_stated(repository, workspace):
    root = repository.root.parent / "shallow"
    repository.git("clone", "--quiet", "--depth=2", f"file://{repository.root}", str(root))
    answer = explain_code_history(workspace(root=root), path="new.py")
    assert answer.coverage.reasons == (Reason(ReasonKind.SHALLOW_CLONE),)
    assert (answer.introduction, answer.coverage.certainty) == ((), Certainty.AT_LEAST)
    assert "the first commit is not known" in answer.headline()


def test_neither_a_path_nor_a_symbol_is_an_error(repository, workspace):
    with pytest.raises(UsageError, match="a path or a symbol is needed"):
        explain_code_history(workspace(root=repository.root))


def test_lines_in_the_wrong_order_are_an_error(repository, workspace):
    with pytest.raises(UsageError, match="not a range of lines: 3 to 2"):
        explain_code_history(workspace(root=repository.root), path="new.py", start_line=3, end_line=2)


def test_a_directory_without_history_is_an_error(workspace):
    with pytest.raises(HistoryError, match="no git history here"):
        explain_code_history(workspace({"a.py": "1\n"}), path="a.py")


def test_the_whole_workspace_has_a_history(git_repository, workspace):
    repository = git_repository({"a.py": "1\n"})
    repository.commit("second", {"b.py": "2\n"})
    answer = explain_code_history(workspace(root=repository.root), ".")
    assert [commit.subject for commit in answer.commits] == ["second", "first"]


def test_how_to_see_more_commits_is_a_call_that_can_be_made(git_repository, workspace):
    repository = git_repository({"a.py": "def a(): return 0\n"})
    for number in range(3):
        repository.commit(f"a is {number}", {"a.py": f"def a(): return {number + 1}\n"})
    opened = workspace(root=repository.root)
    cut = explain_code_history(opened, "a.py", "a", limit=2)
    assert (
        write_python(cut.coverage.next) == "explain_code_history(path='a.py', symbol='a', limit=4) for 2 more commits"
    )
    assert explain_code_history(opened, "a.py", "a", limit=4).coverage.next is None


def test_a_classs_own_constructor_is_no_other_definition(git_repository, workspace):
    code = "class Zone {\n    Zone() {}\n    Zone(int a) {}\n}\n"
    answer = explain_code_history(workspace(root=git_repository({"Zone.java": code}).root), symbol="Zone")
    assert answer.coverage.reasons == ()


def test_what_lies_in_a_submodule_has_its_history_there(git_repository, workspace):
    inner = git_repository({"lib.py": "def lib(): ...\n"}, name="inner")
    outer = git_repository({"app.py": "1\n"}, name="outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "--quiet", str(inner.root), "libs/inner")
    outer.commit("with a submodule")
    answer = explain_code_history(workspace(root=outer.root), symbol="lib")
    assert Reason(ReasonKind.SEPARATE_REPOSITORY, subject="libs/inner") in answer.coverage.reasons


def test_a_name_that_no_commit_has_comes_with_similar_names(repository, workspace):
    answer = explain_code_history(workspace(root=repository.root), symbol="greeet")
    assert (answer.coverage.found, [each.name for each in answer.near]) == (0, ["greet (new.py:4)"])
