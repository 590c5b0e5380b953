"""Workspaces: always fresh, once an answer, whatever becomes of the store."""

from __future__ import annotations

import gc
import os
import sqlite3
import subprocess
import sys
import threading
import time
import weakref
from contextvars import copy_context
from pathlib import Path

import pytest
from msgspec import structs

from avionics.index.facts.worker_pool import get_pool
from avionics.model.errors import UsageError
from avionics.source.walk import LITTLE_FILES
from avionics.workspace import Workspace
from tests.timing import wait_until

ROOT = str(Path(__file__).resolve().parents[1])


def defining(workspace: Workspace, name: str) -> bool:
    return bool(workspace.store.reader.blobs_defining(name))


def test_a_root_that_is_no_directory_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for path in ("nothing", "file"):
        with pytest.raises(UsageError) as caught:
            Workspace.open(tmp_path / path)
        assert caught.value.hint


def test_a_link_to_a_root_is_that_root(directory, settings, tmp_path):
    root = directory({"a.py": "a = 1\n"})
    (tmp_path / "link").symlink_to(root)
    with Workspace.open(str(tmp_path / "link"), settings) as workspace:
        assert workspace.root == root


def test_opening_loads_nothing_heavy(tmp_path):
    heavy = ("git", "multiprocessing", "asyncio", "rich", "sqlite3", "tree_sitter", "pathspec")
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "from avionics.workspace import Workspace\n"
        "Workspace.open('.').close()\n"
        f"print([name for name in {heavy!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, ROOT], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_index_loads_no_language_before_it_is_asked_about_one(tmp_path):
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "import avionics.index.code_index\n"
        "shared = {'generic', 'embedded_code', 'distributions'}\n"
        "loaded = [name for name in sys.modules if name.startswith('avionics.syntax.languages.')]\n"
        "print([name for name in loaded if name.rpartition('.')[2] not in shared])\n"
    )
    done = subprocess.run([sys.executable, "-c", code, ROOT], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_indexing_says_what_it_did(workspace):
    opened = workspace({"a.py": "a = 1\n", "b.py": "b = 1\n", "c.md": "c\n"})
    report = opened.index()
    assert (report.files, report.parsed, report.failed) == (2, 3, 0)
    assert opened.index().parsed == 0


def test_indexing_stores_uses_at_once_if_questions_about_all_files_follow(workspace):
    opened = workspace({"a.py": "a = 1\na\n"})
    opened.index()
    (entry,) = opened.code.snapshot.entries.values()
    known = {entry.blob_id: (entry.oid, entry.language)}
    assert not opened.store.reader.many_uses(known)
    (opened.root / "a.py").write_text("b = 1\nb\n")
    opened.index(with_uses=True)
    (entry,) = opened.code.snapshot.entries.values()
    (uses,) = opened.store.reader.many_uses({entry.blob_id: (entry.oid, entry.language)}).values()
    assert list(uses.references) == ["b"]
    assert uses == opened.code.uses("a.py")


def test_the_next_process_starts_where_this_one_ended(workspace, settings):
    first = workspace({"a.py": "a = 1\n"})
    first.index()
    looked = first.refreshed_ns
    first.close()
    with Workspace.open(first.root, settings) as again:
        assert again.refreshed_ns == 0
        assert again.index().parsed == 0
        assert again.refreshed_ns >= looked


def test_the_next_process_lists_only_a_tree_that_changed(workspace, settings, monkeypatch):
    first = workspace({f"{number}.py": f"name{number} = 1\n" for number in range(LITTLE_FILES)})
    (first.root / "link.py").symlink_to("1.py")
    time.sleep(0.06)  # Until then a file could change without a change of the directory's times.
    first.index()
    first.close()
    listed: list[object] = []
    scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: (listed.append(path), scandir(path))[1])
    with Workspace.open(first.root, settings) as second:
        assert second.code.find_definitions("name7")
        assert [each.path for each in second.source.walk().skipped] == ["link.py"]
    assert listed == []
    (first.root / "7.py").write_text("edited = 1\n")
    with Workspace.open(first.root, settings) as third:
        assert third.code.find_definitions("edited")
        assert not third.code.find_definitions("name7")
    assert listed == []
    (first.root / "new.py").write_text("new = 1\n")
    with Workspace.open(first.root, settings) as fourth:
        assert fourth.code.find_definitions("new")
    assert listed != []


def test_a_closed_workspace_opens_again(workspace):
    opened = workspace({"a.py": "a = 1\n"})
    opened.index()
    opened.close()
    opened.close()
    assert opened.index().parsed == 0


