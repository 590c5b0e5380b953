"""Building: reads the contents that have no facts yet and stores what they say.

Facts are stored a batch at a time as they come, so an interrupted build goes on where it stopped. A few files are
read in the one worker process that is kept, many in several, of which one is kept for the edits to come.

Knows: plans, workers, batches.
Does not know: what facts mean, what they are asked for.
"""

from __future__ import annotations

import os
import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

import attrs

from avionics.cancellation import check_cancelled
from avionics.index.facts.build_plan import PlannedFile, plan_build, plan_shares
from avionics.index.facts.snapshot import Snapshot, Tree, hash_blob
from avionics.index.facts.worker_process import Worker, get_kept_worker
from avionics.index.facts.worker_protocol import WITH_LOOSE, read_facts
from avionics.settings import Settings
from avionics.store.batch import Batch
from avionics.store.codec import PackedFacts, ParseFailure
from avionics.store.store import Store

Progress = Callable[[int, int, int, int], None]
"""Called with: files done, files in all, bytes done, bytes in all. Work goes with bytes; large files come first."""

_Result = PackedFacts | ParseFailure
_Reading = tuple[PlannedFile, _Result | None]
"""A file and what came of it; None when it no longer has the content that was planned."""

_BATCH_BYTES = 64_000_000
"""What an interruption can cost: about 20 s of reading on one core. A batch is written in about two."""

_FILES_THRESHOLD = 1_000
"""After so many files were read, what they include is resolved for the questions to come."""

_AHEAD = 8
"""Shares under way a worker: they go on while a batch is written."""


@attrs.frozen
class IndexReport:
    """What a build did.

    Attributes:
        files: Files of the workspace that are written in a known language.
        parsed: Contents read now.
        failed: Those of them that gave no facts.
        seconds: How long it took.
    """

    files: int
    parsed: int
    failed: int
    seconds: float


def build_index(
    snapshot: Snapshot,
    tree: Tree,
    store: Store,
    settings: Settings,
    progress: Progress | None = None,
) -> tuple[Snapshot, IndexReport]:
    """Stores the facts of every content that has none, and gives the snapshot that knows where all are.

    Raises:
        IndexStateError: The store cannot be used.
    """
    started = time.perf_counter()
    unknown = {(e.oid, e.language) for e in snapshot.entries.values() if e.oid and not e.blob_id}
    blob_ids = store.reader.blob_ids(unknown) if unknown else {}
    plan = plan_build(snapshot, blob_ids)
    failed = 0
    for batch, failures in _iter_batches(_iter_readings(plan, tree, settings), plan, store, progress):
        blob_ids |= batch.store()
        failed += failures
    files = sum(1 for entry in snapshot.entries.values() if entry.language)
    seconds = time.perf_counter() - started
    after = snapshot.with_blob_ids(blob_ids)
    if len(plan) >= _FILES_THRESHOLD:
        from avionics.index.facts.include_graph import keep_includes

        keep_includes(after, store.reader, store.writer)
    return after, IndexReport(files, len(plan), failed, seconds)


def _iter_batches(
    readings: Iterable[_Reading], plan: tuple[PlannedFile, ...], store: Store, progress: Progress | None
) -> Iterator[tuple[Batch, int]]:
    """Batches of bounded size, each with its failures; files that changed meanwhile are left to the next refresh."""
    batch = store.writer.batch()
    size = done_bytes = failures = 0
    all_bytes = sum(file.size for file in plan)
    for done, (file, result) in enumerate(readings, 1):
        check_cancelled()
        if result is not None:
            batch.add(file.key, result)
            failures += isinstance(result, ParseFailure)
            size += file.size
        done_bytes += file.size
        if progress is not None:
            progress(done, len(plan), done_bytes, all_bytes)
        if batch.is_full or size >= _BATCH_BYTES:
            yield batch, failures
            batch, size, failures = store.writer.batch(), 0, 0
    if len(batch):
        yield batch, failures


def _iter_readings(plan: tuple[PlannedFile, ...], tree: Tree, settings: Settings) -> Iterator[_Reading]:
    """Every planned file with what came of it, read in processes of their own when there are many."""
    shares = plan_shares(plan)
    workers = min(settings.workers or _count_cores(), len(shares))
    if len(plan) >= settings.worker_threshold_files and workers > 1:
        yield from _iter_readings_by_workers(shares, tree, workers)
        return
    for share in shares:
        yield from _read(_find_contents(share, tree), get_kept_worker())


def _iter_readings_by_workers(
    shares: Iterable[tuple[PlannedFile, ...]], tree: Tree, workers: int
) -> Iterator[_Reading]:
    """The same by worker processes: a thread for each hands it one share after another."""
    from concurrent.futures import Future, ThreadPoolExecutor

    crew = [Worker() for _ in range(workers)]
    idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
    for worker in crew:
        idle.put(worker)

    def read_share(share: tuple[PlannedFile, ...]) -> list[_Reading]:
        contents = _find_contents(share, tree)
        worker = idle.get()
        try:
            return _read(contents, worker)
        finally:
            idle.put(worker)

    threads = ThreadPoolExecutor(workers)
    under_way: deque[Future[list[_Reading]]] = deque()
    try:
        for share in shares:
            under_way.append(threads.submit(read_share, share))
            if len(under_way) == _AHEAD * workers:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()
    finally:
        threads.shutdown(cancel_futures=True)
        get_kept_worker().take_over(crew[0])
        for worker in crew:
            worker.stop()


def _read(contents: Sequence[tuple[PlannedFile, bytes | None]], worker: Worker) -> list[_Reading]:
    """What a worker made of each content."""
    messages = iter(
        worker.perform([(content, file.language, WITH_LOOSE) for file, content in contents if content is not None])
    )
    return [(file, None if content is None else read_facts(next(messages), content)) for file, content in contents]


def _find_contents(share: tuple[PlannedFile, ...], tree: Tree) -> tuple[tuple[PlannedFile, bytes | None], ...]:
    """The planned contents; None where the file has another one by now."""
    contents = zip(share, tree.iter_contents([file.path for file in share]), strict=True)
    return tuple(
        (file, content.data if content.refused is None and hash_blob(content.data) == file.oid else None)
        for file, content in contents
    )


def _count_cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
