"""Where the facts of one snapshot come from: the protocol that everything above this package reads them by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from avionics.index.facts.file_summaries import FileSummaries
from avionics.index.facts.snapshot import Snapshot
from avionics.index.facts.stdlib_stubs import STUBS, stub_facts, stub_uses
from avionics.index.facts.word_index import WordIndex
from avionics.index.model.compiler_facts import CompilerFacts, CompilerFactStore
from avionics.model.errors import SourceError
from avionics.model.facts import FileFacts, FileUses
from avionics.source.paths import Skipped
from avionics.source.search.pattern import Node

NO_FACTS = FileFacts("")
NO_USES = FileUses((), {}, {})

_MAX_FILES = 20_000
"""Facts of so many files are kept in memory; then the older half is dropped."""

FactT = TypeVar("FactT", FileFacts, FileUses)


class FactSource(Protocol):
    """The facts of one snapshot, by path and by word. A source keeps what it has read; it is safe for several threads.

    `StoredFacts` reads the store of an index that was built. `OnDemandFacts` extracts what one question needs, and may
    run out of time; what is missing then is in `unread` and `is_search_cut`.
    """

    @property
    def snapshot(self) -> Snapshot:
        """Return the files and their contents."""
        ...

    @property
    def paths(self) -> tuple[str, ...]:
        """Return every path of the snapshot, sorted, including manifests and files in unsupported languages."""
        ...

    @property
    def files(self) -> tuple[str, ...]:
        """Return the paths in supported languages, sorted."""
        ...

    def has_file(self, path: str) -> bool:
        """Return whether the snapshot has facts of the file."""
        ...

    def facts(self, path: str) -> FileFacts:
        """Return the outline of a file, without words; an empty one if the language is not supported."""
        ...

    def load_facts(self, paths: Iterable[str]) -> None:
        """Read the outlines of many files at once."""
        ...

    def uses(self, path: str) -> FileUses:
        """Return the scopes, bindings and references of a file."""
        ...

    def load_uses(self, paths: Iterable[str]) -> None:
        """Read the uses of many files at once."""
        ...

    def compiled(self, path: str) -> CompilerFacts | None:
        """Return what a compiler proved about a file; None if no imported index describes its content."""
        ...

    def read_text(self, path: str) -> str:
        """Return the text of a small file such as a manifest, or "" if it cannot be read."""
        ...

    @property
    def summaries(self) -> FileSummaries:
        """Return the summaries of many files."""
        ...

    @property
    def words(self) -> WordIndex:
        """Return the inverted index of all files. A source without one builds the full index for it."""
        ...

    def narrow(self, pattern: Node) -> Container[str] | None:
        """Return the files that may have text which a pattern matches; None if all files may."""
        ...

    def files_with_word(self, word: str) -> tuple[str, ...]:
        """Return the files in which the identifier occurs, sorted; for `$x` and the like, its longest word counts."""
        ...

    def count_word(self, word: str) -> Mapping[str, int]:
        """Return how often the identifier occurs in each file that has it."""
        ...

    def files_using(self, word: str, files: Sequence[str], /) -> Sequence[str]:
        """Return those of the files in which the word may stand for more than what is defined there."""
        ...

    def files_renaming(self, word: str) -> tuple[str, ...]:
        """Return the files in which an import may give the name another one, sorted."""
        ...

    def files_defining(self, folded: str, spelling: str | None = None, holder: str = "", /) -> tuple[str, ...]:
        """Return the files that define a symbol of a folded name (`avionics.model.naming.fold_name`), sorted.

        Args:
            folded: The name.
            spelling: How the name is spelled, if that matters; "" for any spelling, None if that is not known.
            holder: The name of the class or module that has the symbol, if that matters.
        """
        ...

    def expect_names(self, names: Iterable[str]) -> None:
        """Note how a question spells names: text can be searched for a folded name only in some spelling."""
        ...

    def needs_full_index(self, name: str, *, is_definition: bool) -> bool:
        """Return whether so many files define (or use) a name that reading all files takes about as long."""
        ...

    @property
    def unread(self) -> Collection[str]:
        """Return the files that complete answers would have needed and for which there was no time."""
        ...

    @property
    def is_search_cut(self) -> bool:
        """Return whether there was no time to search for every word that may lead to a use."""
        ...

    @property
    def unreadable(self) -> Sequence[Skipped]:
        """Return the files in supported languages that could not be read, however much time there was."""
        ...

    def seconds_left(self) -> float | None:
        """Return how long many files may still be read for one answer; None if this source sets no limit."""
        ...


class FactTable(ABC):
    """Outlines and uses of a snapshot's files, and of stubs, read when they are first asked for.

    Args:
        snapshot: Path → content.
        read_bytes: Returns the bytes of a path. Raises `SourceError`.
    """

    def __init__(self, snapshot: Snapshot, read_bytes: Callable[[str], bytes]) -> None:
        self.snapshot = snapshot
        self._read_bytes = read_bytes
        self._facts: dict[str, FileFacts] = {}
        self._uses: dict[str, FileUses] = {}
        self.compiler: CompilerFactStore | None = None
        self.unreadable: Sequence[Skipped] = ()

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Return every path of the snapshot, sorted."""
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
        found = self._facts.get(path)
        if found is None:
            self.load_facts((path,))
            found = self._facts.get(path, NO_FACTS)
        return found

    def load_facts(self, paths: Iterable[str]) -> None:
        """Read the outlines of many files at once."""
        missing = self._take_stubs(paths, self._facts, stub_facts)
        if missing:
            self._read_facts(missing)

    def uses(self, path: str) -> FileUses:
        """Return the scopes, bindings and references of a file."""
        found = self._uses.get(path)
        if found is None:
            self.load_uses((path,))
            found = self._uses.get(path, NO_USES)
        return found

    def load_uses(self, paths: Iterable[str]) -> None:
        """Read the uses of many files at once."""
        missing = self._take_stubs(paths, self._uses, stub_uses)
        if missing:
            self._read_uses(missing)

    def compiled(self, path: str) -> CompilerFacts | None:
        """Return what a compiler proved about a file; None if no imported index describes its content."""
        entry = self.snapshot.entries.get(path) if self.compiler is not None else None
        return self.compiler.get(entry.oid) if self.compiler is not None and entry is not None else None

    def read_text(self, path: str) -> str:
        """Return the text of a file as it is now, or "" if it cannot be read."""
        try:
            return self._read_bytes(path).decode("utf-8", "surrogateescape")
        except SourceError:
            return ""

    @abstractmethod
    def _read_facts(self, paths: Sequence[str]) -> None:
        """Read the outlines of supported files into the table."""

    @abstractmethod
    def _read_uses(self, paths: Sequence[str]) -> None:
        """Read the uses of supported files into the table."""

    def _take_stubs(
        self, paths: Iterable[str], known: dict[str, FactT], read_stub: Callable[[str], FactT]
    ) -> list[str]:
        """Read the stubs among the paths, make room for the rest, and return those of it that are to be read."""
        missing = []
        for path in dict.fromkeys(paths):
            if path in known:
                continue
            if path.startswith(STUBS):
                known[path] = read_stub(path)
            elif self.has_file(path):
                missing.append(path)
        if missing and len(known) > _MAX_FILES:
            for path in list(known)[: len(known) // 2]:
                del known[path]
        return missing
