"""Builds: the same facts whatever the order, the processes and the interruptions."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec import structs

from avionics.cancellation import limit_answer
from avionics.index.facts import worker_pool
from avionics.index.facts.builder import build_index
from avionics.index.facts.snapshot import Snapshot, refresh_snapshot
from avionics.index.facts.worker_process import Worker
from avionics.index.facts.worker_protocol import Task, Want, perform
from avionics.model.errors import IndexUnfinishedError
from avionics.source.tree import SourceTree
from avionics.store.codec import ParseFailure
from avionics.store.store import Store
from avionics.syntax.engine.budget import TOO_COSTLY
from avionics.syntax.extract import EXTRACTOR_VERSION
from tests.timing import PATIENCE_SECONDS, wait_until

ROOT = str(Path(__file__).resolve().parents[2])

INDEX = (
    "import sys; sys.path[:0] = [sys.argv[1]]; from pathlib import Path\n"
    "from avionics.settings import Settings\n"
    "from avionics.workspace import Workspace\n"
    "settings = Settings(cache_directory=Path(sys.argv[3]), worker_threshold_files=int(sys.argv[4]), workers=2)\n"
    "print('started', flush=True)\n"
    "with Workspace.open(sys.argv[2], settings) as w: print(w.index().parsed)\n"
)
"""A program without a main guard."""


def sources(count: int, version: int = 0) -> dict[str, str]:
    return {
        f"package_{n % 7}/module_{n}.py": f"import os\n\nclass Thing{n}:\n    def act_{n}(self, v={version}):\n"
        f"        return shared(self, {n}, word_{n % 10})\n"
        for n in range(count)
    }


def build(root: Path, cache: Path, settings, **changes):
    """Builds the index and gives its report and everything known by path and word."""
    store = Store.open(cache, EXTRACTOR_VERSION)
    tree = SourceTree(root, settings)
    snapshot = refresh_snapshot(tree, Snapshot())
    snapshot, report = build_index(snapshot, tree, store, structs.replace(settings, **changes))
    known = everything(store, snapshot)
    store.close()
    return report, known


def everything(store: Store, snapshot: Snapshot):
    """All facts and postings of a snapshot, told by path."""
    paths = {entry.blob_id: path for path, entry in snapshot.entries.items()}
    assert 0 not in paths
    reader = store.reader
    names = {name for name in reader.iter_names() if reader.blobs_defining(name) & set(paths)}

    def by_path(counts):
        return {paths[blob]: count for blob, count in counts.items() if blob in paths}

    return {
        "facts": {paths[blob]: facts for blob, facts in reader.many_facts(paths).items()},
        "lengths": by_path(reader.document_lengths(paths)),
        "names": {name: {paths[blob] for blob in reader.blobs_defining(name) if blob in paths} for name in names},
        "words": {word: by_path(reader.word_counts(word)) for word in ("shared", "self", "word_3", "Thing4", "os")},
        "terms": {term: by_path(reader.term_postings([term]).count()) for term in ("shared", "self", "word", "act")},
    }


def test_building_twice_changes_nothing(directory, settings, tmp_path):
    root = directory(sources(20))
    first, known = build(root, tmp_path / "one", settings)
    second, again = build(root, tmp_path / "one", settings)
    assert (first.files, first.parsed, first.failed) == (20, 20, 0)
    assert (second.files, second.parsed, second.failed) == (20, 0, 0)
    assert again == known


def test_worker_processes_find_what_one_process_finds(directory, settings, tmp_path):
    root = directory({**sources(120), "latin.py": b"caf\xe9 = '\xe9'\n", "broken.py": "def f(:\n  x\n"})
    _, alone = build(root, tmp_path / "one", settings)
    report, together = build(root, tmp_path / "two", settings, worker_threshold_files=1, workers=2)
    assert (report.parsed, report.failed) == (122, 0)
    assert together == alone


def test_an_edited_tree_is_known_as_a_fresh_one(directory, settings, tmp_path):
    root = directory(sources(12))
    build(root, tmp_path / "one", settings)
    for round_ in range(1, 12):
        (root / "package_1/module_1.py").write_text(f"def act(v={round_}): return shared\n")
        report, edited = build(root, tmp_path / "one", settings)
        assert report.parsed == 1
    assert edited == build(root, tmp_path / "two", settings)[1]


def test_the_order_of_files_changes_nothing(directory, settings, tmp_path):
    root = directory(sources(30))

    class Shuffled(SourceTree):
        def walk(self):
            walked = super().walk()
            return structs.replace(walked, files=tuple(random.Random(1).sample(walked.files, len(walked.files))))

    store = Store.open(tmp_path / "two", EXTRACTOR_VERSION)
    tree = Shuffled(root, settings)
    snapshot, _ = build_index(refresh_snapshot(tree, Snapshot()), tree, store, settings)
    assert everything(store, snapshot) == build(root, tmp_path / "one", settings)[1]
    store.close()


def test_a_file_that_changes_between_look_and_build_is_indexed_as_it_was_when_it_was_looked_at(
    directory, settings, tmp_path
):
    root = directory({"a.py": "a = 1\n"})
    store, tree = Store.open(tmp_path / "one", EXTRACTOR_VERSION), SourceTree(root, settings)
    looked = refresh_snapshot(tree, Snapshot())
    (root / "a.py").write_text("b = 1\n")
    built, _ = build_index(looked, tree, store, settings)
    assert (list(store.reader.word_counts("a")), built.read) == ([built.entries["a.py"].blob_id], {})
    again, _ = build_index(refresh_snapshot(tree, built), tree, store, settings)
    assert list(store.reader.word_counts("b")) == [again.entries["a.py"].blob_id]
    store.close()


def test_a_file_that_changes_between_look_and_reading_is_left_to_the_next_look(
    directory, settings, tmp_path, monkeypatch
):
    monkeypatch.setattr("avionics.index.facts.snapshot._MAX_READ_BYTES", 3)
    root = directory({"a.py": "a = 1\n", "b.py": "b = 1\n"})
    store = Store.open(tmp_path / "one", EXTRACTOR_VERSION)
    tree = SourceTree(root, settings)
    looked = refresh_snapshot(tree, Snapshot())
    (root / "a.py").write_text("a = 22\n")
    (root / "b.py").unlink()
    built, report = build_index(looked, tree, store, settings)
    assert [entry.blob_id for entry in built.entries.values()] == [0, 0]
    assert report.failed == 0
    built, _ = build_index(refresh_snapshot(tree, built), tree, store, settings)
    assert set(everything(store, built)["facts"]) == {"a.py"}
    store.close()


def test_a_build_whose_time_is_up_stores_what_it_read_and_the_next_one_continues(
    directory, settings, tmp_path, monkeypatch
):
    root = directory(sources(40))
    store, tree = Store.open(tmp_path / "one", EXTRACTOR_VERSION), SourceTree(root, settings)
    looked = refresh_snapshot(tree, Snapshot())
    with limit_answer(60.0, 0.0), pytest.raises(IndexUnfinishedError) as none:
        build_index(looked, tree, store, settings)
    clock = Clock()
    monkeypatch.setattr(worker_pool, "time", clock)
    with limit_answer(60.0, 60.0), pytest.raises(IndexUnfinishedError) as some:
        build_index(looked, tree, store, settings, clock.jump)
    built, report = build_index(looked, tree, store, settings)
    assert (none.value.left, some.value.left, report.parsed) == (40, 8, 8)
    assert set(everything(store, built)["facts"]) == set(sources(40))
    store.close()


class Clock:
    """A clock that can be set an hour forward."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def jump(self, *_: object) -> None:
        """Set the clock forward."""
        self.seconds = 3_600.0

    def monotonic(self) -> float:
        """Return the time in seconds."""
        return time.monotonic() + self.seconds


