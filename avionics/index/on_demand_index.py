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

import attrs

from avionics.index.code_index import CodeIndex
from avionics.index.facts.file_summaries import FileSummaries, ImportLines
from avionics.index.facts.snapshot import Snapshot, SnapshotEntry, hash_blob
from avionics.index.facts.stdlib_stubs import STUBS, stub_facts, stub_uses
from avionics.index.facts.text_scan import Sift, TextScanner, find_places
from avionics.index.facts.worker_pool import run_tasks, warm_up
from avionics.index.facts.worker_protocol import BOTH, OUTLINE, Task, read_uses
from avionics.index.scopes.symbol_lookup import SymbolQuery
from avionics.model.enums import Certainty, SymbolKind
from avionics.model.errors import SourceError
from avionics.model.facts import FileFacts, FileUses, ParseProblem
from avionics.model.knowledge import Definition, UsageReport
from avionics.model.naming import fold_name
from avionics.source.read import Content
from avionics.source.search.pattern import Node
from avionics.source.walk import Walk
from avionics.store.codec import decode_facts, decode_uses, encode_facts
from avionics.store.payload import from_payload
from avionics.store.postings import Postings
from avionics.store.reader import Reader
from avionics.syntax.engine.free_names import FreeName
from avionics.syntax.extract import give_up_uses
from avionics.syntax.registry import get_language, require_spec

_SECONDS, _SECONDS_IN_LARGE_TREE = 5.0, 3.0
"""How long files may be extracted for one answer; a large tree took its time to be listed and searched."""

_LAST_SECONDS, _FILES_THRESHOLD = 1.0, 8
"""What is left then for the few files that others lead to: what was found would be judged wrongly without them."""

_SKIM_SECONDS, _ASIDE_SECONDS = 1.6, 3.5
"""How long uses of a name may be looked for in the texts of a large tree, and until when other words than names."""

_MAX_EXTRACTED, _MAX_EXTRACTED_IN_LARGE_TREE = 800, 300
"""Of so many files that mention a name each is extracted to see whether it defines it."""

_LARGE_TREE = 20_000
"""A tree of more files takes longer to read than anyone waits."""

_SAMPLE = 32

_WORD = re.compile(r"\w+")
_HOLDING = frozenset({"c", "cpp", "javascript", "python", "tsx", "typescript"})
"""Languages in which what holds a definition is named in its file or in its path."""

_EMPTY = FileFacts("")
_NO_USES = FileUses((), {}, {})


