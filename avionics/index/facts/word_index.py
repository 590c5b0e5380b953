"""The inverted index of one snapshot: which files have a word, define a name, or may match a pattern."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property, reduce
from itertools import compress
from typing import TYPE_CHECKING

from msgspec import structs

from avionics.bounded_cache import BoundedCache
from avionics.cancellation import check_cancelled
from avionics.index.facts.fact_cache import FactCache
from avionics.index.facts.snapshot import Snapshot
from avionics.late_pattern import late_pattern
from avionics.model.errors import IndexStateError
from avionics.store.postings import Postings
from avionics.store.reader import Reader
from avionics.syntax.engine.words import LONGER

if TYPE_CHECKING:
    from avionics.source.search.pattern import Node
    from avionics.source.search.required_literals import Literal, Need

_WORD = late_pattern(r"\w+")

_PATHS_THRESHOLD = 2_000
"""A caller that needs the lengths of this many files will need most of them again."""

_PAGES_THRESHOLD = 64
"""Reading so few files takes less time than determining which of them can be skipped."""

_MIN_LENGTH = 3
"""Nearly every file has a word with two given letters."""

_MAX_KEPT = 100_000
"""The number of contents that words occur in, and of files that define names, that are kept for the next questions."""

_MAX_WORDS = 100
"""A part that occurs in more words does not narrow the files down."""


class WordIndex:
    """The stored words and names, by the paths of one snapshot.

    Each method may raise `IndexStateError`: the store cannot be read, or has been cleared since the snapshot was taken.
    """

    def __init__(self, snapshot: Snapshot, cache: FactCache) -> None:
        self._snapshot = snapshot
        self._entries = snapshot.entries
        self._cache = cache
        self._was_asked = False
        self._files_with_word: dict[str, tuple[str, ...]] = {}
        self._files_defining: BoundedCache[str, tuple[str, ...]] = BoundedCache(_MAX_KEPT, lambda of: 1 + len(of))
        self._counts: BoundedCache[str, Mapping[int, int]] = BoundedCache(_MAX_KEPT, lambda of: 1 + len(of))

    def files_with_word(self, word: str) -> tuple[str, ...]:
        check_cancelled()
        found = self._files_with_word.get(word)
        if found is None:
            found = self._files_with_word[word] = self.paths_of(self._count_blobs(longest_word(word)))
        return found

    def count_word(self, word: str) -> dict[str, int]:
        """Return file → how often the identifier occurs in it, for all files of the snapshot, documents included."""
        counts = self._count_blobs(longest_word(word))
        return {path: count for blob, count in counts.items() for path in self._all_paths.get(blob, ())}

    def files_defining(self, folded: str) -> tuple[str, ...]:
        """Return the files that define a symbol of that folded name, sorted."""
        found = self._files_defining.get(folded)
        if found is None:
            blobs = self._cache.require_current(self._cache.reader.blobs_defining(folded))
            found = self.paths_of(blobs)
            self._files_defining.put(folded, found)
        return found

    def names_starting(self, folded: str, limit: int) -> tuple[str, ...]:
        """Return folded names with that prefix, in order."""
        asked = limit
        while True:
            asked *= 8
            found = self._cache.reader.names_with_prefix(folded, asked)
            # The store also contains the names of other snapshots.
            own = tuple(name for name in found if self.files_defining(name))
            if len(own) >= limit or len(found) < asked:
                return own[:limit]

    def all_names(self) -> Iterable[str]:
        """Return every folded name in the store; some may belong to other snapshots."""
        return self._cache.reader.iter_names()

    def term_counts(self, term: str) -> dict[str, int]:
        """Return file → how often a lower-case part of a name or a prose word occurs in it."""
        return self.count_in_files(self.term_postings((term,)))

    def term_postings(self, terms: Iterable[str]) -> Postings:
        """Return the occurrences of lower-case words, which are parts of names or words of prose."""
        return self._cache.require_current(self._cache.reader.term_postings(terms))

    def count_in_files(self, postings: Postings, among: Collection[str] | None = None) -> dict[str, int]:
        """Return file → how often any of the words occurs in it, for all files or for some."""
        if among is None:
            return {path: count for blob, count in postings.count().items() for path in self._paths.get(blob, ())}
        blobs = {path: self._entries[path].blob_id for path in among}
        counts = postings.count(frozenset(blobs.values()))
        return {path: counts[blob] for path, blob in blobs.items() if blob in counts}

    def document_lengths(self, paths: Collection[str]) -> dict[str, int]:
        """Return file → how many terms it has."""
        blobs = {path: self._entries[path].blob_id for path in paths}
        is_many = len(paths) > _PATHS_THRESHOLD
        lengths = self._lengths if is_many else self._cache.reader.document_lengths(set(blobs.values()))
        return {path: lengths.get(blob, 0) for path, blob in blobs.items()}

    def paths_of(self, blobs: Iterable[int]) -> tuple[str, ...]:
        """Return the supported files with these contents, sorted."""
        if not self._was_asked and "_paths" not in vars(self):
            # A process may ask only once, and grouping all files takes longer than passing over them.
            self._was_asked, wanted = True, frozenset(blobs)
            contents = self._snapshot.iter_contents()
            return tuple(sorted([path for path, language, blob in contents if blob in wanted and blob and language]))
        return tuple(sorted(path for blob in blobs for path in self._paths.get(blob, ())))

    def narrow(self, pattern: Node) -> Container[str] | None:
        """Return the files that may have text which a pattern matches; None if all files may.

        A file is excluded only if all its words are known and none of them can be part of a match.
        """
        try:
            return self._cache.require_current(self._prefilter.narrow(pattern))
        except IndexStateError:
            return None

    @cached_property
    def _paths(self) -> dict[int, tuple[str, ...]]:
        paths, languages, blobs = self._snapshot.contents
        return _group(compress(paths, languages), compress(blobs, languages))

    @cached_property
    def _all_paths(self) -> dict[int, tuple[str, ...]]:
        paths, _, blobs = self._snapshot.contents
        return _group(paths, blobs)

    @cached_property
    def _lengths(self) -> dict[int, int]:
        """Return blob id → its number of terms, for all files."""
        return self._cache.reader.document_lengths(self._paths)

    @cached_property
    def _prefilter(self) -> _Prefilter:
        unknown = frozenset(path for path, _, blob_id in self._snapshot.iter_contents() if not blob_id)
        return _Prefilter(self._cache.reader, self._all_paths, unknown)

    def _count_blobs(self, word: str) -> Mapping[int, int]:
        """Return blob id → how often the word occurs in it; the counts of the last words are kept."""
        counts = self._counts.get(word)
        if counts is None:
            counts = self._cache.require_current(self._cache.reader.word_counts(word))
            self._counts.put(word, counts)
        return counts


class OverlaidWords(WordIndex):
    """The words of a snapshot that has other contents than one below it at a few paths.

    Counting the words of only these takes less time than looking up each word for all files again.
    """

    def __init__(self, snapshot: Snapshot, cache: FactCache, below: WordIndex, paths: Collection[str]) -> None:
        super().__init__(snapshot, cache)
        self._below = below
        self._replaced = frozenset(paths)
        own = structs.replace(snapshot, entries={path: self._entries[path] for path in paths if path in self._entries})
        self._own = WordIndex(own, cache.limited_to(own.contents[2]))

    def files_with_word(self, word: str) -> tuple[str, ...]:
        return self._join(self._below.files_with_word(word), self._own.files_with_word(word))

    def count_word(self, word: str) -> dict[str, int]:
        below = self._below.count_word(word)
        left = {path: count for path, count in below.items() if path not in self._replaced}
        return left | self._own.count_word(word)

    def files_defining(self, folded: str) -> tuple[str, ...]:
        return self._join(self._below.files_defining(folded), self._own.files_defining(folded))

    def _join(self, below: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
        """Return the files of the snapshot below that were not replaced, and some that were, sorted."""
        if not own and self._replaced.isdisjoint(below):
            return below
        return tuple(sorted((*(path for path in below if path not in self._replaced), *own)))


class _Prefilter:
    """Finds the contents that may match a pattern, by the words they have; those of other files are not known."""

    def __init__(self, reader: Reader, paths: Mapping[int, Sequence[str]], others: frozenset[str]) -> None:
        self._reader = reader
        self._paths = paths
        self._others = others

    def narrow(self, pattern: Node) -> Container[str] | None:
        """Return the files that may match; None if all may."""
        from avionics.source.search.required_literals import read_required

        found = self._find(read_required(pattern))
        if found is None or 2 * len(found) > len(self._paths):
            return None
        some = found | self._always
        return self._others.union(path for blob in some for path in self._paths.get(blob, ()))

    def _find(self, need: Need) -> frozenset[int] | None:
        """Return the contents that meet a requirement, by their known words; None if nothing is known."""
        from avionics.source.search.required_literals import AllOf, AnyOf, Literal

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

    def _look_up(self, literal: Literal) -> frozenset[int] | None:
        if literal.is_whole and not literal.is_folded:
            return frozenset(self._reader.word_counts(literal.text))
        if len(literal.text) < _MIN_LENGTH:
            return None
        return self._reader.blobs_holding(literal.text, self._blobs, fold=literal.is_folded, most=_MAX_WORDS)

    @cached_property
    def _blobs(self) -> tuple[int, ...]:
        return tuple(sorted(self._paths))

    @cached_property
    def _always(self) -> frozenset[int]:
        """Return the contents whose words are not all stored."""
        return self._reader.failed_blobs() | frozenset(self._reader.word_counts(LONGER))


def _group(paths: Iterable[str], blobs: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """Return blob id → the paths that have this content."""
    paths, blobs = tuple(paths), tuple(blobs)
    # Making a dictionary of all takes a fifth of the time of a loop, and few contents occur twice.
    found: dict[int, tuple[str, ...]] = dict(zip(blobs, zip(paths, strict=True), strict=True))
    if len(found) < len(blobs):
        others: defaultdict[int, list[str]] = defaultdict(list)
        for path, blob in zip(paths, blobs, strict=True):
            if blob and found[blob][0] != path:
                others[blob].append(path)
        found |= {blob: (*before, *found[blob]) for blob, before in others.items()}
    found.pop(0, None)
    return found


def longest_word(text: str) -> str:
    """Return the longest identifier in a name as it is written: `x` for `$x`."""
    return max(_WORD.findall(text), key=len, default=text)


def _cost(need: Need) -> tuple[bool, int]:
    """Return a sort key that puts the most selective literals first: whole words, then long parts."""
    from avionics.source.search.required_literals import Literal

    if isinstance(need, Literal):
        return not (need.is_whole and not need.is_folded), -len(need.text)
    return True, 0
