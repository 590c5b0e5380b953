"""A pool of workers, among which the files of a build or of one question are divided."""

from __future__ import annotations

import math
import os
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

from avionics.cancellation import check_cancelled
from avionics.index.facts.worker_process import Worker
from avionics.index.facts.worker_protocol import Extracted, Task, unpack_outline
from avionics.model.facts import FileFacts

_SHARE_FILES, _SHARE_BYTES = 8, 100_000
"""A small share lets the work of one question be divided evenly, and be stopped in time."""

_ALONE_FILES, _ALONE_BYTES = 12, 100_000
"""Up to these limits, one worker finishes before a second one would have started."""

_LARGE_BYTES = 32_000_000
"""The first worker is ended when it is idle and has more memory than this. A new one has some 20 MB; reading large
files fragments its memory, and it keeps more."""

Item = TypeVar("Item")
Plan = Callable[[Sequence[Item]], Iterable[Task | None]]
"""Returns the task of each item of a share; None for an item about which there is nothing to ask."""


class WorkerPool:
    """Worker processes, started as they are needed. Safe for several threads."""

    def __init__(self, size: int) -> None:
        self._workers = [Worker() for _ in range(max(1, size))]

    @property
    def first(self) -> Worker:
        """Return the worker for tasks that need only one."""
        return self._workers[0]

    def perform(
        self,
        shares: Iterable[Sequence[Item]],
        plan: Plan[Item],
        *,
        end: float = math.inf,
        last: float = math.inf,
        ahead: int = 1,
        is_small: bool = False,
    ) -> Generator[tuple[Item, Extracted | None]]:
        """Perform the tasks of items, and yield each item with its result, in order.

        Each share of the items goes to one worker, which may be some shares `ahead` of the reader of the results; if
        all is small, the first worker performs everything. No share is begun after `end`, a value of `time.monotonic`,
        and the items that are not done at `last` are left out. Raise `DeadlineExceededError` if the caller no longer
        waits for the work.
        """
        from concurrent.futures import Future, ThreadPoolExecutor

        idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        for worker in self._workers[:1] if is_small else self._workers:
            idle.put(worker)

        def perform_by_any(share: Sequence[Item]) -> list[tuple[Item, Extracted | None]]:
            worker = idle.get()
            try:
                return _perform_share(worker, share, plan, last)
            finally:
                idle.put(worker)

        workers = idle.qsize()
        if workers == 1:
            for share in _iter_until(shares, end):
                yield from perform_by_any(share)
            return
        threads = ThreadPoolExecutor(workers)
        pending: deque[Future[list[tuple[Item, Extracted | None]]]] = deque()
        try:
            for share in _iter_until(shares, end):
                pending.append(threads.submit(perform_by_any, share))
                if len(pending) > ahead * workers:
                    yield from pending.popleft().result()
            while pending:
                if time.monotonic() > end:
                    pending = deque(each for each in pending if not each.cancel())
                yield from pending.popleft().result() if pending else ()
        finally:
            threads.shutdown(cancel_futures=True)

    def adopt(self, other: WorkerPool) -> None:
        """Take over the first worker of a pool that is about to stop, unless this pool's own is running."""
        if other.first.is_running and not self.first.is_running:
            self._workers[0], other._workers[0] = other.first, self.first

    def stop_idle(self, seconds: float) -> None:
        """End the processes that have been idle for `seconds`; that of the first worker only if it is large."""
        self.first.stop_if_idle(seconds, _LARGE_BYTES)
        for worker in self._workers[1:]:
            worker.stop_if_idle(seconds)

    def stop(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.stop()


def get_pool() -> WorkerPool:
    """Return the pool that this process keeps for edits and questions, a worker for each processor."""
    return _pool_of(os.getpid())


def perform_tasks(
    items: Sequence[Item],
    plan: Callable[[Item], Task | None],
    *,
    end: float = math.inf,
    last: float = math.inf,
    size_of: Callable[[Item], int] = lambda _: 0,
) -> Iterator[tuple[Item, Extracted | None]]:
    """Perform the tasks of one question by the kept pool, and yield each item with its result, in order.

    `plan` returns the task of an item, None if there is nothing to ask. No task is begun after `end`, a value of
    `time.monotonic`, and the items that are not done at `last` are left out. `size_of` returns the bytes of an item, if
    they differ much.
    """
    shares = iter_shares(items, size_of, _SHARE_FILES, _SHARE_BYTES)
    is_small = len(items) == 1 or (len(items) < _ALONE_FILES and sum(map(size_of, items)) < _ALONE_BYTES)
    return get_pool().perform(shares, lambda share: map(plan, share), end=end, last=last, is_small=is_small)


def iter_shares(
    items: Iterable[Item], size_of: Callable[[Item], int], max_items: int, max_bytes: float
) -> Iterator[Sequence[Item]]:
    """Divide items into shares of at most `max_items`; a share ends with the item that makes it reach `max_bytes`."""
    share: list[Item] = []
    size = 0
    for item in items:
        share.append(item)
        size += size_of(item)
        if len(share) == max_items or size >= max_bytes:
            yield share
            share, size = [], 0
    if share:
        yield share


def read_outline(content: bytes, language: str) -> FileFacts:
    """Return the outline of bytes, without words; an outline with a problem if they could not be read."""
    (found,) = get_pool().first.perform([Task(content, language)])
    return unpack_outline(found, language)


def warm_up(languages: Iterable[str]) -> None:
    """Start a worker that reads the most common of the languages, without waiting for it."""
    for language, _ in Counter(filter(None, languages)).most_common(1):
        threading.Thread(target=get_pool().first.perform, args=([Task(b"", language)],), daemon=True).start()


def count_cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=1)
def _pool_of(_pid: int) -> WorkerPool:
    """Return the pool of a process; a forked process must not use the workers of its parent."""
    return WorkerPool(count_cores())


def _iter_until(shares: Iterable[Sequence[Item]], end: float) -> Iterator[Sequence[Item]]:
    for share in shares:
        if time.monotonic() > end:
            return
        check_cancelled()
        yield share


def _perform_share(
    worker: Worker, share: Sequence[Item], plan: Plan[Item], last: float
) -> list[tuple[Item, Extracted | None]]:
    """Return the items of a share with their results, up to the first that was not done in time."""
    tasks = list(plan(share))
    results = iter(worker.perform([task for task in tasks if task is not None], last))
    done: list[tuple[Item, Extracted | None]] = []
    for item, task in zip(share, tasks, strict=True):
        result = None if task is None else next(results, None)
        if task is not None and result is None:
            break
        done.append((item, result))
    return done
