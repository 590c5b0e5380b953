"""Report the progress of long work to the client."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Iterator

from avionics.lsp.client import LspClient
from avionics.lsp.types import ProgressParams, ProgressToken, WorkDone
from avionics.model.naming import plural


@contextlib.contextmanager
def reported(client: LspClient, token: ProgressToken | None, title: str, after_seconds: float) -> Iterator[None]:
    """Report a request that takes longer than `after_seconds` under the token that came with it."""
    if token is None:
        yield
        return
    turn = threading.Lock()
    is_begun = is_over = False

    def begin() -> None:
        nonlocal is_begun
        with turn:
            if not is_over:
                is_begun = True
                _send(client, token, WorkDone("begin", title=title))

    timer = threading.Timer(after_seconds, begin)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with turn:
            is_over = True
            if is_begun:
                _send(client, token, WorkDone("end"))


class ReadingProgress:
    """Reports the progress of the first indexing of a folder, under a token of the server's own."""

    def __init__(self, client: LspClient, name: str) -> None:
        self._client = client
        self._name = name
        self._token = str(uuid.uuid4())
        self._turn = threading.Lock()
        self._is_asked = False
        self._is_begun = False
        self._is_over = False

    def show(self, done: int, total: int) -> None:
        """Report a number of files; equal numbers mean the end. A folder without unread files is not reported."""
        with self._turn:
            if done >= total:
                self._end()
            elif not self._is_asked:
                self._is_asked = True
                self._client.ask(self._token, "window/workDoneProgress/create", {"token": self._token}, self._begin)
            elif self._is_begun:
                share = 100 * done // total
                report = WorkDone("report", message=f"{done} of {plural(total, 'file')}", percentage=share)
                _send(self._client, self._token, report)

    def _begin(self) -> None:
        """Send the begin of the report, now that the client has agreed to the token."""
        with self._turn:
            if not self._is_over:
                self._is_begun = True
                begin = WorkDone("begin", title=f"avionics: reading {self._name}", percentage=0)
                _send(self._client, self._token, begin)

    def _end(self) -> None:
        if self._is_begun and not self._is_over:
            _send(self._client, self._token, WorkDone("end"))
        self._is_over = True


def _send(client: LspClient, token: ProgressToken, value: WorkDone) -> None:
    client.notify("$/progress", ProgressParams(token, value))
