"""Ladders: one question asked by several ways, each tried way written down.

    ladder = FallbackChain()
    found = ladder.try_step("exact path", exact) or ladder.try_step("same name elsewhere", elsewhere)
    return ReadCodeAnswer(found, attempts=ladder.attempts, …)

Knows: what an attempt is, and which failures a next way may mend.
Does not know: what is asked, or of whom.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from time import perf_counter
from typing import TypeVar, cast

from avionics.model.errors import AvionicsError, DeadlineExceededError, IndexStateError, UsageError
from avionics.model.results import Attempt

FoundT = TypeVar("FoundT", bound=Sized)


class FallbackChain:
    """Tries ways one after another and keeps an `Attempt` of each."""

    def __init__(self) -> None:
        self._attempts: list[Attempt] = []

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """What was tried so far, in order."""
        return tuple(self._attempts)

    def try_step(self, step: str, find: Callable[[], FoundT]) -> FoundT:
        """Try one way: what it found, or the empty tuple when it found nothing or a sense failed.

        Args:
            step: The way, in words: "exact path".
            find: Returns what it found, something with a length; empty means go on.

        Raises:
            UsageError: The question itself is wrong: no other way would mend it.
            DeadlineExceededError: There is no time left for another way.
            IndexStateError: What was learnt is damaged: that nothing was found would say nothing.
        """
        started = perf_counter()
        try:
            found = find()
        except (UsageError, DeadlineExceededError, IndexStateError):
            raise
        except AvionicsError as error:
            self._record(step, f"{error.code}: {error}", 0, started)
            return cast("FoundT", ())
        self._record(step, "found" if len(found) else "not_found", len(found), started)
        return found

    def _record(self, step: str, outcome: str, found: int, started: float) -> None:
        """Write one attempt down."""
        self._attempts.append(Attempt(step, outcome, found, int((perf_counter() - started) * 1000)))
