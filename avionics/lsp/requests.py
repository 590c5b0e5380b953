"""Requests: analysis in threads, while further edits and cancellations are read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from avionics.lsp.messages import RequestFailedError
from avionics.lsp.view import View
from avionics.model.errors import AvionicsError, DeadlineExceededError, IndexStateError

_T = TypeVar("_T")

_ANALYSES = 4
"""Requests that are analysed at a time. Python runs one of them at a moment; a long one must not hold up the others."""


class RequestRunner:
    """Runs analysis of views, a few at a time.

    Attributes:
        has_answered: Set as soon as one analysis has ended.
    """

    def __init__(self) -> None:
        self.has_answered = threading.Event()
        self._slots = threading.BoundedSemaphore(_ANALYSES)

    def run(self, view: View, work: Callable[[View], _T]) -> _T:
        """Return what work finds in a view; the token of the context cancels it.

        Raises:
            RequestFailedError: It cannot be answered.
            DeadlineExceededError: Nobody wants the answer any more.
        """
        try:
            with self._slots:
                return _ask(view, work)
        except DeadlineExceededError:
            raise
        except AvionicsError as error:
            raise RequestFailedError(f"{error}; {error.hint}" if error.hint else str(error)) from None
        finally:
            self.has_answered.set()


def _ask(view: View, work: Callable[[View], _T]) -> _T:
    """Return what work finds; once more if the store was cleared under it."""
    try:
        with view.workspace.pinned_index(since=view.asked_at):
            return work(view)
    except IndexStateError:
        with view.workspace.pinned_index():
            return work(view.refreshed())
