"""Read the facts of an indexed snapshot from the store, by content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from avionics.cancellation import check_cancelled, get_interruption
from avionics.index.facts.fact_cache import FactCache
from avionics.index.facts.fact_source import NO_USES, FactSource
from avionics.index.facts.file_summaries import StoredFileSummaries
from avionics.index.facts.snapshot import Snapshot, hash_blob
from avionics.index.facts.stdlib_stubs import STUBS, stubs
from avionics.index.facts.word_index import OverlaidWords, WordIndex
from avionics.model.errors import IndexStateError, SourceError
from avionics.model.facts import FileFacts, FileUses
from avionics.source.paths import Skipped, SkipReason
from avionics.source.read import Content
from avionics.store.codec import decode_uses, encode_facts

if TYPE_CHECKING:
    from avionics.index.facts.worker_protocol import Task
    from avionics.source.search.pattern import Node

Read = TypeVar("Read", FileFacts, FileUses)

_SHARE_OF_FACTS = 0.42
"""The share of the memory for facts that outlines may take; uses take the rest."""


class StoredFacts(FactSource):
    """The facts of one snapshot, by path and by word.

    Uses that no question needed before are extracted from the files and stored.

    Raises:
        IndexStateError: (By every question.) Another process has cleared the store since the snapshot was taken.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        cache: FactCache,
        read_bytes: Callable[[str], bytes],
        iter_searched: Callable[[Iterable[str]], Iterator[Content]],
        max_bytes: int,
    ) -> None:
        share = max_bytes * _SHARE_OF_FACTS
        super().__init__(snapshot, read_bytes, iter_searched, share, max_bytes - share)
        self._cache = cache.limited_to(snapshot.contents[2])
        self._edited_since: dict[str, tuple[FileFacts, FileUses]] = {}
        self._get_partner: Callable[[], StoredFacts | None] = lambda: None
        self._below: tuple[WordIndex, Collection[str]] | None = None
        self.unreadable = tuple(Skipped(path, SkipReason.UNREADABLE) for path, _ in snapshot.lacking)

    def take_over(self, earlier: FactSource) -> None:
        """Copy what an earlier source has cached about contents that both have."""
        if isinstance(earlier, StoredFacts):
            self._facts.update(self._select_same(earlier, earlier._facts.as_dict()))
            self._uses.update(self._select_same(earlier, earlier._uses.as_dict()))

    def lay_over(self, below: FactSource, paths: Collection[str]) -> None:
        """Look up words in another source, whose files are the same except for those at some paths."""
        if isinstance(below, StoredFacts):
            self._below = below.words, paths

    def share_with(self, other: FactSource) -> None:
        """Share the caches of this source and another one for contents that both have."""
        if isinstance(other, StoredFacts) and other is not self:
            import weakref

            self._get_partner, other._get_partner = weakref.ref(other), weakref.ref(self)

    def _select_same(self, other: StoredFacts, read: Mapping[str, Read]) -> dict[str, Read]:
        """Return the cached values of another source for contents that both have."""
        theirs, own = other.snapshot.entries, self.snapshot.entries

        def is_same(path: str) -> bool:
            known, entry = theirs.get(path), own.get(path)
            if known is None or entry is None or not entry.blob_id or path in other._edited_since:
                return path.startswith(STUBS)
            return known is entry or (known.oid, known.language) == (entry.oid, entry.language)

        return {path: found for path, found in read.items() if is_same(path)}

    @cached_property
    def words(self) -> WordIndex:
        if self._below is None:
            return WordIndex(self.snapshot, self._cache)
        return OverlaidWords(self.snapshot, self._cache, *self._below)

    @cached_property
    def summaries(self) -> StoredFileSummaries:
        return StoredFileSummaries(self.snapshot, self._cache)

    @cached_property
    def files(self) -> tuple[str, ...]:
        return self.summaries.files

    def has_file(self, path: str) -> bool:
        entry = self.snapshot.entries.get(path)
        return entry is not None and entry.blob_id > 0 and entry.language != ""

    def narrow(self, pattern: Node) -> Container[str] | None:
        return self.words.narrow(pattern)

    def files_with_word(self, word: str) -> tuple[str, ...]:
        return self.words.files_with_word(word)

    def count_word(self, word: str) -> Mapping[str, int]:
        return self.words.count_word(word)

    def files_using(self, _word: str, files: Sequence[str], /) -> Sequence[str]:
        """Return all of the files: the meaning of words is not stored."""
        return files

    def files_renaming(self, word: str) -> tuple[str, ...]:
        """Return all files in which the name occurs, sorted: renaming imports are not stored."""
        return self.words.files_with_word(word)

    def files_defining(self, folded: str, _spelling: str | None = None, _holder: str = "", /) -> tuple[str, ...]:
        return self.words.files_defining(folded)

    def expect_names(self, names: Iterable[str]) -> None:
        """Do nothing: folded names are stored."""

    def needs_full_index(self, _name: str, *, is_definition: bool) -> bool:  # noqa: ARG002
        """Return False: this is the full index."""
        return False

    def seconds_left(self) -> float | None:
        """Return None: reading facts from the store needs no limit of its own."""
        return None

    def _load_stub(self, path: str) -> tuple[FileFacts, FileUses]:
        return stubs.load(path, self._cache)

    def _read_facts(self, paths: Sequence[str]) -> dict[str, FileFacts]:
        partner, edited, entries = self._get_partner(), self._edited_since, self.snapshot.entries
        found = {} if partner is None else self._select_same(partner, partner._facts.get_many(paths))
        lacking = (entries[path] for path in paths if path not in found)
        stored = self._cache.many_facts({entry.blob_id: (entry.oid, entry.language) for entry in lacking})
        if any(path not in found and entries[path].blob_id not in stored for path in paths):
            raise IndexStateError("the store has lost some facts", hint="ask again; the files will be indexed again")
        for path in paths:
            found[path] = edited[path][0] if path in edited else found.get(path) or stored[entries[path].blob_id]
        return found

    def _read_uses(self, paths: Sequence[str]) -> dict[str, FileUses]:
        """Read the uses of files from the store, and extract and store those that are not there yet."""
        partner = self._get_partner()
        known = {} if partner is None else self._select_same(partner, partner._uses.get_many(paths))
        if known:
            left = [path for path in paths if path not in known or path in self._edited_since]
            return {**known, **(self._read_uses_of_store(left) if left else {})}
        return self._read_uses_of_store(paths)

    def _read_uses_of_store(self, paths: Sequence[str]) -> dict[str, FileUses]:
        entries = [self.snapshot.entries[path] for path in paths]
        blobs = {path: entry.blob_id for path, entry in zip(paths, entries, strict=True)}
        stored = self._cache.many_uses({entry.blob_id: (entry.oid, entry.language) for entry in entries})
        extracted: dict[int, bytes] = {}
        unknown = {blob: path for path, blob in blobs.items() if blob not in stored}
        self.load_facts(unknown.values())
        try:
            for path, payload in self._iter_extracted(tuple(unknown.values())):
                stored[blobs[path]], extracted[blobs[path]] = decode_uses(payload), payload
            check_cancelled()
        finally:
            # Asking again gets further, also where this question was interrupted.
            if extracted:
                self._cache.put_uses(extracted)
        uses = {}
        for path in paths:
            check_cancelled()
            known = stored.get(blobs[path])
            uses[path] = self._extract_edited(path) if known is None else known
        return uses

    def _iter_extracted(self, paths: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
        """Yield the payload of the uses of each of the files that a worker could extract."""
        if paths:
            from avionics.index.facts.worker_pool import perform_tasks
            from avionics.index.facts.worker_protocol import pack_uses

            for path, found in perform_tasks(paths, self._plan_uses, last=get_interruption()):
                if found is not None:
                    yield path, pack_uses(found, self.snapshot.entries[path].language, self.facts(path))

    def _plan_uses(self, path: str) -> Task | None:
        """Return the task to extract a file's uses; None if its bytes are not those of the snapshot any more."""
        from avionics.index.facts.worker_protocol import Task, Want

        content = self._read_if_there(path)
        if content is None or hash_blob(content) != self.snapshot.entries[path].oid:
            return None
        return Task(content, self.snapshot.entries[path].language, Want.USES, encode_facts(self.facts(path)))

    def _extract_edited(self, path: str) -> FileUses:
        """Extract the outline and the uses of a file that was edited after the snapshot was taken."""
        from avionics.index.facts.worker_protocol import Task, Want, pack_uses, unpack_outline

        if path in self._edited_since:
            return self._edited_since[path][1]
        content, language = self._read_if_there(path), self.snapshot.entries[path].language
        if content is None:
            return NO_USES
        from avionics.index.facts.worker_pool import get_pool

        (found,) = get_pool().first.perform([Task(content, language, Want.WHOLE)])
        facts = unpack_outline(found, language)
        uses = decode_uses(pack_uses(found, language, facts))
        self._edited_since[path] = facts, uses
        self._facts.put(path, facts)
        return uses

    def _read_if_there(self, path: str) -> bytes | None:
        try:
            return self._read_bytes(path)
        except SourceError:
            return None