def test_the_code_follows_the_files(workspace):
    opened = workspace({"a.py": "def first(): pass\n"})
    before = opened.code
    assert opened.code is before
    (opened.root / "a.py").write_text("def second(): pass\n")
    assert opened.code is not before
    assert defining(opened, "second")


def test_a_file_that_is_touched_does_not_make_a_new_index(workspace):
    opened = workspace({"a.py": "a = 1\n"})
    before = opened.code
    os.utime(opened.root / "a.py")
    assert opened.code is before


def test_an_answer_sees_one_state_of_the_files(workspace):
    opened = workspace({"a.py": "def first(): pass\n"})
    with opened.pinned_index():
        code = opened.code
        (opened.root / "a.py").write_text("def second(): pass\n")
        with opened.pinned_index():
            assert opened.code is code
        assert opened.code is code
    assert opened.code is not code


def test_answers_in_other_threads_are_their_own(workspace):
    opened = workspace({"a.py": "def first(): pass\n"})
    seen = []

    def answer() -> None:
        with opened.pinned_index():
            seen.append(opened.code)

    with opened.pinned_index():
        mine = opened.code
        (opened.root / "a.py").write_text("def second(): pass\n")
        for target in (answer, lambda: copy_context().run(lambda: None)):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
        assert opened.code is mine
    assert seen[0] is not mine
    assert seen[0] is opened.code


def test_a_look_after_the_question_answers_it_and_an_earlier_one_does_not(directory, settings):
    root = directory({"a.py": "def one(): ...\n"})
    with Workspace.open(root, settings) as opened:
        asked = time.monotonic()
        opened.index()
        (root / "b.py").write_text("def two(): ...\n")
        with opened.pinned_index(since=asked):
            assert [each.file for each in opened.code.find_definitions("two")] == []
        with opened.pinned_index(since=time.monotonic()):
            assert [each.file for each in opened.code.find_definitions("two")] == ["b.py"]
        (root / "b.py").write_text("def three(): ...\n")
        with opened.pinned_index(since=asked), opened.pinned_index(refresh=True):
            assert [each.file for each in opened.code.find_definitions("three")] == ["b.py"]


def test_two_workspaces_share_facts_and_no_files(workspace, tmp_path):
    one = workspace({"a.py": "a = 1\n"}, tmp_path / "one")
    two = workspace({"b.py": "a = 1\n"}, tmp_path / "two")
    assert one.index().parsed == 1
    assert two.index().parsed == 0
    with one.pinned_index(), two.pinned_index():
        assert one.code is not two.code


def test_a_damaged_store_is_rebuilt(workspace):
    opened = workspace({"a.py": "def first(): pass\n"})
    opened.index()
    stored = opened.store.path
    opened.close()
    damage = sqlite3.connect(stored)
    damage.execute("UPDATE snapshots SET data = x'00'")
    damage.commit()
    damage.close()
    assert opened.index().parsed == 1
    assert opened.store.private_because == ""
    assert defining(opened, "first")


def test_a_store_that_disappears_under_way_is_made_again(workspace):
    opened = workspace({"a.py": "def first(): pass\n"})
    opened.index()
    for file in opened.settings.cache_directory.iterdir():
        file.unlink()
    (opened.root / "a.py").write_text("def second(): pass\n")
    opened.index()
    assert defining(opened, "second")
    assert opened.store.path.exists()


def test_a_full_disk_is_answered_from_memory(workspace):
    opened = workspace({"a.py": "def first(): pass\n"})
    opened.index()
    blocker = opened.settings.cache_directory
    for file in blocker.iterdir():
        file.unlink()
    blocker.rmdir()
    blocker.write_text("in the way")
    (opened.root / "a.py").write_text("def second(): pass\n")
    opened.index()
    assert opened.store.private_because
    assert defining(opened, "second")


def test_a_look_ahead_is_the_look_of_the_next_answer_and_of_no_later_one(workspace):
    opened = workspace({"a.py": "def first(): pass\n"})
    opened.look_ahead()
    assert opened.refreshed_ns == 0
    opened.index()
    opened.close()
    (opened.root / "a.py").write_text("def second(): pass\n")
    opened.look_ahead()
    looked = opened.refreshed_ns
    assert opened.code.find_definitions("second")
    assert opened.refreshed_ns == looked
    (opened.root / "a.py").write_text("def third(): pass\n")
    assert opened.code.find_definitions("third")
    opened.close()
    opened.look_ahead()
    assert opened.index().parsed == 0


class _Circle:
    def __init__(self):
        self.own = self


def _make_circle():
    return _Circle()


