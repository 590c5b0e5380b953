"""Progress: what the client can show while something takes long."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator

from lsprotocol import types
from pygls.progress import Progress


@contextlib.asynccontextmanager
async def reported(
    progress: Progress, token: types.ProgressToken | None, title: str, after_seconds: float
) -> AsyncIterator[None]:
    """While it lasts, and once it has lasted some time, report a request under the token that came with it."""
    if token is None:
        yield
        return
    begun = False

    async def begin() -> None:
        nonlocal begun
        await asyncio.sleep(after_seconds)
        begun = True
        progress.begin(token, types.WorkDoneProgressBegin(title=title))

    waiting = asyncio.get_running_loop().create_task(begin())
    try:
        yield
    finally:
        waiting.cancel()
        if begun:
            progress.end(token, types.WorkDoneProgressEnd())


class ReadingProgress:
    """Reports how far the first reading of a folder is, under a token of the server's own.

    Args:
        progress: Where it is reported.
        name: What the folder is called.
    """

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress = progress
        self._name = name
        self._token = str(uuid.uuid4())
        self._is_asked = False
        self._is_begun = False
        self._is_over = False

    def show(self, done: int, total: int) -> None:
        """Report a number of files; that both are equal is the end. A folder without unread files is not reported."""
        if done >= total:
            self._end()
        elif not self._is_asked:
            self._is_asked = True
            self._progress.create(self._token, self._begin)
        elif self._is_begun:
            share = 100 * done // total
            message = f"{done} of {total} files"
            self._progress.report(self._token, types.WorkDoneProgressReport(message=message, percentage=share))

    def _begin(self, *_: object) -> None:
        """Begin once the client has agreed to the token."""
        if not self._is_over:
            self._is_begun = True
            begin = types.WorkDoneProgressBegin(title=f"avionics: reading {self._name}", percentage=0)
            self._progress.begin(self._token, begin)

    def _end(self) -> None:
        if self._is_begun and not self._is_over:
            self._progress.end(self._token, types.WorkDoneProgressEnd())
        self._is_over = True
