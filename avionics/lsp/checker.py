"""When diagnostics are computed: once typing pauses, one computation at a time, and the last text wins."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from pygls.exceptions import JsonRpcException

from avionics.cancellation import CancellationToken

_LOG = logging.getLogger(__name__)

_KeyT = TypeVar("_KeyT", bound=Hashable)


class Checker(Generic[_KeyT]):
    """Runs the check of a folder after each change of its files.

    A request during a check cancels it, and the check starts again after the next pause. A check that was cancelled
    is waited for: it never runs beside the next one.

    Args:
        check: Computes and publishes the diagnostics of a folder; the token cancels it.
        quiet_seconds: The pause.
    """

    def __init__(self, check: Callable[[_KeyT, CancellationToken], Awaitable[None]], quiet_seconds: float) -> None:
        self._check = check
        self._quiet_seconds = quiet_seconds
        self._one = asyncio.Lock()
        self._asked: set[_KeyT] = set()
        self._running: dict[_KeyT, CancellationToken] = {}
        self._tasks: dict[_KeyT, asyncio.Task[None]] = {}

    def request(self, key: _KeyT) -> None:
        """Check once no request comes for a while."""
        self._asked.add(key)
        if key in self._running:
            self._running[key].set()
        if key not in self._tasks:
            self._tasks[key] = asyncio.get_running_loop().create_task(self._run(key))

    def forget(self, key: _KeyT) -> None:
        """End what runs for a folder."""
        self._asked.discard(key)
        if key in self._running:
            self._running[key].set()

    async def _run(self, key: _KeyT) -> None:
        try:
            while key in self._asked:
                self._asked.discard(key)
                await asyncio.sleep(self._quiet_seconds)
                if key not in self._asked:
                    async with self._one:
                        await self._check_once(key)
        finally:
            del self._tasks[key]

    async def _check_once(self, key: _KeyT) -> None:
        self._asked.discard(key)
        token = self._running[key] = CancellationToken()
        try:
            await self._check(key, token)
        except JsonRpcException as error:
            if not token.is_set:
                _LOG.warning("diagnostics of %s: %s", key, error.message)
        finally:
            del self._running[key]
