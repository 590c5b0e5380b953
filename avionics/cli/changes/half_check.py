"""A large check on two cores: a second process checks the second half of the files."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, NoReturn

from msgspec import Struct, structs

from avionics.index.facts.worker_pool import count_cores
from avionics.index.facts.worker_protocol import receive, send, take_pipes
from avionics.index.verdicts.check import CheckedHalf, check_second_half
from avionics.model.errors import AvionicsError, IndexStateError
from avionics.own_process import start_own_process
from avionics.posix import count_idle_cores
from avionics.settings import Settings
from avionics.store.payload import from_payload, to_payload
from avionics.tools.resolution.revision_pair import RevisionPair, open_revision_pair
from avionics.workspace import Workspace

if TYPE_CHECKING:
    from avionics.index.changes.symbol_diff import RevisionView

COLLECTED_AFTER = 1_000_000
"""New objects after which Python looks for cycles among them, which takes a tenth of the time of a large check."""

_MIN_CHANGED_FILES = 40
"""A second process takes half a second to read the change; with fewer changed files, it would save less. It costs a
third more processor time, so that it would make the check slower on a busy machine."""

ReceiveHalf = Callable[[], CheckedHalf | None]


class _Job(Struct, frozen=True):
    """A check to share: a directory, and the commits to compare, "" for the files on disk."""

    root: str
    cache_directory: str
    base: str
    head: str


class _Done(Struct, frozen=True):
    """The half of a check, and the contents of the changed files that it is about."""

    contents: tuple[tuple[str, str, str, str], ...]
    half: CheckedHalf


@contextmanager
def start_half(workspace: Workspace, pair: RevisionPair) -> Iterator[ReceiveHalf | None]:
    """Let another process check the second half of a large change; give what waits for its result, else None.

    The process ends with the block.
    """
    cores = min(workspace.settings.workers or count_cores(), count_cores())
    if cores < 2 or len(pair.files) < _MIN_CHANGED_FILES or not count_idle_cores(cores):
        yield None
        return
    job = _Job(str(workspace.root), str(workspace.settings.cache_directory), pair.base.revision, pair.head.revision)
    try:
        process = start_own_process("from avionics.cli.changes.half_check import serve; serve()")
    except OSError:
        yield None
        return
    with process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            results = process.stdout
            with suppress(OSError):
                send(process.stdin, to_payload(job, compress=False))
            yield lambda: _receive(results, pair)
        finally:
            process.kill()


def _receive(results: IO[bytes], pair: RevisionPair) -> CheckedHalf | None:
    """Wait for the result of another process; return None if it failed or read other contents."""
    try:
        done = from_payload(receive(results), _Done)
    except (EOFError, IndexStateError, OSError):
        return None
    return done.half if done.contents == _list_contents(pair) else None


def serve() -> NoReturn:
    """Check the second half of the change that the parent process sends, and send it the result."""
    gc.set_threshold(COLLECTED_AFTER)
    given, results = take_pipes()
    try:
        job = from_payload(receive(given), _Job)
        settings = structs.replace(Settings.from_environment(), cache_directory=Path(job.cache_directory))
        with Workspace.open(job.root, settings.for_one_answer()) as workspace, workspace.pinned_index():
            pair = open_revision_pair(workspace, job.base, job.head or None)
            half = check_second_half(pair.before.code, pair.after.code, pair.files)
            send(results, to_payload(_Done(_list_contents(pair), half), compress=False))
    except (AvionicsError, EOFError, OSError):
        pass
    os._exit(0)


def _list_contents(pair: RevisionPair) -> tuple[tuple[str, str, str, str], ...]:
    """Return the paths and content ids of the changed files, before and after the change."""
    return tuple(
        (each.before, _get_oid(pair.before, each.before), each.after, _get_oid(pair.after, each.after))
        for each in pair.files
    )


def _get_oid(view: RevisionView, path: str) -> str:
    entry = view.code.snapshot.entries.get(path)
    return entry.oid if entry is not None else ""
