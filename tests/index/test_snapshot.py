"""Snapshots notice every change and read nothing that did not change."""

from __future__ import annotations

import os
import subprocess
import time

import pytest
from msgspec import structs

from avionics.index.facts.snapshot import Snapshot, SnapshotEntry, hash_blob, refresh_snapshot
from avionics.source.tree import SourceTree


class RecordingTree(SourceTree):
    """A tree that remembers what was read."""

    def iter_contents(self, paths):
        self.read_paths = list(paths)
        return super().iter_contents(self.read_paths)


@pytest.fixture
def tree(directory, settings):
    return RecordingTree(directory({"a.py": "a = 1\n", "b/c.py": "c = 1\n", "README.md": "# Hello\n"}), settings)


def settle() -> None:
    """Waits until what was written is no longer racy."""
    time.sleep(0.08)


def test_content_ids_are_those_of_git(tree):
    git = subprocess.run(["git", "hash-object", "b/c.py"], cwd=tree.root, capture_output=True, text=True, check=True)
    entries = refresh_snapshot(tree, Snapshot()).entries
    assert entries["b/c.py"].oid == git.stdout.strip() == hash_blob(b"c = 1\n")
    assert list(entries) == ["README.md", "a.py", "b/c.py"]


def test_a_text_without_a_language_is_read_for_its_words(tree):
    entry = refresh_snapshot(tree, Snapshot()).entries["README.md"]
    assert (len(entry.oid), entry.language, entry.size) == (40, "", 8)
    assert tree.read_paths == ["README.md", "a.py", "b/c.py"]


def test_an_unchanged_tree_gives_the_same_snapshot_and_reads_nothing(tree):
    settle()
    first = refresh_snapshot(tree, Snapshot())
    tree.read_paths = []
    assert refresh_snapshot(tree, first) is first
    assert tree.read_paths == []


def test_only_the_changed_file_is_read_again(tree):
    settle()
    first = refresh_snapshot(tree, Snapshot()).with_blob_ids({(hash_blob(b"a = 1\n"), "python"): 7})
    (tree.root / "b/c.py").write_text("c = 22\n")
    second = refresh_snapshot(tree, first)
    assert tree.read_paths == ["b/c.py"]
    assert second.entries["a.py"].blob_id == 7
    assert second.entries["b/c.py"].oid == hash_blob(b"c = 22\n")
    assert second.identity != first.identity


def test_a_touched_file_keeps_its_facts_and_the_identity(tree):
    settle()
    first = refresh_snapshot(tree, Snapshot()).with_blob_ids({(hash_blob(b"a = 1\n"), "python"): 7})
    os.utime(tree.root / "a.py", ns=(1, 1))
    second = refresh_snapshot(tree, first)
    assert second.entries["a.py"].blob_id == 7
    assert second.entries["a.py"].mtime_ns == 1
    assert second.identity == first.identity


def test_an_edit_that_keeps_size_and_mtime_is_noticed(tree):
    path = tree.root / "a.py"
    status = path.stat()
    first = refresh_snapshot(tree, Snapshot())
    path.write_text("a = 2\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert refresh_snapshot(tree, first).entries["a.py"].oid == hash_blob(b"a = 2\n")


def test_an_edit_that_keeps_the_whole_status_is_noticed_while_it_can_happen(tree):
    first = refresh_snapshot(tree, Snapshot())
    (tree.root / "a.py").write_text("a = 2\n")
    found = {file.path: file for file in tree.walk().files}["a.py"]
    same_tick = structs.replace(
        first.entries["a.py"], mtime_ns=found.mtime_ns, ctime_ns=found.ctime_ns, inode=found.inode, size=found.size
    )
    before = structs.replace(first, entries={**first.entries, "a.py": same_tick}, taken_ns=found.ctime_ns)
    assert refresh_snapshot(tree, before).entries["a.py"].oid == hash_blob(b"a = 2\n")


def test_times_in_whole_seconds_are_trusted_only_after_two(tree):
    second = 1_700_000_000 * 10**9
    entry = SnapshotEntry("x" * 40, "python", 1, 6, second, second, 1)
    tree.walk = lambda: _walk_of(entry)
    near = Snapshot({"a.py": entry}, second + 10**9)
    assert refresh_snapshot(tree, near).entries["a.py"].oid == hash_blob(b"a = 1\n")
    far = structs.replace(near, taken_ns=second + 3 * 10**9)
    assert refresh_snapshot(tree, far) is far


def test_a_removed_file_is_gone_and_a_new_one_there(tree):
    first = refresh_snapshot(tree, Snapshot())
    (tree.root / "a.py").rename(tree.root / "d.py")
    assert list(refresh_snapshot(tree, first).entries) == ["README.md", "b/c.py", "d.py"]


def test_a_file_that_cannot_be_read_has_no_content(tree):
    walked = tree.walk()
    tree.walk = lambda: walked
    (tree.root / "a.py").unlink()
    entry = refresh_snapshot(tree, Snapshot()).entries["a.py"]
    assert (entry.oid, entry.language, entry.blob_id) == ("", "python", 0)


def test_columns_give_back_the_snapshot(tree):
    first = refresh_snapshot(tree, Snapshot())
    again = Snapshot.from_columns(first.taken_ns, first.to_columns())
    assert again.entries == first.entries
    assert Snapshot.from_columns(1, Snapshot().to_columns()).entries == {}
    assert again.identity == first.identity


def _walk_of(entry):
    from avionics.source.walk import FoundFile, Walk

    return Walk((FoundFile("a.py", entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode),), ())


def test_stored_entries_are_those_that_were_saved(tree):
    (tree.root / "c.bin").write_bytes(b"\0")
    seen = refresh_snapshot(tree, Snapshot())
    stored = Snapshot.from_columns(seen.taken_ns, seen.to_columns())
    assert list(stored.entries) == list(seen.entries)
    assert stored.entries["a.py"] == seen.entries["a.py"]
    assert stored.entries.get("d.py") is None
    assert "d.py" not in stored.entries
    assert dict(stored.entries.items()) == seen.entries
    assert list(stored.iter_contents()) == list(seen.iter_contents())
    assert stored.list_unknown() == seen.list_unknown() != set()
