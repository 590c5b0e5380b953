"""End this process without waiting for its threads, but with everything removed that it made for itself."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import sys
import threading
from typing import Final, NoReturn

ENDING_SIGNALS: Final = tuple(
    number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)
"""The signals by which a system tells a process to end; a terminal that closes sends more than one."""


def end_process(code: int) -> NoReturn:
    """Run the exit functions, which end worker processes and remove temporary directories, and exit.

    Interpreter shutdown would take long, and threads may still be working although nobody waits for them.
    """
    ignore_signals()
    # Threads still running fail when their directories are removed, and report it.
    threading.excepthook = _ignore
    if (logging := sys.modules.get("logging")) is not None:
        logging.disable()
    atexit._run_exitfuncs()
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


def ignore_signals() -> None:
    """Ignore further signals while this process ends."""
    for number in (signal.SIGINT, *ENDING_SIGNALS):
        with contextlib.suppress(ValueError):  # Only the main thread may change it.
            # With `SIG_IGN`, Python prints an error for a signal that arrived before and is not handled yet.
            signal.signal(number, _ignore_signal)


def _ignore_signal(_number: int, _frame: object) -> None:
    """Do nothing about a signal."""


def _ignore(_failure: threading.ExceptHookArgs) -> None:
    """Report no exceptions of threads that the end of the process interrupts."""
