"""The client of a session: read its messages in order, and answer each request exactly once, in threads."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from typing import Any, BinaryIO

from msgspec import UNSET

from avionics.cancellation import CancellationToken, use_cancellation
from avionics.lsp.messages import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    REQUEST_CANCELLED,
    LspError,
    LspMessage,
    encode_message,
    iter_messages,
)
from avionics.lsp.types import CancelParams
from avionics.model.errors import DeadlineExceededError

_LOG = logging.getLogger(__name__)

_THREADS = 32
"""The maximum number of concurrent requests. Few are analysed at once; others wait until a folder is read."""

Answer = Callable[[], Any]
"""Finds the result of a request, in a thread of its own."""

Handler = Callable[[Any], Answer | None]
"""Takes a request or a notification while messages are read, so that it sees the state at the time of the message."""

Methods = Mapping[str, tuple[Any, Handler]]
"""Method → the type of its params, and its handler."""


class LspClient:
    """One client and its unanswered requests; the stream to it is not buffered."""

    def __init__(self, inbound: BinaryIO, outbound: BinaryIO) -> None:
        self._inbound = inbound
        self._outbound = outbound
        self._writing = threading.Lock()
        self._lock = threading.Lock()
        self._running: dict[int | str, CancellationToken] = {}
        self._asked: dict[str, Callable[[], object]] = {}
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="avionics-request")
        self._is_initialized = False
        self.is_shut_down = False

    def serve(self, methods: Methods) -> None:
        """Read messages until the client says `exit` or closes its end."""
        with ThreadPoolExecutor(1, thread_name_prefix="avionics-handling") as handling:
            for message in iter_messages(self._inbound):
                if isinstance(message, LspError):
                    self._send_error(None, message)
                elif message.method is UNSET:
                    self._take_answer(message)
                elif message.method == "exit":
                    return
                elif message.method == "$/cancelRequest":
                    self._cancel(message)
                elif message.id is UNSET or message.id is None:
                    future = handling.submit(self._handle, message, methods)
                    future.add_done_callback(partial(_log_failure, message.method))
                else:
                    self._take_request(message, message.id, handling, methods)

    def notify(self, method: str, params: Any) -> None:
        """Tell the client something; safe in any thread."""
        self._send({"method": method, "params": params})

    def ask(self, identity: str, method: str, params: Any, then: Callable[[], object]) -> None:
        """Send the client a request, and call a function once it has answered; safe in any thread."""
        self._asked[identity] = then
        self._send({"id": identity, "method": method, "params": params})

    def close(self) -> None:
        """Cancel the running requests and accept no more, without waiting for them to end."""
        with self._lock:
            unanswered = tuple(self._running.values())
            self._running.clear()
        for token in unanswered:
            token.set()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _take_answer(self, message: LspMessage) -> None:
        """Note that the client answered a request of the server; the contents do not matter."""
        then = self._asked.pop(str(message.id), None)
        if then is not None:
            then()

    def _take_request(self, message: LspMessage, identity: int | str, handling: Executor, methods: Methods) -> None:
        """Queue a request to be handled after the messages before it."""
        token = CancellationToken()
        with self._lock:
            known = self._running.setdefault(identity, token)
        if known is not token:
            self._send_error(identity, LspError(INVALID_REQUEST, "a request with this id is not answered yet"))
            return
        future = handling.submit(self._handle, message, methods)
        future.add_done_callback(partial(self._start, str(message.method), identity, token))

    def _handle(self, message: LspMessage, methods: Methods) -> Answer | None:
        """Return the function that answers a request; None for a notification, or if there is nothing to compute.

        Raise `LspError` if the method is unknown, the params are invalid, or the request comes at the wrong time.
        """
        method, is_request = str(message.method), message.id is not UNSET
        if self.is_shut_down:
            raise LspError(INVALID_REQUEST, "the session is shut down")
        if method == "shutdown":
            self.is_shut_down = True
            return None
        if self._is_initialized == (method == "initialize"):
            reason = "initialize comes once" if self._is_initialized else "initialize comes first"
            raise LspError(INVALID_REQUEST if self._is_initialized else NOT_INITIALIZED, reason)
        if method not in methods:
            if is_request:
                raise LspError(METHOD_NOT_FOUND, f"method not found: {method[:200]}")
            return None
        kind, handle = methods[method]
        answer = handle(message.read_params(kind))
        self._is_initialized = True
        return answer

    def _start(
        self, method: str, identity: int | str, token: CancellationToken, handled: Future[Answer | None]
    ) -> None:
        """Have a thread answer a request that was handled; `initialize` is answered before anything else."""
        error = handled.exception()
        answer = None if error is not None else handled.result()
        if answer is None or token.is_set:
            self._finish(identity, token, None, error)
        elif method == "initialize":
            self._finish(identity, token, answer())
        else:
            future = self._threads.submit(contextvars.copy_context().run, _answer, token, answer)
            future.add_done_callback(partial(self._end, identity, token))

    def _end(self, identity: int | str, token: CancellationToken, answered: Future[Any]) -> None:
        """Send what a thread has answered."""
        if not answered.cancelled():
            error = answered.exception()
            self._finish(identity, token, None if error is not None else answered.result(), error)

    def _cancel(self, message: LspMessage) -> None:
        """Answer a request at once, and tell its thread to stop."""
        try:
            identity = message.read_params(CancelParams).id
        except LspError as error:
            _LOG.warning("%s", error)
            return
        token = self._running.get(identity)
        if token is not None:
            token.set()
            self._finish(identity, token, None, LspError(REQUEST_CANCELLED, "cancelled"))

    def _finish(
        self, identity: int | str, token: CancellationToken, result: Any, error: BaseException | None = None
    ) -> None:
        """Send the answer of a request unless it was answered; tracebacks only go to the log."""
        with self._lock:
            if self._running.get(identity) is not token:
                return
            del self._running[identity]
        if error is None:
            self._send({"id": identity, "result": result})
        elif isinstance(error, LspError):
            self._send_error(identity, error)
        elif isinstance(error, DeadlineExceededError):
            self._send_error(identity, LspError(REQUEST_CANCELLED, str(error)))
        else:
            _LOG.error("a request failed", exc_info=error)
            self._send_error(identity, LspError(INTERNAL_ERROR, "internal error"))

    def _send_error(self, identity: int | str | None, error: LspError) -> None:
        self._send({"id": identity, "error": {"code": error.code, "message": error.message}})

    def _send(self, message: dict[str, Any]) -> None:
        """Send a message. If the client has gone, the reading side notices it."""
        data = memoryview(encode_message(message))
        with self._writing:
            try:
                while data:
                    data = data[self._outbound.write(data) :]
            except (OSError, ValueError):
                return


def _answer(token: CancellationToken, answer: Answer) -> Any:
    """Find the result of a request, which its token cancels."""
    use_cancellation(token)
    return None if token.is_set else answer()


def _log_failure(method: str, handled: Future[Any]) -> None:
    """Log why a notification could not be handled; nobody waits for an answer."""
    error = handled.exception()
    if error is not None:
        _LOG.warning("%s: %s", method, error, exc_info=None if isinstance(error, LspError) else error)
