"""TimeBudget: all of few, the nearest of many, and what is left is said."""

from __future__ import annotations

from avionics.cancellation import limit_answer
from avionics.index.facts import time_budget as looking
from avionics.index.facts.time_budget import TimeBudget
from avionics.model.reasons import Reason, ReasonKind

MANY = [f"{top}/deep/f{number:04}.c" for top in ("a", "b", "c", "d", "e") for number in range(200)]


def test_few_files_are_all_looked_at_in_their_order(monkeypatch):
    monkeypatch.setattr(looking, "_SECONDS", 0.0)
    loaded = []
    looks = TimeBudget("c/deep/x.c", 10)
    assert list(looks.iter_files(MANY[:300], loaded.extend)) == MANY[:300] == loaded
    assert looks.list_reasons() == ()


def test_few_files_are_left_too_where_the_answer_has_a_limit():
    loaded = []
    with limit_answer(0.0):
        found = list(TimeBudget("c/deep/x.c", 10).iter_files(MANY[:300], loaded.extend))
    assert found == loaded == MANY[:32]


def test_of_many_the_nearest_come_first_and_the_rest_is_listed(monkeypatch):
    monkeypatch.setattr(looking, "_SECONDS", 0.0)
    loaded = []
    looks = TimeBudget("c/deep/x.c", 10)
    found = list(looks.iter_files(MANY, loaded.extend))
    assert found == loaded == MANY[400:432]
    assert looks.is_skipped("a/deep/f0000.c")
    assert not looks.is_skipped(found[0])
    (reason,) = looks.list_reasons()
    assert reason == Reason(ReasonKind.FILES_NOT_EXAMINED, 968, subject="a/deep (200), b/deep (200), d/deep (200), …")


def test_with_time_enough_many_are_all_looked_at():
    looks = TimeBudget("c/deep/x.c", 10)
    assert sorted(looks.iter_files(MANY, list)) == MANY
    assert looks.list_reasons() == ()


def test_of_many_the_likely_ones_come_before_the_nearest(monkeypatch):
    monkeypatch.setattr(looking, "_SECONDS", 0.0)
    likely = {"e/deep/f0007.c", "c/deep/f0009.c"}
    found = list(TimeBudget("c/deep/x.c", 10, likely=likely).iter_files(MANY, list))
    assert found == ["c/deep/f0009.c", "e/deep/f0007.c", *(each for each in MANY[400:431] if each not in likely)]
