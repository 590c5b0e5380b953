"""The code index: what is true of the code in one snapshot.

Facts come from the store by content; conclusions are computed when asked and kept while the snapshot lasts.

Knows: a snapshot, the store, and the rooms that join facts.
Does not know: how fresh the snapshot is, who asks, how answers are shown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from avionics.cancellation import check_cancelled
from avionics.index.facts.file_summaries import FileSummaries, StoredFileSummaries
from avionics.index.facts.gc_pause import gc_paused
from avionics.index.facts.prefilter import Prefilter
from avionics.index.facts.snapshot import Snapshot, hash_blob
from avionics.index.facts.stdlib_stubs import STUBS, stub_facts, stub_uses
from avionics.index.facts.worker_pool import run_tasks
from avionics.index.facts.worker_process import read_outline, read_packed_uses, to_packed_uses
from avionics.index.facts.worker_protocol import Task
from avionics.index.model.values import ClassType
from avionics.index.modules.import_resolver import Modules
from avionics.index.references.reference_resolver import Resolver
from avionics.index.references.usages import Graph
from avionics.index.scopes.name_resolver import NameResolver, is_class
from avionics.index.scopes.symbol_lookup import SymbolLookup, SymbolQuery
from avionics.model.enums import SymbolKind
from avionics.model.errors import IndexStateError, SourceError
from avionics.model.facts import FileFacts, FileUses, ParseProblem
from avionics.model.knowledge import Definition, ModuleLink, UsageReport
from avionics.source.search.pattern import Node
from avionics.store.codec import decode_uses, encode_facts
from avionics.store.postings import Postings
from avionics.store.reader import Reader
from avionics.store.writer import Writer

_Found = TypeVar("_Found")
_EMPTY = FileFacts("")
_WORD = re.compile(r"\w+")
_PATHS_THRESHOLD = 2_000
"""Who asks for so many lengths will ask again, for most of the same."""

_KEPT_FILES = 20_000
"""Facts of this many files are kept in memory; past it the oldest go."""


class CodeIndex:
    """Answers about one snapshot.

    Args:
        snapshot: Path → content.
        reader: Facts by content.
        writer: Where uses are kept once taken.
        read_bytes: The bytes of a path.
        generation: The number of the store's last generation before the snapshot's contents were looked up in it.

    Raises:
        IndexStateError: (Of every question.) Another process has cleared the store since; asked again, it is looked
            up anew.
    """

    unread: Collection[str] = ()
    """Files that a complete answer would have needed: of a built index none."""

    def __init__(
        self,
        snapshot: Snapshot,
        reader: Reader,
        writer: Writer,
        read_bytes: Callable[[str], bytes],
        generation: int | None = None,
    ) -> None:
        self.snapshot = snapshot
        self._generation = generation
        self._reader = reader
        self._writer = writer
        self._read_bytes = read_bytes
        self._facts: dict[str, FileFacts] = {}
        self._uses: dict[str, FileUses] = {}
        self._words: dict[str, tuple[str, ...]] = {}

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every path of the snapshot, sorted."""
        return tuple(self.snapshot.entries)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files whose language is known, sorted."""
        return tuple(path for path, entry in self.snapshot.entries.items() if entry.blob_id and entry.language)

    @cached_property
    def summaries(self) -> FileSummaries:
        """What is quickly known of many files."""
        return StoredFileSummaries(self.snapshot, self._reader, self._writer, lambda: self._kept(None))

    @cached_property
    def modules(self) -> Modules:
        """Which file an import means."""
        return Modules(self)

    @cached_property
    def resolver(self) -> Resolver:
        """What a reference means."""
        return Resolver(NameResolver(self, self.modules))

    @cached_property
    def graph(self) -> Graph:
        """Who uses what."""
        return Graph(self, self.resolver)

    @cached_property
    def names(self) -> SymbolLookup:
        """Definitions by name."""
        return SymbolLookup(self)

    def has_file(self, path: str) -> bool:
        """Whether the snapshot has facts of the file."""
        entry = self.snapshot.entries.get(path)
        return entry is not None and entry.blob_id > 0 and entry.language != ""

    def facts(self, path: str) -> FileFacts:
        """The outline of a file; empty for one without a known language."""
        found = self._facts.get(path)
        if found is None:
            self.load_facts((path,))
            found = self._facts.get(path, _EMPTY)
        return found

    def load_facts(self, paths: Iterable[str]) -> None:
        """Take the outlines of many files from the store at once."""
        missing = []
        for path in paths:
            if path in self._facts:
                continue
            if path.startswith(STUBS):
                self._facts[path] = stub_facts(path)
            elif self.has_file(path):
                missing.append(path)
        if not missing:
            return
        _make_room(self._facts)
        entries = self.snapshot.entries
        with gc_paused():
            stored = self._reader.many_facts({entries[path].blob_id for path in missing})
        for path in missing:
            found = stored.get(entries[path].blob_id)
            if found is None:
                raise IndexStateError("the store has lost some facts", hint="ask again: they will be read anew")
            self._facts[path] = found

    def uses(self, path: str) -> FileUses:
        """Every scope, binding and reference of a file."""
        found = self._uses.get(path)
        if found is None:
            self.load_uses((path,))
            found = self._uses[path]
        return found

    def load_uses(self, paths: Iterable[str]) -> None:
        """Take the uses of many files from the store at once; those never asked for are read from the files."""
        missing = []
        for path in paths:
            if path in self._uses:
                continue
            if path.startswith(STUBS):
                self._uses[path] = stub_uses(path)
            else:
                missing.append(path)
        if not missing:
            return
        _make_room(self._uses)
        entries = self.snapshot.entries
        blobs = {path: entries[path].blob_id for path in missing if self.has_file(path)}
        stored = self._reader.many_uses(set(blobs.values()))
        fresh: dict[int, bytes] = {}
        with gc_paused():
            unread = {blob: path for path, blob in blobs.items() if blob not in stored}
            self.load_facts(unread.values())
            for path, message in run_tasks(tuple(unread.values()), self._plan_uses, math.inf):
                if message is not None:
                    packed = to_packed_uses(message, entries[path].language, self.facts(path))
                    stored[blobs[path]], fresh[blobs[path]] = decode_uses(packed), packed
            for path in missing:
                check_cancelled()
                blob = blobs.get(path, 0)
                known = stored.get(blob)
                if known is None:
                    known = self._take_uses(path)
                self._uses[path] = known
        if fresh:
            self._writer.put_uses(fresh)

    def find_definitions(
        self,
        name: str,
        *,
        file: str | None = None,
        line: int | None = None,
        kind: SymbolKind | None = None,
        scope: str | None = None,
    ) -> tuple[Definition, ...]:
        """The definitions of exactly that name, product code first.

        With file and line it is the one standing there; `Class.member` also finds what the class inherits.
        """
        if file is not None and line is not None and self.has_file(file):
            there = self.names.at(file, line, name)
            if there is not None:
                return (there,)
        found = self.names.find(name, file=file, kind=kind, scope=scope)
        if found or file is not None:
            return found
        inherited = self._inherited(SymbolQuery.read(name), scope)
        return tuple(d for d in inherited if kind is None or d.kind is kind)

    def _inherited(self, wanted: SymbolQuery, scope: str | None) -> tuple[Definition, ...]:
        """What `Class.member` means when the class inherits the member."""
        if not wanted.qualifier:
            return ()
        found = []
        for owner in self.names.find(wanted.qualifier, scope=scope):
            if is_class(owner.kind):
                member = self.resolver.inference.members.find(ClassType(owner.file, owner.index), wanted.last)
                definition = self.graph.get_definition(member.variable) if member is not None else None
                if definition is not None:
                    found.append(definition)
        return tuple(dict.fromkeys(found))

    def usages(self, definition: Definition) -> UsageReport:
        """Every place that uses the definition, proven ones and possible ones apart."""
        with gc_paused():
            return self.graph.usages(definition)

    def imports(self, path: str) -> tuple[ModuleLink, ...]:
        """Every import of a file and where it leads."""
        return self.graph.imports(path)

    def importers(self, path: str) -> tuple[ModuleLink, ...]:
        """Every import that leads to the file."""
        return self.graph.importers(path)

    def files_with_word(self, word: str) -> tuple[str, ...]:
        """The files in which the identifier occurs, sorted; of `$x` and the like those with its longest word."""
        check_cancelled()
        found = self._words.get(word)
        if found is None:
            plain = max(_WORD.findall(word), key=len, default=word)
            found = self._words[word] = self.paths_of(self._kept(self._reader.word_counts(plain)))
        return found

    def narrow(self, pattern: Node) -> Container[str] | None:
        """The files that may hold text that a pattern matches; None where all may."""
        try:
            return self._kept(self._prefilter.narrow(pattern))
        except IndexStateError:
            return None

    @cached_property
    def _prefilter(self) -> Prefilter:
        entries = self.snapshot.entries
        unknown = frozenset(path for path, entry in entries.items() if not entry.blob_id)
        return Prefilter(self._reader, _by_blob(self.snapshot, entries), unknown)

    def term_counts(self, term: str) -> dict[str, int]:
        """File → how often a lower-case part of a name or a prose word occurs in it."""
        return self.count_in_files(self.term_postings((term,)))

    def term_postings(self, terms: Iterable[str]) -> Postings:
        """Where any lower-case parts of names or prose words occur."""
        return self._kept(self._reader.term_postings(terms))

    def count_in_files(self, postings: Postings, among: Collection[str] | None = None) -> dict[str, int]:
        """File → how often any of the words occurs in it, of all files or of some."""
        if among is None:
            counts = postings.count()
            return {path: count for blob, count in counts.items() for path in self._paths.get(blob, ())}
        blobs = {path: self.snapshot.entries[path].blob_id for path in among}
        counts = postings.count(frozenset(blobs.values()))
        return {path: counts[blob] for path, blob in blobs.items() if blob in counts}

    def document_lengths(self, paths: Collection[str]) -> dict[str, int]:
        """File → how many terms it has."""
        entries = self.snapshot.entries
        is_many = len(paths) > _PATHS_THRESHOLD
        lengths = self._lengths if is_many else self._reader.document_lengths({entries[path].blob_id for path in paths})
        return {path: lengths.get(entries[path].blob_id, 0) for path in paths}

    @cached_property
    def _lengths(self) -> dict[int, int]:
        """Blob id → how many terms it has, of all files."""
        return self._reader.document_lengths(self._paths)

    def files_using(self, _word: str, files: Sequence[str], /) -> Sequence[str]:
        """Those of the files in which the word may stand for more than what is defined there: all, as far as told."""
        return files

    def files_renaming(self, word: str) -> tuple[str, ...]:
        """The files in which an import may give the name another one, sorted: all that have it, as far as told."""
        return self.files_with_word(word)

    def seconds_to_look(self) -> float | None:
        """How long many files may be looked at for one answer; None where nothing but their number counts."""
        return None

    def files_defining(self, folded: str, _spelling: str | None = None, _holder: str = "", /) -> tuple[str, ...]:
        """The files that define a symbol of that folded name, sorted."""
        return self.paths_of(self._kept(self._reader.blobs_defining(folded)))

    def _kept(self, found: _Found) -> _Found:
        """What the store has just told, if nothing it knew of the snapshot can be gone by now."""
        if self._generation is not None and self._reader.generation() != self._generation:
            raise IndexStateError("the store was cleared while this was answered", hint="ask again")
        return found

    def names_starting(self, folded: str, limit: int) -> tuple[str, ...]:
        """Folded names that start so; other snapshots' names are passed over."""
        asked = limit
        while True:
            asked *= 8
            found = self._reader.names_with_prefix(folded, asked)
            own = tuple(name for name in found if self.files_defining(name))
            if len(own) >= limit or len(found) < asked:
                return own[:limit]

    def all_names(self) -> Iterable[str]:
        """Every folded name the store knows; some may belong to other snapshots."""
        return self._reader.iter_names()

    def dotted_name(self, path: str) -> str:
        """The name a file is imported by."""
        return self.modules.dotted_name(path)

    def read_text(self, path: str) -> str:
        """The text of a file as it is now; "" where it cannot be read."""
        try:
            return self._read_bytes(path).decode("utf-8", "surrogateescape")
        except SourceError:
            return ""

    def problems(self, paths: Iterable[str] | None = None) -> dict[str, tuple[ParseProblem, ...]]:
        """File → what could not be understood in it, for files that have such."""
        chosen = self.files if paths is None else tuple(paths)
        self.load_facts(chosen)
        return {path: facts.problems for path in chosen if (facts := self.facts(path)).problems}

    def paths_of(self, blobs: Iterable[int]) -> tuple[str, ...]:
        """The files of the snapshot with these contents, sorted."""
        return tuple(sorted(path for blob in blobs for path in self._paths.get(blob, ())))

    @cached_property
    def _paths(self) -> dict[int, tuple[str, ...]]:
        """Blob id → the files with that content."""
        return _by_blob(self.snapshot, self.files)

    def _plan_uses(self, path: str) -> Task | None:
        """The reading of a file's uses; None where its bytes are not those of the snapshot any more."""
        entry = self.snapshot.entries[path]
        try:
            content = self._read_bytes(path)
        except SourceError:
            return None
        return (content, entry.language, encode_facts(self.facts(path))) if hash_blob(content) == entry.oid else None

    def _take_uses(self, path: str) -> FileUses:
        """The uses of a file that was edited after the snapshot was taken: its outline is read anew as well."""
        entry = self.snapshot.entries.get(path)
        if entry is None or not entry.blob_id:
            return FileUses((), {}, {})
        try:
            content = self._read_bytes(path)
        except SourceError:
            return FileUses((), {}, {})
        facts = self._facts[path] = read_outline(content, entry.language)
        return decode_uses(read_packed_uses(content, entry.language, facts))


def _by_blob(snapshot: Snapshot, paths: Iterable[str]) -> dict[int, tuple[str, ...]]:
    """Blob id → those of the paths that have this content."""
    found: dict[int, tuple[str, ...]] = {}
    with gc_paused():
        for path in paths:
            if blob := snapshot.entries[path].blob_id:
                found[blob] = (*found[blob], path) if blob in found else (path,)
    return found


def _make_room(kept: dict[str, FileFacts] | dict[str, FileUses]) -> None:
    """Forget the oldest half once too much is kept."""
    if len(kept) > _KEPT_FILES:
        for path in list(kept)[: len(kept) // 2]:
            del kept[path]
