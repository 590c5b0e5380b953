"""The source of the facts of one snapshot, from which all other packages read them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any

from avionics.bounded_cache import BoundedCache
from avionics.index.facts.file_summaries import FileSummaries
from avionics.index.facts.snapshot import Snapshot
from avionics.index.facts.stdlib_stubs import STUBS, stubs
from avionics.index.facts.word_index import WordIndex
from avionics.index.model.compiler_facts import CompilerFacts, CompilerFactStore
from avionics.model.enums import is_class
from avionics.model.errors import SourceError
from avionics.model.facts import FileFacts, FileUses
from avionics.model.knowledge import Definition
from avionics.model.naming import fold_name
from avionics.source.paths import Skipped
from avionics.source.read import Content
from avionics.store.codec import get_decoded_bytes

if TYPE_CHECKING:
    from avionics.source.search.pattern import Node

NO_FACTS = FileFacts("")
NO_USES = FileUses((), {}, {})
_MAX_KEPT_BYTES = 64_000_000


class _KeptFiles:
    """What sources read for one answer: the texts by content id, and the contents of files that are too large to parse.

    What has no id is kept by source and path.
    """

    def __init__(self) -> None:
        self.texts: BoundedCache[str | tuple[int, str], str] = BoundedCache(_MAX_KEPT_BYTES, len)
        self.large: BoundedCache[tuple[int, str], Content] = BoundedCache(_MAX_KEPT_BYTES, lambda of: len(of.data))


_KEPT: ContextVar[_KeptFiles | None] = ContextVar("avionics_kept_files", default=None)


@contextmanager
def keep_files() -> Iterator[None]:
    """Keep the files that sources read inside the block: one answer about many definitions needs them many times."""
    token = _KEPT.set(_KeptFiles())
    try:
        yield
    finally:
        _KEPT.reset(token)


class FactSource(ABC):
    """The facts of one snapshot, by path and by word. A source caches what it reads and is thread-safe.

    `StoredFacts` reads the store of an index. `OnDemandFacts` extracts what one question needs, and may run out of
    time; `unread` and `is_search_cut` then say what is missing. `iter_searched` also yields the bytes of files that are
    too large to parse. Outlines that do not fit into the memory for them are read again when they are needed again.

    Attributes:
        unread: The files that complete answers would have needed and for which there was no time.
        is_search_cut: Whether time ran out before every word that may be used was searched for.
        unreadable: The files in supported languages that could not be read, however much time there was.
    """

    unread: Collection[str] = ()
    is_search_cut = False

    def __init__(
        self,
        snapshot: Snapshot,
        read_bytes: Callable[[str], bytes],
        iter_searched: Callable[[Iterable[str]], Iterator[Content]],
        max_facts_bytes: float,
        max_uses_bytes: float,
    ) -> None:
        self.snapshot = snapshot
        self._read_bytes = read_bytes
        self._iter_searched = iter_searched
        self._facts: BoundedCache[str, FileFacts] = BoundedCache(max_facts_bytes, size_of_facts)
        self._uses: BoundedCache[str, FileUses] = BoundedCache(max_uses_bytes, size_of_uses)
        self._last_lines: tuple[str, list[str]] = ("", [])
        self.compiler: CompilerFactStore | None = None
        self.unreadable: Sequence[Skipped] = ()

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Return every path of the snapshot, sorted, including manifests and files in unsupported languages."""
        return tuple(self.snapshot.entries)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Return the paths in supported languages, sorted."""
        return tuple(filter(self.has_file, self.snapshot.entries))

    @abstractmethod
    def has_file(self, path: str) -> bool:
        """Return whether the snapshot has facts of the file."""

    def facts(self, path: str) -> FileFacts:
        """Return the outline of a file, without words; an empty one if the language is not supported."""
        found = self._facts.recent.get(path) or self._facts.get(path)
        if found is None:
            if path.startswith(STUBS):
                found = self._load_stub(path)[0]
            else:
                found = self._read_facts((path,))[path] if self.has_file(path) else NO_FACTS
            self._facts.put(path, found)
        return found

    def load_facts(self, paths: Iterable[str]) -> None:
        """Read the outlines of many files at once."""
        missing = self._list_missing(paths, self._facts)
        if missing:
            self._facts.update(self._read_facts(missing))

    def get_parent(self, definition: Definition) -> Definition | None:
        """Return the definition around one, None at the top level of a file."""
        index = definition.symbol.parent
        return self.definition_at(definition.file, index) if index >= 0 else None

    def definition_at(self, path: str, index: int) -> Definition:
        """Return the definition with an index in the outline of a file."""
        return Definition(path, self.facts(path).symbols[index], index)

    def get_class_around(self, definition: Definition) -> Definition | None:
        """Return the class that a definition is directly in, None for any other definition."""
        holder = self.get_parent(definition)
        return holder if holder is not None and is_class(holder.kind) else None

    def iter_definitions(self, path: str) -> Iterator[Definition]:
        """Yield the definitions of a file, in order."""
        for at, symbol in enumerate(self.facts(path).symbols):
            yield Definition(path, symbol, at)

    def iter_all_definitions(self, files: Sequence[str]) -> Iterator[Definition]:
        """Yield the definitions of many files, whose outlines are read at once."""
        self.load_facts(files)
        for path in files:
            yield from self.iter_definitions(path)

    def iter_named(self, name: str) -> Iterator[Definition]:
        """Yield the definitions of exactly that name, in all files."""
        for path in self.files_defining(fold_name(name)):
            named = ((at, each) for at, each in enumerate(self.facts(path).symbols) if each.name == name)
            yield from (Definition(path, each, at) for at, each in named)

    def find_qualified(self, path: str, qualname: str) -> tuple[Definition, ...]:
        """Return the definitions of a file with a qualified name, in order."""
        symbols = enumerate(self.facts(path).symbols)
        return tuple([Definition(path, each, at) for at, each in symbols if each.qualname == qualname])

    def list_members(self, definition: Definition) -> tuple[Definition, ...]:
        """Return the definitions directly inside one, in order."""
        symbols = enumerate(self.facts(definition.file).symbols)
        return tuple(Definition(definition.file, each, at) for at, each in symbols if each.parent == definition.index)

    def uses(self, path: str) -> FileUses:
        """Return the scopes, bindings and references of a file."""
        found = self._uses.recent.get(path) or self._uses.get(path)
        if found is None:
            if path.startswith(STUBS):
                found = self._load_stub(path)[1]
            else:
                found = self._read_uses((path,))[path] if self.has_file(path) else NO_USES
            self._uses.put(path, found)
        return found

    def load_uses(self, paths: Iterable[str]) -> None:
        """Read the uses of many files at once."""
        missing = self._list_missing(paths, self._uses)
        if missing:
            self._uses.update(self._read_uses(missing))

    def compiled(self, path: str) -> CompilerFacts | None:
        """Return what a compiler proved about a file; None if no imported index describes its content."""
        entry = self.snapshot.entries.get(path) if self.compiler is not None else None
        return self.compiler.get(entry.oid) if self.compiler is not None and entry is not None else None

    def read_text(self, path: str) -> str:
        """Return the text of a file as it is now, or "" if it cannot be read; inside `keep_files`, as it was first."""
        kept = _KEPT.get()
        if kept is None:
            return self._read_text(path)
        # Most files of two revisions are the same.
        entry = self.snapshot.entries.get(path)
        key = entry.oid if entry is not None and entry.oid else (id(self), path)
        text = kept.texts.get(key)
        if text is None:
            text = self._read_text(path)
            kept.texts.put(key, text)
        return text

    def _read_text(self, path: str) -> str:
        try:
            return self._read_bytes(path).decode("utf-8", "surrogateescape")
        except SourceError:
            return ""

    def read_content(self, path: str) -> bytes:
        """Return the bytes of the text of a file, as parsers take them."""
        return self.read_text(path).encode("utf-8", "surrogateescape")

    def read_lines(self, path: str) -> list[str]:
        """Return the lines of a file, divided at newlines only; those of the file read last stay in memory."""
        last_path, lines = self._last_lines
        if last_path != path:
            lines = self.read_text(path).split("\n")
            self._last_lines = path, lines
        return lines

    def read_line(self, path: str, number: int) -> str:
        """Return a line of a file, by its number from 1."""
        return self.read_lines(path)[number - 1]

    def read_definition(self, definition: Definition) -> str:
        """Return the whole lines of a definition, joined by newlines."""
        span = definition.symbol.span
        return "\n".join(self.read_lines(definition.file)[span.start_line - 1 : span.end_line])

    @property
    @abstractmethod
    def summaries(self) -> FileSummaries:
        """Return the summaries of many files."""

    @property
    @abstractmethod
    def words(self) -> WordIndex:
        """Return the inverted index of all files. A source without one builds the full index for it."""

    @abstractmethod
    def narrow(self, pattern: Node) -> Container[str] | None:
        """Return the files that may have text which a pattern matches; None if all files may."""

    @abstractmethod
    def files_with_word(self, word: str) -> tuple[str, ...]:
        """Return the files in which the identifier occurs, sorted; for names such as `$x`, its longest word counts."""

    @abstractmethod
    def count_word(self, word: str) -> Mapping[str, int]:
        """Return how often the identifier occurs in each file that has it."""

    def search_skipped(self, paths: Iterable[str], words: Collection[str]) -> tuple[str, ...]:
        """Return those of some files too large to parse that mention one of the words, or cannot be searched."""
        from avionics.index.facts.text_scan import find_places

        return tuple(
            content.path
            for content in self._iter_large(paths)
            if content.refused is not None or any(find_places(content.data, word) for word in words)
        )

    def _iter_large(self, paths: Iterable[str]) -> Iterator[Content]:
        """Yield the contents of files for a text search; inside `keep_files`, as they were first."""
        kept = _KEPT.get()
        if kept is None:
            yield from self._iter_searched(paths)
            return
        for path in paths:
            content = kept.large.get((id(self), path))
            if content is None:
                content = next(iter(self._iter_searched((path,))))
                kept.large.put((id(self), path), content)
            yield content

    @abstractmethod
    def files_using(self, word: str, files: Sequence[str], /) -> Sequence[str]:
        """Return those of the files in which the word may refer to something other than the definitions there."""

    @abstractmethod
    def files_renaming(self, word: str) -> tuple[str, ...]:
        """Return the files in which an import may rename the name, sorted."""

    @abstractmethod
    def files_defining(self, folded: str, spelling: str | None = None, holder: str = "", /) -> tuple[str, ...]:
        """Return the files that define a symbol of a folded name (`avionics.model.naming.fold_name`), sorted.

        If the spelling matters, it is given, or None if it is not known; `holder` is the class or module that has the
        symbol.
        """

    @abstractmethod
    def expect_names(self, names: Iterable[str]) -> None:
        """Note how a question spells names, because a text search for a folded name needs a spelling."""

    @abstractmethod
    def needs_full_index(self, name: str, /, *, is_definition: bool) -> bool:
        """Return whether so many files define (or use) a name that reading all files takes about as long."""

    @abstractmethod
    def seconds_left(self) -> float | None:
        """Return the seconds left for reading many files; None if this source sets no limit."""

    def _load_stub(self, path: str) -> tuple[FileFacts, FileUses]:
        """Return the outline and the uses of a stub."""
        return stubs.load(path)

    @abstractmethod
    def _read_facts(self, paths: Sequence[str]) -> Mapping[str, FileFacts]:
        """Return the outlines of supported files."""

    @abstractmethod
    def _read_uses(self, paths: Sequence[str]) -> Mapping[str, FileUses]:
        """Return the uses of supported files."""

    def _list_missing(self, paths: Iterable[str], known: Container[str]) -> list[str]:
        return [path for path in dict.fromkeys(paths) if path not in known and self.has_file(path)]


def size_of_facts(facts: FileFacts) -> int:
    """Return about how many bytes an outline takes."""
    return 1_000 + 700 * len(facts.symbols) + 300 * len(facts.imports)


def size_of_uses(uses: FileUses) -> int:
    """Return the approximate size in bytes of a file's uses, as far as they are decoded."""
    tables: tuple[Mapping[Any, Any], ...] = (
        uses.references, uses.bindings, uses.strings, uses.unnamed, uses.keys, uses.returns,
    )  # fmt: skip
    return 6_000 + 400 * len(uses.scopes) + sum(map(get_decoded_bytes, tables))
