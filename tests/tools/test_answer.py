"""Answers: cut by rank to a budget, and honest about it."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avionics.model.enums import Certainty, Status
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Coverage, complete
from avionics.tools.answers.answer import estimate_tokens, fit, part, render, to_result, visible
from avionics.tools.answers.items import CodeItem, PlaceItem, UnresolvedItem, suggest_reading


@attrs.frozen
class SampleAnswer:
    coverage: Coverage
    code: tuple[CodeItem, ...] = part("code", 1)
    places: tuple[PlaceItem, ...] = part("places", 1, counts=True)

    def headline(self) -> str:
        return "what was found"


def places(count: int) -> tuple[PlaceItem, ...]:
    return tuple(PlaceItem("src/file.py", line, f"line number {line}") for line in range(1, count + 1))


def test_an_answer_that_fits_is_whole() -> None:
    answer = SampleAnswer(complete(2), places=places(2))
    assert fit(answer, 2_000) is answer
    assert to_result(answer, 2_000).status is Status.SUCCESS
    assert render(answer).endswith("[complete: 2 of 2]")


def test_a_cut_answer_says_how_much_is_missing_and_is_partial() -> None:
    answer = SampleAnswer(complete(300), places=places(300))
    result = to_result(answer, 500)
    assert result.status is Status.PARTIAL
    assert result.data is not None
    shown = len(result.data["places"])
    assert result.data["coverage"]["shown"] == shown
    assert 10 < shown < 300
    assert f"places ({shown} of 300)" in result.text
    assert f"{300 - shown} items left out" in result.text
    assert result.data["citations"] == [f"src/file.py:{line}" for line in range(1, shown + 1)]


def test_the_part_that_counts_is_counted_and_room_left_over_is_used() -> None:
    answer = SampleAnswer(complete(300), code=(CodeItem("a.py", 1, 1, "x"),), places=places(300))
    cut = fit(answer, 500)
    assert cut.code == answer.code
    assert cut.coverage.shown == len(cut.places)
    assert estimate_tokens(render(cut, answer)) > 400


def test_code_is_cut_after_whole_lines() -> None:
    code = CodeItem("a.py", 11, 110, "\n".join(f"value = {number}" for number in range(100)))
    (shown,) = fit(SampleAnswer(complete(1), code=(code,)), 300).code
    assert shown.start_line == 11
    assert code.text.startswith(shown.text)
    assert shown.end_line == 11 + shown.text.count("\n")


@given(st.integers(0, 400), st.integers(0, 3), st.integers(150, 3_000))
def test_no_answer_is_longer_than_its_budget(count: int, codes: int, budget: int) -> None:
    code = tuple(CodeItem("b.py", 1, 50, "\n".join(["some_code(here)"] * 50)) for _ in range(codes))
    answer = SampleAnswer(complete(count), code, places(count))
    assert estimate_tokens(render(fit(answer, budget), answer)) <= budget


@pytest.mark.parametrize(
    ("coverage", "status"),
    [
        (Coverage(0, 0), Status.NOT_FOUND),
        (Coverage(0, 0, unresolved=2, certainty=Certainty.AT_LEAST), Status.PARTIAL),
        (Coverage(3, 3), Status.SUCCESS),
        (Coverage(3, 2), Status.PARTIAL),
        (Coverage(3, 3, Certainty.AT_LEAST), Status.PARTIAL),
    ],
)
def test_the_status_follows_from_the_coverage(coverage: Coverage, status: Status) -> None:
    assert coverage.status is status


def test_control_characters_of_a_repository_are_made_visible() -> None:
    assert visible("a\x1b[31m\u202eb\tc\n") == "a\\u{1b}[31m\\u{202e}b\tc\n"


@attrs.frozen
class PossibleAnswer:
    coverage: Coverage
    unresolved: tuple[UnresolvedItem, ...] = part("possible usages")

    def headline(self) -> str:
        return "Cart.add"


def test_items_of_one_reason_are_listed_under_it_with_their_number() -> None:
    items = (
        UnresolvedItem("a.py", 1, "receiver type unknown", "x.add()"),
        UnresolvedItem("b.py", 2, "receiver type unknown", "y.add()"),
        UnresolvedItem("setup.py", 3, "string literal with this name", "HOOKS = ['add']"),
    )
    answer = PossibleAnswer(Coverage(0, 0, Certainty.AT_LEAST, 3), items)
    assert render(answer).split("\n\n")[1] == (
        "possible usages (3):\n"
        "receiver type unknown (2):\n"
        "a.py:1  x.add()\n"
        "b.py:2  y.add()\n"
        "string literal with this name (1):\n"
        "setup.py:3  HOOKS = ['add']"
    )
    first = attrs.evolve(answer, unresolved=items[:1])
    assert "possible usages (1 of 3):\nreceiver type unknown (1 of 2):\na.py:1" in render(first, answer)


@given(st.integers(0, 200), st.integers(150, 1_000))
def test_headings_count_towards_the_budget(count: int, budget: int) -> None:
    items = tuple(UnresolvedItem("a.py", n + 1, f"reason number {n % 40}", "x.add()") for n in range(count))
    answer = PossibleAnswer(Coverage(0, 0, Certainty.AT_LEAST, count), items)
    assert estimate_tokens(render(fit(answer, budget), answer)) <= budget


def test_what_was_shortened_is_said_and_where_to_go_on() -> None:
    code = CodeItem("a.py", 11, 110, "\n".join(f"value = {number}" for number in range(100)))
    cut = fit(SampleAnswer(complete(1), code=(code,)), 300)
    last = cut.code[0].end_line
    assert cut.coverage.reasons == (
        Reason(ReasonKind.CUT_TO_BUDGET, 300),
        Reason(ReasonKind.ITEMS_SHORTENED, 1),
    )
    assert cut.coverage.next == suggest_reading("a.py", last + 1, 110)


def test_the_next_step_goes_on_where_a_shortened_item_stops() -> None:
    code = CodeItem("a.py", 11, 110, "\n".join(f"value = {number}" for number in range(100)))
    coverage = Coverage(1, 1, next=suggest_reading("a.py", 111, 400))
    cut = fit(SampleAnswer(coverage, code=(code,), places=places(50)), 300)
    last = cut.code[0].end_line
    assert cut.coverage.next == suggest_reading("a.py", last + 1, 400)
