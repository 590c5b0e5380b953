"""Transfer: what was written arrives; what was not is left out and counted."""

from __future__ import annotations

import io
import random
import subprocess
import zlib

import pytest
from msgspec import structs

from avionics.model.errors import IndexStateError
from avionics.store.store import Store
from avionics.store.transfer import MAGIC
from avionics.workspace import Workspace
from tests.store.bombs import build_bomb

FILES = {f"m{number}.py": f"def name_{number}():\n    return shared({number})\n" for number in range(20)}


@pytest.fixture
def exported(directory, settings):
    root = directory(FILES)
    with Workspace.open(root, settings) as workspace:
        file = io.BytesIO()
        blobs = {entry.blob_id for entry in workspace.code.snapshot.entries.values()}
        assert workspace.store.write_contents(blobs, file) == 20
    return root, file.getvalue()


def take(directory, data: bytes):
    store = Store.open(directory, version())
    try:
        taken = store.take_contents(io.BytesIO(data))
        return taken, store.reader.word_counts("shared"), store.reader.blobs_defining("name7")
    finally:
        store.close()


def version() -> int:
    from avionics.syntax.extract import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


def test_an_imported_store_answers_without_reading(exported, settings, tmp_path):

    root, data = exported
    elsewhere = structs.replace(settings, cache_directory=tmp_path / "elsewhere")
    with Workspace.open(root, settings) as workspace:
        expected = workspace.code.usages(workspace.code.find_definitions("name_3")[0])
    with Workspace.open(root, elsewhere) as workspace:
        taken = workspace.store.take_contents(io.BytesIO(data))
        assert (taken.contents, taken.known, taken.damaged) == (20, 0, 0)
        assert workspace.index().parsed == 0
        assert workspace.code.usages(workspace.code.find_definitions("name_3")[0]) == expected
        again = workspace.store.take_contents(io.BytesIO(data))
        assert (again.contents, again.known) == (0, 20)


def test_an_import_is_partial(exported, settings, tmp_path):

    root, data = exported
    (root / "m3.py").write_text("def name_3():\n    return 3\n")
    elsewhere = structs.replace(settings, cache_directory=tmp_path / "elsewhere")
    with Workspace.open(root, elsewhere) as workspace:
        workspace.index()
        taken = workspace.store.take_contents(io.BytesIO(data))
        assert (taken.contents, taken.known) == (1, 19)


def test_plain_text_and_what_is_none_arrive_too(directory, settings, tmp_path):

    root = directory({**FILES, "README.md": "shared words\n", "LICENSE": "more words\n", "data.bin": "\0\1"})
    file = io.BytesIO()
    with Workspace.open(root, settings) as workspace:
        workspace.index()
        blobs = {entry.blob_id for entry in workspace.code.snapshot.entries.values()}
        count = workspace.store.write_contents(blobs, file)
    file.seek(0)
    elsewhere = structs.replace(settings, cache_directory=tmp_path / "elsewhere")
    with Workspace.open(root, elsewhere) as workspace:
        taken = workspace.store.take_contents(file)
        assert (taken.contents, taken.damaged) == (count, 0)
        assert workspace.index().parsed == 0


def test_only_what_is_wanted_is_taken(exported, tmp_path):
    root, data = exported
    oid = subprocess.run(
        ["git", "hash-object", root / "m7.py"], capture_output=True, text=True, check=True
    ).stdout.strip()
    store = Store.open(tmp_path, version())
    taken = store.take_contents(io.BytesIO(data), {(oid, "python")})
    assert (taken.contents, taken.damaged) == (1, 0)
    assert store.reader.blobs_defining("name7")
    assert len(store.reader.word_counts("shared")) == 1
    store.close()


def test_a_file_of_something_else_is_refused(tmp_path):
    for data in (b"", b"PK\x03\x04", b"SQLite format 3\0"):
        with pytest.raises(IndexStateError):
            take(tmp_path, data)


def test_every_damaged_byte_is_found_and_costs_its_record_only(exported, tmp_path):
    _, data = exported
    drawn = random.Random(3)
    for number in range(60):
        damaged = bytearray(data)
        damaged[drawn.randrange(len(MAGIC), len(data))] ^= 1 << drawn.randrange(8)
        taken, shared, _ = take(tmp_path / str(number), bytes(damaged) + data[len(MAGIC) :])
        assert taken.damaged >= 1
        assert taken.contents in {0, 20}
        assert len(shared) == taken.contents


def test_a_file_cut_short_gives_what_is_whole(exported, tmp_path):
    _, data = exported
    taken, shared, _ = take(tmp_path, data[:-10])
    assert (taken.contents, taken.damaged, shared) == (0, 1, {})


def test_a_bomb_does_not_go_off(tmp_path):
    from avionics.store.transfer import _digest

    record = build_bomb(600)
    taken, *_ = take(tmp_path, MAGIC + len(record).to_bytes(8, "little") + _digest(record) + record)
    assert (taken.contents, taken.damaged) == (0, 1)
    head = MAGIC + (1 << 60).to_bytes(8, "little") + b"\0" * 32
    assert take(tmp_path, head)[0].damaged == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda row: (-1, *row[1:]),
        lambda row: (1 << 40, *row[1:]),
        lambda row: (row[0], "../../etc/passwd", *row[2:]),
        lambda row: (*row[:7], b"no payload"),
        lambda row: (*row[:3], -5, *row[4:]),
    ],
)
def test_a_row_that_could_not_have_been_written_is_left_out(exported, tmp_path, change):
    from msgspec import msgpack

    from avionics.store.transfer import _decode, _digest

    _, data = exported
    record = data[len(MAGIC) + 40 :]
    layout, extractor, rows, words = _decode(zlib.decompress(record))
    forged = zlib.compress(msgpack.encode((layout, extractor, [change(rows[0]), *rows[1:]], words)))
    taken, shared, _ = take(tmp_path, MAGIC + len(forged).to_bytes(8, "little") + _digest(forged) + forged)
    assert (taken.contents, taken.damaged, len(shared)) == (19, 1, 19)
