"""What is said of work trees, differences and objects."""

from __future__ import annotations

import os

import pytest
from msgspec import structs

from avionics.history.diff import Hunk, get_old_lines
from avionics.history.history import History
from avionics.history.repo import GitRepository
from avionics.history.status import PathStatus
from avionics.model.errors import HistoryError
from avionics.settings import Settings
from avionics.source.walk import FoundFile


def test_status_tells_staged_unstaged_untracked_and_branch(git_repository, history):
    repository = git_repository({"a.py": "1\n", "b.py": "1\n", "c.py": "some text\nof lines\n", "d.py": "1\n"})
    (repository.root / "a.py").write_text("2\n")
    (repository.root / "b.py").write_text("22\n")
    repository.git("add", "b.py")
    repository.git("mv", "c.py", "e.py")
    (repository.root / "d.py").unlink()
    status = history(repository.root).get_status(["a.py", "b.py", "e.py", "new.py"])
    assert status.branch == "main"
    assert status.head is not None
    assert status.head.subject == "first"
    assert status.staged == (PathStatus("b.py", "modified"), PathStatus("e.py", "renamed", "c.py"))
    assert status.unstaged == (PathStatus("a.py", "modified"), PathStatus("d.py", "deleted"))
    assert (status.untracked, status.conflicted, status.not_compared) == (("new.py",), (), ())


def test_a_file_rewritten_with_the_same_bytes_is_not_changed(git_repository, history):
    repository = git_repository({"a.py": "1\n"})
    os.utime(repository.root / "a.py", (1, 1))
    assert history(repository.root).get_status([]).unstaged == ()


def test_a_change_of_mode_or_kind_is_a_change(git_repository, history):
    repository = git_repository({"a.sh": "1\n", "b.py": "1\n"})
    (repository.root / "a.sh").chmod(0o755)
    (repository.root / "b.py").unlink()
    (repository.root / "b.py").symlink_to("a.sh")
    read = history(repository.root)
    assert read.get_status([]).unstaged == (PathStatus("a.sh", "modified"), PathStatus("b.py", "modified"))
    assert [(each.path, each.status) for each in read.find_differences()[0]] == [
        ("a.sh", "modified"),
        ("b.py", "type changed"),
    ]


def test_other_line_ends_are_no_change_where_git_converts_them(git_repository, history):
    repository = git_repository({"a.py": "1\n2\n"})
    repository.git("config", "core.autocrlf", "true")
    (repository.root / "a.py").write_bytes(b"1\r\n2\r\n")
    assert history(repository.root).get_status([]).unstaged == ()


def test_conflicts_are_told(git_repository, history):
    repository = git_repository({"a.py": "1\n"})
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit("side", {"a.py": "side\n"})
    repository.git("checkout", "--quiet", "main")
    repository.commit("main", {"a.py": "main\n"})
    with pytest.raises(Exception, match="merge"):
        repository.git("merge", "side")
    read = history(repository.root)
    assert read.get_status([]).conflicted == ("a.py",)
    assert [each.path for each in read.find_differences()[0]] == ["a.py"]


def test_status_counts_commits_ahead_of_and_behind_the_upstream(git_repository, history):
    upstream = git_repository({"a.py": "1\n"}, name="upstream")
    root = upstream.root.parent / "repository"
    upstream.git("clone", "--quiet", str(upstream.root), str(root))
    upstream.commit("theirs", {"b.py": "1\n"})
    clone = git_repository(name="repository")
    clone.git("fetch", "--quiet")
    clone.commit("mine", {"c.py": "1\n"})
    clone.commit("mine too", {"c.py": "2\n"})
    status = history(root).get_status([])
    assert (status.upstream, status.ahead, status.behind) == ("origin/main", 2, 1)


def test_a_new_commit_is_seen_at_once(git_repository, history):
    repository = git_repository({"a.py": "1\n"})
    read = history(repository.root)
    before = read.get_head()
    after = repository.commit("second", {"a.py": "2\n"})
    assert (before != after, read.get_head()) == (True, after)
    repository.git("checkout", "--quiet", "-b", "topic")
    assert read.get_status([]).branch == "topic"


def test_a_difference_is_told_in_files_and_hunks(git_repository, history):
    repository = git_repository({"a.py": "1\n2\n3\n", "b.bin": b"\0", "c.py": "x\n"})
    repository.commit("second", {"a.py": "1\n--- two\n3\n", "b.bin": b"\0\1", "c.py": None, "d.py": "new\n"})
    differences, left = history(repository.root).find_differences("", "HEAD~1", "HEAD")
    assert left == ()
    assert [(each.path, each.status, each.added, each.deleted, each.is_binary) for each in differences] == [
        ("a.py", "modified", 1, 1, False),
        ("b.bin", "modified", 0, 0, True),
        ("c.py", "deleted", 0, 1, False),
        ("d.py", "added", 1, 0, False),
    ]
    assert differences[0].hunks == (Hunk(1, 3, 1, 3, "", (" 1", "-2", "+--- two", " 3")),)


def test_the_work_tree_differs_from_any_revision(git_repository, history):
    repository = git_repository({"a.py": "1\n", "dir/b.py": "1\n"})
    repository.commit("second", {"a.py": "2\n"})
    (repository.root / "dir/b.py").write_text("2\n")
    read = history(repository.root)
    assert [each.path for each in read.find_differences()[0]] == ["dir/b.py"]
    assert [each.path for each in read.find_differences(base="HEAD~1")[0]] == ["a.py", "dir/b.py"]
    assert [each.path for each in read.find_differences("dir", base="HEAD~1")[0]] == ["dir/b.py"]


