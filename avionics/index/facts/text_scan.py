"""Search texts for a word, and classify its occurrences, without parsing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from avionics.source.read import Content
from avionics.syntax.engine.textual import TokenContext
from avionics.syntax.registry import get_scanner

_MAX_KEPT_BYTES = 256_000_000
"""Texts of a tree up to this size stay in memory; those of a larger one are read again for each word."""

_SEARCH_SECONDS = 12.0
"""The time limit for searching texts for one answer."""

Sift = Callable[[Sequence[str], str, bool, float], Collection[str] | None]
"""Returns the paths that may contain a word, as written or ignoring case and underscores, within a time limit; None if
reading all of them is as fast."""

_UNDERSCORE = ord("_")
_LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


class Mentions(Struct, frozen=True):
    """The files that contain a word, sorted.

    Attributes:
        files: All of them.
        defining: Those that may define it.
        likely: Those in which it looks like a top-level definition.
        using: Those in which it may mean more than the definition it names there.
        renaming: Those in which an import may give it another name.
    """

    files: tuple[str, ...] = ()
    defining: tuple[str, ...] = ()
    likely: tuple[str, ...] = ()
    using: frozenset[str] = frozenset()
    renaming: frozenset[str] = frozenset()


class TextScanner:
    """The texts of some files; `sift` returns which of them may contain a word."""

    def __init__(
        self, sizes: Mapping[str, int], iter_contents: Callable[[Iterable[str]], Iterator[Content]], sift: Sift
    ) -> None:
        self._sizes = sizes
        self._iter_contents = iter_contents
        self._sift = sift
        self._known: dict[tuple[str, bool], Mentions] = {}
        self._left = _SEARCH_SECONDS
        self.unread: set[str] = set()
        """The files that there was no time to search."""

    def find(self, word: str, *, is_folded: bool = False) -> Mentions:
        """Return the files that contain a word, as written or ignoring case and underscores."""
        key = (word, is_folded)
        if key not in self._known:
            self._known[key] = self._search(word, is_folded=is_folded) if word else Mentions()
        return self._known[key]

    @property
    def searched(self) -> int:
        """Return how many words were searched for."""
        return len(self._known)

    def is_known(self, word: str) -> bool:
        """Return whether the word as written was already searched for."""
        return (word, False) in self._known

    def get(self, path: str) -> bytes | None:
        """Return the bytes of a file, if they are in memory."""
        return self._kept.get(path) if self._kept is not None else None

    def _search(self, word: str, *, is_folded: bool) -> Mentions:
        sought = _WordScan(word, is_folded=is_folded)
        started = time.monotonic()
        for path, data in self._iter_texts(word, started + self._left, is_folded=is_folded):
            sought.look_at(path, data)
        self._left = max(0.0, self._left - (time.monotonic() - started))
        return sought.mentions()

    def _iter_texts(self, word: str, deadline: float, *, is_folded: bool) -> Iterator[tuple[str, bytes]]:
        """Yield path and bytes of every file that may contain the word, until the time is up."""
        if self._kept is not None:
            yield from self._kept.items()
            return
        seconds = deadline - time.monotonic()
        if seconds <= 0:
            self.unread.update(self._sizes)
            return
        holding = self._sift(tuple(self._sizes), word, is_folded, seconds)
        paths = tuple(self._sizes) if holding is None else tuple(path for path in self._sizes if path in holding)
        for done, content in enumerate(self._iter_contents(paths)):
            if time.monotonic() > deadline:
                self.unread.update(paths[done:])
                return
            yield content.path, content.data

    @cached_property
    def _kept(self) -> Mapping[str, bytes] | None:
        """Return the bytes of all files, or None if they are too many."""
        if sum(self._sizes.values()) > _MAX_KEPT_BYTES:
            return None
        return {content.path: content.data for content in self._iter_contents(self._sizes)}


class _WordScan:
    """A word, and its occurrences so far."""

    def __init__(self, word: str, *, is_folded: bool) -> None:
        self._plain = word.encode("utf-8", "surrogateescape")
        self._is_folded = is_folded
        self._is_ascii = word.isascii()
        self._word = word
        self._folded = re.compile(
            b"_*".join(re.escape(each.encode("utf-8", "surrogateescape")) for each in word), re.IGNORECASE
        )
        self._files: list[str] = []
        self._defining: list[str] = []
        self._likely: list[str] = []
        self._using: list[str] = []
        self._renaming: list[str] = []

    def look_at(self, path: str, data: bytes) -> None:
        """Classify the occurrences of the word in a text."""
        if self._is_folded and not self._is_ascii:
            text = data.decode("utf-8", "surrogateescape").lower().replace("_", "")
            if self._word in text:
                self._note(path, TokenContext())
            return
        if self._plain not in (data.lower().replace(b"_", b"") if self._is_folded else data):
            return
        places = [each for each in self._iter_places(data) if _is_alone(data, *each)]
        if places:
            self._note(path, get_scanner(path).classify_token(path, data, places))

    def _note(self, path: str, context: TokenContext) -> None:
        """Record that a text contains the word in a context."""
        self._files.append(path)
        if context.is_defined:
            self._defining.append(path)
        if context.is_likely:
            self._likely.append(path)
        if context.is_used:
            self._using.append(path)
        if context.is_renamed:
            self._renaming.append(path)

    def _iter_places(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Yield start and end of the occurrences of the word's letters."""
        if self._is_folded:
            for found in self._folded.finditer(data):
                start, end = found.span()
                while start and data[start - 1] == _UNDERSCORE:
                    start -= 1
                while end < len(data) and data[end] == _UNDERSCORE:
                    end += 1
                yield start, end
            return
        yield from _iter_spans(data, self._plain)

    def mentions(self) -> Mentions:
        """Return the result."""
        files, defining, likely = map(tuple, (self._files, self._defining, self._likely))
        return Mentions(files, defining, likely, frozenset(self._using), frozenset(self._renaming))


def _is_alone(data: bytes, start: int, end: int) -> bool:
    """Return whether the occurrence is a whole word."""
    is_whole = not start or data[start] not in _LETTERS or data[start - 1] not in _LETTERS
    return is_whole and (end == len(data) or data[end - 1] not in _LETTERS or data[end] not in _LETTERS)


def find_places(data: bytes, word: str) -> tuple[tuple[int, int], ...]:
    """Return start and end of the occurrences of a word as written."""
    spans = _iter_spans(data, word.encode("utf-8", "surrogateescape"))
    return tuple(each for each in spans if _is_alone(data, *each))


def _iter_spans(data: bytes, plain: bytes) -> Iterator[tuple[int, int]]:
    start = data.find(plain)
    while start >= 0:
        yield start, start + len(plain)
        start = data.find(plain, start + 1)
