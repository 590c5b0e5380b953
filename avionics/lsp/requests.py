"""Requests: analysis in threads, while the loop goes on reading edits and cancellations."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcRequestCancelled

from avionics.cancellation import CancellationToken, use_cancellation
from avionics.lsp.view import View
from avionics.model.errors import AvionicsError, DeadlineExceededError, IndexStateError
from avionics.tools.edits.rename import EditRefusedError

_T = TypeVar("_T")

_THREADS = 4
"""Requests that are analysed at a time. Python runs one of them at a moment; a long one must not hold up the others."""


class RequestFailedError(JsonRpcException):
    """A request that is valid and cannot be answered; the message says why."""

    CODE = types.LSPErrorCodes.RequestFailed.value
    MESSAGE = "Request failed"


class RequestRunner:
    """Runs analysis of views in threads.

    Attributes:
        has_answered: Set as soon as one analysis has ended.
    """

    def __init__(self) -> None:
        self.has_answered = threading.Event()
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="avionics-request")

    async def run(self, view: View, work: Callable[[View], _T], token: CancellationToken | None = None) -> _T:
        """Return what work finds in a view. When the task is cancelled the thread is told, and nobody waits for it.

        Args:
            view: What the work is about.
            work: The analysis.
            token: Cancels the work, and lets the caller wait for its end.

        Raises:
            RequestFailedError: It cannot be answered.
            JsonRpcRequestCancelled: Nobody wants the answer any more.
        """
        stop = token or CancellationToken()

        def analyse() -> _T:
            use_cancellation(stop)
            return _ask(view, work)

        future = asyncio.get_running_loop().run_in_executor(self._threads, contextvars.copy_context().run, analyse)
        try:
            return await future
        except asyncio.CancelledError:
            stop.set()
            raise
        except DeadlineExceededError as error:
            raise JsonRpcRequestCancelled(str(error)) from None
        except EditRefusedError as error:
            raise RequestFailedError(str(error)) from None
        except AvionicsError as error:
            raise RequestFailedError(f"{error}; {error.hint}" if error.hint else str(error)) from None
        finally:
            self.has_answered.set()

    def close(self) -> None:
        """Take no more work; what runs is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _ask(view: View, work: Callable[[View], _T]) -> _T:
    """Return what work finds; once more if the store was cleared under it."""
    try:
        with view.workspace.pinned_index():
            return work(view)
    except IndexStateError:
        with view.workspace.pinned_index():
            return work(view.refreshed())