def test_a_changed_file_too_large_to_compare_is_named(git_repository, history, tmp_path):
    repository = git_repository({"a.py": "1\n"})
    (repository.root / "a.py").write_text("x" * 2000)
    read = History.open(repository.root, Settings(cache_directory=tmp_path / "cache", max_file_bytes=1000))
    assert read.find_differences() == ((), ("a.py",))
    read.close()


@pytest.mark.parametrize(
    ("start_line", "end_line", "expected"),
    [(1, 1, (1, 1)), (2, 3, None), (4, 4, (2, 2)), (1, 4, (1, 2)), (5, 5, (3, 4)), (6, 6, (5, 5)), (7, 7, (7, 7))],
)
def test_lines_are_followed_back_through_a_difference(start_line, end_line, expected):
    hunks = (Hunk(1, 0, 2, 2, "", ()), Hunk(3, 2, 5, 1, "", ()), Hunk(6, 1, 6, 0, "", ()))
    assert get_old_lines(hunks, start_line, end_line) == expected


def test_the_files_of_any_revision_are_read_without_a_checkout(git_repository, history):
    repository = git_repository({"a.py": "1\n", "dir/b.py": "two\n"})
    repository.commit("second", {"a.py": "other\n"})
    read = history(repository.root)
    tree = read.list_tree("HEAD~1", sizes=True)
    assert {path: (entry.mode, entry.size) for path, entry in tree.items()} == {
        "a.py": (0o100644, 2),
        "dir/b.py": (0o100644, 4),
    }
    assert read.read_blob(tree["a.py"].oid) == b"1\n"
    missing = "1" * 40
    assert [read.get_blob(oid) for oid in (tree["dir/b.py"].oid, missing, tree["a.py"].oid)] == [b"two\n", None, b"1\n"]
    with pytest.raises(HistoryError, match="no readable blob"):
        read.read_blob(missing)


def test_a_blob_larger_than_allowed_is_left_out_and_the_next_one_read(git_repository, tmp_path):
    repository = git_repository({"a.py": "x" * 5000, "b.py": "1\n"})
    read = History.open(repository.root, Settings(cache_directory=tmp_path / "cache", max_file_bytes=1000))
    tree = read.list_tree("HEAD")
    assert [read.get_blob(entry.oid) for entry in tree.values()] == [None, b"1\n"]
    read.close()


def test_repositories_with_sha256_ids_are_read(git_repository, history):
    plain = git_repository()
    root = plain.root / "inner"
    plain.git("init", "--quiet", "--object-format=sha256", str(root))
    (root / "a.py").write_text("1\n")
    plain.git("-C", str(root), "add", "a.py")
    plain.git("-C", str(root), "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "first")
    (root / "a.py").write_text("2\n")
    read = history(root)
    assert len(read.require_head()) == 64
    assert read.get_status([]).unstaged == (PathStatus("a.py", "modified"),)
    assert [each.added for each in read.find_differences()[0]] == [1]


def test_a_git_that_hangs_is_stopped(git_repository, tmp_path):
    repository = git_repository({"a.py": "1\n"})
    reader = GitRepository(repository.root, Settings(cache_directory=tmp_path / "cache", git_timeout_seconds=0.2))
    pipe = reader.private.path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(HistoryError, match=r"git hash-object took longer than 0.2 s"):
        reader.run("hash-object", "--no-filters", str(pipe))
    reader.close()


def test_a_path_of_more_components_than_the_stack_has_frames(git_repository, history):
    repository = git_repository({"a.py": "1\n"})
    deep = "a/" * 1_500 + "f"
    oid = repository.git("rev-parse", "HEAD:a.py").strip()
    repository.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{deep}")
    status = history(repository.root).get_status(())
    assert deep in [each.path for each in status.staged]
    assert deep in [each.path for each in status.unstaged]


@pytest.mark.parametrize(("index_age_ns", "is_looked_at"), [(-1, False), (0, True)])
def test_only_a_status_older_than_the_index_replaces_a_look(git_repository, history, index_age_ns, is_looked_at):
    repository = git_repository({"a.py": "1\n"})
    found = os.stat(repository.root / "a.py")
    newest = max(found.st_ctime_ns, found.st_mtime_ns)
    os.utime(repository.root / ".git/index", ns=(0, newest - index_age_ns))
    status = FoundFile.of("a.py", found)
    (repository.root / "a.py").unlink()
    read = history(repository.root)
    changed = read.find_changed_paths("HEAD", statuses={"a.py": status})
    assert [each.status for each in changed] == ["deleted"] * is_looked_at


@pytest.mark.parametrize("change", [{"size": 3}, {"mtime_ns": 1}, {"ctime_ns": 1}])
def test_a_status_unlike_the_index_leads_to_a_look(git_repository, history, change):
    repository = git_repository({"a.py": "1\n"})
    status = structs.replace(FoundFile.of("a.py", os.stat(repository.root / "a.py")), **change)
    os.utime(repository.root / ".git/index", ns=(0, 2**62))
    (repository.root / "a.py").unlink()
    (changed,) = history(repository.root).find_changed_paths("HEAD", statuses={"a.py": status})
    assert changed.status == "deleted"
