"""Clearing: what is needed stays, what is not goes, and nobody answers from what is gone."""

from __future__ import annotations

import pytest
from msgspec import structs

from avionics.model.errors import IndexStateError
from avionics.model.facts import FileFacts
from avionics.store.store import Store
from avionics.tools.internal.files.grep_search import grep_search
from avionics.workspace import Workspace


def oid(number: int) -> str:
    return f"{number:040x}"


def put(store: Store, numbers) -> dict[int, int]:
    keys = {number: (oid(number), "python") for number in numbers}
    facts = {key: FileFacts("python", words={"all": 1, f"w{number}": 2}) for number, key in keys.items()}
    ids = store.writer.add(facts.items())
    return {number: ids[key] for number, key in keys.items()}


def remember(store: Store, root: str, ids: dict[int, int]) -> None:
    paths = tuple(f"f{number}.py" for number in ids)
    ones = (1,) * len(ids)
    columns = (paths, tuple(map(oid, ids)), ("python",) * len(ids), tuple(ids.values()), ones, ones)
    store.writer.put_snapshot(root, 1, columns)


def test_only_what_no_workspace_has_is_dropped(store):
    ids = put(store, range(10))
    remember(store, "/there", {number: ids[number] for number in range(4)})
    remember(store, "/gone", ids)
    cleared = store.clear(lambda root: root == "/there", 10**9)
    assert (cleared.contents, cleared.workspaces) == (6, 1)
    assert store.reader.word_counts("all") == {ids[number]: 1 for number in range(4)}
    assert store.reader.word_counts("w7") == {}
    assert store.reader.snapshot("/gone") is None
    assert list(store.reader.snapshot("/there")[1][3]) == [ids[number] for number in range(4)]


def test_a_blob_id_is_never_given_again(store):
    ids = put(store, range(5))
    store.clear(lambda root: True, 10**9)
    assert min(put(store, range(5)).values()) > max(ids.values())


def test_the_workspaces_used_longest_ago_go_first_until_the_store_is_small_enough(store):
    for number in range(3):
        remember(store, f"/root{number}", put(store, [number]))
        store._session._connection.execute("UPDATE snapshots SET used = ? WHERE root = ?", (number, f"/root{number}"))
    store.clear(lambda root: True, 1)
    assert [store.reader.snapshot(f"/root{number}") is None for number in range(3)] == [True, True, False]
    assert set(store.reader.word_counts("all").values()) == {1}


def test_room_is_given_back(store):
    put(store, range(3_000))
    before = store.get_size_bytes()
    store.clear(lambda root: True, 10**9)
    assert store.get_size_bytes() < before / 2


def test_workspaces_of_other_processes_read_again_what_was_dropped(directory, settings):
    root = directory({"a.py": "def kept(): pass\n", "b.py": "def other(): return kept()\n"})
    with Workspace.open(root, settings) as one, Workspace.open(root, settings) as other:
        before = one.code.usages(one.code.find_definitions("kept")[0])
        other.store.clear(lambda _: False, 10**9)
        assert one.code.usages(one.code.find_definitions("kept")[0]) == before
        one.close()
    with Workspace.open(root, settings) as again:
        assert again.code.usages(again.code.find_definitions("kept")[0]) == before


def test_an_answer_that_a_clearing_cut_off_is_asked_again_never_short(directory, settings):
    using = {f"{name}.py": "from kept import kept\nkept()\n" for name in ("one", "two")}
    root = directory({"kept.py": "def kept(): pass\n", **using})
    with Workspace.open(root, settings) as one, Workspace.open(root, settings) as other:
        with one.pinned_index():
            definition = one.code.find_definitions("kept")[0]
            one.code.load_facts(["kept.py"])
            other.store.clear(lambda _: False, 10**9)
            with pytest.raises(IndexStateError, match="cleared while this was answered"):
                one.code.usages(definition)
            assert {match.file for match in grep_search(one, "kept").matches} == {"kept.py", "one.py", "two.py"}
        with one.pinned_index():
            assert {usage.file for usage in one.code.usages(definition).usages} == {"one.py", "two.py"}


def test_a_store_that_grew_too_large_clears_itself(directory, settings, tmp_path):
    small = structs.replace(settings, max_store_bytes=1)
    first = directory({f"a{number}.py": f"a{number} = 1\n" for number in range(60)})
    with Workspace.open(first, small) as workspace:
        workspace.index()
    second = tmp_path / "second"
    second.mkdir()
    for number in range(60):
        (second / f"b{number}.py").write_text(f"b{number} = 1\n")
    with Workspace.open(second, small) as workspace:
        workspace.index()
        assert workspace.store.reader.blobs_defining("a7") == frozenset()
        assert workspace.code.find_definitions("b7")
