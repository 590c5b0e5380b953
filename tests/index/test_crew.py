"""A crew reads many files at once, and says of each what one worker says."""

from __future__ import annotations

import math
import time

import pytest

from avionics.index.facts import worker_pool as crew
from avionics.index.facts.worker_pool import run_tasks
from avionics.index.facts.worker_process import get_kept_worker, to_outline


def plan(number: int):
    return None if number % 7 == 3 else (f"def f{number}(): pass\n".encode(), "python", None)


@pytest.mark.parametrize("cores", [1, 3])
def test_every_item_is_performed_in_order(monkeypatch, cores):
    monkeypatch.setattr(crew, "count_cores", lambda: cores)
    found = list(run_tasks(range(40), plan, math.inf))
    assert [number for number, _ in found] == list(range(40))
    assert [message is None for _, message in found] == [number % 7 == 3 for number in range(40)]
    names = [to_outline(message, "python").symbols[0].name for _, message in found if message is not None]
    assert names == [f"f{number}" for number in range(40) if number % 7 != 3]
    for number in range(1, cores):
        get_kept_worker(number).stop()


def test_what_there_is_no_time_for_is_not_begun():
    assert list(run_tasks(range(40), plan, time.monotonic() - 1)) == []
    assert list(run_tasks(range(3), plan, time.monotonic() - 1)) == []


def test_few_items_of_many_bytes_are_read_by_several_workers(monkeypatch):
    monkeypatch.setattr(crew, "count_cores", lambda: 3)
    sizes = [10, 300_000, 5, 5, 200_000]
    found = list(run_tasks(range(5), plan, math.inf, sizes.__getitem__))
    assert [number for number, _ in found] == list(range(5))
    assert get_kept_worker(1)._process is not None
    for number in range(1, 3):
        get_kept_worker(number).stop()
