"""Summaries of thousands of files: imports, symbols of a name and free names, without decoding whole outlines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from avionics.bounded_cache import BoundedCache
from avionics.index.facts.fact_cache import FactCache
from avionics.index.facts.snapshot import Snapshot
from avionics.model.facts import Symbol
from avionics.model.mappings import group_pairs
from avionics.model.naming import fold_name
from avionics.syntax.engine.free_names import TAKEN, FreeName, unpack_free_names

ImportLines = tuple[tuple[str, int], ...]
"""The module, as written, and the level of every import of a file."""

NamedSymbols = tuple[tuple[int, Symbol], ...]
"""Symbols, each with its index in the outline of its file."""

_Outline = Mapping[str, NamedSymbols]
"""The symbols of a content, by their folded names."""

_MAX_NAMES = 2_000
"""The number of names whose symbols are kept."""
_OFTEN_THRESHOLD = 16
"""Above this number of names asked for, all symbols of a content are kept."""
_MAX_OUTLINE_BYTES = 30_000_000


class FileSummaries(ABC):
    """Summaries of many files at low cost."""

    @abstractmethod
    def import_lines(self, path: str) -> ImportLines:
        """Return the import lines of a file."""

    @abstractmethod
    def load_import_lines(self, paths: Iterable[str]) -> None:
        """Read the import lines of many files at once."""

    @abstractmethod
    def symbols_named(self, folded: str, paths: Iterable[str]) -> Mapping[str, NamedSymbols]:
        """Return file → its symbols with that folded name, for some files."""

    @abstractmethod
    def free_names(self, name: str, paths: Iterable[str], /) -> Mapping[str, FreeName]:
        """Return file → its uses of a free name, for the files that can be summarized without parsing."""

    def blob_ids(self) -> Sequence[int]:
        """Return the blob ids of the supported files, in their order; () if their facts are not stored."""
        return ()

    def get_includes(self) -> Sequence[bytes] | None:
        """Return the include graph that `put_includes` stored for the same paths, or None."""
        return None

    def put_includes(self, _parts: Sequence[bytes], /) -> None:  # noqa: B027  nothing to do without a store
        """Store an include graph for the next process, if facts are stored at all."""


class StoredFileSummaries(FileSummaries):
    """Summaries of files whose facts are stored."""

    def __init__(self, snapshot: Snapshot, cache: FactCache) -> None:
        self._snapshot = snapshot
        self._entries = snapshot.entries
        self._cache = cache
        self._import_lines: dict[str, ImportLines] = {}
        self._named: dict[str, dict[int, NamedSymbols]] = {}
        self._asked: Counter[int] = Counter()
        self._outlines: BoundedCache[int, _Outline] = BoundedCache(_MAX_OUTLINE_BYTES, lambda of: 1_000 + 800 * len(of))

    @cached_property
    def files(self) -> tuple[str, ...]:
        contents = self._snapshot.iter_contents()
        return tuple([path for path, language, blob_id in contents if blob_id and language])

    def import_lines(self, path: str) -> ImportLines:
        if path not in self._import_lines:
            self.load_import_lines((path,))
        return self._import_lines[path]

    def load_import_lines(self, paths: Iterable[str]) -> None:
        missing = [path for path in paths if path not in self._import_lines]
        blobs = self._blobs_of(missing)
        stored = self._cache.require_current(self._cache.reader.many_import_lines(set(blobs.values())))
        self._import_lines |= {path: stored.get(blobs.get(path, 0), ()) for path in missing}

    def symbols_named(self, folded: str, paths: Iterable[str]) -> Mapping[str, NamedSymbols]:
        if len(self._named) > _MAX_NAMES:
            self._named.clear()
        blobs, known = self._blobs_of(paths), self._named.setdefault(folded, {})
        missing = set(blobs.values()) - known.keys()
        if missing:
            known |= self._read_named(missing, folded)
        return self._cache.require_current({path: known[blob] for path, blob in blobs.items()})

    def _read_named(self, blobs: Collection[int], folded: str) -> dict[int, NamedSymbols]:
        """Return blob id → its symbols with a folded name; contents that are often asked for are read as a whole."""
        self._asked.update(blobs)
        often = [blob for blob in blobs if self._asked[blob] > _OFTEN_THRESHOLD]
        outlines = self._outlines.get_many(often)
        unread = [blob for blob in often if blob not in outlines]
        if unread:
            read = {blob: _group(facts.symbols) for blob, facts in self._cache.reader.many_facts(unread).items()}
            self._outlines.update(read)
            outlines |= read
        found = {blob: outline.get(folded, ()) for blob, outline in outlines.items()}
        rest = [blob for blob in blobs if blob not in found]
        stored = self._cache.reader.symbols_named(rest, folded) if rest else {}
        return {**found, **{blob: stored.get(blob, ()) for blob in rest}}

    def free_names(self, name: str, paths: Iterable[str], /) -> Mapping[str, FreeName]:
        taken = self._taken
        if not taken:
            return {}
        numbers = self._cache.require_current(self._cache.reader.loose_numbers(name))
        blobs = self._blobs_of(paths).items()
        return {path: unpack_free_names(numbers.get(blob, ()), taken[blob]) for path, blob in blobs if blob in taken}

    def blob_ids(self) -> Sequence[int]:
        return [self._entries[path].blob_id for path in self.files]

    def get_includes(self) -> Sequence[bytes] | None:
        found: Sequence[bytes] | None = self._cache.reader.get_derived(self._digest)
        return found

    def put_includes(self, parts: Sequence[bytes], /) -> None:
        self._cache.put_derived(self._digest, parts)

    def _blobs_of(self, paths: Iterable[str]) -> dict[str, int]:
        """Map each of the paths that have facts to its blob id."""
        entries = ((path, self._entries.get(path)) for path in paths)
        return {path: entry.blob_id for path, entry in entries if entry and entry.blob_id and entry.language}

    @cached_property
    def _taken(self) -> Mapping[int, list[int]]:
        """Return the contents whose free names are stored."""
        return self._cache.reader.loose_numbers(TAKEN)

    @cached_property
    def _digest(self) -> str:
        """Return a key that is equal for equal paths."""
        import hashlib

        paths = "\n".join(self.files).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(paths, digest_size=16).hexdigest()


def _group(symbols: Iterable[Symbol]) -> _Outline:
    """Return the symbols of an outline by their folded names, each with its index."""
    found = group_pairs((fold_name(symbol.name), (index, symbol)) for index, symbol in enumerate(symbols))
    return {name: tuple(each) for name, each in found.items()}
