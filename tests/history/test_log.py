"""What is said of commits, lines and files that change together."""

from __future__ import annotations

import pytest

from avionics.history.commits import FileTouch
from avionics.history.log import CoChange
from avionics.model.errors import HistoryError, UsageError

GREET = "def greet(name):\n    polite = 'hello and good morning, ' + name\n    return polite\n"
CALLER = "import sys\n\n\ndef caller(argument):\n    prefix = sys.argv[0]\n    return prefix + argument\n"


def test_a_commit_is_told_with_its_author_date_message_and_files(git_repository, history):
    repository = git_repository({"a.py": "x = 1\n"})
    oid = repository.commit(
        "Say why\n\nBecause of #12.\n\nMore.",
        {"a.py": "x = 2\ny = 3\n", "b.bin": b"\0\1"},
        author="Zoë <zoe@example.org>",
        date="2024-05-06T07:08:09+02:00",
    )
    commit = history(repository.root).find_commits(limit=1, counts=True)[0]
    assert (commit.oid, commit.author, commit.email) == (oid, "Zoë", "zoe@example.org")
    assert (commit.time, commit.epoch) == ("2024-05-06T07:08:09+02:00", 1714972089)
    assert (commit.subject, commit.body) == ("Say why", "Because of #12.\n\nMore.")
    assert commit.files == (FileTouch("a.py", 2, 1), FileTouch("b.bin", -1, -1))


def test_a_message_cannot_pose_as_another_commit(git_repository, history):
    repository = git_repository({"a.py": "x = 1\n"})
    forged = f"subject\n\n{'0' * 40}\x01\x02Mallory\ncommit {'1' * 40}\n\ndiff --git a/x b/x\n@@ -0,0 +1 @@"
    repository.commit(forged, {"a.py": "x = 2\n"})
    commits = history(repository.root).find_commits(limit=10, counts=True)
    assert [commit.subject for commit in commits] == ["subject", "first"]
    assert "Mallory" in commits[0].body


def test_a_renamed_file_keeps_its_history(git_repository, history):
    repository = git_repository({"old.py": GREET})
    repository.git("mv", "old.py", "new.py")
    repository.commit("rename")
    repository.commit("change", {"new.py": GREET.replace("hello", "hi")})
    commits = history(repository.root).find_commits("new.py", limit=10, follow=True, counts=True)
    assert [commit.subject for commit in commits] == ["change", "rename", "first"]
    assert commits[1].files == (FileTouch("new.py", 0, 0, "old.py"),)


def test_a_moved_directory_keeps_its_history(git_repository, history):
    repository = git_repository({"lib/a.py": GREET, "lib/sub/b.py": GREET * 2, "other/c.py": GREET * 3})
    repository.git("mv", "lib", "app")
    repository.commit("move", {"app/new.py": "x = 1\n"})
    repository.git("mv", "other/c.py", "app/c.py")
    repository.commit("one file", {})
    read = history(repository.root)
    assert [each.subject for each in read.find_commits("app", limit=10, follow=True)] == ["one file", "move", "first"]
    assert [each.subject for each in read.find_commits("app", limit=2, follow=True)] == ["one file", "move"]
    assert [each.subject for each in read.find_commits("app", limit=10)] == ["one file", "move"]


def test_a_directory_of_files_from_several_places_has_no_former_place(git_repository, history):
    repository = git_repository({"one/a.py": GREET, "two/b.py": GREET * 2, "c.py": GREET * 3})
    (repository.root / "app").mkdir()
    for name in ("one/a.py", "two/b.py", "c.py"):
        repository.git("mv", name, f"app/{name[-4:]}")
    repository.commit("gather")
    assert [each.subject for each in history(repository.root).find_commits("app", limit=10, follow=True)] == ["gather"]


def test_odd_file_names_are_paths_like_any_other(git_repository, history):
    names = [
        "with space.py",
        "new\nline.py",
        "tab\t.py",
        'quo"te.py',
        "ünï.py",
        "*.py",
        ":(top)x.py",
        "-n.py",
        "a\x1b[31m.py",
    ]
    repository = git_repository({name: f"x = {number}\n" for number, name in enumerate(names)})
    repository.commit("second", dict.fromkeys(names, "y = 1\n"))
    read = history(repository.root)
    assert sorted(touch.path for touch in read.find_commits(limit=1, counts=True)[0].files) == sorted(names)
    assert sorted(read.list_tree("HEAD")) == sorted(names)
    for name in names:
        assert [commit.subject for commit in read.find_commits(name, limit=5)] == ["second", "first"]
        assert [line.path for line in read.find_blame(name)] == [name]
        assert [change.path for change in read.get_line_story(name, 1, 1).changes] == [name, name]
        assert [each.path for each in read.find_differences(name, "HEAD~1", "HEAD")[0]] == [name]


def test_the_story_of_lines_goes_back_through_a_rename(git_repository, history):
    repository = git_repository({"old.py": f"import os\n\n\n{GREET}"})
    repository.git("mv", "old.py", "new.py")
    repository.commit("rename")
    repository.commit("elsewhere", {"new.py": f"import sys\n\n\n{GREET}"})
    repository.commit("hi", {"new.py": f"import sys\n\n\n{GREET.replace('hello', 'hi')}"})
    story = history(repository.root).get_line_story("new.py", 4, 6)
    assert [(each.commit.subject, each.path, each.start_line) for each in story.changes] == [
        ("hi", "new.py", 4),
        ("first", "old.py", 4),
    ]
    assert story.is_whole
    assert story.changes[-1].is_introduction


