"""Fallback chains: one question tried in several ways, each recorded as an attempt.

fallbacks = FallbackChain()
found = fallbacks.try_step("exact path", exact) or fallbacks.try_step("same name elsewhere", elsewhere)
return ReadCodeAnswer(found, attempts=fallbacks.attempts, …)
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from time import perf_counter
from typing import TypeVar, cast

from avionics.model.errors import AvionicsError, DeadlineExceededError, IndexStateError, UsageError
from avionics.model.reasons import Reason, ReasonKind
from avionics.model.results import Attempt

FoundT = TypeVar("FoundT", bound=Sized)
OneT = TypeVar("OneT")


def as_found(found: OneT | None) -> tuple[OneT, ...]:
    """Return a step's result in a tuple; () if it found nothing."""
    return () if found is None else (found,)


class FallbackChain:
    """Tries one method after another and records an `Attempt` for each."""

    def __init__(self) -> None:
        self._attempts: list[Attempt] = []
        self._failures: list[Reason] = []

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """Return the steps tried so far, in order."""
        return tuple(self._attempts)

    @property
    def failures(self) -> tuple[Reason, ...]:
        """Return why steps failed, in order; finding nothing is not a failure."""
        return tuple(self._failures)

    def try_step(self, step: str, find: Callable[[], FoundT]) -> FoundT:
        """Try one step; return its result, or an empty tuple if it found nothing or failed.

        Raise `UsageError` if the question itself is wrong, so that no other way can succeed; `DeadlineExceededError` if
        no time is left for another way; `IndexStateError` if the index is damaged, so that finding nothing would mean
        nothing.
        """
        started = perf_counter()
        try:
            found = find()
        except (UsageError, DeadlineExceededError, IndexStateError):
            raise
        except AvionicsError as error:
            self._record(step, f"{error.code}: {error}", 0, started)
            self._failures.append(Reason(ReasonKind.STEP_FAILED, subject=str(error)))
            return cast("FoundT", ())
        self._record(step, "found" if len(found) else "not_found", len(found), started)
        return found

    def _record(self, step: str, outcome: str, found: int, started: float) -> None:
        """Record one attempt."""
        self._attempts.append(Attempt(step, outcome, found, int((perf_counter() - started) * 1000)))
