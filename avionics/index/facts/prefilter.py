"""The prefilter: which files may hold text that matches a pattern, by the words that the index knows of each.

A file is passed over only where its words are known and cannot make up what every match holds. Files whose words are
not known (unread, failed, of no language) or not all kept are never passed over.

Knows: required text, postings.
Does not know: how text is searched.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import cached_property, reduce

from avionics.source.search.pattern import Node
from avionics.source.search.required_literals import AllOf, AnyOf, Literal, Need, read_required
from avionics.store.reader import Reader
from avionics.syntax.engine.words import LONGER

_PAGES_THRESHOLD = 64
"""So few files are read sooner than it is found out which of them can be left out."""

_MIN_LENGTH = 3
"""Nearly every file has a word with two given letters."""

_MAX_WORDS = 100
"""A part that more words hold says little about files."""


class Prefilter:
    """The words of one snapshot's files.

    Args:
        reader: The words, by content.
        paths: Blob id → the files with that content.
        others: The files whose words are not known.
    """

    def __init__(self, reader: Reader, paths: Mapping[int, Sequence[str]], others: frozenset[str]) -> None:
        self._reader = reader
        self._paths = paths
        self._others = others

    def narrow(self, pattern: Node) -> Container[str] | None:
        """The files that may match; None where all may.

        Raises:
            IndexStateError: The words cannot be read.
        """
        found = self._find(read_required(pattern))
        if found is None or 2 * len(found) > len(self._paths):
            return None
        some = found | self._always
        return self._others.union(path for blob in some for path in self._paths.get(blob, ()))

    def _find(self, need: Need) -> frozenset[int] | None:
        """The contents that hold what is needed, as far as their words are known; None when nothing is known."""
        match need:
            case Literal():
                return self._look_up(need)
            case AnyOf(needs):
                every = [self._find(each) for each in needs]
                known = [each for each in every if each is not None]
                return reduce(frozenset.union, known) if len(known) == len(every) else None
            case AllOf(needs):
                found: frozenset[int] | None = None
                for each in sorted(needs, key=_cost):
                    more = self._find(each)
                    found = more if found is None else found if more is None else found & more
                    if found is not None and len(found) <= _PAGES_THRESHOLD:
                        break
                return found

    def _look_up(self, run: Literal) -> frozenset[int] | None:
        if run.is_whole and not run.is_folded:
            return frozenset(self._reader.word_counts(run.text))
        if len(run.text) < _MIN_LENGTH:
            return None
        return self._reader.blobs_holding(run.text, self._blobs, fold=run.is_folded, most=_MAX_WORDS)

    @cached_property
    def _blobs(self) -> tuple[int, ...]:
        return tuple(sorted(self._paths))

    @cached_property
    def _always(self) -> frozenset[int]:
        """The contents whose words are not all kept."""
        return self._reader.failed_blobs() | frozenset(self._reader.word_counts(LONGER))


def _cost(need: Need) -> tuple[bool, int]:
    """Whole words first, they are looked up; then long parts, which few words hold."""
    if isinstance(need, Literal):
        return not (need.is_whole and not need.is_folded), -len(need.text)
    return True, 0
