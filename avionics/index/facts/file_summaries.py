"""FileSummaries: what is known of thousands of files without their facts being unpacked: import lines, names, includes.

Knows: a snapshot, the store.
Does not know: what imports and names mean.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from avionics.index.facts.snapshot import Snapshot
from avionics.model.facts import FileFacts, Symbol
from avionics.model.naming import fold_name
from avionics.store.reader import Reader
from avionics.store.writer import Writer
from avionics.syntax.engine.free_names import TAKEN, FreeName, unpack_free_names

ImportLines = tuple[tuple[str, int], ...]
"""The module, as written, and the level of every import of a file."""

NamedSymbols = tuple[tuple[int, Symbol], ...]
"""Symbols, each with its place in its file's outline."""


_MAX_NAMES = 2_000
"""The symbols of so many names are kept; of most names there are few."""


class OutlineSource(Protocol):
    """Where outlines come from."""

    def facts(self, path: str) -> FileFacts:
        """The outline of a file."""
        ...


class FileSummaries:
    """FileSummaries at files that are not in the store: what their outlines say."""

    def __init__(self, source: OutlineSource) -> None:
        self._source = source

    def import_lines(self, path: str) -> ImportLines:
        """The import lines of a file."""
        return tuple([(found.module, found.level) for found in self._source.facts(path).imports])

    def load_import_lines(self, paths: Iterable[str]) -> None:
        """Make the import lines of many files quick to ask for."""

    def symbols_named(self, folded: str, paths: Iterable[str]) -> Mapping[str, NamedSymbols]:
        """File → its symbols of that folded name, of some files."""
        named: dict[str, NamedSymbols] = {}
        for path in paths:
            symbols = enumerate(self._source.facts(path).symbols)
            named[path] = tuple([(index, each) for index, each in symbols if fold_name(each.name) == folded])
        return named

    def free_names(self, _name: str, _paths: Iterable[str], /) -> Mapping[str, FreeName]:
        """Those of the files whose loose names were taken when they were indexed → what they use of one name."""
        return {}

    def blob_ids(self) -> Sequence[int]:
        """The blob ids of the files, in their order; none of files that are not in the store."""
        return ()

    def get_includes(self) -> Sequence[bytes] | None:
        """What `keep_includes` kept, where the paths are the same; None where nothing was kept."""
        return None

    def keep_includes(self, _parts: Sequence[bytes], /) -> None:
        """Keep how files include one another for the next process, where there is a place for it."""


class StoredFileSummaries(FileSummaries):
    """FileSummaries at files whose facts are in the store.

    Args:
        snapshot: Path → content.
        reader: Facts by content.
        writer: Where what was found out is kept.
        require_kept: Raises where something that was in the store may be gone.
    """

    def __init__(self, snapshot: Snapshot, reader: Reader, writer: Writer, require_kept: Callable[[], object]) -> None:
        self._entries = snapshot.entries
        self._reader = reader
        self._writer = writer
        self._require_kept = require_kept
        self._import_lines: dict[str, ImportLines] = {}
        self._named: dict[str, dict[int, NamedSymbols]] = {}

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The files whose language is known, sorted."""
        return tuple([path for path, entry in self._entries.items() if entry.blob_id and entry.language])

    def import_lines(self, path: str) -> ImportLines:
        """The import lines of a file."""
        if path not in self._import_lines:
            self.load_import_lines((path,))
        return self._import_lines[path]

    def load_import_lines(self, paths: Iterable[str]) -> None:
        """Take the import lines of many files from the store at once."""
        missing = [path for path in paths if path not in self._import_lines]
        blobs = self._blobs_of(missing)
        stored = self._reader.many_import_lines(set(blobs.values()))
        self._require_kept()
        self._import_lines |= {path: stored.get(blobs.get(path, 0), ()) for path in missing}

    def symbols_named(self, folded: str, paths: Iterable[str]) -> Mapping[str, NamedSymbols]:
        """File → its symbols of that folded name, of some files."""
        if len(self._named) > _MAX_NAMES:
            self._named.clear()
        blobs, known = self._blobs_of(paths), self._named.setdefault(folded, {})
        missing = set(blobs.values()) - known.keys()
        if missing:
            stored = self._reader.symbols_named(missing, folded)
            known |= {blob: stored.get(blob, ()) for blob in missing}
        self._require_kept()
        return {path: known[blob] for path, blob in blobs.items()}

    def free_names(self, name: str, paths: Iterable[str], /) -> Mapping[str, FreeName]:
        """Those of the files whose loose names were taken when they were indexed → what they use of one name."""
        taken = self._taken
        if not taken:
            return {}
        numbers = self._reader.loose_numbers(name)
        self._require_kept()
        blobs = self._blobs_of(paths).items()
        return {path: unpack_free_names(numbers.get(blob, ()), taken[blob]) for path, blob in blobs if blob in taken}

    def blob_ids(self) -> Sequence[int]:
        """The blob ids of the files, in their order."""
        return [self._entries[path].blob_id for path in self.files]

    def get_includes(self) -> Sequence[bytes] | None:
        """What `keep_includes` kept, where the paths are the same; None where nothing was kept."""
        found: Sequence[bytes] | None = self._reader.get_derived(self._digest)
        return found

    def keep_includes(self, parts: Sequence[bytes], /) -> None:
        """Keep how files include one another for the next process."""
        self._writer.put_finding(self._digest, parts)

    def _blobs_of(self, paths: Iterable[str]) -> dict[str, int]:
        """File → its blob id, of the paths that have one and a language."""
        entries = ((path, self._entries.get(path)) for path in paths)
        return {path: entry.blob_id for path, entry in entries if entry and entry.blob_id and entry.language}

    @cached_property
    def _taken(self) -> Mapping[int, list[int]]:
        """The contents whose loose names were taken."""
        return self._reader.loose_numbers(TAKEN)

    @cached_property
    def _digest(self) -> str:
        """Equal for equal paths."""
        paths = "\n".join(self.files).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(paths, digest_size=16).hexdigest()