def build_cold_snapshot(walk: Walk) -> Snapshot:
    """The files of a walk, none of them read."""
    entries = {
        f.path: SnapshotEntry("", get_language(f.path) or "", 0, f.size, f.mtime_ns, f.ctime_ns, f.inode)
        for f in walk.files
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


class _TextFileSummaries(FileSummaries):
    """FileSummaries at texts: include lines, and in a large tree uses of names, are read without the rest of a file."""

    def __init__(self, source: ColdIndex) -> None:
        super().__init__(source)
        self._cold = source
        self._lines: dict[str, ImportLines] = {}
        self._loose: dict[str, dict[str, FreeName]] = {}

    def import_lines(self, path: str) -> ImportLines:
        """The import lines of a file."""
        if path not in self._lines:
            skimmed = None if self._cold.has_facts(path) else self._cold.skim(path)
            self._lines[path] = super().import_lines(path) if skimmed is None else skimmed
        return self._lines[path]

    def free_names(self, name: str, paths: Iterable[str], /) -> Mapping[str, FreeName]:
        """Those of the files whose texts tell what they use of a name → what that is."""
        known = self._loose.setdefault(name, {})
        known |= self._cold.scan_free_names(name, [path for path in paths if path not in known])
        return {path: known[path] for path in paths if path in known}


class ColdIndex(CodeIndex):
    """Answers about one walk; for one answer only, since nothing tells it that a file has changed.

    Args:
        snapshot: The files.
        iter_contents: The bytes of paths, in order.
        sift: Tells which files may hold a word.
        read_bytes: The bytes of one path.
        whole: Builds the whole index, for questions that need it.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        iter_contents: Callable[[Iterable[str]], Iterator[Content]],
        sift: Sift,
        read_bytes: Callable[[str], bytes],
        whole: Callable[[], CodeIndex],
    ) -> None:
        self.snapshot = snapshot
        self._read_bytes = read_bytes
        self._whole = whole
        self._facts: dict[str, FileFacts] = {}
        self._uses: dict[str, FileUses] = {}
        self._spellings: dict[str, str] = {}
        self._texts = TextScanner({path: snapshot.entries[path].size for path in self.files}, iter_contents, sift)
        self._is_large = len(self.files) >= _LARGE_TREE
        self._left = _SECONDS_IN_LARGE_TREE if self._is_large else _SECONDS
        self._until = time.monotonic() + _ASIDE_SECONDS
        self._is_cut = False
        self.unread: set[str] = self._texts.unread
        """Files that a complete answer would have needed."""
        warm_up()

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files whose language is known, sorted."""
        return tuple(path for path, entry in self.snapshot.entries.items() if entry.language)

    @cached_property
    def summaries(self) -> FileSummaries:
        """What is quickly known of many files."""
        return _TextFileSummaries(self)

    def has_file(self, path: str) -> bool:
        """Whether the file is there and in a known language."""
        entry = self.snapshot.entries.get(path)
        return entry is not None and bool(entry.language)

    def has_facts(self, path: str) -> bool:
        """Whether the outline of the file is at hand."""
        return self._facts.get(path, _EMPTY) is not _EMPTY

    def skim(self, path: str) -> ImportLines | None:
        """The include lines of a file, without its outline; None where only that tells."""
        if not self.has_file(path):
            return ()
        try:
            return require_spec(self.snapshot.entries[path].language).textual.scan_includes(self._bytes(path))
        except SourceError:
            return ()

    def scan_free_names(self, name: str, paths: Sequence[str]) -> dict[str, FreeName]:
        """Those of the C files of a large tree whose texts tell what they use of a name, as far as there is time."""
        found: dict[str, FreeName] = {}
        if not self._is_large:
            return found
        started = time.monotonic()
        for path in paths:
            if time.monotonic() > started + _SKIM_SECONDS:
                break
            loose = self._skim(name, path)
            if loose is not None:
                found[path] = loose
        self._left -= time.monotonic() - started
        return found

    def _skim(self, name: str, path: str) -> FreeName | None:
        """How a file uses a name, where its text tells, or its outline that it defines it."""
        facts = self._facts.get(path, _EMPTY)
        if any(each.name == name and each.parent < 0 for each in facts.symbols):
            return FreeName(is_bound=True)
        language = facts.language or self.snapshot.entries[path].language
        if not language or not require_spec(language).textual.has_free_names:
            return None
        try:
            content = self._bytes(path)
        except SourceError:
            return None
        return require_spec(language).textual.scan_free_names(content, find_places(content, name))

    def seconds_to_look(self) -> float | None:
        """How long many files may be looked at for one answer; None where that is as of any index."""
        return max(0.0, self._left) if self._is_large else None

    def load_facts(self, paths: Iterable[str]) -> None:
        """Extract the outlines of files, as long as there is time; those of most files are of the whole index."""
        missing = []
        for path in dict.fromkeys(paths):
            if path in self._facts:
                continue
            if path.startswith(STUBS):
                self._facts[path] = stub_facts(path)
            elif self.has_file(path):
                missing.append(path)
        if not self._is_of_whole(missing):
            self._extract(missing, OUTLINE)

    def _is_of_whole(self, paths: Sequence[str]) -> bool:
        """Whether so many outlines are asked for that all are read, and these taken from there."""
        if len(paths) <= max(_MAX_EXTRACTED, len(self.files) // 2):
            return False
        whole = self._whole()
        whole.load_facts(paths)
        self._facts |= {path: whole.facts(path) for path in paths}
        return True

    def load_uses(self, paths: Iterable[str]) -> None:
        """Extract the uses of files, as long as there is time."""
        missing = []
        for path in dict.fromkeys(paths):
            if path in self._uses:
                continue
            if path.startswith(STUBS):
                self._uses[path] = stub_uses(path)
            else:
                missing.append(path)
        fresh = [path for path in missing if path not in self._facts and self.has_file(path)]
        if self._is_of_whole(fresh):
            fresh = []
        self._extract(fresh, BOTH)
        self._extract([path for path in missing if path not in self._uses], None)

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
        for part in (SymbolQuery.read(name).last, SymbolQuery.read(name).qualifier.rpartition(".")[2]):
            self._spellings.setdefault(fold_name(part), part)
        mentions = self._texts.find(SymbolQuery.read(name).last)
        if self._should_index_fully(mentions.defining if file is None else ()):
            return self._whole().find_definitions(name, file=file, line=line, kind=kind, scope=scope)
        return super().find_definitions(name, file=file, line=line, kind=kind, scope=scope)

    def usages(self, definition: Definition) -> UsageReport:
        """As of a built index; what was not read in time is said."""
        self._spellings.setdefault(fold_name(definition.name), definition.name)
        if self._should_index_fully(self._texts.find(definition.name).using):
            return self._whole().usages(definition)
        report = super().usages(definition)
        reasons = []
        if self.unread:
            many = f"{len(self.unread)} files that may define or use it"
            reasons.append(f"{many} were not read in time; `avionics index` reads all")
        if self._is_cut:
            reasons.append("not every word that may lead to it was searched for in time")
        certainty = Certainty.AT_LEAST if reasons else report.certainty
        return attrs.evolve(report, certainty=certainty, because=(*reasons, *report.because))

    def files_with_word(self, word: str) -> tuple[str, ...]:
        """The files in which the identifier occurs, sorted."""
        plain = max(_WORD.findall(word), key=len, default=word)
        if self._is_large and time.monotonic() > self._until and not self._texts.is_known(plain):
            self._is_cut = True
            return ()
        return self._texts.find(plain).files

    def files_using(self, word: str, files: Sequence[str], /) -> Sequence[str]:
        """Those of the files in which the word may stand for more than what is defined there."""
        using = self._texts.find(max(_WORD.findall(word), key=len, default=word)).using
        return [path for path in files if path in using]

    def files_renaming(self, word: str) -> tuple[str, ...]:
        """The files in which an import may give the name another one, sorted."""
        mentions = self._texts.find(max(_WORD.findall(word), key=len, default=word))
        return tuple(path for path in mentions.files if path in mentions.renaming)

    def files_defining(self, folded: str, spelling: str | None = None, holder: str = "", /) -> tuple[str, ...]:
        """The files that define a symbol of that folded name, sorted: those where it looks so, if others are many."""
        written = self._spellings.get(folded, "") if spelling is None else spelling
        mentions = self._texts.find(written or folded, is_folded=not written)
        candidates = self._held(mentions.defining, holder)
        most = _MAX_EXTRACTED_IN_LARGE_TREE if self._is_large else _MAX_EXTRACTED
        if len(candidates) > most:
            likely = self._held(mentions.likely, holder)
            self.unread.update(path for path in set(candidates).difference(likely) if path not in self._facts)
            candidates = likely
        self.load_facts(candidates)
        return tuple(path for path in candidates if any(fold_name(s.name) == folded for s in self.facts(path).symbols))

    def _held(self, paths: Sequence[str], holder: str) -> Sequence[str]:
        """Those of the files in which something of a name may hold definitions."""
        if not holder or not paths:
            return paths
        entries, holding = self.snapshot.entries, frozenset(self._texts.find(holder).files)
        return [p for p in paths if p in holding or holder in p or entries[p].language not in _HOLDING]

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

    def _should_index_fully(self, paths: Collection[str]) -> bool:
        """Whether so many files have to be read that reading all is about as quick."""
        return not self._is_large and len(paths) > _MAX_EXTRACTED

    def _extract(self, paths: Sequence[str], asked: bytes | None) -> None:
        """Keeps what files say; nothing of those that cannot be read, or for which there is no time.

        Args:
            paths: The files.
            asked: OUTLINE, BOTH, or None for the uses of files whose outlines are at hand.
        """

        def plan(path: str) -> Task | None:
            try:
                content = self._bytes(path)
            except SourceError:
                return None
            return content, self.snapshot.entries[path].language, asked or encode_facts(self.facts(path))

        started, done = time.monotonic(), set()
        end = started + self._left + (_LAST_SECONDS if len(paths) <= _FILES_THRESHOLD else 0.0)
        for path, message in run_tasks([path for path in paths if self.has_file(path)], plan, end, self._size_of):
            done.add(path)
            if message is not None:
                self._keep(path, message, asked)
        self._left -= time.monotonic() - started
        self.unread.update(path for path in paths if path not in done and self.has_file(path))
        for path in paths:
            self._facts.setdefault(path, _EMPTY)
            if asked != OUTLINE:
                self._uses.setdefault(path, _NO_USES)

    def _keep(self, path: str, message: bytes, asked: bytes | None) -> None:
        """Keeps what was said of a file."""
        language = self.snapshot.entries[path].language
        found = read_uses(message)
        if isinstance(found, str):
            facts = self._facts.setdefault(path, FileFacts(language, problems=(ParseProblem(1, found),)))
            if asked != OUTLINE:
                self._uses[path] = give_up_uses(language, facts)
        elif asked == OUTLINE:
            self._facts[path] = decode_facts(found)
        else:
            outline, uses = from_payload(found) if asked == BOTH else (None, found)
            if outline is not None:
                self._facts[path] = decode_facts(outline)
            self._uses[path] = decode_uses(uses)

    def _size_of(self, path: str) -> int:
        return self.snapshot.entries[path].size

    def _bytes(self, path: str) -> bytes:
        """The bytes of a file: those searched, if they are kept."""
        kept = self._texts.get(path)
        return self._read_bytes(path) if kept is None else kept
