"""Index one repository into the fleet: facts and bytes of new contents as segments, the rest as rows.

Once that is published, the uses of new contents follow, which take several times as long to extract.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from avionics.cross_repository.clones import fetch_clone, is_url
from avionics.fleet.catalogue import BlobName, Catalogue, FleetFile, FleetRepository, FleetSnapshot, PublishedPackage
from avionics.fleet.segments import SegmentStore
from avionics.index.code_index import CodeIndex
from avionics.index.modules.published_names import find_published, get_imported_root
from avionics.index.search.candidates import stems_of_path
from avionics.index.search.query import stems_of
from avionics.model.errors import SourceError
from avionics.model.mappings import group_pairs
from avionics.model.naming import fold_name
from avionics.settings import Settings
from avionics.syntax.extract import EXTRACTOR_VERSION
from avionics.syntax.registry import require_spec
from avionics.workspace import RevisionWorkspace, Workspace

_MAX_SEGMENT_BYTES = 64_000_000
"""Bytes of contents in one segment, before compression."""

_MAX_USES_BYTES = 1_000_000
"""Bytes of the contents whose uses are in one segment, some 300 kB: a question about a file reads no more."""


def index_repository(
    catalogue: Catalogue,
    segments: SegmentStore,
    settings: Settings,
    repository: FleetRepository,
    is_urged: Callable[[], bool] = lambda: False,
) -> tuple[FleetSnapshot, bool]:
    """Index the commit that a repository's ref now names, and publish it; repeating this changes nothing.

    `is_urged` returns whether other work is more urgent than the uses of this repository.

    Return: What was published, and whether the uses of all its contents are extracted.

    Raises:
        AvionicsError: The clone, the bucket or the catalogue cannot be used.
    """
    place, ref = Path(repository.location), repository.ref
    if is_url(repository.location):
        place, ref = fetch_clone(repository.location, ref, settings)
    with Workspace.open(place, settings) as base:
        revision = base.at(ref)
        revision.index()
        code = revision.code
        entries = {path: entry for path, entry in code.snapshot.entries.items() if entry.oid}
        files = tuple(FleetFile(path, each.oid, each.language, each.size) for path, each in entries.items())
        blobs = frozenset((each.oid, each.language) for each in files)
        lacking_facts, lacking_bytes = catalogue.find_unknown(blobs, EXTRACTOR_VERSION)
        made: dict[bytes, int] = {}
        facts = _put_facts(revision, code, lacking_facts, segments, made)
        contents = _put_contents(revision, files, lacking_bytes, segments, made)
        snapshot = FleetSnapshot(
            revision.revision,
            files,
            tuple(_iter_packages(code)),
            frozenset(_iter_imports(code)),
            frozenset(fold_name(each.name) for path in code.files for each in code.facts(path).symbols),
            _collect_stems(revision, code),
            facts,
            contents,
            made,
            EXTRACTOR_VERSION,
        )
        catalogue.publish(repository.id, snapshot)
        return snapshot, _put_uses(catalogue, segments, revision, is_urged)


def _put_facts(
    revision: RevisionWorkspace,
    code: CodeIndex,
    lacking: Iterable[BlobName],
    segments: SegmentStore,
    made: dict[bytes, int],
) -> dict[BlobName, bytes]:
    """Store the facts of new contents as one segment and return where they are."""
    wanted = frozenset(lacking)
    blobs = {
        entry.blob_id: (entry.oid, entry.language)
        for entry in code.snapshot.entries.values()
        if entry.blob_id and (entry.oid, entry.language) in wanted
    }
    if not blobs:
        return {}
    file = io.BytesIO()
    revision.store.write_contents(blobs, file)
    digest = segments.put(file.getvalue())
    made[digest] = len(file.getvalue())
    return dict.fromkeys(blobs.values(), digest)


def _put_uses(
    catalogue: Catalogue, segments: SegmentStore, revision: RevisionWorkspace, is_urged: Callable[[], bool]
) -> bool:
    """Extract the uses that no segment has, and store them; return False if other work came between.

    Files that are near one another share a segment, since a question about one often needs the others.
    """
    entries = {path: revision.code.snapshot.entries[path] for path in revision.code.files}
    paths = {(each.oid, each.language): path for path, each in entries.items()}
    wanted = sorted(paths[blob] for blob in catalogue.list_without_uses(paths, EXTRACTOR_VERSION))
    for number, part in enumerate(_iter_parts(wanted, {path: entries[path].size for path in wanted}, _MAX_USES_BYTES)):
        # The first part is done even if other work waits, because starting again later would take as long.
        if number and is_urged():
            return False
        revision.code.source.load_uses(part)
        file = io.BytesIO()
        blobs = {entries[path].blob_id: (entries[path].oid, entries[path].language) for path in part}
        written = revision.store.write_uses(blobs, file)
        if written:
            catalogue.note_uses(segments.put(file.getvalue()), len(file.getvalue()), written, EXTRACTOR_VERSION)
    return True


def _put_contents(
    revision: RevisionWorkspace,
    files: Iterable[FleetFile],
    lacking: Iterable[str],
    segments: SegmentStore,
    made: dict[bytes, int],
) -> dict[str, tuple[bytes, int, int]]:
    """Store the bytes of new contents, each compressed on its own, and return where they are."""
    paths = {file.oid: file.path for file in files}
    places: dict[str, tuple[bytes, int, int]] = {}
    for part in _iter_parts(sorted(lacking), {file.oid: file.size for file in files}, _MAX_SEGMENT_BYTES):
        body = bytearray()
        starts: dict[str, tuple[int, int]] = {}
        for oid in part:
            try:
                data = zlib.compress(revision.source.read(paths[oid]), 6)
            except SourceError:
                continue
            starts[oid] = (len(body), len(data))
            body += data
        if body:
            digest = segments.put(bytes(body))
            made[digest] = len(body)
            places |= {oid: (digest, *at) for oid, at in starts.items()}
    return places


def _iter_parts(names: Iterable[str], sizes: Mapping[str, int], max_bytes: int) -> Iterator[list[str]]:
    """Divide files or contents into parts no larger than a limit, unless a single one is larger."""
    part: list[str] = []
    total = 0
    for name in names:
        if part and total + sizes[name] > max_bytes:
            yield part
            part, total = [], 0
        part.append(name)
        total += sizes[name]
    if part:
        yield part


def _collect_stems(revision: RevisionWorkspace, code: CodeIndex) -> frozenset[str]:
    words = revision.store.reader.list_words({entry.blob_id for entry in code.snapshot.entries.values()})
    in_paths = (stem for path in code.files for stem in stems_of_path(path))
    return frozenset(in_paths).union(stem for word in words for stem in stems_of(word))


def _iter_packages(code: CodeIndex) -> Iterator[PublishedPackage]:
    for each in find_published(code.paths, code.read_text):
        for root in each.roots or (each.name,):
            yield PublishedPackage(each.manager, each.name, each.version, each.directory, root)


def _iter_imports(code: CodeIndex) -> Iterator[tuple[str, str]]:
    """Yield the package manager and the root of all imports, including those of this repository's own packages."""
    code.load_facts(code.files)
    ends = group_pairs((path.rpartition("/")[2], f"/{path}") for path in code.paths)

    def is_own(include: str) -> bool:
        return any(path.endswith(f"/{include}") for path in ends.get(include.rpartition("/")[2], ()))

    for path in code.files:
        facts = code.facts(path)
        spec = require_spec(facts.language)
        for found in facts.imports:
            imported = get_imported_root(spec.module_system, found, is_own, spec.distribution)
            if imported is not None:
                yield imported
