"""Index statistics: how much is known, and how fresh it is.

Knows: the workspace's snapshot and its store's sums.
Does not know: what the facts mean.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import attrs

from avionics.index.facts.snapshot import Snapshot
from avionics.model.results import Coverage, complete
from avionics.store.reader import Reader
from avionics.tools.answers.answer import part
from avionics.tools.declare import tool
from avionics.tools.ids import ToolId

if TYPE_CHECKING:
    from avionics.workspace import Workspace


@attrs.frozen
class LanguageItem:
    """A language and how many files are written in it."""

    language: str
    files: int

    def to_text(self) -> str:
        """One line."""
        return f"{self.language}: {self.files} files"


@attrs.frozen
class FailureItem:
    """A file that gave no facts, and why."""

    file: str
    line: int
    reason: str

    def to_text(self) -> str:
        """One line."""
        return f"{self.file}:{self.line} {self.reason}"


@attrs.frozen
class IndexStatsAnswer:
    """What is known of the workspace.

    Attributes:
        files: All files, those without a language included.
        symbols: Definitions in them; contents that several files have are counted once.
        lines: Lines of the same contents.
        skipped: Files left aside though no rule ignores them: too large, links, unreadable.
        store: Where facts are kept, or why they are in memory only.
        store_bytes: How much room the stored file takes, other workspaces' facts included.
        refreshed: When the files were last found changed, in UTC.
        coverage: Complete.
        languages: Files by language, most first.
        failures: Files that gave no facts.
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
    failures: tuple[FailureItem, ...] = part("files without facts")

    def headline(self) -> str:
        """The sums in a line."""
        return (
            f"{self.files:,} files, {self.symbols:,} symbols in {self.lines:,} lines; changes last seen "
            f"{self.refreshed}; store {self.store_bytes / 1e6:.1f} MB: {self.store}"
        )


@tool(ToolId.GET_INDEX_STATS, accepts="nothing", returns="files, languages, symbols, failures, size and freshness")
def get_index_stats(workspace: Workspace) -> IndexStatsAnswer:
    """Say how much of the codebase is indexed and how fresh that is."""
    snapshot = workspace.code.snapshot
    store = workspace.store
    languages = Counter(entry.language for entry in snapshot.entries.values() if entry.language)
    totals = store.reader.totals({entry.blob_id for entry in snapshot.entries.values()})
    refreshed = datetime.fromtimestamp(snapshot.taken_ns / 1e9, UTC)
    return IndexStatsAnswer(
        files=len(snapshot.entries),
        symbols=totals.symbols,
        lines=totals.lines,
        skipped=len(snapshot.skipped),
        store=store.private_because or str(store.path),
        store_bytes=store.get_size_bytes(),
        refreshed=refreshed.strftime("%Y-%m-%d %H:%M:%S"),
        coverage=complete(len(snapshot.entries)),
        languages=tuple(LanguageItem(name, count) for name, count in languages.most_common()),
        failures=_find_failures(snapshot, store.reader) if totals.failures or _has_unread(snapshot) else (),
    )


def _has_unread(snapshot: Snapshot) -> bool:
    return any(entry.language and not entry.blob_id for entry in snapshot.entries.values())


def _find_failures(snapshot: Snapshot, reader: Reader) -> tuple[FailureItem, ...]:
    """The files that have a language and gave no facts, in order."""
    found = []
    for path, entry in snapshot.entries.items():
        reason = reader.failure(entry.blob_id) if entry.blob_id else "could not be read" if entry.language else None
        if reason:
            found.append(FailureItem(path, 1, reason))
    return tuple(found)
