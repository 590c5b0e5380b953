"""Text search: the lines that match a pattern, with the same result from either engine.

Both engines receive bytes that `read` has opened safely. Neither opens a file, so no name, link or pipe in the tree
can mislead one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Generator, Iterable, Iterator
from contextlib import closing

from msgspec import Struct

from avionics.model.errors import DeadlineExceededError
from avionics.model.reasons import Reason, ReasonKind
from avionics.settings import Settings
from avionics.source.paths import Skipped, SkipReason
from avionics.source.read import BYTE_ORDER_MARK, Content, clip_line, is_binary
from avionics.source.search.pattern import Node


class SourceMatch(Struct, frozen=True):
    """The leftmost match of a line; the column counts characters from 0, and the text is truncated around it."""

    file: str
    line: int
    column: int
    text: str


class SearchResult(Struct, frozen=True):
    """The result of a text search.

    Attributes:
        matches: By file in the order searched, then by line.
        truncated: Why there may be more; None if this is everything.
        files_searched: How many files were read, or known not to match, up to the end of the search.
        skipped: What was not searched, or not completely.
    """

    matches: tuple[SourceMatch, ...]
    engine: str
    truncated: Reason | None
    files_searched: int
    skipped: tuple[Skipped, ...]


class Feed:
    """The texts to search, in order; those that cannot match are not read, and what is skipped is recorded."""

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
            yield content.path, content.data.removeprefix(BYTE_ORDER_MARK)


Narrowing = Callable[[Node], Container[str] | None]
"""Returns the files that may match a pattern, or None if that is not known."""

Engine = Callable[[Node, Feed, float], Generator[SourceMatch]]
"""Yields at most one hit per line, in order; raises DeadlineExceededError when `time.monotonic` passes the deadline."""


def run_search(engine: Engine, name: str, pattern: Node, feed: Feed, limit: int, settings: Settings) -> SearchResult:
    """Search with one engine; a truncated result is the same whichever engine is cut short."""
    hits: list[SourceMatch] = []
    truncated = None
    try:
        # Closing the engine ends its process.
        with closing(engine(pattern, feed, time.monotonic() + settings.search_timeout_seconds)) as found:
            for hit in found:
                if len(hits) == limit:
                    truncated = Reason(ReasonKind.MATCH_LIMIT, limit)
                    break
                hits.append(hit)
    except DeadlineExceededError:
        truncated = Reason(ReasonKind.SEARCH_TIMEOUT, subject=f"{settings.search_timeout_seconds:g}")
    read, skipped = _count_read(feed, hits, bool(truncated))
    return SearchResult(
        matches=tuple(_clip(hit, settings.max_line_characters) for hit in hits),
        engine=name,
        truncated=truncated,
        files_searched=read - len(skipped),
        skipped=skipped,
    )


def _count_read(feed: Feed, hits: Iterable[SourceMatch], is_cut: bool) -> tuple[int, tuple[Skipped, ...]]:
    """Return how many paths were searched and the skipped ones; up to the file of the last match if cut short."""
    if not is_cut:
        return len(feed.paths), tuple(feed.skipped)
    places = {path: at for at, path in enumerate(feed.paths)}
    last = max((places[hit.file] for hit in hits), default=-1)
    return last + 1, tuple(entry for entry in feed.skipped if places[entry.path] <= last)


def _clip(hit: SourceMatch, limit: int) -> SourceMatch:
    """Return a match with at most `limit` characters of its line, around the column."""
    return SourceMatch(hit.file, hit.line, hit.column, clip_line(hit.text.removesuffix("\r"), limit, hit.column))
