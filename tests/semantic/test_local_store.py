"""The embedded store keeps its vectors through restarts, crashes and other writers."""

from __future__ import annotations

import json
import math
import os
import sys
import threading

import pytest

from avionics.model import UsageError, VectorRecord
from avionics.semantic.local import LocalVectorStore, MemoryVectorStore

EAST, NORTH = (1.0, 0.0), (0.0, 1.0)


def found(store, namespace="n"):
    return {match.id: match.metadata for match in store.find_nearest(namespace, EAST, 100)}


@pytest.fixture
def reopen(tmp_path):
    """Opens the index as another process would."""
    return lambda: LocalVectorStore(tmp_path, "docs")


def the_file(tmp_path):
    (path,) = tmp_path.rglob("*.jsonl")
    return path


def test_vectors_outlive_the_process(reopen):
    reopen().upsert("n", [VectorRecord("a", EAST, {"text": "1"}), VectorRecord("b", NORTH)])
    reopen().delete("n", ["b"])
    assert found(reopen()) == {"a": {"text": "1"}}


def test_what_another_process_writes_is_found_at_once(reopen):
    one, two = reopen(), reopen()
    one.upsert("n", [VectorRecord("a", EAST)])
    assert found(two) == {"a": {}}
    two.upsert("n", [VectorRecord("a", EAST, {"by": "two"})])
    two.delete("n", ["never"])
    assert found(one) == {"a": {"by": "two"}}


def test_writers_at_once_lose_nothing(reopen):
    stores = [reopen() for _ in range(4)]

    def write(number, store):
        for each in range(20):
            store.upsert("n", [VectorRecord(f"{number}-{each}", EAST)])

    threads = [threading.Thread(target=write, args=pair) for pair in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(found(store)) for store in (*stores, reopen())] == [80] * 5


def test_a_line_cut_short_by_a_crash_costs_that_line_alone(reopen, tmp_path):
    reopen().upsert("n", [VectorRecord("a", EAST), VectorRecord("b", EAST)])
    path = the_file(tmp_path)
    path.write_bytes(path.read_bytes()[:-20])
    survivor = reopen()
    assert found(survivor) == {"a": {}}
    survivor.upsert("n", [VectorRecord("c", EAST)])
    assert found(survivor) == found(reopen()) == {"a": {}, "c": {}}


def test_what_is_no_line_of_ours_is_passed_over(reopen, tmp_path):
    reopen().upsert("n", [VectorRecord("a", EAST)])
    lines = ['{"id": "x"}', "[]", "null", '{"id": "y", "vector": "!", "metadata": {}}', "\udcff", '{"deleted": 3}']
    with the_file(tmp_path).open("a", encoding="utf-8", errors="surrogateescape") as file:
        file.write("\n".join(lines) + "\n")
    assert found(reopen()) == {"a": {}}


def test_a_file_that_is_replaced_or_gone_is_read_anew(reopen, tmp_path):
    store = reopen()
    store.upsert("n", [VectorRecord("a", EAST)])
    path = the_file(tmp_path)
    content = path.read_bytes()
    path.unlink()
    assert found(store) == {}
    path.write_bytes(content.replace(b'"a"', b'"z"'))
    assert found(store) == {"z": {}}


def test_the_same_record_is_not_written_twice(reopen, tmp_path):
    for _ in range(3):
        reopen().upsert("n", [VectorRecord("a", EAST, {"text": "1"})])
    assert the_file(tmp_path).read_bytes().count(b'"id"') == 1


def test_a_vector_that_is_none_leaves_the_file_as_it_was(reopen, tmp_path):
    store = reopen()
    store.upsert("n", [VectorRecord("a", EAST)])
    before = the_file(tmp_path).read_bytes()
    for wrong in ((), (math.nan, 0.0), (math.inf, 1.0), (1.0, 0.0, 0.0)):
        with pytest.raises(UsageError):
            store.upsert("n", [VectorRecord("b", NORTH), VectorRecord("c", wrong)])
    assert the_file(tmp_path).read_bytes() == before
    assert found(store) == {"a": {}}


@pytest.mark.parametrize("name", ["../../outside", "/etc/x", "..", "a" * 500, "a\x00b", "Docs"])
def test_no_name_leads_out_of_the_directory(tmp_path, name):
    inside = tmp_path / "inside"
    store = LocalVectorStore(inside, name)
    store.upsert(name, [VectorRecord("a", EAST)])
    LocalVectorStore(inside, name.lower()).upsert(name, [VectorRecord("b", EAST)])
    assert found(store, name).keys() == ({"a"} if name != name.lower() else {"a", "b"})
    assert [path for path in tmp_path.rglob("*") if path.is_file() and inside not in path.parents] == []


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are POSIX's")
def test_files_are_for_their_owner_only(reopen, tmp_path):
    reopen().upsert("n", [VectorRecord("a", EAST)])
    assert os.stat(the_file(tmp_path)).st_mode & 0o777 == 0o600


def test_a_line_holds_plain_json(reopen, tmp_path):
    reopen().upsert("n", [VectorRecord("a", EAST, {"text": "x"})])
    line = json.loads(the_file(tmp_path).read_text("utf-8").strip())
    assert line == {"id": "a", "vector": "AACAPwAAAAA=", "metadata": {"text": "x"}}


def test_equals_come_in_the_order_of_their_ids_and_zero_is_near_nothing():
    store = MemoryVectorStore()
    store.upsert("n", [VectorRecord(name, EAST) for name in "cab"] + [VectorRecord("zero", (0.0, 0.0))])
    assert [(match.id, match.score) for match in store.find_nearest("n", EAST, 9)] == [
        ("a", 1.0), ("b", 1.0), ("c", 1.0), ("zero", 0.0)]  # fmt: skip
    assert store.find_nearest("n", (0.0, 0.0), 9) == ()
