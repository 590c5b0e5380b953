"""Text search: lines that match a pattern, the same ones whichever engine looks.

Both engines are handed bytes that `read` has opened safely; neither opens a file, so no name, link or pipe in the
tree can lead one astray.

Knows: what is searched, what counts as an answer.
Does not know: how an engine matches.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator

import attrs

from avionics.model.errors import DeadlineExceededError
from avionics.model.reasons import Reason, ReasonKind
from avionics.settings import Settings
from avionics.source.paths import Skipped, SkipReason
from avionics.source.read import BYTE_ORDER_MARK, Content, clip_line, is_binary
from avionics.source.search.pattern import Node

MAX_LINE_BYTES = 65_536
"""No more of a line is searched: longer ones are minified or generated, and every match of a line costs memory."""


@attrs.frozen
class SourceMatch:
    """The leftmost match of a line; the column counts characters from 0, the text is cut around it."""

    file: str
    line: int
    column: int
    text: str


@attrs.frozen
class SearchResult:
    """What a text search found.

    Attributes:
        matches: By file in the order searched, then by line.
        engine: Which engine looked.
        truncated: Why there may be more; None when this is everything.
        files_searched: How many files were read, or known not to match, up to the end of the search.
        skipped: What was not looked at, or not wholly.
    """

    matches: tuple[SourceMatch, ...]
    engine: str
    truncated: Reason | None
    files_searched: int
    skipped: tuple[Skipped, ...]


@attrs.frozen
class Hit:
    """A match as an engine reports it: the line without its newline, and where in it the match begins."""

    file: str
    line: int
    column: int
    text: str


class Feed:
    """The texts to search, read once and in order; remembers what was left out.

    Args:
        paths: The files.
        iter_contents: Their bytes.
        possible: Those that may match, where that is known; the others are not read.
    """

    def __init__(
        self,
        paths: tuple[str, ...],
        iter_contents: Callable[[Iterable[str]], Iterator[Content]],
        possible: Container[str] | None = None,
    ) -> None:
        self.paths = paths
        self.skipped: list[Skipped] = []
        self._read = paths if possible is None else tuple(filter(possible.__contains__, paths))
        self._iter_contents = iter_contents

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        for content in self._iter_contents(self._read):
            reason = content.refused
            if reason is None and is_binary(content.data):
                reason = SkipReason.BINARY
            if reason is not None:
                self.skipped.append(Skipped(content.path, reason))
                continue
            data = content.data.removeprefix(BYTE_ORDER_MARK)
            bounded = _bounded(data)
            if bounded is not data:
                self.skipped.append(Skipped(content.path, SkipReason.LONG_LINES))
            yield content.path, bounded


Narrowing = Callable[[Node], Container[str] | None]
"""The files that may match a pattern, or None where that is not known."""

Engine = Callable[[Node, Feed, float], Iterator[Hit]]
"""Yields at most one hit a line, in order; raises DeadlineExceededError when `time.monotonic` passes the deadline."""


def run_search(engine: Engine, name: str, pattern: Node, feed: Feed, limit: int, settings: Settings) -> SearchResult:
    """Search with one engine; an answer cut short is the same one, whichever engine is cut."""
    hits: list[Hit] = []
    truncated = None
    found = engine(pattern, feed, time.monotonic() + settings.search_timeout_seconds)
    try:
        for hit in found:
            if len(hits) == limit:
                truncated = Reason(ReasonKind.MATCH_LIMIT, limit)
                break
            hits.append(hit)
    except DeadlineExceededError:
        truncated = Reason(ReasonKind.SEARCH_TIMEOUT, subject=f"{settings.search_timeout_seconds:g}")
    finally:
        _close(found)
    read, skipped = _looked_at(feed, hits, bool(truncated))
    return SearchResult(
        matches=tuple(_shown(hit, settings.max_line_characters) for hit in hits),
        engine=name,
        truncated=truncated,
        files_searched=read - sum(entry.reason is not SkipReason.LONG_LINES for entry in skipped),
        skipped=skipped,
    )


def _close(found: Iterator[Hit]) -> None:
    """End the engine now, with its process if it has one."""
    close = getattr(found, "close", None)
    if close is not None:
        close()


def _looked_at(feed: Feed, hits: Iterable[Hit], is_cut: bool) -> tuple[int, tuple[Skipped, ...]]:
    """How many paths were read, and those skipped; of a search cut short up to the file of its last match."""
    if not is_cut:
        return len(feed.paths), tuple(feed.skipped)
    places = {path: at for at, path in enumerate(feed.paths)}
    last = max((places[hit.file] for hit in hits), default=-1)
    return last + 1, tuple(entry for entry in feed.skipped if places[entry.path] <= last)


def _shown(hit: Hit, limit: int) -> SourceMatch:
    return SourceMatch(hit.file, hit.line, hit.column, clip_line(hit.text.removesuffix("\r"), limit, hit.column))


def _bounded(data: bytes) -> bytes:
    """The data with overlong lines cut; the same object when there are none."""
    at = 0
    while len(data) - at > MAX_LINE_BYTES:
        # The last line's end within reach: what lies before it is made of shorter lines.
        end = data.rfind(b"\n", at, at + MAX_LINE_BYTES + 1)
        if end < 0:
            return b"\n".join(line[:MAX_LINE_BYTES] for line in data.split(b"\n"))
        at = end + 1
    return data
