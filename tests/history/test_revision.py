"""History as it was at a commit, and revisions by name."""

from __future__ import annotations

import hashlib

import pytest

from avionics.history.history import History, RevisionHistory
from avionics.model.errors import HistoryError, UsageError


def at(opened: History, revision: str) -> RevisionHistory:
    return RevisionHistory(opened, opened.require_commit(revision))


@pytest.fixture
def repository(git_repository):
    """Three commits: v1, a change of `a.py`, and a file that is new."""
    made = git_repository({"a.py": "one\ntwo\n", "b.py": "x\n"})
    made.git("tag", "--annotate", "--message", "first", "v1")
    made.commit("second", {"a.py": "one\nTWO\n"}, author="Bob <bob@example.org>")
    made.commit("third", {"c.py": "c\n"})
    return made


def test_a_history_at_a_commit_ends_there(repository, history):
    opened = history(repository.root)
    then = at(opened, "HEAD~1")
    assert [commit.subject for commit in then.find_commits(limit=9)] == ["second", "first"]
    assert then.get_head() == then.require_head() == repository.git("rev-parse", "HEAD~1")


def test_lines_are_blamed_as_the_commit_has_them(repository, history):
    (repository.root / "a.py").write_text("edited\n")
    opened = history(repository.root)
    lines = at(opened, "HEAD").find_blame("a.py")
    assert [(line.text, line.author) for line in lines] == [("one", "Ada"), ("TWO", "Bob")]
    assert [(line.text, line.author) for line in at(opened, "v1").find_blame("a.py")] == [
        ("one", "Ada"),
        ("two", "Ada"),
    ]


def test_without_revisions_a_commit_differs_from_its_parent(repository, history):
    opened = history(repository.root)
    second, first = at(opened, "HEAD~1"), at(opened, "v1")
    assert [(file.path, file.status) for file in second.find_differences()[0]] == [("a.py", "modified")]
    assert [(file.path, file.status) for file in first.find_differences()[0]] == [("a.py", "added"), ("b.py", "added")]


def test_the_story_of_lines_begins_at_the_commit(repository, history):
    opened = history(repository.root)
    story = at(opened, "v1").get_line_story("a.py", 1, 2)
    assert [change.commit.subject for change in story.changes] == ["first"]


def test_a_commit_has_no_status(repository, history):
    opened = history(repository.root)
    with pytest.raises(UsageError, match="a revision has no status"):
        at(opened, "HEAD").get_status(())


def test_changed_paths_are_those_of_the_work_tree_or_of_a_commit(repository, history):
    opened = history(repository.root)
    first, last = opened.require_commit("v1"), opened.require_head()
    (repository.root / "b.py").unlink()
    assert [(file.path, file.status) for file in opened.find_changed_paths(first, last)] == [
        ("a.py", "modified"),
        ("c.py", "added"),
    ]
    assert [(file.path, file.status) for file in opened.find_changed_paths(last)] == [("b.py", "deleted")]


def test_a_commit_is_an_ancestor_of_what_follows_it(repository, history):
    opened = history(repository.root)
    first, last = opened.require_commit("v1"), opened.require_head()
    assert opened.is_ancestor(first, last)
    assert opened.is_ancestor(last, last)
    assert not opened.is_ancestor(last, first)


def test_blobs_are_read_one_by_one_from_one_process(repository, history):
    opened = history(repository.root)
    oids = [entry.oid for entry in opened.list_tree("HEAD").values()]
    assert [opened.get_blob(oid) for oid in oids] == [b"one\nTWO\n", b"x\n", b"c\n"]
    assert opened.get_blob("0" * 40) is None
    opened._blobs._process.kill()
    assert opened.get_blob(oids[0]) == b"one\nTWO\n"


def test_a_name_that_is_a_branch_and_a_tag_is_refused(repository, history):
    repository.git("branch", "v1")
    with pytest.raises(UsageError, match="v1 is both a tag and a branch") as refused:
        history(repository.root).require_commit("v1")
    assert refused.value.hint == "say which: refs/tags/v1 or refs/heads/v1"
    assert history(repository.root).require_commit("refs/tags/v1") == repository.git("rev-parse", "HEAD~2")


def test_the_hint_of_a_short_id_names_the_commits_that_start_so(repository, history, tmp_path):
    oids = []
    for number, text in enumerate(find_twins(repository.git("rev-parse", "HEAD^{tree}"))):
        (tmp_path / str(number)).write_bytes(text)
        oids.append(repository.git("hash-object", "-t", "commit", "-w", str(tmp_path / str(number))))
    with pytest.raises(UsageError) as refused:
        history(repository.root).require_commit(oids[0][:4])
    assert refused.value.hint == f"several commits start with this: {', '.join(sorted(oid[:12] for oid in oids))}"


def find_twins(tree):
    """Two commits whose ids share four digits."""
    known = {}
    for number in range(2_000):
        person = "Ada <ada@example.org> 1704067200 +0000"
        text = f"tree {tree}\nauthor {person}\ncommitter {person}\n\n{number}\n".encode()
        start = hashlib.sha1(b"commit %d\0" % len(text) + text).hexdigest()[:4]
        if start in known:
            return known[start], text
        known[start] = text
    raise AssertionError("no two in two thousand")


def test_a_shallow_clone_says_that_older_commits_were_not_fetched(repository, history, tmp_path):
    repository.git("-c", "protocol.file.allow=always", "clone", "--quiet", "--depth=1", f"file://{repository.root}",
                   str(tmp_path / "clone"))  # fmt: skip
    with pytest.raises(UsageError, match="no such revision: HEAD~1") as refused:
        history(tmp_path / "clone").require_commit("HEAD~1")
    assert "shallow clone" in refused.value.hint


def test_a_blob_reader_that_cannot_start_git_says_so(repository, history, monkeypatch):
    opened = history(repository.root)
    oid = next(iter(opened.list_tree("HEAD").values())).oid
    with monkeypatch.context() as patched:
        patched.setattr("avionics.history.objects.BlobReader._ask", _end)
        with pytest.raises(HistoryError, match="git ended while reading objects"):
            opened.get_blob(oid)


def _end(_reader, process, _oid):
    process.kill()
    process.wait()
