"""The `avionics` command: find the sub-command, and turn every outcome into text and an exit code."""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import NoReturn

from avionics.cli.input.command_line import PlainLine, read_plain
from avionics.cli.output.exit_codes import ANSWERED, FAILED, INTERRUPTED, SIGNALLED
from avionics.process_end import ENDING_SIGNALS, end_process, ignore_signals
from avionics.quick_imports import import_msgspec


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, by default that of the process, and return its exit code."""
    if arguments is None:
        sys.excepthook = report_bug
        end_on_signals()
    make_streams_safe()
    code = ANSWERED
    try:
        code = run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe; the rest of the buffer must not cause an error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if arguments is None and (code == FAILED or code >= SIGNALLED or threading.active_count() == 1):
        end_process(code)
    return code


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        line = read_plain(arguments)
        if line is None:
            from avionics.cli.shell.group import run_with_click

            return run_with_click(arguments)
        return _run_plain(line)
    except EndedError as ended:
        return SIGNALLED + ended.number
    except KeyboardInterrupt:
        return INTERRUPTED


def _run_plain(line: PlainLine) -> int:
    """Run a command line that click need not read; show an expected error like a failed call."""
    import_msgspec()
    from avionics.cli.running import run_plain
    from avionics.cli.text import error_result, show
    from avionics.model import AvionicsError

    try:
        return run_plain(line)
    except AvionicsError as error:
        return show(error_result(error), as_json=line.options["as_json"])


class EndedError(KeyboardInterrupt):
    """The process was told to end by a signal; like Ctrl-C, it ends what the command has begun."""

    def __init__(self, number: int) -> None:
        self.number = number


def end_on_signals() -> None:
    """End the command, with its worker processes, when the system tells this process to end."""

    def end(number: int, _frame: object) -> NoReturn:
        ignore_signals()
        raise EndedError(number)

    for number in ENDING_SIGNALS:
        # A process that was started to ignore a signal (`nohup`) goes on ignoring it.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, end)


def make_streams_safe() -> None:
    """Escape characters that the terminal's encoding lacks; take ASCII, which is rarely intended, for UTF-8."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            is_ascii = codecs.lookup(stream.encoding).name == "ascii"
            stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="backslashreplace")


def report_bug(kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
    """Report an unexpected exception in one line with exit code 3, instead of Python's traceback and exit code 1."""
    from avionics.cli.text import write
    from avionics.tools.answers.answer import visible

    write(f"error: avionics failed: {visible(f'{kind.__name__}: {error}')}", is_error=True)
    end_process(FAILED)
