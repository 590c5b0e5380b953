"""Write a directory as a SCIP index, on all cores: workers describe shares of the files (`scip_worker.py`)."""

from __future__ import annotations

import gc
import itertools
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING

from avionics import __version__
from avionics.cli.upkeep.scip_worker import COLLECTED_AFTER
from avionics.index.facts.worker_pool import count_cores
from avionics.index.facts.worker_protocol import receive, send
from avionics.index.scip.exporting import Exporter
from avionics.model.errors import IndexStateError
from avionics.own_process import start_own_process
from avionics.scip.files import encode_document, write_documents
from avionics.store.payload import from_payload, to_payload

if TYPE_CHECKING:
    from avionics.index.facts.snapshot import SnapshotEntry
    from avionics.workspace import Workspace

_SHARE_BYTES = 60_000
"""The text of a share. Larger shares leave workers idle at the end; smaller ones are described as fast."""

_WORKER_BYTES = 500_000
"""The text of a worker, about two seconds of work: a worker takes up to one to read what it needs."""

_MAX_WORKERS = 7
"""Each worker needs as much memory as the program itself."""

_Share = tuple[int, Sequence[str]]


def write_scip(workspace: Workspace, file: IO[bytes]) -> int:
    """Write the index of a workspace; return its document count. Raise `OSError` if the file cannot be written."""
    gc.set_threshold(COLLECTED_AFTER)
    workspace.index(with_uses=True)
    code = workspace.code  # Every access looks for changed files again.
    exporter = Exporter(code)
    sizes = {path: code.snapshot.entries[path].size for path in exporter.files}
    count = min(sum(sizes.values()) // _WORKER_BYTES, _MAX_WORKERS, (workspace.settings.workers or count_cores()) - 1)
    work = _Work(_divide(sizes), count + 1)
    threads = [
        threading.Thread(target=_have_described, args=(workspace, code.snapshot.entries, work, taker), daemon=True)
        for taker in range(1, count + 1)
    ]
    for thread in threads:
        thread.start()
    try:
        return write_documents(file, workspace.root.as_uri(), __version__, _iter_described(exporter, work))
    finally:
        work.abandon()
        for thread in threads:
            thread.join()


class _Work:
    """The shares that are left, and the documents of those that are done. Safe for several threads.

    Each taker has a region of consecutive shares, because files of one directory need the same facts and types, which
    each process infers on its own. A taker whose region is done takes the last share of the largest other one.
    """

    def __init__(self, shares: Sequence[Sequence[str]], takers: int) -> None:
        self.count = len(shares)
        numbered = list(enumerate(shares))
        bounds = [len(shares) * taker // takers for taker in range(takers + 1)]
        self._regions: list[deque[_Share]] = [deque(numbered[at:end]) for at, end in itertools.pairwise(bounds)]
        self._done: dict[int, Sequence[bytes]] = {}
        self._changed = threading.Condition()

    def take(self, taker: int) -> _Share | None:
        """Return a share to describe, or None if none is left."""
        with self._changed:
            return self._take(taker)

    def _take(self, taker: int) -> _Share | None:
        if self._regions[taker]:
            return self._regions[taker].popleft()
        largest = max(self._regions, key=len)
        return largest.pop() if largest else None

    def give_back(self, taker: int, share: _Share) -> None:
        """Put a share back for another worker."""
        with self._changed:
            self._regions[taker].appendleft(share)
            self._changed.notify_all()

    def finish(self, number: int, documents: Sequence[bytes]) -> None:
        """Keep the documents of a share."""
        with self._changed:
            self._done[number] = documents
            self._changed.notify_all()

    def wait(self, number: int, taker: int) -> tuple[Sequence[bytes] | None, _Share | None]:
        """Return the documents of a share; or another share to describe, because they are not there yet."""
        with self._changed:
            while number not in self._done:
                share = self._take(taker)
                if share is not None:
                    return None, share
                self._changed.wait()
            return self._done.pop(number), None

    def abandon(self) -> None:
        """Remove the shares that are left."""
        with self._changed:
            for region in self._regions:
                region.clear()


def _divide(sizes: dict[str, int]) -> list[list[str]]:
    shares: list[list[str]] = []
    held = _SHARE_BYTES
    for path, size in sizes.items():
        if held >= _SHARE_BYTES:
            shares.append([])
            held = 0
        shares[-1].append(path)
        held += size
    return shares


def _iter_described(exporter: Exporter, work: _Work) -> Iterator[bytes]:
    """Yield the documents of all shares in order, and describe shares while one is missing."""
    for number in range(work.count):
        done = None
        while done is None:
            done, share = work.wait(number, 0)
            if share is not None:
                documents = exporter.iter_documents(share[1])
                work.finish(share[0], [encode_document(each) for each in documents])
        yield from done


def _have_described(workspace: Workspace, entries: Mapping[str, SnapshotEntry], work: _Work, taker: int) -> None:
    """Let a worker process describe shares of the entries until none is left; if it fails, put its share back."""
    share = None
    try:
        with start_own_process("from avionics.cli.upkeep.scip_worker import serve; serve()") as of:
            assert of.stdin is not None
            assert of.stdout is not None
            send(of.stdin, to_payload([str(workspace.root), str(workspace.settings.cache_directory)], compress=False))
            while (share := work.take(taker)) is not None:
                send(of.stdin, to_payload([(each, entries[each].oid) for each in share[1]], compress=False))
                documents = from_payload(receive(of.stdout), list[bytes])
                if len(documents) != len(share[1]):
                    break
                work.finish(share[0], documents)
                share = None
            of.kill()
    except (EOFError, OSError, ValueError, IndexStateError):
        pass
    if share is not None:
        work.give_back(taker, share)
