"""Build an index: extract and store the facts of every new content.

Facts are stored a batch at a time, so an interrupted build continues where it stopped. A few files are extracted by the
worker that this process keeps; many by a pool, whose first worker is then kept for the edits to come.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from avionics.cancellation import check_cancelled, get_last_moment
from avionics.index.facts.fact_cache import FactCache
from avionics.index.facts.snapshot import Snapshot, Tree, hash_blob
from avionics.model.errors import IndexUnfinishedError
from avionics.model.facts import replace
from avionics.posix import trim_heap
from avionics.settings import Settings
from avionics.source.read import Content
from avionics.store.codec import PackedFacts, ParseFailure
from avionics.store.store import Store

if TYPE_CHECKING:
    from avionics.index.facts.worker_protocol import Extracted, Want
    from avionics.store.writer import Batch

Progress = Callable[[int, int, int, int], None]
"""Called with: files done, all files, bytes done, all bytes. Bytes measure progress better, because large files come
first."""

_BATCH_BYTES = 64_000_000
"""The work that an interruption can lose: about 20 s of extraction on one core. Writing a batch takes about two."""

_WRITING_SECONDS, _WRITING_SHARE = 2.0, 0.1
"""An answer that has to wait for the build needs as long, or this share of its time, to store what was extracted."""

_MIN_SHARE_FILES, _MIN_SHARE_BYTES = 32, 256_000
"""Such a share takes a worker about 0.1 s, which is long compared with handing it over."""

_MAX_SHARE_FILES, _MAX_SHARE_BYTES = 128, 1_000_000
"""The limits of a share; its files have a common vocabulary, so larger shares are faster to store."""

_SHARE_BYTES_A_SECOND = 25_000
"""A share may be as large as a worker on a busy machine reads in a small part of the time that an answer has."""

_SHARES = 32
"""The minimum number of shares of a build, so that the workers end at the same time."""

_SHARES_AHEAD = 4
"""The number of shares that workers may be ahead, so that they continue while a batch is written."""

_COLLECTED_AFTER = 500_000
"""New objects between two garbage collections; as often as Python runs them by default, they take 2 % of a build."""

_INCLUDES_THRESHOLD = 1_000
"""After extracting this many files, the build also resolves their includes for the questions to come."""


class IndexReport(Struct, frozen=True):
    """What a build did.

    Attributes:
        files: Files of the workspace in supported languages.
        parsed: Contents extracted now.
        failed: Those of them that could not be extracted.
    """

    files: int
    parsed: int
    failed: int


class PlannedFile(Struct, frozen=True):
    """A content to be extracted, and one file that has it."""

    path: str
    oid: str
    language: str
    size: int

    @property
    def key(self) -> tuple[str, str]:
        """Return the content in its language."""
        return self.oid, self.language

    def is_content(self, content: Content) -> bool:
        """Return whether this is the planned content: the file may have changed since."""
        return content.refused is None and hash_blob(content.data) == self.oid


def build_index(
    snapshot: Snapshot,
    tree: Tree,
    store: Store,
    settings: Settings,
    progress: Progress | None = None,
    *,
    with_uses: bool = False,
) -> tuple[Snapshot, IndexReport]:
    """Store the facts of every new content; return the snapshot with all blob ids, and a report.

    With `with_uses` also store its uses, which else are extracted when a question needs them.

    Raise `IndexStateError` if the store cannot be used, or `IndexUnfinishedError` if the time for an answer is up; what
    was extracted is stored.
    """
    files = snapshot.count_supported()
    unknown = snapshot.list_unknown()
    if not unknown:
        return snapshot, IndexReport(files, 0, 0)
    blob_ids = store.reader.blob_ids(unknown)
    plan = plan_build(snapshot, blob_ids)
    from avionics.index.facts.worker_protocol import Want

    failed = 0
    want = Want.INDEX_WITH_USES if with_uses else Want.INDEX
    with _collecting_rarely():
        extracted = _iter_extracted(plan, tree, snapshot.read, settings, want)
        for batch, failures in _iter_batches(extracted, plan, store, progress):
            blob_ids |= batch.store()
            failed += failures
    after = snapshot.with_blob_ids(blob_ids)
    if len(plan) >= _INCLUDES_THRESHOLD:
        from avionics.index.facts.include_graph import keep_includes

        keep_includes(after, FactCache(store))
    return after, IndexReport(files, len(plan), failed)


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Let Python look for reference cycles rarely: a build gathers many objects, and few of them are in cycles."""
    before = gc.get_threshold()
    if 0 < before[0] < _COLLECTED_AFTER:
        gc.set_threshold(_COLLECTED_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def plan_build(snapshot: Snapshot, known: Container[tuple[str, str]]) -> tuple[PlannedFile, ...]:
    """Return the readable contents without facts, each once.

    Code comes before other text, because their words are stored separately, and large files come first, so that no
    worker is still busy with one when the others have finished.
    """
    planned: dict[tuple[str, str], PlannedFile] = {}
    for path, entry in snapshot.entries.items():
        key = (entry.oid, entry.language)
        if entry.oid and not entry.blob_id and key not in known:
            planned.setdefault(key, PlannedFile(path, entry.oid, entry.language, entry.size))
    return tuple(sorted(planned.values(), key=lambda file: (not file.language, -file.size, file.path)))


def _iter_batches(
    extracted: Iterable[tuple[PlannedFile, PackedFacts | ParseFailure | None]],
    plan: Sequence[PlannedFile],
    store: Store,
    progress: Progress | None,
) -> Iterator[tuple[Batch, int]]:
    """Yield batches of bounded size, each with its failures. Files that have changed are left to the next refresh.

    Raise `IndexUnfinishedError` if the time for an answer was up, after the last batch.
    """
    batch = store.writer.batch()
    size = done = done_bytes = failures = 0
    all_bytes = sum(file.size for file in plan)
    for done, (file, facts) in enumerate(extracted, 1):
        check_cancelled()
        # A batch must not split contents that share a vocabulary.
        starts_vocabulary = isinstance(facts, PackedFacts) and not facts.words.start
        if starts_vocabulary and (batch.is_full or size >= _BATCH_BYTES):
            yield batch, failures
            batch, size, failures = store.writer.batch(), 0, 0
        if facts is not None:
            batch.add(file.key, facts)
            failures += isinstance(facts, ParseFailure) and bool(file.language)
            size += file.size
        done_bytes += file.size
        if progress is not None:
            progress(done, len(plan), done_bytes, all_bytes)
    if len(batch):
        yield batch, failures
    if done < len(plan):
        raise IndexUnfinishedError(len(plan) - done)


def _iter_extracted(
    plan: Sequence[PlannedFile], tree: Tree, read: dict[str, bytes], settings: Settings, want: Want
) -> Iterator[tuple[PlannedFile, PackedFacts | ParseFailure | None]]:
    """Yield every planned file with its facts, or None if the file has another content by now.

    Files that were `read` are not read again; at the end their bytes are released.
    """
    from avionics.index.facts.worker_pool import WorkerPool, count_cores, get_pool, iter_shares
    from avionics.index.facts.worker_protocol import Task

    max_files = min(max(len(plan) // _SHARES, _MIN_SHARE_FILES), _MAX_SHARE_FILES)
    seconds = get_last_moment() - time.monotonic()
    writing = min(max(_WRITING_SECONDS, _WRITING_SHARE * seconds), max(seconds, 0) / 2) if seconds < math.inf else 0
    seconds -= writing
    end = time.monotonic() + seconds
    usual_bytes = max(sum(file.size for file in plan) // _SHARES, _MIN_SHARE_BYTES)
    timely_bytes = max(_SHARE_BYTES_A_SECOND * seconds, _MIN_SHARE_BYTES)
    max_bytes = min(usual_bytes, timely_bytes, _MAX_SHARE_BYTES)
    last = end + writing / 4
    if last < math.inf:
        plan = sorted(plan, key=lambda file: (not file.language, file.size > timely_bytes))
    shares = tuple(iter_shares(plan, lambda file: file.size, max_files, max_bytes))
    workers = min(settings.workers or count_cores(), len(shares))
    is_small = len(plan) < settings.worker_threshold_files or workers < 2
    pool = get_pool() if is_small else WorkerPool(workers)

    def plan_share(share: Sequence[PlannedFile]) -> Iterator[Task | None]:
        contents = tree.iter_contents([file.path for file in share if file.path not in read])
        for file in share:
            data = read.pop(file.path, None)
            if data is None and file.is_content(content := next(contents)):
                data = content.data
            yield Task(data, file.language, want) if data is not None else None

    try:
        given = pool.perform(shares, plan_share, end=end, last=last, ahead=_SHARES_AHEAD, is_small=is_small)
        with closing(given) as performed:
            for file, found in performed:
                yield file, _with_words(found, file, tree)
    finally:
        read.clear()
        if not is_small:
            get_pool().adopt(pool)
            pool.stop()
            # What the files took cannot be reused for the postings, which are many small objects.
            trim_heap()


def _with_words(found: Extracted | None, file: PlannedFile, tree: Tree) -> PackedFacts | ParseFailure | None:
    """Return the extracted facts; add the file's words to a failure."""
    if not isinstance(found, ParseFailure):
        assert found is None or isinstance(found, PackedFacts)
        return found
    if not file.language:
        return found
    from avionics.syntax.engine.words import count_words

    (content,) = tree.iter_contents([file.path])
    return replace(found, words=count_words(content.data)) if file.is_content(content) else None
