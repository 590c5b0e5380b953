"""A cold index: answers about a tree that has not been read, from the files that a question's words stand in.

The texts are searched for a word; only files that hold it are extracted, and what these lead to. The same rooms join
the same facts as in a built index, so that an answer is as complete, unless the time for it ran out: then it says so.
Questions about all files at once are handed to the whole index, which is built for them.

Knows: texts, the words that questions ask for, how long may be spent.
Does not know: the store, when an index is called cold.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import attrs

from avionics.index.code_index import CodeIndex
from avionics.index.crew import iter_performed, warm_up
from avionics.index.extraction import Task
from avionics.index.modules import PRELUDE
from avionics.index.names import Wanted
from avionics.index.preludes import prelude_facts, prelude_uses
from avionics.index.snapshot import Entry, Snapshot, hash_blob
from avionics.index.workers import to_outline, to_packed_uses
from avionics.source.pattern import Node
from avionics.source.read import Content
from avionics.source.walk import Walk
from avionics.store.codec import decode_uses, encode_facts
from avionics.store.postings import Postings
from avionics.store.reader import Reader
from avionics.syntax.extract import get_language
from protocols.enums import Certainty, SymbolKind
from protocols.errors import SourceError
from protocols.facts import FileFacts, FileUses, ParseProblem
from protocols.knowledge import Definition, UsageReport
from protocols.naming import fold_name

_MOST_KEPT_BYTES = 256_000_000
"""Texts of a tree up to this size stay in memory; those of a larger one are read again for each word."""

_SEARCH_SECONDS, _EXTRACTION_SECONDS = 20.0, 5.0
"""How long texts may be searched, and files be extracted, for one answer."""

_MOST_EXTRACTED, _MOST_EXTRACTED_IN_LARGE_TREE = 800, 300
"""Of so many files that mention a name each is extracted to see whether it defines it."""

_LARGE_TREE = 20_000
"""A tree of more files takes longer to read than anyone waits."""

_SAMPLE = 32

_WORD = re.compile(r"\w+")
_DEFINING = re.compile(
    rb"[^\s/*].*|(?:\s*(?:#\s*define|class|struct|enum|union|(?:async\s+)?def|func|fn|interface|type)\s+)?", re.DOTALL
)
"""What stands before a name on its line where it is defined at the outermost level of a file."""

_Value = TypeVar("_Value")
_EMPTY = FileFacts("")
_NO_USES = FileUses((), {}, {})


def build_cold_snapshot(walk: Walk) -> Snapshot:
    """The files of a walk, none of them read."""
    entries = {
        f.path: Entry("", get_language(f.path) or "", 0, f.size, f.mtime_ns, f.ctime_ns, f.inode) for f in walk.files
    }
    return Snapshot(entries, 0, walk.skipped)


def is_mostly_known(
    snapshot: Snapshot, iter_contents: Callable[[Iterable[str]], Iterator[Content]], reader: Reader
) -> bool:
    """Whether the store has the facts of most files, told by a few: another worktree was read, or facts imported."""
    paths = [path for path, entry in snapshot.entries.items() if entry.language]
    few = sorted(paths[:: max(1, len(paths) // _SAMPLE)])
    keys = {(hash_blob(c.data), snapshot.entries[c.path].language) for c in iter_contents(few) if c.refused is None}
    return 2 * len(reader.blob_ids(keys)) > len(keys)


@attrs.frozen
class _Mentions:
    """The files that hold a word, and those of them where it stands as definitions do."""

    files: tuple[str, ...]
    defining: tuple[str, ...]


class ColdIndex(CodeIndex):
    """Answers about one walk; for one answer only, since nothing tells it that a file has changed.

    Args:
        snapshot: The files.
        iter_contents: The bytes of paths, in order.
        read_bytes: The bytes of one path.
        whole: Builds the whole index, for questions that need it.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        iter_contents: Callable[[Iterable[str]], Iterator[Content]],
        read_bytes: Callable[[str], bytes],
        whole: Callable[[], CodeIndex],
    ) -> None:
        self.snapshot = snapshot
        self._iter_contents = iter_contents
        self._read_bytes = read_bytes
        self._whole = whole
        self._facts: dict[str, FileFacts] = {}
        self._uses: dict[str, FileUses] = {}
        self._words: dict[str, tuple[str, ...]] = {}
        self._mentions: dict[tuple[str, bool], _Mentions] = {}
        self._spellings: dict[str, str] = {}
        self._searching, self._extracting = _SEARCH_SECONDS, _EXTRACTION_SECONDS
        self.unread: set[str] = set()
        """Files that a complete answer would have needed."""
        warm_up()

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files whose language is known, sorted."""
        return tuple(path for path, entry in self.snapshot.entries.items() if entry.language)

    def has_file(self, path: str) -> bool:
        """Whether the file is there and in a known language."""
        entry = self.snapshot.entries.get(path)
        return entry is not None and bool(entry.language)

    def load_facts(self, paths: Iterable[str]) -> None:
        """Extract the outlines of files, as long as there is time; those of most files are of the whole index."""
        missing = []
        for path in dict.fromkeys(paths):
            if path in self._facts:
                continue
            if path.startswith(PRELUDE):
                self._facts[path] = prelude_facts(path)
            elif self.has_file(path):
                missing.append(path)
        if len(missing) > max(_MOST_EXTRACTED, len(self.files) // 2):
            whole = self._whole()
            whole.load_facts(missing)
            self._facts |= {path: whole.facts(path) for path in missing}
            return
        self._extract(missing, self._plan_facts, self._to_facts, self._facts, _EMPTY)

    def load_uses(self, paths: Iterable[str]) -> None:
        """Extract the uses of files, as long as there is time."""
        missing = []
        for path in dict.fromkeys(paths):
            if path in self._uses:
                continue
            if path.startswith(PRELUDE):
                self._uses[path] = prelude_uses(path)
            else:
                missing.append(path)
        self.load_facts(missing)
        self._extract(missing, self._plan_uses, self._to_uses, self._uses, _NO_USES)

    def find_definitions(
        self,
        name: str,
        *,
        file: str | None = None,
        line: int | None = None,
        kind: SymbolKind | None = None,
        scope: str | None = None,
    ) -> tuple[Definition, ...]:
        """As of a built index; the name is searched as it is spelt."""
        for part in (Wanted.read(name).last, Wanted.read(name).qualifier.rpartition(".")[2]):
            self._spellings.setdefault(fold_name(part), part)
        if self._is_better_whole(Wanted.read(name).last):
            return self._whole().find_definitions(name, file=file, line=line, kind=kind, scope=scope)
        return super().find_definitions(name, file=file, line=line, kind=kind, scope=scope)

    def usages(self, definition: Definition) -> UsageReport:
        """As of a built index; what was not read in time is said."""
        self._spellings.setdefault(fold_name(definition.name), definition.name)
        if self._is_better_whole(definition.name):
            return self._whole().usages(definition)
        report = super().usages(definition)
        if not self.unread:
            return report
        reason = f"{len(self.unread)} files that may use it were not read in time; `avionics index` reads all"
        return attrs.evolve(report, certainty=Certainty.AT_LEAST, because=(reason, *report.because))

    def files_with_word(self, word: str) -> tuple[str, ...]:
        """The files in which the identifier occurs, sorted."""
        plain = max(_WORD.findall(word), key=len, default=word)
        return self._find(plain, is_folded=False).files

    def files_defining(self, folded: str) -> tuple[str, ...]:
        """The files that define a symbol of that folded name, sorted: those where it looks so, if others are many."""
        spelling = self._spellings.get(folded)
        mentions = self._find(spelling or folded, is_folded=spelling is None)
        most = _MOST_EXTRACTED if len(self.files) < _LARGE_TREE else _MOST_EXTRACTED_IN_LARGE_TREE
        candidates = mentions.files if len(mentions.files) <= most else mentions.defining
        self.load_facts(candidates)
        return tuple(path for path in candidates if any(fold_name(s.name) == folded for s in self.facts(path).symbols))

    def narrow(self, pattern: Node) -> None:
        """None: any file may match."""

    def term_counts(self, term: str) -> dict[str, int]:
        """Of the whole index."""
        return self._whole().term_counts(term)

    def term_postings(self, terms: Iterable[str]) -> Postings:
        """Of the whole index."""
        return self._whole().term_postings(terms)

    def count_in_files(self, postings: Postings, among: Collection[str] | None = None) -> dict[str, int]:
        """Of the whole index."""
        return self._whole().count_in_files(postings, among)

    def document_lengths(self, paths: Collection[str]) -> dict[str, int]:
        """Of the whole index."""
        return self._whole().document_lengths(paths)

    def names_starting(self, folded: str, limit: int) -> tuple[str, ...]:
        """Of the whole index."""
        return self._whole().names_starting(folded, limit)

    def all_names(self) -> Iterable[str]:
        """Of the whole index."""
        return self._whole().all_names()

    def problems(self, paths: Iterable[str] | None = None) -> dict[str, tuple[ParseProblem, ...]]:
        """Of the files named; of all, those of the whole index."""
        return self._whole().problems() if paths is None else super().problems(paths)

    def _is_better_whole(self, name: str) -> bool:
        """Whether so many files hold the name that reading all is about as quick."""
        return len(self.files) < _LARGE_TREE and len(self.files_with_word(name)) > _MOST_EXTRACTED

    def _find(self, word: str, *, is_folded: bool) -> _Mentions:
        """The files that hold a word, as it is spelt or in any case and with any underscores."""
        key = (word, is_folded)
        if key not in self._mentions:
            self._mentions[key] = self._search(word, is_folded=is_folded)
        return self._mentions[key]

    def _search(self, word: str, *, is_folded: bool) -> _Mentions:
        sought = word.encode("utf-8", "surrogateescape")
        if not sought:
            return _Mentions((), ())
        exact = re.compile(rb"(?<![A-Za-z0-9_])" + re.escape(sought) + rb"(?![A-Za-z0-9_])")
        found, likely = [], []
        started = time.monotonic()
        for path, data in self._iter_texts(started + self._searching):
            if is_folded:
                if sought in data.lower().replace(b"_", b""):
                    found.append(path)
                    likely.append(path)
            elif sought in data:
                starts = [each.start() for each in exact.finditer(data)]
                if starts:
                    found.append(path)
                if any(_DEFINING.fullmatch(data, data.rfind(b"\n", 0, at) + 1, at) for at in starts):
                    likely.append(path)
        self._searching = max(0.0, self._searching - (time.monotonic() - started))
        return _Mentions(tuple(found), tuple(likely))

    def _iter_texts(self, deadline: float) -> Iterator[tuple[str, bytes]]:
        """Path and bytes of every file of a known language, until the time is over."""
        if self._texts is not None:
            yield from self._texts.items()
            return
        for done, content in enumerate(self._iter_contents(self.files)):
            if time.monotonic() > deadline:
                self.unread.update(self.files[done:])
                return
            yield content.path, content.data

    @cached_property
    def _texts(self) -> Mapping[str, bytes] | None:
        """The bytes of all files, or None where they are too many."""
        if sum(self.snapshot.entries[path].size for path in self.files) > _MOST_KEPT_BYTES:
            return None
        return {content.path: content.data for content in self._iter_contents(self.files)}

    def _extract(
        self,
        paths: Sequence[str],
        plan: Callable[[str], Task],
        read: Callable[[str, bytes], _Value],
        kept: dict[str, _Value],
        nothing: _Value,
    ) -> None:
        """Keeps what files say, or nothing of those that cannot be read or for which there is no time."""

        def plan_if_readable(path: str) -> Task | None:
            try:
                return plan(path)
            except SourceError:
                return None

        started = time.monotonic()
        for path, message in iter_performed(paths, plan_if_readable, started + self._extracting):
            kept[path] = nothing if message is None else read(path, message)
        self._extracting -= time.monotonic() - started
        rest = [path for path in paths if path not in kept]
        self.unread.update(rest)
        kept.update(dict.fromkeys(rest, nothing))

    def _plan_facts(self, path: str) -> Task:
        return self._bytes(path), self.snapshot.entries[path].language, None

    def _to_facts(self, path: str, message: bytes) -> FileFacts:
        return to_outline(message, self.snapshot.entries[path].language)

    def _plan_uses(self, path: str) -> Task:
        return self._bytes(path), self.snapshot.entries[path].language, encode_facts(self.facts(path))

    def _to_uses(self, path: str, message: bytes) -> FileUses:
        return decode_uses(to_packed_uses(message, self.snapshot.entries[path].language, self.facts(path)))

    def _bytes(self, path: str) -> bytes:
        """The bytes of a file: those searched, if they are kept."""
        kept = self._texts.get(path) if self._texts is not None else None
        return self._read_bytes(path) if kept is None else kept
