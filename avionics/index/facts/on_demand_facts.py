"""Facts of a tree that was never indexed: search its text for the words of a question.

Only files with such a word, and files that they lead to, are extracted. An answer from these facts is as complete as
one from a full index unless time runs out, which `OnDemandFacts.unread` and `is_search_cut` show.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from avionics.index.facts.fact_source import NO_FACTS, NO_USES, FactSource
from avionics.index.facts.file_summaries import FileSummaries, ImportLines, NamedSymbols
from avionics.index.facts.snapshot import Snapshot, hash_blob
from avionics.index.facts.text_scan import Sift, TextScanner, find_places
from avionics.index.facts.word_index import WordIndex, longest_word
from avionics.index.facts.worker_pool import perform_tasks, warm_up
from avionics.index.facts.worker_protocol import Task, Want, pack_uses, unpack_outline
from avionics.model.errors import SourceError
from avionics.model.facts import FileFacts, FileUses
from avionics.model.naming import fold_name
from avionics.source.read import Content
from avionics.source.search.pattern import Node
from avionics.store.codec import decode_uses, encode_facts
from avionics.store.reader import Reader
from avionics.syntax.engine.free_names import FreeName
from avionics.syntax.registry import get_conventions, require_rules, require_spec

_SECONDS, _SECONDS_IN_LARGE_TREE = 5.0, 3.0
"""How long files may be extracted for one answer; less in a large tree, where listing and searching files takes time,
too."""

_LAST_SECONDS, _FILES_THRESHOLD = 1.0, 8
"""The time left after that for a few files, because without the files that others lead to, results would be wrong."""

_SCAN_SECONDS, _SEARCH_SECONDS = 1.6, 3.5
"""In a large tree: how long texts are scanned for uses of a name, and until when they are searched for more words."""

_MAX_EXTRACTED, _MAX_EXTRACTED_IN_LARGE_TREE = 800, 300
"""How many files that mention a name are extracted, at most, to see which of them define it."""

_MAX_SEARCHED = 200
"""How many words texts are searched for, at most; searching for more takes about as long as building the full index."""

_LARGE_TREE = 20_000
"""Reading a tree of more files takes longer than anyone waits."""

_SAMPLE_FILES = 32


def is_mostly_stored(
    snapshot: Snapshot, iter_contents: Callable[[Iterable[str]], Iterator[Content]], reader: Reader
) -> bool:
    """Return whether the store has the facts of most files, judged by a sample.

    That is so when another worktree was indexed, or an index was imported.
    """
    paths = [path for path, entry in snapshot.entries.items() if entry.language]
    sample = sorted(paths[:: max(1, len(paths) // _SAMPLE_FILES)])
    keys = {(hash_blob(c.data), snapshot.entries[c.path].language) for c in iter_contents(sample) if c.refused is None}
    return 2 * len(reader.blob_ids(keys)) > len(keys)


class OnDemandFacts(FactSource):
    """The facts of one walk, for one question only, because this source does not notice changed files.

    `sift` returns which files may have a word; `build_full` returns the facts of the full index, which is built for
    questions about all files.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        iter_contents: Callable[[Iterable[str]], Iterator[Content]],
        sift: Sift,
        read_bytes: Callable[[str], bytes],
        iter_searched: Callable[[Iterable[str]], Iterator[Content]],
        build_full: Callable[[], FactSource],
    ) -> None:
        super().__init__(snapshot, read_bytes, iter_searched, math.inf, math.inf)
        self._build_full = build_full
        self._full: FactSource | None = None
        self._iter_contents = iter_contents
        self._sift = sift
        self._spellings: dict[str, str] = {}
        self._texts = TextScanner({path: snapshot.entries[path].size for path in self.files}, self._iter_read, sift)
        self._is_large = len(self.files) >= _LARGE_TREE
        self._seconds_left = _SECONDS_IN_LARGE_TREE if self._is_large else _SECONDS
        self._search_end = time.monotonic() + _SEARCH_SECONDS
        self.unread: set[str] = self._texts.unread
        warm_up(entry.language for entry in snapshot.entries.values())

    @cached_property
    def summaries(self) -> FileSummaries:
        return _TextSummaries(self)

    @property
    def words(self) -> WordIndex:
        """Return the inverted index of the full index."""
        return self._get_full().words

    def _get_full(self) -> FactSource:
        """Return the facts of the full index, which tells from then on where words are."""
        self._full = self._build_full()
        return self._full

    def _get_preferred(self) -> FactSource | None:
        """Return the full index if it was built, or is worth building by now; else None."""
        is_worth_it = self._full is None and not self._is_large and self._texts.searched > _MAX_SEARCHED
        return self._get_full() if is_worth_it else self._full

    def has_file(self, path: str) -> bool:
        entry = self.snapshot.entries.get(path)
        return entry is not None and entry.language != ""

    def narrow(self, _pattern: Node) -> None:
        """Return None: no words are stored, so any file may match."""

    def files_with_word(self, word: str) -> tuple[str, ...]:
        """Return the files in which the identifier occurs, sorted; () if there is no time to search a large tree."""
        if (full := self._get_preferred()) is not None:
            return tuple(filter(self.has_file, full.files_with_word(word)))
        plain = longest_word(word)
        if self._is_large and time.monotonic() > self._search_end and not self._texts.is_known(plain):
            self.is_search_cut = True
            return ()
        return self._texts.find(plain).files

    def count_word(self, word: str) -> Mapping[str, int]:
        """Return how often the identifier occurs in each file that has it; in a large tree, in code only."""
        files = self.files_with_word(word)
        documents = () if self._is_large else self._documents.find(word).files
        counts = {path: len(find_places(self._get_bytes(path) or b"", word)) for path in (*files, *documents)}
        return {path: count for path, count in counts.items() if count}

    @cached_property
    def _documents(self) -> TextScanner:
        """Return the texts in no supported language."""
        entries = self.snapshot.entries
        sizes = {path: entry.size for path, entry in entries.items() if not entry.language and entry.size}
        return TextScanner(sizes, self._iter_contents, self._sift)

    def files_using(self, word: str, files: Sequence[str], /) -> Sequence[str]:
        using = self._texts.find(longest_word(word)).using
        return [path for path in files if path in using]

    def files_renaming(self, word: str) -> tuple[str, ...]:
        mentions = self._texts.find(longest_word(word))
        return tuple(path for path in mentions.files if path in mentions.renaming)

    def files_defining(self, folded: str, spelling: str | None = None, holder: str = "", /) -> tuple[str, ...]:
        """Return the files that define a symbol of a folded name, sorted.

        If very many files may define it, only those with text that looks like a definition count.
        """
        if (full := self._get_preferred()) is not None:
            return tuple(filter(self.has_file, full.files_defining(folded, spelling, holder)))
        written = self._spellings.get(folded, "") if spelling is None else spelling
        mentions = self._texts.find(written or folded, is_folded=not written)
        candidates = self._keep_holding(mentions.defining, holder)
        if len(candidates) > (_MAX_EXTRACTED_IN_LARGE_TREE if self._is_large else _MAX_EXTRACTED):
            likely = self._keep_holding(mentions.likely, holder)
            self.unread.update(path for path in set(candidates).difference(likely) if path not in self._facts)
            candidates = likely
        self.load_facts(candidates)
        return tuple(path for path in candidates if any(fold_name(s.name) == folded for s in self.facts(path).symbols))

    def expect_names(self, names: Iterable[str]) -> None:
        for name in names:
            self._spellings.setdefault(fold_name(name), name)

    def needs_full_index(self, name: str, *, is_definition: bool) -> bool:
        if self._full is not None:
            return False
        mentions = self._texts.find(name)
        return not self._is_large and len(mentions.defining if is_definition else mentions.using) > _MAX_EXTRACTED

    def seconds_left(self) -> float | None:
        """Return the seconds left for reading many files; None if the tree is not large."""
        return max(0.0, self._seconds_left) if self._is_large else None

    def has_outline(self, path: str) -> bool:
        """Return whether the outline of the file was read."""
        return (self._facts.get(path) or NO_FACTS) is not NO_FACTS

    def scan_import_lines(self, path: str) -> ImportLines | None:
        """Return the include lines of a file, read from its text; None if parsing is needed."""
        if not self.has_file(path):
            return ()
        content = self._get_bytes(path)
        scanner = require_rules(self.snapshot.entries[path].language).textual
        return () if content is None else scanner.scan_includes(content)

    def scan_free_names(self, name: str, paths: Sequence[str]) -> dict[str, FreeName]:
        """Return file → its uses of a free name, for the C files of a large tree that can be scanned in time."""
        found: dict[str, FreeName] = {}
        if not self._is_large:
            return found
        started = time.monotonic()
        for path in paths:
            if time.monotonic() > started + _SCAN_SECONDS:
                break
            uses = self._scan_free_name(name, path)
            if uses is not None:
                found[path] = uses
        self._seconds_left -= time.monotonic() - started
        return found

    def _scan_free_name(self, name: str, path: str) -> FreeName | None:
        facts = self._facts.get(path) or NO_FACTS
        if any(each.name == name and each.parent < 0 for each in facts.symbols):
            return FreeName(is_bound=True)
        language = facts.language or self.snapshot.entries[path].language
        content = self._get_bytes(path) if language and require_spec(language).has_free_names else None
        if content is None:
            return None
        return require_rules(language).textual.scan_free_names(content, find_places(content, name))

    def _keep_holding(self, paths: Sequence[str], holder: str) -> Sequence[str]:
        """Return those of the files in which a class or module of that name may contain definitions."""
        if not holder or not paths:
            return paths
        entries, holding = self.snapshot.entries, frozenset(self._texts.find(holder).files)
        return [
            p for p in paths if p in holding or holder in p or not get_conventions(entries[p].language).names_owners
        ]

    def _iter_read(self, paths: Iterable[str]) -> Iterator[Content]:
        """Yield the contents of files, and record those that could not be read."""
        for content in self._iter_contents(paths):
            if content.refused is not None:
                self.unread.add(content.path)
            yield content

    def _read_facts(self, paths: Sequence[str]) -> dict[str, FileFacts]:
        if not self._take_from_full(paths):
            self._extract(paths, Want.OUTLINE)
        return {path: self._facts.get(path) or NO_FACTS for path in paths}

    def _read_uses(self, paths: Sequence[str]) -> dict[str, FileUses]:
        without_outline = [path for path in paths if path not in self._facts]
        if not self._take_from_full(without_outline):
            self._extract(without_outline, Want.WHOLE)
        self._extract([path for path in paths if path not in self._uses], Want.USES)
        return {path: self._uses.get(path) or NO_USES for path in paths}

    def _take_from_full(self, paths: Sequence[str]) -> bool:
        """Take outlines from the full index, if they are so many that building it takes about as long."""
        if len(paths) <= max(_MAX_EXTRACTED, len(self.files) // 2):
            return False
        full = self._get_full()
        full.load_facts(paths)
        self._facts.update({path: full.facts(path) for path in paths})
        return True

    def _extract(self, paths: Sequence[str], want: Want) -> None:
        """Extract files while there is time. Files that cannot be read, and those left over, get empty facts."""

        def plan(path: str) -> Task | None:
            content = self._get_bytes(path)
            outline = encode_facts(self.facts(path)) if want is Want.USES else b""
            return None if content is None else Task(content, self.snapshot.entries[path].language, want, outline)

        started, done = time.monotonic(), set()
        end = started + self._seconds_left + (_LAST_SECONDS if len(paths) <= _FILES_THRESHOLD else 0.0)
        for path, found in perform_tasks(paths, plan, end=end, size_of=lambda path: self.snapshot.entries[path].size):
            done.add(path)
            if found is not None:
                language = self.snapshot.entries[path].language
                if want is not Want.USES:
                    self._facts.put(path, unpack_outline(found, language))
                if want is not Want.OUTLINE:
                    self._uses.put(path, decode_uses(pack_uses(found, language, self.facts(path))))
        self._seconds_left -= time.monotonic() - started
        self.unread.update(path for path in paths if path not in done)
        for path in paths:
            if path not in self._facts:
                self._facts.put(path, NO_FACTS)
            if want is not Want.OUTLINE and path not in self._uses:
                self._uses.put(path, NO_USES)

    def _get_bytes(self, path: str) -> bytes | None:
        """Return the bytes of a file, from memory if it was searched; None if it cannot be read."""
        try:
            kept = self._texts.get(path) or self._documents.get(path)
            return self._read_bytes(path) if kept is None else kept
        except SourceError:
            return None


class _TextSummaries(FileSummaries):
    """Summaries read from outlines, or from texts if they can be read without parsing."""

    def __init__(self, source: OnDemandFacts) -> None:
        self._source = source
        self._import_lines: dict[str, ImportLines] = {}
        self._free_names: dict[str, dict[str, FreeName]] = {}

    def import_lines(self, path: str) -> ImportLines:
        if path not in self._import_lines:
            found = None if self._source.has_outline(path) else self._source.scan_import_lines(path)
            if found is None:
                found = tuple([(each.module, each.level) for each in self._source.facts(path).imports])
            self._import_lines[path] = found
        return self._import_lines[path]

    def load_import_lines(self, paths: Iterable[str]) -> None:
        """Do nothing: each file is read by itself."""

    def symbols_named(self, folded: str, paths: Iterable[str]) -> Mapping[str, NamedSymbols]:
        named: dict[str, NamedSymbols] = {}
        for path in paths:
            symbols = enumerate(self._source.facts(path).symbols)
            named[path] = tuple([(index, each) for index, each in symbols if fold_name(each.name) == folded])
        return named

    def free_names(self, name: str, paths: Iterable[str], /) -> Mapping[str, FreeName]:
        known = self._free_names.setdefault(name, {})
        known |= self._source.scan_free_names(name, [path for path in paths if path not in known])
        return {path: known[path] for path in paths if path in known}
