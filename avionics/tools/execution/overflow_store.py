"""Store the parts that budgets cut from answers, for a while, for the receivers of these answers.

Each part that is requested is an answer of its own: cut to its budget, best first, with a handle to the rest.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from msgspec import Struct

from avionics.model.enums import Status
from avionics.model.results import ToolResult
from avionics.tools.answers.answer import (
    StoredRest,
    estimate_tokens,
    fit,
    is_answer,
    render,
    rest_of,
    sections_of,
    to_result,
)
from avionics.tools.execution.result_builder import ResultOptions, cut_text

MIN_PART_TOKENS = 100
"""The smallest part; with less, its headings would leave no space for content."""


class Owner(Struct, frozen=True):
    """Who received an answer, and may request its rest."""

    caller_id: str
    thread_id: str


class Offload:
    """Stores the rests of answers in memory, the newest ones.

    Args:
        ask: How a reader requests the rest, with `{handle}` in it; answers include it. Without it only
            `ToolResult.rest` has the handle.
        max_rests: The number of rests that are stored.
        max_tokens: Their total length.
    """

    def __init__(self, ask: str = "", max_rests: int = 64, max_tokens: int = 2_000_000) -> None:
        self._ask = ask
        self._max_rests = max_rests
        self._max_tokens = max_tokens
        self._rests: OrderedDict[str, tuple[Owner, Any, int, str]] = OrderedDict()
        self._tokens = 0
        self._lock = Lock()

    def keep(self, rest: Any, owner: Owner, revision: str = "") -> StoredRest:
        """Store the rest of an answer or text; `revision` is the commit it is about, if not the current files."""
        cost = estimate_tokens(render(rest) if is_answer(rest) else rest)
        if cost > self._max_tokens:
            return StoredRest()
        from secrets import token_urlsafe

        handle = token_urlsafe(9)
        with self._lock:
            self._rests[handle] = (owner, rest, cost, revision)
            self._tokens += cost
            while len(self._rests) > self._max_rests or self._tokens > self._max_tokens:
                _, (_, _, freed, _) = self._rests.popitem(last=False)
                self._tokens -= freed
        return StoredRest(handle, self._ask.format(handle=handle))

    def get_rest(self, handle: str, owner: Owner, budget_tokens: int) -> ToolResult:
        """Return as much of a rest as fits the budget, best first; 0 tokens means all of it.

        Repeating the request returns the same part. A handle works for the receiver of the answer until newer rests
        replace it.
        """
        with self._lock:
            kept = self._rests.get(handle)
        if kept is None or kept[0] != owner:
            return ToolResult(
                Status.ERROR, error="unknown or expired handle", error_type="usage_error", hint="ask the question again"
            )
        budget = max(budget_tokens, MIN_PART_TOKENS) if budget_tokens else 0
        part = self._build_part(kept[1], owner, budget, kept[3])
        return part.evolve(data={**(part.data or {}), "revision": kept[3]}) if kept[3] else part

    def _build_part(self, rest: Any, owner: Owner, budget_tokens: int, revision: str) -> ToolResult:
        """Build one part; if not one whole item fits, continue the rest as text."""
        finish = ResultOptions(budget_tokens, keep=lambda left: self.keep(left, owner, revision))
        if is_answer(rest):
            if _has_progress(rest, budget_tokens):
                return to_result(rest, budget_tokens, finish.keep)
            rest = render(rest)
        text, left = cut_text(rest, finish)
        status = Status.PARTIAL if left.handle else Status.SUCCESS
        message = "there is more" if left.handle else ""
        return ToolResult(status, data={"text": text}, message=message, text=text, rest=left.handle)


def _has_progress(rest: Any, budget_tokens: int) -> bool:
    """Return whether at least one whole item fits."""
    left = rest_of(rest, fit(rest, budget_tokens))
    before, after = (sum(len(section.items) for section in sections_of(each)) for each in (rest, left))
    return after < before
