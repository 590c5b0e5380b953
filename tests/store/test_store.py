"""The store: opened whatever stands there, shared by threads and processes, never lying."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from avionics.model.enums import SymbolKind
from avionics.model.errors import IndexStateError
from avionics.model.facts import FileFacts, ParseProblem, Span, Symbol
from avionics.store.codec import PackedFacts, ParseFailure
from avionics.store.store import FILE_NAME, Store


def oid(number: int) -> str:
    return f"{number:040x}"


def facts_of(number: int, *names: str) -> FileFacts:
    symbols = tuple(Symbol(name, SymbolKind.FUNCTION, name, Span(1, 2), 1, 4) for name in names)
    words = {**dict.fromkeys(names, 2), "shared": number + 1}
    return FileFacts("python", symbols, words=words, lines=number)


def fill(store: Store, numbers, *names: str) -> dict[int, int]:
    """Adds facts for the numbers, a batch each, and gives number → blob id."""
    ids = {}
    for number in numbers:
        key = (oid(number), "python")
        ids[number] = store.writer.add([(key, facts_of(number, *names, f"name_{number}"))])[key]
    return ids


def test_facts_are_found_by_content(store):
    keys = [(oid(1), "python"), (oid(2), "python"), (oid(1), "go")]
    store.writer.add([(keys[0], facts_of(1, "Get_User")), (keys[1], ParseFailure("no"))])
    known = store.reader.blob_ids(keys)
    assert set(known) == set(keys[:2])
    first, second = known[keys[0]], known[keys[1]]
    facts = store.reader.many_facts([first, second])
    assert facts[first].symbols == facts_of(1, "Get_User").symbols
    assert facts[second] == FileFacts("python", problems=(ParseProblem(1, "no"),))
    assert (store.reader.failure(first), store.reader.failure(second)) == (None, "no")
    assert store.reader.word_counts("shared") == {first: 2}
    assert store.reader.term_postings(["user"]).count() == {first: 2}
    assert store.reader.blobs_defining("getuser") == {first}
    assert store.reader.document_lengths([first, second]) == {first: 4, second: 0}
    totals = store.reader.totals([first, second])
    assert (totals.symbols, totals.lines, totals.failures) == (1, 1, 1)


def test_packed_facts_and_facts_are_stored_alike(tmp_path):
    stores = [Store.open(tmp_path / name, 1) for name in "ab"]
    key, facts = (oid(1), "python"), facts_of(1, "a", "b")
    stores[0].writer.add([(key, facts)])
    stores[1].writer.add([(key, PackedFacts.of(facts))])
    assert tables(stores[0]) == tables(stores[1])
    for each in stores:
        each.close()


def test_adding_again_changes_nothing(store):
    ids = fill(store, range(5))
    before = tables(store)
    assert fill(store, range(5)) == ids
    assert tables(store) == before


def test_names_are_listed_by_prefix_in_order(store):
    store.writer.add([((oid(1), "python"), facts_of(1, "getUser", "get_item", "é_get", "other"))])
    store.writer.add([((oid(2), "python"), facts_of(2, "get_user", "GETALL"))])
    assert store.reader.names_with_prefix("get", 10) == ("getall", "getitem", "getuser")
    assert store.reader.names_with_prefix("get", 2) == ("getall", "getitem")
    assert store.reader.names_with_prefix("é", 2) == ("éget",)
    assert sorted(store.reader.iter_names()) == ["getall", "getitem", "getuser", "other", "éget"]


def test_merged_segments_answer_as_separate_ones(store):
    ids = fill(store, range(100), "everywhere")
    assert len(tables(store)["segments"]) < 30
    assert store.reader.word_counts("shared") == {ids[number]: number + 1 for number in range(100)}
    assert store.reader.blobs_defining("everywhere") == set(ids.values())
    assert store.reader.blobs_defining("name42") == {ids[42]}


@pytest.mark.parametrize("numbers", [range(0), range(40, 43), range(0, 300, 7), (0, 299), (5, 6, 70, 150, 151, 298)])
def test_a_limited_reader_finds_all_words_of_its_contents_and_reads_few_segments(store, numbers):
    ids = fill(store, range(300), "everywhere")
    own = {ids[number] for number in numbers}
    limited = store.reader.limited_to(own)
    found = limited.word_counts("shared")
    assert {blob: found[blob] for blob in own} == {ids[number]: number + 1 for number in numbers}
    assert own <= limited.blobs_defining("everywhere")
    assert own <= limited.term_postings(["shared", "everywhere"]).count().keys()
    assert {f"name{number}" for number in numbers} <= set(limited.names_with_prefix("name", 1000))
    if len(own) < 4:
        assert len(found) < 150


def test_another_version_of_the_extractor_has_its_own_facts(tmp_path, store):
    fill(store, [1])
    newer = Store.open(tmp_path / "cache", 2)
    columns = [["a.py", "b.py"], [oid(1), ""], ["python", ""], [1, 0], [9, 2**40]]
    store.writer.put_snapshot("root", 5, columns)
    assert newer.reader.blob_ids([(oid(1), "python")]) == {}
    assert newer.reader.snapshot("root") is None
    taken_ns, again = store.reader.snapshot("root")
    assert (taken_ns, [list(column) for column in again]) == (5, columns)
    newer.close()


def test_a_root_of_any_bytes_has_a_snapshot(store):
    root = b"/caf\xe9".decode("utf-8", "surrogateescape")
    store.writer.put_snapshot(root, 1, [])
    assert store.reader.snapshot(root) == (1, [])
    assert store.reader.snapshot("/café") is None


def test_the_use_of_a_workspace_is_noted_once_a_day(store):
    assert store.reader.is_use_noted("/shop")  # There is nothing to note it in.
    store.writer.put_snapshot("/shop", 1, ())
    assert store.reader.is_use_noted("/shop")
    with store._session.writing() as connection:
        connection.execute("UPDATE snapshots SET used = used - 90000")
    assert not store.reader.is_use_noted("/shop")
    store.writer.note_use("/shop")
    assert store.reader.is_use_noted("/shop")


def test_an_unknown_blob_has_no_facts_and_spares_the_file(store):
    assert store.reader.many_facts([99]) == {}
    assert store.reader.many_uses([99]) == {}
    assert not store.is_damaged


@pytest.mark.parametrize(
    "content", [b"", b"not a database at all" * 500, b"SQLite format 3\0" + b"\xff" * 5000, b"\0" * 8192]
)
def test_a_file_that_is_not_ours_is_replaced(tmp_path, content):
    (tmp_path / FILE_NAME).write_bytes(content)
    store = Store.open(tmp_path, 1)
    assert store.private_because == ""
    fill(store, [1])
    store.close()
    again = Store.open(tmp_path, 1)
    assert again.reader.blob_ids([(oid(1), "python")])
    again.close()


@pytest.mark.parametrize("change", ["PRAGMA user_version = 7", "PRAGMA application_id = 7"])
def test_a_file_of_another_version_or_program_is_kept_aside(tmp_path, change):
    store = Store.open(tmp_path, 1)
    fill(store, [1])
    store.close()
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute(change)
    connection.close()
    store = Store.open(tmp_path, 1)
    assert store.reader.blob_ids([(oid(1), "python")]) == {}
    assert (tmp_path / f"{FILE_NAME}.aside").exists()
    store.close()


def test_a_directory_that_cannot_be_made_gives_a_private_store(tmp_path):
    (tmp_path / "file").write_text("in the way")
    store = Store.open(tmp_path / "file" / "cache", 1)
    assert "cannot be used" in store.private_because
    ids = fill(store, range(20), "name")
    assert store.reader.blobs_defining("name") == set(ids.values())
    store.close()


def test_a_file_that_cannot_be_written_gives_a_private_store(tmp_path):
    Store.open(tmp_path, 1).close()
    holder = sqlite3.connect(tmp_path / FILE_NAME)
    holder.execute("PRAGMA journal_mode = DELETE")
    holder.close()
    (tmp_path / FILE_NAME).chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        if _is_writable(tmp_path):
            pytest.skip("this user may write everywhere")
        store = Store.open(tmp_path, 1)
        assert store.private_because
        store.close()
    finally:
        tmp_path.chmod(0o755)


def test_damage_is_an_error_and_then_a_new_file(tmp_path):
    store = Store.open(tmp_path, 1)
    ids = fill(store, range(3))
    damage = sqlite3.connect(store.path)
    damage.execute("UPDATE facts SET data = substr(data, 1, 10) || x'00' || substr(data, 12)")
    damage.commit()
    damage.close()
    with pytest.raises(IndexStateError):
        store.reader.many_facts([ids[1]])
    assert store.is_damaged
    again = store.reopened()
    assert again.reader.blob_ids([(oid(1), "python")]) == {}
    assert not again.is_damaged
    again.close()


def test_a_store_that_another_process_repaired_is_not_repaired_again(tmp_path):
    first, second = Store.open(tmp_path, 1), Store.open(tmp_path, 1)
    ids = fill(first, [1])
    damage = sqlite3.connect(first.path)
    damage.execute("UPDATE facts SET data = x'00'")
    damage.commit()
    damage.close()
    for store in (first, second):
        with pytest.raises(IndexStateError):
            store.reader.many_facts([ids[1]])
    first = first.reopened()
    fill(first, [2])
    second = second.reopened()
    assert second.reader.blob_ids([(oid(2), "python")])
    first.close()
    second.close()


def test_random_damage_anywhere_never_gives_other_facts(tmp_path):
    store = Store.open(tmp_path, 1)
    fill(store, range(40), "everywhere")
    keys = [(oid(number), "python") for number in range(40)]
    store.close()
    sound = (tmp_path / FILE_NAME).read_bytes()
    for place in range(100, len(sound), 1777):
        damaged = bytearray(sound)
        damaged[place : place + 3] = b"\xa5\x5a\xa5"
        (tmp_path / FILE_NAME).write_bytes(damaged)
        store = Store.open(tmp_path, 1)
        try:
            for (number, _), blob in store.reader.blob_ids(keys).items():
                expected = facts_of(int(number, 16), "everywhere", f"name_{int(number, 16)}")
                found = store.reader.many_facts([blob]).values()
                assert all(each.symbols == expected.symbols for each in found)
        except IndexStateError:
            pass
        finally:
            store.close()


def test_uses_and_snapshots_that_cannot_be_written_are_left_out(store):
    from avionics.store.codec import encode_uses
    from avionics.syntax.extract import extract_facts, extract_uses

    uses = extract_uses(b"a = 1\n", "python", extract_facts(b"a = 1\n", "python"))
    ids = fill(store, [1])
    holder = sqlite3.connect(store.path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    store.writer.put_uses({ids[1]: encode_uses(uses)})
    store.writer.put_snapshot("root", 1, [])
    holder.execute("ROLLBACK")
    holder.close()
    assert store.reader.many_uses([ids[1]]) == {}
    assert not store.is_damaged
    store.writer.put_uses({ids[1]: encode_uses(uses)})
    assert store.reader.many_uses(ids.values()) == {ids[1]: uses}


def test_threads_share_a_store(store):
    def work(start: int) -> None:
        for number in range(start, start + 20):
            fill(store, [number], "everywhere")
            store.reader.word_counts("shared")

    threads = [threading.Thread(target=work, args=(start,)) for start in (0, 10, 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.reader.blobs_defining("everywhere")) == 40


def test_processes_share_a_file(tmp_path):
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]; from pathlib import Path\n"
        "from avionics.store.store import Store\n"
        "from avionics.model.facts import FileFacts\n"
        "s = Store.open(Path(sys.argv[2]), 1)\n"
        "assert not s.private_because, s.private_because\n"
        "for n in range(60): s.writer.add([((f'{n:040x}', 'python'), FileFacts('python', words={'w': 1}))])\n"
        "s.close()\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    children = [subprocess.Popen([sys.executable, "-c", code, root, str(tmp_path)]) for _ in range(3)]
    assert [child.wait() for child in children] == [0, 0, 0]
    store = Store.open(tmp_path, 1)
    assert len(store.reader.word_counts("w")) == 60
    store.close()


def tables(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """Everything that is stored."""
    connection = sqlite3.connect(store.path)
    names = ("blobs", "facts", "uses", "segments", "postings", "snapshots")
    rows = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}
    connection.close()
    return rows


def _is_writable(directory: Path) -> bool:
    try:
        (directory / "probe").write_text("")
    except OSError:
        return False
    return True
