"""Schedule diagnostics: compute them once typing pauses, one at a time, for the latest text."""

from __future__ import annotations

import contextvars
import logging
import threading
import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from avionics.cancellation import CancellationToken, use_cancellation
from avionics.lsp.messages import LspError
from avionics.model.errors import DeadlineExceededError
from avionics.server_memory import collect_garbage

_LOG = logging.getLogger(__name__)

_KeyT = TypeVar("_KeyT", bound=Hashable)


class Checker(Generic[_KeyT]):
    """Runs the check of a folder after each change of its files and a pause, in a thread of its own.

    A request during a check cancels it, and the check starts again after the next pause. The next check waits until a
    cancelled one has ended. Garbage is collected after a check, while nobody waits for one.
    """

    def __init__(self, check: Callable[[_KeyT, CancellationToken], None], quiet_seconds: float) -> None:
        self._check = check
        self._quiet_seconds = quiet_seconds
        self._news = threading.Condition()
        self._due: dict[_KeyT, float] = {}
        self._running: dict[_KeyT, CancellationToken] = {}
        self._thread: threading.Thread | None = None

    def request(self, key: _KeyT) -> None:
        """Check the folder once no request has come for a while."""
        with self._news:
            self._due[key] = time.monotonic() + self._quiet_seconds
            self._cancel(key)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True, name="avionics-checking")
                self._thread.start()
            self._news.notify()

    def forget(self, key: _KeyT) -> None:
        """Cancel the check of a folder."""
        with self._news:
            self._due.pop(key, None)
            self._cancel(key)

    def _cancel(self, key: _KeyT) -> None:
        if key in self._running:
            self._running[key].set()

    def _run(self) -> None:
        try:
            while True:
                with self._news:
                    while (wait := self._get_seconds_left()) is None or wait > 0:
                        self._news.wait(wait)
                    key = min(self._due, key=self._due.__getitem__)
                    del self._due[key]
                    token = self._running[key] = CancellationToken()
                contextvars.copy_context().run(self._check_once, key, token)
                del self._running[key]
                if not self._due:
                    collect_garbage()
        finally:
            # After a fault, the next request starts another thread.
            self._thread = None
            self._running.clear()

    def _get_seconds_left(self) -> float | None:
        """Return how long the next check has to wait; None if none was requested."""
        return min(self._due.values()) - time.monotonic() if self._due else None

    def _check_once(self, key: _KeyT, token: CancellationToken) -> None:
        use_cancellation(token)
        try:
            self._check(key, token)
        except (LspError, DeadlineExceededError) as error:
            if not token.is_set:
                _LOG.warning("diagnostics of %s: %s", key, error)
