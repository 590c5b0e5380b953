"""What workers extract ahead of questions: the uses of every content, in segments beside its facts."""

from __future__ import annotations

import io

import psycopg
import pytest

from avionics.cross_repository.indexing import index_repository
from avionics.cross_repository.usages import FleetQuestions
from avionics.fleet.segments import SegmentStore
from avionics.fleet.work import BACKFILL, PUSH, WorkQueue
from avionics.index.facts.worker_pool import get_pool
from avionics.settings import Settings
from avionics.store.store import Store
from avionics.workspace import Workspace
from tests.fleet.conftest import SHOP

USAGES = {"shelf": [("src/shelf/box.py", 7)], "shop": [("shop.py", 6)]}


@pytest.fixture
def ask(stocked, tmp_path):
    """Asks who uses `Box.put` on a machine that has no facts yet."""
    opened = []

    def ask_fresh():
        settings = Settings(cache_directory=tmp_path / f"fresh{len(opened)}")
        questions = FleetQuestions(stocked.catalogue, SegmentStore(str(stocked.bucket)), settings)
        opened.append(questions)
        found = questions.ask_usages("Box.put", ("everyone",)).found
        return {each.repository.name: [(one.usage.file, one.usage.line) for one in each.usages] for each in found}

    yield ask_fresh
    for each in opened:
        each.close()


def uses_segments(fleet):
    with psycopg.connect(fleet.url) as connection:
        rows = connection.execute("SELECT DISTINCT uses FROM facts WHERE uses IS NOT NULL").fetchall()
    return [bytes(digest) for (digest,) in rows]


def test_a_first_question_extracts_nothing(ask):
    get_pool().stop()
    assert ask() == USAGES
    assert not get_pool().first.is_running


class NotingSegments(SegmentStore):
    """The segments, and what was read of them."""

    def __init__(self, bucket):
        super().__init__(bucket)
        self.read = []

    def get_range(self, digest, start, size):
        self.read.append((digest, start))
        return super().get_range(digest, start, size)


def test_bytes_that_several_repositories_have_are_read_once(stocked, git_repository, settings):
    git_repository(SHOP, "clones/twin")
    assert stocked.run("add", str(stocked.clones)) == 0
    assert stocked.run("worker", "--drain") == 0
    segments = NotingSegments(str(stocked.bucket))
    questions = FleetQuestions(stocked.catalogue, segments, settings)
    found = questions.ask_usages("Box.put", ("everyone",)).found
    questions.close()
    assert {each.repository.name: len(each.usages) for each in found} == {"shop": 1, "twin": 1, "shelf": 1}
    assert len(segments.read) == len(set(segments.read)) > 1


def test_uses_of_the_fleet_are_those_of_the_clone(stocked, ask, settings):
    ask()
    (shop,) = (each for each in stocked.catalogue.list_repositories() if each.name == "shop")
    questions = FleetQuestions(stocked.catalogue, SegmentStore(str(stocked.bucket)), settings)
    with Workspace.open(stocked.clones / "shop") as clone:
        remote = questions.open_repository(shop).code
        assert set(remote.files) == set(clone.code.files) == {"shop.py", "other.py"}
        for path in clone.code.files:
            ours, theirs = remote.source.uses(path), clone.code.source.uses(path)
            assert (ours.scopes, dict(ours.references)) == (theirs.scopes, dict(theirs.references))
    questions.close()


@pytest.mark.parametrize("damage", [lambda file: file.unlink(), lambda file: file.write_bytes(b"other")])
def test_uses_that_are_lost_are_extracted_by_whoever_asks(stocked, ask, damage):
    segments = uses_segments(stocked)
    assert segments
    for digest in segments:
        (file,) = stocked.bucket.rglob(digest.hex())
        damage(file)
    get_pool().stop()
    assert ask() == USAGES
    assert get_pool().first.is_running


def test_uses_of_a_fleet_that_had_none_follow_with_the_next_sync(stocked):
    with psycopg.connect(stocked.url) as connection:
        connection.execute("UPDATE facts SET uses = NULL")
    assert stocked.run("sync") == 0
    assert stocked.run("worker", "--drain") == 0
    with psycopg.connect(stocked.url) as connection:
        (lacking,) = connection.execute("SELECT count(*) FROM facts WHERE language != '' AND uses IS NULL").fetchone()
    assert lacking == 0


def test_uses_of_another_content_or_version_are_not_taken(stocked, tmp_path):
    (clone, other) = (Workspace.open(stocked.clones / name, Settings(cache_directory=tmp_path / name))
                      for name in ("shop", "stranger"))  # fmt: skip
    file = io.BytesIO()
    with clone, other:
        clone.code.source.load_uses(clone.code.files)
        blobs = {each.blob_id: (each.oid, each.language) for each in clone.code.snapshot.entries.values()}
        assert len(clone.store.write_uses(blobs, file)) == 2
        assert other.code.files == ("alone.py",)
        other.store.take_uses(io.BytesIO(file.getvalue()))
        assert other.store.reader.many_uses(range(9)) == {}
        other.store.take_contents(*facts_of(clone, blobs))
        damaged = bytearray(file.getvalue())
        damaged[-1] ^= 1
        for data in (bytes(damaged), file.getvalue()[:-5], b"", b"avionics facts 1\n"):
            other.store.take_uses(io.BytesIO(data))
        older = Store.open(tmp_path / "older", extractor_version=1)
        older.take_uses(io.BytesIO(file.getvalue()))
        older.close()
        assert other.store.reader.many_uses(range(9)) == {}
        other.store.take_uses(io.BytesIO(file.getvalue()))
        assert len(other.store.reader.many_uses(range(9))) == 2


def facts_of(workspace, blobs):
    file = io.BytesIO()
    workspace.store.write_contents(blobs, file)
    file.seek(0)
    return (file,)


def test_a_push_goes_before_the_uses_of_another_repository(stocked):
    order = []

    def index(number):
        order.append(number)
        if len(order) == 1:
            queue.enqueue((2,), PUSH)
        return len(order) != 1 or not queue.has_due(PUSH)

    queue = WorkQueue(stocked.url, index, lambda number, text: None)
    queue.enqueue((1, 3), BACKFILL)
    assert not queue.has_due(PUSH)
    queue.run(is_waiting=False)
    assert order == [1, 2, 3, 1]


def test_a_large_repository_is_published_before_its_uses_and_leaves_them_for_what_is_urgent(fleet, git_repository):
    text = "".join(f"name{at} = other{at}(1)\n" for at in range(20_000))
    git_repository({"a.py": text, "b.py": text + "\n", "c.py": text + "\n\n"}, "clones/large")
    assert fleet.run("add", str(fleet.clones)) == 0
    (large,) = fleet.catalogue.list_repositories()
    stores = fleet.catalogue, SegmentStore(str(fleet.bucket)), Settings.from_environment()
    for urged, is_done, segments in ((True, False, 1), (False, True, 2), (True, True, 2)):
        _, done = index_repository(*stores, large, lambda urged=urged: urged)
        assert (done, len(uses_segments(fleet))) == (is_done, segments)
        (known,) = fleet.catalogue.list_repositories()
        assert len(fleet.catalogue.read_files(known)) == 3
