"""Memos compute each value once, however values depend on each other."""

from __future__ import annotations

import itertools
from contextvars import copy_context

import pytest

from avionics.cancellation import CancellationToken, use_cancellation
from avionics.index.model.memo import Computation, FinalValues, Memo
from avionics.model.errors import DeadlineExceededError

LINKS = 3_000


def test_a_chain_longer_than_the_stack_is_computed_in_pieces():
    memo = Memo(lambda number: number and memo(number - 1) + 1, 0)
    assert memo(LINKS) == LINKS


def test_a_circle_longer_than_the_stack_agrees():
    memo = Memo(lambda number: memo((number + 1) % 200) | {number % 7}, frozenset())
    assert memo(0) == memo(123) == frozenset(range(7))


def test_every_order_of_questions_gives_a_circle_the_same_values():
    edges = {"a": "b", "b": "ca", "c": "ad", "d": "", "e": "ce"}

    def build() -> Memo[str, frozenset[str]]:
        memo = Memo(lambda name: frozenset(name).union(*map(memo, edges[name])), frozenset())
        return memo

    for order in itertools.permutations(edges):
        memo = build()
        found = {name: "".join(sorted(memo(name))) for name in order}
        assert found == {"a": "abcd", "b": "abcd", "c": "abcd", "d": "d", "e": "abcde"}


def test_circles_through_several_memos_agree():
    computation = Computation()
    odd = Memo(lambda number: even((number + 1) % 6) | {number}, frozenset(), computation)
    even = Memo(lambda number: odd((number + 1) % 6) | {number}, frozenset(), computation)
    assert odd(1) == even(4) == frozenset(range(6))
    assert odd(0) == even(1) == frozenset(range(6))


def test_a_key_that_reads_itself_reads_the_default():
    memo = Memo(lambda number: [*memo(number), number], ())
    assert memo(3) == [3]


def test_what_grows_without_end_is_cut_off_in_every_order():
    def build() -> Memo[int, tuple]:
        memo = Memo(lambda number: (memo(1 - number),), ())
        return memo

    one, other = build(), build()
    assert [one(0), one(1)] == [other(1), other(0)][::-1]


def test_values_of_a_circle_are_widened_in_every_order_and_others_are_not():
    edges = {"a": "b", "b": "a", "c": "a", "d": "", "e": "d"}

    def widen(value: frozenset[str]) -> frozenset[str]:
        return value if len(value) < 2 else frozenset("*")

    def ask(order: tuple[str, ...]) -> dict[str, str]:
        memo = Memo(lambda name: frozenset(name).union(*map(memo, edges[name])), frozenset(), widen=widen)
        return {name: "".join(sorted(memo(name))) for name in order}

    for order in itertools.permutations(edges):
        assert ask(order) == {"a": "*", "b": "*", "c": "*c", "d": "d", "e": "de"}


def test_a_circle_ends_when_its_caller_is_cancelled_and_is_computed_when_asked_again():
    stop, asked = CancellationToken(), []

    def build(number: int) -> frozenset[int]:
        asked.append(number)
        if len(asked) == 8:
            stop.set()
        return memo((number + 1) % 5) | {number}

    memo = Memo(build, frozenset())

    def ask() -> frozenset[int]:
        use_cancellation(stop)
        return memo(0)

    with pytest.raises(DeadlineExceededError):
        copy_context().run(ask)
    assert len(asked) == 8
    assert memo(0) == memo(3) == frozenset(range(5))


def test_what_failed_is_not_kept():
    failing = [True]

    def compute(number: int) -> int:
        if number == 0 and failing.pop():
            raise LookupError
        return memo(number - 1) + 1 if number else 0

    memo = Memo(compute, 0)
    with pytest.raises(LookupError):
        memo(5)
    failing.append(False)
    assert memo(5) == 5


def test_a_final_value_is_computed_once_and_one_that_rests_on_an_assumption_is_not_kept():
    computation, asked = Computation(), []
    memo = Memo(lambda name: frozenset(name) | twice("b" if name == "a" else "c"), frozenset(), computation)

    def build(name: str) -> frozenset[str]:
        asked.append(name)
        return frozenset("c") if name == "c" else memo("a") | {name}

    twice = FinalValues(build, computation)
    assert twice("c") == twice("c") == frozenset("c")
    assert asked == ["c"]
    assert memo("a") == frozenset("ab")
    assert twice("b") == frozenset("ab")
    assert asked == ["c", "b", "b"], "within `a` it rested on what `a` was assumed to be"
    assert twice("b") == frozenset("ab")
    assert asked == ["c", "b", "b"]


def test_a_value_that_was_cut_off_is_not_kept():
    computation = Computation()

    def cut_off(_: int) -> int:
        computation.here.doubts += 1
        return len(computed)

    computed: list[int] = []
    values = FinalValues(lambda number: computed.append(number) or cut_off(number), computation)
    assert [values(0), values(0)] == [1, 2]
