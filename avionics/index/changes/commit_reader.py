"""Read past commits, each once, for ranked search.

No search waits for it: a server reads commits in a thread, newest first, after its first search; `avionics index` reads
them at its end. Commits are stored once read, and a search uses those that are stored.
"""

from __future__ import annotations

import functools
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from avionics.cancellation import CancellationToken, use_cancellation
from avionics.index.search.commit_words import CommitWords
from avionics.index.search.query import text_stems
from avionics.late_pattern import late_pattern
from avionics.model.errors import AvionicsError, IndexStateError
from avionics.store.commits import CommitRow, CommitRows
from avionics.syntax.registry import LANGUAGES, get_conventions

if TYPE_CHECKING:
    from avionics.history.history import History
    from avionics.history.touched_definitions import DefinitionLines, TouchedCommit

_BATCH = 200
"""The number of commits read at once."""
_PUBLISHED = 1_000
"""After this many commits, what was read is stored and used."""
_REST_SECONDS = 30
"""The time after reading commits in which no other reading starts."""
_MAX_STEMS = 100
"""The number of stems of a message that are kept; longer messages contain pasted text."""
_TRAILER = late_pattern(
    r"^[ \t]*+(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id|git-svn-id|cc|close[sd]?"
    r"|fixe[sd]|refs?|see)\b[^\n]*+$",
    re.IGNORECASE | re.MULTILINE,
)
_REFERENCE = late_pattern(r"https?://\S++|(?<![^\s@])[^\s@]++@\S++|#\d++|\b[0-9a-f]{7,40}+\b")

Pause = Callable[[float], object]
"""The longest wait, in seconds."""


class CommitReader:
    """Reads the last commits of one work tree; safe for several threads.

    The history is opened only when commits have to be read. They are stored by the root of the work tree; for a
    revision, only commits that its work tree has stored are used.
    """

    def __init__(
        self, get_history: Callable[[], History], rows: CommitRows, root: str, limit: int, *, is_kept: bool = True
    ) -> None:
        self._get_history = get_history
        self._rows = rows
        self._root = root
        self._limit = limit
        self._is_kept = is_kept
        self._lock = threading.Lock()
        self._words: CommitWords | None = None
        self._is_loaded = not is_kept
        self._order: tuple[str, ...] = ()
        self._thread: threading.Thread | None = None
        self._ended = -float("inf")
        self._stop = CancellationToken()
        self._closing = threading.Event()

    def get_words(self) -> CommitWords | None:
        """Return the words read so far, by this process or an earlier one; None if there are none."""
        with self._lock:
            if not self._is_loaded:
                self._is_loaded = True
                with suppress(IndexStateError):
                    rows = self._rows.find_rows(self._root)
                    self._words = CommitWords(rows) if rows else None
            return self._words

    def start(self) -> None:
        """Read new commits in a thread, unless that was done a moment ago or has been stopped."""
        with self._lock:
            is_running = self._thread is not None and self._thread.is_alive()
            is_recent = time.monotonic() - self._ended < _REST_SECONDS
            if is_running or is_recent or self._closing.is_set():
                return
            self._thread = threading.Thread(target=self._run, daemon=True, name="avionics-commits")
            self._thread.start()

    def read(self, pause: Pause | None = None) -> int:
        """Read the commits added since the last reading, and return how many commits have words.

        `pause` is called between batches with the time that the last one took. Raise `AvionicsError` if the history
        cannot be read.
        """
        history = self._get_history()
        order = history.list_commits(self._limit)
        if order != self._order:
            known = {row.oid: row for row in self._rows.find_rows(self._root)}
            missing = [oid for oid in order if oid not in known]
            unpublished = 0
            for start in range(0, len(missing), _BATCH):
                started = time.monotonic()
                batch = missing[start : start + _BATCH]
                touched = history.read_touched(batch, definition_lines())
                known |= {commit.oid: _to_row(commit) for commit in touched}
                unpublished += len(touched)
                if len(touched) < len(batch):
                    break
                if unpublished >= _PUBLISHED:
                    self._publish([known[oid] for oid in order if oid in known], is_new=True)
                    unpublished = 0
                if pause is not None:
                    pause(time.monotonic() - started)
            self._publish([known[oid] for oid in order if oid in known], is_new=bool(missing))
            self._order = order
        return len(self.get_words() or ())

    def close(self) -> None:
        """Stop the thread."""
        self._closing.set()
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        use_cancellation(self._stop)
        with suppress(AvionicsError):
            self.read(self._closing.wait)
        self._ended = time.monotonic()

    def _publish(self, rows: list[CommitRow], *, is_new: bool) -> None:
        """Use some rows from now on, and store them."""
        words = CommitWords(rows)
        with self._lock:
            self._words, self._is_loaded = words, True
        if self._is_kept and is_new:
            self._rows.put_rows(self._root, rows)


@functools.cache
def definition_lines() -> DefinitionLines:
    """Return the patterns of lines that begin a definition, for every language that has them."""
    from avionics.history.touched_definitions import DefinitionLines

    return DefinitionLines(
        {
            suffix: pattern
            for language, suffixes in LANGUAGES.items()
            for suffix in suffixes
            if (pattern := get_conventions(language).definition_lines)
        }
    )


def _to_row(commit: TouchedCommit) -> CommitRow:
    """Return the row of a commit; if it touches too many definitions, it lists none."""
    from avionics.history.touched_definitions import MAX_SYMBOLS

    touched = commit.touched if len(commit.touched) <= MAX_SYMBOLS else ()
    stems = text_stems(_REFERENCE.sub(" ", _TRAILER.sub("", commit.message)))[:_MAX_STEMS] if touched else ()
    return CommitRow(commit.oid, commit.epoch, stems, touched, commit.renames)
