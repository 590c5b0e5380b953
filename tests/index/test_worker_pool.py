"""A pool divides tasks among its workers, and yields what one worker would."""

from __future__ import annotations

import sys
import time

import pytest

from avionics.index.facts import worker_pool
from avionics.index.facts.worker_pool import WorkerPool, iter_shares, perform_tasks
from avionics.index.facts.worker_protocol import Task, unpack_outline


def plan(number: int):
    return None if number % 7 == 3 else Task(f"def f{number}(): pass\n".encode(), "python")


@pytest.fixture
def kept(monkeypatch):
    pool = WorkerPool(3)
    monkeypatch.setattr(worker_pool, "_pool_of", lambda _: pool)
    yield pool
    pool.stop()


@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("is_small", [True, False])
def test_every_item_is_performed_in_order(size, is_small):
    pool = WorkerPool(size)
    shares = iter_shares(range(40), lambda _: 1, 8, 100)
    found = list(pool.perform(shares, lambda share: map(plan, share), is_small=is_small))
    assert [number for number, _ in found] == list(range(40))
    assert [result is None for _, result in found] == [number % 7 == 3 for number in range(40)]
    names = [unpack_outline(result, "python").symbols[0].name for _, result in found if result is not None]
    assert names == [f"f{number}" for number in range(40) if number % 7 != 3]
    assert [worker.is_running for worker in pool._workers[1:]] == [not is_small] * (size - 1)
    pool.stop()


@pytest.mark.parametrize(("name", "value"), [("frozen", True), ("executable", "")])
def test_a_program_without_an_interpreter_performs_tasks_itself(monkeypatch, name, value):
    monkeypatch.setattr(sys, name, value, raising=False)
    pool = WorkerPool(1)
    (found,) = pool.first.perform([plan(1)])
    assert unpack_outline(found, "python").symbols[0].name == "f1"
    assert not pool.first.is_running


def test_what_there_is_no_time_for_is_not_begun(kept):
    assert list(perform_tasks(range(40), plan, end=time.monotonic() - 1)) == []
    assert list(perform_tasks(range(3), plan, end=time.monotonic() - 1)) == []


@pytest.mark.parametrize("size", [1, 2])
def test_what_is_not_done_in_time_is_left_out_and_no_failure(size):
    pool, large = WorkerPool(size), b"x = [" + b"(1, 2), " * 200_000 + b"]\n"
    contents = {"small.py": b"def f(): ...\n", "large.py": large}

    def perform(last):
        def plan_share(share):
            return [Task(contents[name], "python") for name in share]

        return [name for name, result in pool.perform([["large.py"], ["small.py"]], plan_share, last=last)]

    assert perform(time.monotonic() - 1) == []
    assert "large.py" not in perform(time.monotonic() + 0.2)
    contents["large.py"] = b"y = 1\n"
    assert perform(time.monotonic() + 60) == ["large.py", "small.py"]
    pool.stop()


@pytest.mark.parametrize(("sizes", "is_small"), [([10, 5, 5, 5, 5], True), ([10, 300_000, 5, 5, 200_000], False)])
def test_few_small_items_are_performed_by_one_worker(kept, sizes, is_small):
    found = list(perform_tasks(range(5), plan, size_of=sizes.__getitem__))
    assert [number for number, _ in found] == list(range(5))
    assert kept._workers[1].is_running != is_small


def test_shares_are_bounded_in_items_and_bytes():
    sizes = [900, *[100] * 3, *[1] * 40]
    shares = list(iter_shares(range(len(sizes)), sizes.__getitem__, 32, 250))
    assert [len(share) for share in shares] == [1, 3, 32, 8]
    assert [item for share in shares for item in share] == list(range(len(sizes)))
    assert list(iter_shares([], len, 32, 250)) == []


def test_a_worker_that_one_pool_needs_no_more_goes_on_in_another():
    one, other, third = WorkerPool(2), WorkerPool(1), WorkerPool(1)
    task = plan(1)
    found = one.first.perform([task])
    pid = one.first._process.pid
    other.adopt(third)
    assert not other.first.is_running
    other.adopt(one)
    one.stop()
    assert other.first.perform([task]) == found
    assert other.first._process.pid == pid
    third.first.perform([task])
    other.adopt(third)
    assert (other.first._process.pid, third.first._process.pid != pid) == (pid, True)
    third.stop()
    other.stop()


def test_idle_workers_are_ended_and_the_first_if_it_is_large(monkeypatch):
    pool = WorkerPool(3)
    shares = iter_shares(range(40), lambda _: 1, 8, 100)
    found = list(pool.perform(shares, lambda share: map(plan, share)))
    pool.stop_idle(60.0)
    assert [worker.is_running for worker in pool._workers] == [True, True, True]
    monkeypatch.setattr(worker_pool, "_LARGE_BYTES", 1 << 60)
    pool.stop_idle(-1.0)
    assert [worker.is_running for worker in pool._workers] == [True, False, False]
    monkeypatch.setattr(worker_pool, "_LARGE_BYTES", 1)
    pool.stop_idle(60.0)
    assert pool.first.is_running
    pool.stop_idle(-1.0)
    assert not pool.first.is_running
    again = pool.perform(iter_shares(range(40), lambda _: 1, 8, 100), lambda share: map(plan, share))
    assert list(again) == found
    pool.stop()
