"""Segments: immutable objects in a bucket, named by the digest of their bytes and checked against it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import obstore
from obstore.store import LocalStore, ObjectStore, from_url

from avionics.model.errors import RemoteError, UsageError

_ALLOWED_SCHEMES = ("s3://", "gs://", "az://", "abfs://", "file://", "memory://")
_KINDS_HINT = "give s3://bucket/prefix, gs://…, az://… or a directory that can be written"


class SegmentStore:
    """The segments in a bucket or directory.

    Args:
        url: `s3://bucket/prefix`, `gs://…`, `az://…`, or the path of a directory.

    Raises:
        UsageError: There is no such kind of bucket, or the directory cannot be made.
    """

    def __init__(self, url: str) -> None:
        is_url = url.startswith(_ALLOWED_SCHEMES)
        if "://" in url and not is_url:
            raise UsageError(f"unknown kind of bucket: {url.partition('://')[0]}://", hint=_KINDS_HINT)
        try:
            self._store: ObjectStore = from_url(url) if is_url else LocalStore(Path(url), mkdir=True)
        except (obstore.exceptions.BaseError, OSError, ValueError) as error:
            what = "the bucket cannot be opened" if is_url else f"the directory {url} cannot be made"
            raise UsageError(what, hint=_KINDS_HINT) from error

    def check(self) -> None:
        """Write and read a segment of a few bytes, to find out whether the bucket can be used. Raises `RemoteError`."""
        digest = self.put(b"avionics")
        self.get(digest)
        with suppress(RemoteError):  # A bucket may keep what it has.
            self.delete(digest)

    def has(self, digest: bytes) -> bool:
        """Return whether the bucket has a segment. Raises `RemoteError`."""
        with _translated_errors():
            try:
                obstore.head(self._store, _build_key(digest))
            except FileNotFoundError:
                return False
        return True

    def put(self, data: bytes) -> bytes:
        """Store bytes, which may be stored already; return their digest. Raise `RemoteError` if that fails."""
        digest = hashlib.sha256(data).digest()
        with _translated_errors():
            obstore.put(self._store, _build_key(digest), data)
        return digest

    def get(self, digest: bytes) -> bytes:
        """Return the bytes of a segment. Raise `RemoteError` if it is missing or damaged, or the store fails."""
        with _translated_errors():
            data = bytes(obstore.get(self._store, _build_key(digest)).bytes())
        if hashlib.sha256(data).digest() != digest:
            raise RemoteError(f"segment {digest.hex()} is damaged", hint="remove it and run `avionics fleet sync`")
        return data

    def get_range(self, digest: bytes, start: int, size: int) -> bytes:
        """Return some bytes of a segment, unchecked. Raises `RemoteError` as `get` does."""
        with _translated_errors():
            return bytes(obstore.get_range(self._store, _build_key(digest), start=start, length=size))

    def delete(self, digest: bytes) -> None:
        """Delete a segment, which may not exist. Raises `RemoteError`."""
        with _translated_errors(), suppress(FileNotFoundError):
            obstore.delete(self._store, _build_key(digest))


def _build_key(digest: bytes) -> str:
    """Return the name of the object with a segment."""
    name = digest.hex()
    return f"segments/{name[:2]}/{name}"


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Raise `RemoteError` for an error of the object store. Its own message may contain credentials."""
    try:
        yield
    except (obstore.exceptions.BaseError, OSError) as error:
        reason = f"the object store failed: {type(error).__name__}"
        raise RemoteError(reason, hint="check the bucket and try again") from error
