"""get_index_stats: say how much of the codebase is indexed, and how fresh the index is."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from msgspec import Struct

from avionics.index.facts.snapshot import Snapshot
from avionics.model.naming import plural
from avionics.model.results import Coverage, complete
from avionics.store.reader import Reader
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId
from avionics.workspace import Workspace


class LanguageItem(Struct, frozen=True):
    """A language, and the number of files in it."""

    language: str
    files: int

    def to_text(self) -> str:
        return f"{self.language}: {plural(self.files, 'file')}"


class FailureItem(Struct, frozen=True):
    """A file that could not be indexed, and why."""

    file: str
    line: int
    reason: str

    def to_text(self) -> str:
        return f"{self.file}:{self.line} {self.reason}"


class IndexStatsAnswer(Struct, frozen=True):
    """The size and state of the index.

    Attributes:
        files: All files, also those in unsupported languages.
        symbols: Definitions in them; equal files count once.
        lines: Lines in them; equal files count once.
        skipped: Files that no rule ignores and that were not read: too large, links, unreadable.
        store: The path of the store, or why the index is in memory only.
        store_bytes: The size of the store, which other workspaces share.
        refreshed: When the files were last found changed, in UTC; "" if they were never indexed.
        languages: Files by language, most first.
        failures: Files that could not be indexed.
    """

    files: int
    symbols: int
    lines: int
    skipped: int
    store: str
    store_bytes: int
    refreshed: str
    coverage: Coverage
    languages: tuple[LanguageItem, ...] = part("languages")
    failures: tuple[FailureItem, ...] = part("files that could not be indexed")

    def headline(self) -> str:
        files, symbols, lines = plural(self.files, "file"), plural(self.symbols, "symbol"), plural(self.lines, "line")
        known = f"{symbols} in {lines}; last updated {self.refreshed}" if self.refreshed else "not indexed yet"
        return f"{files}, {known}; store {self.store_bytes / 1e6:.1f} MB: {self.store}"


@tool(ToolId.GET_INDEX_STATS, accepts="nothing", returns="files, languages, symbols, failures, size and freshness")
def get_index_stats(workspace: Workspace) -> IndexStatsAnswer:
    """Show how much is indexed and when it was last updated."""
    snapshot = workspace.code.snapshot
    store = workspace.store
    languages = Counter(entry.language for entry in snapshot.entries.values() if entry.language)
    totals = store.reader.totals({entry.blob_id for entry in snapshot.entries.values()})
    seen = datetime.fromtimestamp(snapshot.taken_ns / 1e9, UTC) if snapshot.taken_ns else None
    has_failures = seen is not None and (totals.failures or _has_unread(snapshot))
    return IndexStatsAnswer(
        files=len(snapshot.entries),
        symbols=totals.symbols,
        lines=totals.lines,
        skipped=len(snapshot.skipped),
        store=store.private_because or str(store.path),
        store_bytes=store.get_size_bytes(),
        refreshed=seen.strftime("%Y-%m-%d %H:%M:%S") if seen else "",
        coverage=complete(len(snapshot.entries)),
        languages=tuple(LanguageItem(name, count) for name, count in languages.most_common()),
        failures=_find_failures(snapshot, store.reader) if has_failures else (),
    )


def _has_unread(snapshot: Snapshot) -> bool:
    return any(entry.language and not entry.blob_id for entry in snapshot.entries.values())


def _find_failures(snapshot: Snapshot, reader: Reader) -> tuple[FailureItem, ...]:
    """Return the files in supported languages that could not be indexed."""
    found = []
    for path, entry in snapshot.entries.items():
        reason = reader.failure(entry.blob_id) if entry.blob_id else "could not be read" if entry.language else None
        if reason:
            found.append(FailureItem(path, 1, reason))
    return tuple(found)
