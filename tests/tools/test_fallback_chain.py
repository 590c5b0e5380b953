"""Ladders: every rung is written down, and a failed sense is a reason to go on."""

from __future__ import annotations

import pytest
from msgspec import structs

from avionics.model import Attempt, DeadlineExceededError, OutsideWorkspaceError, SourceError
from avionics.tools.answers.fallback_chain import FallbackChain


def raising(error: Exception):
    def find():
        raise error

    return find


def test_the_first_rung_that_finds_something_ends_the_climb():
    fallbacks = FallbackChain()
    found = (
        fallbacks.try_step("exact", tuple)
        or fallbacks.try_step("text search", raising(SourceError("no rg")))
        or fallbacks.try_step("folded", lambda: ("a", "b"))
        or fallbacks.try_step("fuzzy", raising(AssertionError("not reached")))
    )
    assert found == ("a", "b")
    assert [structs.replace(attempt, milliseconds=0) for attempt in fallbacks.attempts] == [
        Attempt("exact", "not_found"),
        Attempt("text search", "source_error: no rg"),
        Attempt("folded", "found", 2),
    ]


@pytest.mark.parametrize("error", [OutsideWorkspaceError("out"), DeadlineExceededError("late"), KeyError("bug")])
def test_what_no_other_way_would_mend_is_raised(error):
    with pytest.raises(type(error)):
        FallbackChain().try_step("exact", raising(error))
