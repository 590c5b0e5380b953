"""The crew: workers that read many files for one answer, as many at a time as there are cores.

Knows: kept workers, how long an answer may take.
Does not know: which files are read, and why.
"""

from __future__ import annotations

import os
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from avionics.cancellation import check_cancelled
from avionics.index.facts.worker_process import get_kept_worker
from avionics.index.facts.worker_protocol import Task

_SHARE, _SHARE_BYTES = 8, 100_000
"""What a worker is handed at a time."""
_ALONE, _ALONE_BYTES = 12, 100_000
"""So few files are read by one worker sooner than another one starts."""

_Item = TypeVar("_Item")


def warm_up(languages: Iterable[str]) -> None:
    """Start a worker that reads the most common of the languages, without waiting for it."""
    for language, _ in Counter(filter(None, languages)).most_common(1):
        threading.Thread(target=get_kept_worker().perform, args=([(b"", language, None)],), daemon=True).start()


def run_tasks(
    items: Sequence[_Item],
    plan: Callable[[_Item], Task | None],
    end: float,
    size_of: Callable[[_Item], int] = lambda _: 0,
) -> Iterator[tuple[_Item, bytes | None]]:
    """Each item with what a worker says of it, in order, until `time.monotonic` passes the end.

    Args:
        items: What there is to do.
        plan: The task of an item; None where there is none.
        end: Shares begun before it are finished.
        size_of: The bytes of an item, where they differ much.
    """
    is_little = len(items) < _ALONE and sum(map(size_of, items)) < _ALONE_BYTES
    if is_little or len(items) < 2 or count_cores() < 2:
        for item in items:
            if time.monotonic() > end:
                return
            check_cancelled()
            yield from _perform_share([item], plan, 0)
        return
    yield from _iter_by_several(tuple(_iter_shares(items, size_of)), plan, end)


def _iter_shares(items: Sequence[_Item], size_of: Callable[[_Item], int]) -> Iterator[Sequence[_Item]]:
    share: list[_Item] = []
    size = 0
    for item in items:
        share.append(item)
        size += size_of(item)
        if len(share) == _SHARE or size >= _SHARE_BYTES:
            yield share
            share, size = [], 0
    if share:
        yield share


def _iter_by_several(
    shares: Sequence[Sequence[_Item]], plan: Callable[[_Item], Task | None], end: float
) -> Iterator[tuple[_Item, bytes | None]]:
    from concurrent.futures import Future, ThreadPoolExecutor

    workers = count_cores()
    idle: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in range(workers):
        idle.put(number)

    def perform(share: Sequence[_Item]) -> list[tuple[_Item, bytes | None]]:
        number = idle.get()
        try:
            return _perform_share(share, plan, number)
        finally:
            idle.put(number)

    threads = ThreadPoolExecutor(workers)
    under_way: deque[Future[list[tuple[_Item, bytes | None]]]] = deque()
    try:
        for share in shares:
            if time.monotonic() > end:
                break
            check_cancelled()
            under_way.append(threads.submit(perform, share))
            if len(under_way) > workers:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()
    finally:
        threads.shutdown(cancel_futures=True)


def _perform_share(
    share: Sequence[_Item], plan: Callable[[_Item], Task | None], number: int
) -> list[tuple[_Item, bytes | None]]:
    """What one worker says of some items."""
    tasks = [plan(item) for item in share]
    said = iter(get_kept_worker(number).perform([task for task in tasks if task is not None]))
    return [(item, None if task is None else next(said)) for item, task in zip(share, tasks, strict=True)]


def count_cores() -> int:
    """The processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