@pytest.fixture
def uncollected():
    """Keeps the garbage collector from running by itself, and from looking at what other tests have left."""
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_a_server_that_has_grown_too_large_forgets_what_it_read_and_answers_the_same(directory, settings, monkeypatch):
    monkeypatch.setattr("avionics.server_memory._TRIMMED_BYTES", -(1 << 60))
    monkeypatch.setattr("avionics.server_memory._RENEWED_ANSWERS", 2)
    root = directory({"a.py": "def found(): pass\n", "b.py": "from a import found\nfound()\n"})
    for limit, is_renewed in ((1, True), (1 << 60, False)):
        with Workspace.open(root, structs.replace(settings, max_resident_bytes=limit)) as workspace:
            workspace.prepare()

            def ask(workspace=workspace):
                with workspace.pinned_index():
                    return [workspace.code.usages(each) for each in workspace.code.find_definitions("found")]

            first, code = ask(), workspace.code
            held = weakref.ref(_make_circle())
            for _ in range(5):
                assert ask() == first
                wait_until(
                    lambda: all(each.name != "avionics-memory" for each in threading.enumerate()), "it has ended"
                )
            assert (workspace.code is not code) == is_renewed
            assert (workspace.code.source is not code.source) == is_renewed
            assert (held() is None) == is_renewed


@pytest.mark.usefixtures("uncollected")
def test_an_index_that_is_given_up_during_an_answer_is_freed_when_that_ends(directory, settings, monkeypatch):
    monkeypatch.setattr("avionics.server_memory._TRIMMED_BYTES", -(1 << 60))
    monkeypatch.setattr("avionics.server_memory._RENEWED_ANSWERS", 1)
    monkeypatch.setattr("avionics.server_memory._RENEWED_BESIDE_OTHERS", 1)
    root = directory({"a.py": "def found(): pass\n", "b.py": "from a import found\nfound()\n"})

    def has_ended():
        return all(each.name != "avionics-memory" for each in threading.enumerate())

    with Workspace.open(root, structs.replace(settings, max_resident_bytes=1)) as workspace:
        workspace.prepare()

        def ask():
            with workspace.pinned_index():
                assert [workspace.code.usages(each) for each in workspace.code.find_definitions("found")]

        with workspace.pinned_index():
            ask()
            held = weakref.ref(workspace.code.resolver)
            other = threading.Thread(target=ask)
            other.start()
            other.join()
            wait_until(has_ended, "it has ended")
            assert held() is not None
            monkeypatch.setattr("avionics.server_memory._RENEWED_ANSWERS", 1 << 60)
        wait_until(has_ended, "it has ended")
        assert held() is None


@pytest.mark.usefixtures("uncollected")
def test_a_thread_that_an_answer_started_does_not_keep_its_index(directory, settings, monkeypatch):
    monkeypatch.setattr("avionics.server_memory._RENEWED_ANSWERS", 1)
    root = directory({"a.py": "def found(): pass\n"})
    with Workspace.open(root, structs.replace(settings, max_resident_bytes=1)) as workspace:
        workspace.prepare()
        with workspace.pinned_index():
            held, context = weakref.ref(workspace.code.resolver), copy_context()
        assert held() is None
        assert context.run(lambda: workspace.code.find_definitions("found"))


@pytest.mark.parametrize("bytes_kept", [0, 5_000])
def test_facts_that_memory_has_no_room_for_are_read_again(directory, settings, tmp_path, bytes_kept):
    modules = {f"m{number}.py": "from a import found\n\n\ndef use(): found()\n" for number in range(12)}
    late = "def earlier(): pass\n"

    def ask(name, **limits):
        root = directory({"a.py": "def found(): pass\n", "late.py": late, **modules})
        own = structs.replace(settings, cache_directory=tmp_path / f"cache of {name}", **limits)
        with Workspace.open(root, own) as workspace, workspace.pinned_index():
            code = workspace.code
            usages = [code.usages(each) for each in code.find_definitions("found")]
            (root / "late.py").write_text("def later():\n    pass\n")
            uses = [code.uses("late.py").scopes, *[code.uses(f"m{number}.py").references for number in range(12)]]
            return usages, uses, [code.facts(path) for path in code.files], code.uses("late.py").scopes

    expected = ask("all")
    assert [each.name for each in expected[2][1].symbols] == ["later"]
    assert ask("little", max_kept_bytes=bytes_kept) == expected


def test_what_is_prepared_has_a_reader_and_knows_the_directories(workspace):
    opened = workspace({"a.py": "a = 1\n"})
    opened.index()
    if not opened.watch():
        pytest.skip("nothing can be watched here")
    get_pool().stop()
    opened.prepare()
    code = opened.code
    wait_until(lambda: get_pool().first.is_running, "a reader runs")
    assert opened.code is code
    (opened.root / "a.py").write_text("def prepared(): ...\n")
    assert [found.file for found in opened.code.find_definitions("prepared")] == ["a.py"]