def test_progress_tells_files_and_bytes(directory, settings, tmp_path):
    root = directory({"a.py": "a = 1\n", "b.py": "bb = 1\n"})
    told = []
    store = Store.open(tmp_path / "one", EXTRACTOR_VERSION)
    tree = SourceTree(root, settings)
    build_index(refresh_snapshot(tree, Snapshot()), tree, store, settings, lambda *steps: told.append(steps))
    store.close()
    assert told == [(1, 2, 7, 13), (2, 2, 13, 13)]


def test_a_fault_in_extraction_is_the_fault_of_one_file():
    fault = perform(Task(None, "python", Want.INDEX))
    assert isinstance(fault, ParseFailure)
    assert fault.reason.startswith(("AttributeError: ", "TypeError: "))


def test_a_file_that_ends_its_reader_is_known_by_its_words(directory, settings, tmp_path):
    root = directory({"a.py": "def act(): pass\n", "bomb.c": "x=>" * 3_000})
    store, tree = Store.open(tmp_path / "one", EXTRACTOR_VERSION), SourceTree(root, settings)
    snapshot, report = build_index(refresh_snapshot(tree, Snapshot()), tree, store, settings)
    assert (report.parsed, report.failed) == (2, 1)
    assert store.reader.word_counts("x") == {snapshot.entries["bomb.c"].blob_id: 3_000}
    store.close()