def test_the_story_of_lines_goes_back_through_a_move_between_files(git_repository, history):
    repository = git_repository({"a.py": f"{CALLER}\n\n{GREET}", "b.py": "import os\n"})
    moved = repository.commit("move", {"a.py": CALLER, "b.py": f"import os\n\n\n{GREET}"})
    story = history(repository.root).get_line_story("b.py", 4, 6)
    assert [(each.commit.subject, each.path) for each in story.changes] == [("move", "b.py"), ("first", "a.py")]
    assert story.moves == ((moved, "a.py", "b.py"),)


def test_lines_shifted_by_uncommitted_changes_keep_their_story(git_repository, history):
    repository = git_repository({"a.py": f"import os\n\n\n{GREET}"})
    (repository.root / "a.py").write_text(f"# one\n# two\n# three\nimport os\n\n\n{GREET}\n\ndef fresh():\n    pass\n")
    read = history(repository.root)
    assert [(each.start_line, each.end_line) for each in read.get_line_story("a.py", 7, 9).changes] == [(4, 6)]
    assert read.get_line_story("a.py", 12, 13).changes == ()


def test_a_text_is_found_where_it_came_and_went(git_repository, history):
    repository = git_repository({"a.py": "x = 1\n"})
    repository.commit("add", {"a.py": "x = needle\n"})
    repository.commit("touch", {"a.py": "x = needle  # still\n"})
    repository.commit("remove", {"a.py": "x = 1\n"})
    found = history(repository.root).find_commits(limit=10, word="needle")
    assert [commit.subject for commit in found] == ["remove", "add"]


def test_files_that_change_together_are_counted_without_sweeping_commits(git_repository, history):
    repository = git_repository({"a.py": "1\n"})
    repository.commit("both", {"a.py": "2\n", "b.py": "1\n"})
    repository.commit("both again", {"a.py": "3\n", "b.py": "2\n", "gone.py": "1\n"})
    repository.commit("sweep", {"a.py": "4\n", "gone.py": None} | {f"all/{n}.py": "x\n" for n in range(60)})
    read = history(repository.root)
    assert read.find_co_changes(read.find_commits("a.py", limit=10), "a.py") == ((CoChange("b.py", 2),), 3)


def test_blame_names_commits_and_lines_not_committed_yet(git_repository, history):
    repository = git_repository({"a.py": "one\ntwo\n"})
    second = repository.commit("second", {"a.py": "one\nTWO\n"}, author="Bo <bo@example.org>")
    (repository.root / "a.py").write_text("zero\none\nTWO\n")
    lines = history(repository.root).find_blame("a.py")
    assert [(line.line, line.text, line.is_committed, line.original_line) for line in lines] == [
        (1, "zero", False, 1),
        (2, "one", True, 1),
        (3, "TWO", True, 2),
    ]
    assert (lines[2].oid, lines[2].author, lines[2].subject) == (
        second,
        "Bo",
        "second",
    )


def test_blame_of_lines_a_file_has_not_says_how_many_it_has(git_repository, history):
    repository = git_repository({"a.py": "one\ntwo\n"})
    with pytest.raises(UsageError, match=r"a\.py has 2 lines"):
        history(repository.root).find_blame("a.py", 3)


def test_blame_of_an_untracked_file_says_so(git_repository, history):
    repository = git_repository({"a.py": "one\n"})
    (repository.root / "b.py").write_text("x\n")
    with pytest.raises(UsageError, match=r"not committed yet: b\.py"):
        history(repository.root).find_blame("b.py")


def test_a_repository_without_commits_says_so(git_repository, history):
    with pytest.raises(HistoryError, match="no commits yet"):
        history(git_repository().root).find_commits(limit=1)


@pytest.mark.parametrize("revision", ["mian", "--output=x", "-h", "", "main\0x", "HEAD~99", "\ud800", "x" * 5000])
def test_an_unknown_revision_is_refused(git_repository, history, revision):
    repository = git_repository({"a.py": "1\n"})
    with pytest.raises(UsageError):
        history(repository.root).require_commit(revision)
    assert sorted(path.name for path in repository.root.iterdir()) == [".git", "a.py"]


def test_a_near_revision_is_named(git_repository, history):
    repository = git_repository({"a.py": "1\n"})
    with pytest.raises(UsageError, match="no such revision: mian") as caught:
        history(repository.root).require_commit("mian")
    assert caught.value.hint == "did you mean main?"


def test_copies_from_other_files_are_looked_for_only_where_the_lines_are_few(git_repository, history):
    lines = [f"value_{number} = compute({number}, {number * 7})\n" for number in range(1_600)]
    repository = git_repository({"a.py": "".join(lines)})
    second = repository.commit("move", {"a.py": "x = 1\n", "b.py": "".join(lines)})
    few, many = (history(repository.root).find_blame("b.py", 1, last) for last in (100, 1_600))
    assert {each.path for each in few} == {"a.py"}
    assert {each.oid for each in many} == {second}
