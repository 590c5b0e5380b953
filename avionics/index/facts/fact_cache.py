"""Read and cache the facts of one snapshot, and cache the results of questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Self, TypeVar

from avionics.model.errors import IndexStateError
from avionics.model.facts import FileFacts, FileUses
from avionics.store.codec import BlobKey, decode_facts, decode_uses, encode_facts, encode_uses
from avionics.store.store import Store

Found = TypeVar("Found")


class FactCache:
    """A store and the generation of it that the blob ids of a snapshot belong to.

    It is the generation from before the blob ids were looked up; None if nothing can have been dropped since.
    """

    def __init__(self, store: Store, generation: int | None = None) -> None:
        self.reader = store.reader
        self._store = store
        self._generation = generation

    def limited_to(self, blob_ids: Iterable[int]) -> Self:
        """Return the cache for a snapshot that has only these contents."""
        limited = object.__new__(type(self))
        vars(limited).update(vars(self))
        limited.reader = self.reader.limited_to(blob_ids)
        return limited

    def require_current(self, found: Found) -> Found:
        """Return a value read from the store; raise if contents of the snapshot may have been evicted meanwhile.

        Raise `IndexStateError` if another process has cleared the store since the snapshot was taken.
        """
        if self._generation is not None and self.reader.generation() != self._generation:
            raise IndexStateError("the store was cleared while this was answered", hint="ask again")
        return found

    def many_facts(self, blobs: Mapping[int, BlobKey]) -> dict[int, FileFacts]:
        """Return blob id → outline of the stored contents."""
        return self.reader.many_facts(blobs)

    def many_uses(self, blobs: Mapping[int, BlobKey]) -> dict[int, FileUses]:
        """Return blob id → uses, for the contents whose uses are stored."""
        return self.reader.many_uses(blobs)

    def put_uses(self, uses: Mapping[int, bytes]) -> None:
        """Store uses by blob id for later questions; skip them if the store is not writable."""
        self._store.writer.put_uses(uses)

    def put_derived(self, key: str, value: object) -> None:
        """Store a value derived from facts for later questions, unless the store cannot be written."""
        self._store.writer.put_derived(key, value)

    def get_stub(self, key: str) -> tuple[FileFacts, FileUses] | None:
        """Return the outline and the uses of a stub, if they are stored under the key."""
        found = self.reader.get_stub(key)
        return None if found is None else (decode_facts(found[0]), decode_uses(found[1]))

    def put_stub(self, key: str, facts: FileFacts, uses: FileUses) -> None:
        """Store the outline and the uses of a stub, unless the store cannot be written."""
        self._store.writer.put_stub(key, encode_facts(facts), encode_uses(uses))
