"""`avionics index`: index a repository ahead of the first question."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from avionics.cli import text
from avionics.cli.options import directory_argument, examples, no_ignore_option
from avionics.cli.output.exit_codes import ANSWERED
from avionics.cli.output.session import read_settings
from avionics.model.errors import AvionicsError
from avionics.model.naming import plural

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress, TaskID

    from avionics.index.facts.builder import IndexReport

PATIENCE_SECONDS = 0.5
"""Shorter work needs no progress bar."""


@click.command("index", epilog=examples("avionics index", "avionics index ../flask"))
@directory_argument
@no_ignore_option
def index_command(repo: Path) -> int:
    """Index a directory now instead of at the first question."""
    from avionics.tools.answers.reasons import describe_reason
    from avionics.tools.execution.ignored_notice import find_ignore_reasons
    from avionics.workspace import Workspace

    started = time.perf_counter()
    with Workspace.open(repo, read_settings()) as workspace, Bar() as bar:
        report = workspace.index(bar.show)
        seconds = time.perf_counter() - started
        with suppress(AvionicsError):
            workspace.commit_reader.read()
        ignored = [f"\n{describe_reason(reason)}" for reason in find_ignore_reasons(workspace)]
        place = workspace.store.path or f"memory only: {workspace.store.private_because}"
    text.show_text(f"{summary(report, seconds)}\nkept in {place}{''.join(ignored)}")
    return ANSWERED


def summary(report: IndexReport, seconds: float) -> str:
    """Return the count and rate of a build in one line; files with the same content are parsed once."""
    rate = f", {report.parsed / seconds:.0f} a second" if report.parsed else ""
    failed = f"; {report.failed} could not be parsed" if report.failed else ""
    counts = f"{plural(report.files, 'source file')}, {plural(report.parsed, 'new content')}"
    return f"{counts} read in {seconds:.1f} s{rate}{failed}"


class Bar:
    """A progress bar on standard error, for long work in a terminal."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._stack = ExitStack()
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def show(self, done: int, total: int, done_bytes: int, all_bytes: int) -> None:
        """Update the bar with the files done and in total, and the bytes done and in total."""
        if not sys.stderr.isatty() or time.monotonic() - self._started < PATIENCE_SECONDS:
            return
        if self._progress is None:
            self._progress = self._stack.enter_context(_make_progress())
            self._task = self._progress.add_task("reading", total=all_bytes, files="")
        if self._task is not None:
            self._progress.update(self._task, completed=done_bytes, files=f"{done}/{total} files")


def _make_progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[files]}"),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
