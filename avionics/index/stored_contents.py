"""Build an index of those contents of a revision that are already stored.

It supports text search only: files that are not stored stay unread, so nothing else may be concluded from it.
"""

from __future__ import annotations

from msgspec import structs

from avionics.index.code_index import CodeIndex
from avionics.index.facts.fact_cache import FactCache
from avionics.index.facts.snapshot import build_revision_snapshot, is_oid
from avionics.index.facts.stored_facts import StoredFacts
from avionics.source.revision import RevisionTree
from avionics.store.store import Store


def build_partial_index(tree: RevisionTree, store: Store, max_bytes: int) -> CodeIndex:
    """Return an index of the files of a revision with the stored facts of their contents.

    Contents in unsupported languages are looked up, too, because in very large trees their words are stored. What was
    read of files is kept in `max_bytes` of memory. Raise `IndexStateError` if the store cannot be read.
    """
    generation = store.reader.generation()
    listed = build_revision_snapshot(tree)
    oids = {path: tree.blobs[path].oid for path, entry in listed.entries.items() if not entry.oid}
    others = {path: structs.replace(listed.entries[path], oid=oid) for path, oid in oids.items() if is_oid(oid)}
    snapshot = structs.replace(listed, entries={**listed.entries, **others})
    known = store.reader.blob_ids({(entry.oid, entry.language) for entry in snapshot.entries.values() if entry.oid})
    cache = FactCache(store, generation)
    return CodeIndex(StoredFacts(snapshot.with_blob_ids(known), cache, tree.read, tree.iter_searched, max_bytes))
