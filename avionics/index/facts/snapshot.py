"""Snapshots: the current content of every file of a workspace.

A refresh reads the status of every file, and the content only of files whose status changed or is racy.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field, structs

from avionics.source.paths import Skipped
from avionics.source.racy import COARSE_STEP_NS, is_racy
from avionics.source.read import Content, is_binary
from avionics.source.tree_status import TreeStatus
from avionics.source.walk import FoundFiles, Walk
from avionics.store.listings import PackedOids
from avionics.syntax.registry import get_language, is_data, may_be_data

if TYPE_CHECKING:
    from avionics.source.revision import RevisionTree

_OID_CHARACTERS = 40
_MAX_READ_BYTES = 64_000_000
"""The new contents that a refresh keeps for the build that follows, which then takes 2 % less time. Indexing them takes
more memory than that."""


class Tree(Protocol):
    """The source of a snapshot."""

    def walk(self) -> Walk:
        """Return every file."""

    def iter_contents(self, paths: Iterable[str]) -> Iterator[Content]:
        """Yield the bytes of files in the given order, or why they could not be read."""


class SnapshotEntry(Struct, frozen=True):
    """A file as it was last seen.

    Attributes:
        oid: The git blob id of its bytes in hex; "" if they were not read.
        language: "" if it is not supported; then its words are extracted only in a very large tree.
        blob_id: The id of its facts in the store; 0 if there are none.
    """

    oid: str
    language: str
    blob_id: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class StoredEntries(Mapping[str, SnapshotEntry]):
    """The entries of a stored snapshot, each field of all of them in a row; an entry is built when it is asked for.

    An answer needs few of them, and building all takes as long as examining a fifth of the files.
    """

    def __init__(self, paths: Sequence[str], fields: Sequence[Sequence[Any]]) -> None:
        self.paths = paths
        self.oids, self.languages, self.blob_ids, _, self.mtimes, self.ctimes, _ = fields
        self._fields = fields
        self._built: dict[str, SnapshotEntry] = {}

    @cached_property
    def _entries(self) -> dict[str, SnapshotEntry]:
        return dict(zip(self.paths, map(SnapshotEntry, *self._fields), strict=True))

    def __getitem__(self, path: str) -> SnapshotEntry:
        found = self._built.get(path)
        if found is None:
            row = self._get_row(path)
            if row is None:
                raise KeyError(path)
            found = self._built[path] = SnapshotEntry(*(field[row] for field in self._fields))
        return found

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._get_row(path) is not None

    def _get_row(self, path: str) -> int | None:
        """Return the position of a path, None if it is not there; to build a table of all would take longer."""
        row = bisect_left(self.paths, path)
        return row if row < len(self.paths) and self.paths[row] == path else None

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def items(self) -> ItemsView[str, SnapshotEntry]:
        """Return all paths and entries, building every entry."""
        return self._entries.items()

    def values(self) -> ValuesView[SnapshotEntry]:
        """Return all entries, building every one."""
        return self._entries.values()


class Snapshot(Struct, frozen=True, eq=False, dict=True):
    """The files of a workspace at one moment.

    Attributes:
        entries: Path → entry, ordered by path.
        taken_ns: When the last refresh that read a file began.
        skipped: What was skipped although no rule ignores it.
        walk: The walk that found the files, if the next one may start from it.
        read: Path → the bytes of new contents that the refresh read, as far as they fit; a build takes them out.
    """

    entries: Mapping[str, SnapshotEntry] = field(default_factory=dict)
    taken_ns: int = 0
    skipped: tuple[Skipped, ...] = ()
    walk: Walk | None = None
    read: dict[str, bytes] = field(default_factory=dict)

    def iter_contents(self) -> Iterator[tuple[str, str, int]]:
        """Yield the path, the language and the blob id of each file."""
        return zip(*self.contents, strict=True)

    @cached_property
    def contents(self) -> tuple[Sequence[str], Sequence[str], Sequence[int]]:
        """Return the paths, the languages and the blob ids of the files: building an index reads them several times."""
        entries = self.entries
        if isinstance(entries, StoredEntries):
            return entries.paths, entries.languages, entries.blob_ids
        values = entries.values()
        return list(entries), [entry.language for entry in values], [entry.blob_id for entry in values]

    def count_supported(self) -> int:
        """Return how many of the files are in supported languages."""
        _, languages, _ = self.contents
        return len(languages) - languages.count("")

    @cached_property
    def directories(self) -> frozenset[str]:
        """Return the directories that have files in them or below; without the root."""
        found: set[str] = set()
        inner = {path.rpartition("/")[0] for path in self.entries}
        while inner - found:
            found |= inner
            inner = {path.rpartition("/")[0] for path in inner}
        return frozenset(found - {""})

    @cached_property
    def _rows_without_facts(self) -> list[int]:
        """Return the positions of the files without facts in the store."""
        blob_ids = self.contents[2]
        return [row for row, blob_id in enumerate(blob_ids) if not blob_id] if 0 in blob_ids else []

    @cached_property
    def lacking(self) -> tuple[tuple[str, str], ...]:
        """Return the path and the language of the files in supported languages without facts in the store."""
        paths, languages, _ = self.contents
        return tuple([(paths[row], languages[row]) for row in self._rows_without_facts if languages[row]])

    def list_unknown(self) -> set[tuple[str, str]]:
        """Return the contents, by oid and language, that were read but have no facts in the store."""
        entries = self.entries
        if isinstance(entries, StoredEntries):
            oids, languages = entries.oids, entries.languages
            is_given = oids.is_given if isinstance(oids, PackedOids) else oids.__getitem__
            return {(oids[row], languages[row]) for row in filter(is_given, self._rows_without_facts)}
        return {(entry.oid, entry.language) for entry in entries.values() if entry.oid and not entry.blob_id}

    @cached_property
    def identity(self) -> str:
        """Return a digest that is equal for equal files with equal contents and facts, whatever their times."""
        import hashlib

        lines = [f"{path}\0{entry.oid}\0{entry.blob_id}" for path, entry in self.entries.items()]
        text = "\n".join(lines).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=16).hexdigest()

    def with_blob_ids(self, blob_ids: Mapping[tuple[str, str], int]) -> Snapshot:
        """Return the snapshot with the blob ids of these contents, given by (oid, language)."""
        stored = {
            path: structs.replace(entry, blob_id=blob_id)
            for path, entry in self.entries.items()
            if not entry.blob_id and (blob_id := blob_ids.get((entry.oid, entry.language), 0))
        }
        return structs.replace(self, entries={**self.entries, **stored}) if stored else self

    def without_blob_ids(self) -> Snapshot:
        """Return the snapshot without blob ids."""
        entries = {path: structs.replace(entry, blob_id=0) for path, entry in self.entries.items()}
        return structs.replace(self, entries=entries)

    def to_columns(self) -> tuple[tuple[object, ...], ...]:
        """Return the paths, then each field of the entries, for storing."""
        rows = [
            (path, e.oid, e.language, e.blob_id, e.size, e.mtime_ns, e.ctime_ns, e.inode)
            for path, e in self.entries.items()
        ]
        return tuple(zip(*rows, strict=True))

    @classmethod
    def from_columns(
        cls, taken_ns: int, columns: Sequence[Sequence[Any]], status: TreeStatus | None = None
    ) -> Snapshot:
        """Return the snapshot of stored columns, with its walk if the status of its tree is known."""
        paths, *fields = columns or ((),)
        entries = StoredEntries(paths, fields) if columns else {}
        if status is None:
            return cls(entries, taken_ns)
        # An entry ends with the four fields of FoundFile.
        files = FoundFiles(paths, *fields[-4:]) if columns else ()
        return cls(entries, taken_ns, status.skipped, Walk(files, status.skipped, status=status))


def build_unread_snapshot(walk: Walk) -> Snapshot:
    """Return a snapshot of a walk in which no file has been read."""
    entries = {
        found.path: SnapshotEntry(
            "", get_language(found.path) or "", 0, found.size, found.mtime_ns, found.ctime_ns, found.inode
        )
        for found in walk.files
    }
    return Snapshot(entries, 0, walk.skipped)


def refresh_snapshot(tree: Tree, previous: Snapshot) -> Snapshot:
    """Return the current files; the previous snapshot itself if nothing changed."""
    now = time.time_ns()
    walk = tree.walk()
    known = previous.entries
    if walk is previous.walk and not _has_racy(previous):
        return previous
    entries: dict[str, SnapshotEntry] = {}
    unread: list[str] = []
    is_changed = walk.skipped != previous.skipped or len(walk.files) != len(known)
    for found in walk.files:
        path = found.path
        entry = known.get(path)
        if (
            entry is None
            or entry.ctime_ns != found.ctime_ns
            or entry.mtime_ns != found.mtime_ns
            or entry.size != found.size
            or entry.inode != found.inode
            or (entry.oid and is_racy(max(entry.mtime_ns, entry.ctime_ns), previous.taken_ns))
        ):
            language = get_language(path) or ""
            entry = SnapshotEntry("", language, 0, found.size, found.mtime_ns, found.ctime_ns, found.inode)
            is_changed = True
            unread.append(path)
        entries[path] = entry
    if not is_changed:
        return previous
    read: dict[str, bytes] = {}
    room = _MAX_READ_BYTES
    for content in tree.iter_contents(unread):
        path, data = content.path, content.data
        if content.refused is None and (entries[path].language or not is_binary(data)):
            entry = entries[path] = _with_content(entries[path], content, known.get(path))
            if not entry.blob_id and len(data) <= room:
                read[path] = data
                room -= len(data)
    return Snapshot(entries, now, walk.skipped, walk, read)


def build_revision_snapshot(tree: RevisionTree) -> Snapshot:
    """Return the snapshot of a revision; its blob ids come from git, so hardly any file is read.

    If git uses another hash, the contents are hashed. Those that may be data with the suffix of a language are read.
    """
    walk = tree.walk()
    entries: dict[str, SnapshotEntry] = {}
    for found in walk.files:
        language = get_language(found.path) or ""
        oid = tree.blobs[found.path].oid
        entries[found.path] = SnapshotEntry(oid, language, 0, found.size, 0, 0, 0)
    others = [path for path, entry in entries.items() if may_be_data(path) or (entry.oid and not is_oid(entry.oid))]
    for content in tree.iter_contents(others):
        if content.refused is None or not is_oid(entries[content.path].oid):
            entries[content.path] = _with_content(entries[content.path], content, None)
    return Snapshot(entries, 0, walk.skipped)


def _has_racy(snapshot: Snapshot) -> bool:
    """Return whether a file may have changed again, unnoticed, after it was read."""
    entries, taken_ns = snapshot.entries, snapshot.taken_ns
    since = taken_ns - COARSE_STEP_NS
    if isinstance(entries, StoredEntries):
        mtimes, ctimes = entries.mtimes, entries.ctimes
        if max(mtimes, default=0) <= since and max(ctimes, default=0) <= since:
            return False  # This is the quickest way to find that none of them is recent.
    return any(each.oid and is_racy(max(each.mtime_ns, each.ctime_ns), taken_ns) for each in entries.values())


def is_oid(text: str) -> bool:
    """Return whether the text is a SHA-1 blob id; git repositories may use longer ones."""
    return len(text) == _OID_CHARACTERS


def hash_blob(content: bytes) -> str:
    """Return the id that git gives these bytes, in hex."""
    import hashlib

    digest = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def _with_content(entry: SnapshotEntry, content: Content, before: SnapshotEntry | None) -> SnapshotEntry:
    """Return the entry of a file that was read; unchanged bytes keep their facts."""
    oid, language = hash_blob(content.data), "" if is_data(content.path, content.data) else entry.language
    is_same = before is not None and (before.oid, before.language) == (oid, language)
    return structs.replace(entry, oid=oid, language=language, blob_id=before.blob_id if before and is_same else 0)