def test_a_worker_that_dies_costs_one_file():
    worker = Worker()
    tasks = [Task(b"a = 1\n", "python"), Task(b"x=>" * 3_000, "c"), Task(b"c = 1\n", "python")]
    first, ended, third = worker.perform(tasks)
    assert [first, third] == [perform(tasks[0]), perform(tasks[2])]
    again, last = worker.perform(tasks[1:])
    assert last == third
    # The parser meets the limit on memory, and ends the process, or the one on time.
    assert all(failure.reason.startswith(TOO_COSTLY) for failure in (ended, again))
    worker.stop()


def test_a_worker_that_somebody_ended_costs_none():
    worker = Worker()
    tasks = [Task(b"a = 1\n", "python"), Task(b"c = 1\n", "python")]
    for _ in range(2):
        assert worker.perform(tasks) == [perform(task) for task in tasks]
        os.kill(worker._process.pid, signal.SIGKILL)
        worker._process.wait()
    worker.stop()


def test_a_program_that_ends_while_files_are_read_says_nothing_of_it():
    def read(worker: Worker) -> None:
        with suppress(SystemExit):  # Threads are silent about it.
            worker.perform([Task(b"a = 1\n" * 20_000, "python")] * 5)

    for delay in (0.0, 0.05, 0.2):
        worker = Worker()
        reading = threading.Thread(target=read, args=(worker,))
        reading.start()
        wait_until(lambda worker=worker: worker._process is not None, "a process reads")
        time.sleep(delay)
        worker._leave()
        reading.join(PATIENCE_SECONDS)
        assert not reading.is_alive()
        assert worker._process is None or worker._process.poll() is not None


def test_reading_a_file_leaves_next_to_nothing_behind():
    worker = Worker()
    tasks = [Task(b"def f%d():\n    return g\n" % number, "python") for number in range(1_000)]
    worker.perform(tasks)
    before = peak_of(worker)
    worker.perform(tasks * 2)
    assert peak_of(worker) - before < 2_000, "kilobytes, for 2,000 files"
    worker.stop()


def peak_of(worker: Worker) -> int:
    """Kilobytes, of which the process had the most; 0 where the system does not say."""
    status = Path(f"/proc/{worker._process.pid}/status")
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) if status.exists() else 0


def index_in_child(root: Path, cache: Path, threshold: int) -> subprocess.Popen[str]:
    program = cache.parent / "index.py"
    program.write_text(INDEX)
    arguments = [sys.executable, str(program), ROOT, str(root), str(cache), str(threshold)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def test_a_program_without_a_main_guard_runs_once(directory, tmp_path):
    child = index_in_child(directory(sources(120)), tmp_path / "one", 1)
    assert child.communicate()[0].split() == ["started", "120"]


@pytest.mark.parametrize("threshold", [1, 1000])
def test_a_build_killed_anywhere_goes_on_to_the_same_facts(directory, settings, tmp_path, threshold):
    root = directory(sources(150))
    _, fresh = build(root, tmp_path / "fresh", settings)
    for attempt in range(5):
        child = index_in_child(root, tmp_path / f"killed_{attempt % 2}", threshold)
        child.stdout.readline()
        time.sleep(random.Random(attempt).uniform(0.02, 0.4))
        child.kill()
        child.communicate()
    for name in ("killed_0", "killed_1"):
        assert build(root, tmp_path / name, settings)[1] == fresh


def test_two_processes_build_at_once(directory, settings, tmp_path):
    root = directory(sources(150))
    children = [index_in_child(root, tmp_path / "shared", threshold) for threshold in (1, 1000)]
    assert [child.communicate()[0].split()[0] for child in children] == ["started", "started"]
    assert [child.returncode for child in children] == [0, 0]
    report, known = build(root, tmp_path / "shared", settings)
    assert report.parsed == 0
    assert known == build(root, tmp_path / "fresh", settings)[1]


def test_workers_end_with_their_parent(directory, tmp_path):
    child = index_in_child(directory(sources(400)), tmp_path / "one", 1)
    child.stdout.readline()
    workers = wait_until(lambda: find_children(child.pid), "workers run")
    child.kill()
    child.communicate()
    wait_until(lambda: not any(is_alive(worker) for worker in workers), "they have ended")


def find_children(pid: int) -> list[int]:
    if not Path(f"/proc/{pid}/task/{pid}/children").exists():
        pytest.skip("this system does not list children")
    listings = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(each) for listing in listings for each in listing.read_text().split()]


def is_alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/status")
    try:
        return "State:\tZ" not in status.read_text()
    except OSError:
        return False
