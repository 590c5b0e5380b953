"""Segments: immutable objects in a bucket, named by the digest of their bytes and checked against it."""

from __future__ import annotations

import hashlib
from contextlib import suppress
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
        try:
            obstore.head(self._store, _key(digest))
        except FileNotFoundError:
            return False
        except (obstore.exceptions.BaseError, OSError) as error:
            raise _failed(error) from error
        return True

    def put(self, data: bytes) -> bytes:
        """Store bytes, which may be stored already; return their digest. Raise `RemoteError` if that fails."""
        digest = hashlib.sha256(data).digest()
        try:
            obstore.put(self._store, _key(digest), data)
        except (obstore.exceptions.BaseError, OSError) as error:
            raise _failed(error) from error
        return digest

    def get(self, digest: bytes) -> bytes:
        """Return the bytes of a segment. Raise `RemoteError` if it is missing or damaged, or the store fails."""
        try:
            data = bytes(obstore.get(self._store, _key(digest)).bytes())
        except (obstore.exceptions.BaseError, OSError) as error:
            raise _failed(error) from error
        if hashlib.sha256(data).digest() != digest:
            raise RemoteError(f"segment {digest.hex()} is damaged", hint="remove it and run `avionics fleet sync`")
        return data

    def get_range(self, digest: bytes, start: int, size: int) -> bytes:
        """Return some bytes of a segment, unchecked. Raises `RemoteError` as `get` does."""
        try:
            return bytes(obstore.get_range(self._store, _key(digest), start=start, length=size))
        except (obstore.exceptions.BaseError, OSError) as error:
            raise _failed(error) from error

    def delete(self, digest: bytes) -> None:
        """Delete a segment. Raises `RemoteError`."""
        try:
            obstore.delete(self._store, _key(digest))
        except FileNotFoundError:
            return
        except (obstore.exceptions.BaseError, OSError) as error:
            raise _failed(error) from error


def _key(digest: bytes) -> str:
    name = digest.hex()
    return f"segments/{name[:2]}/{name}"


def _failed(error: Exception) -> RemoteError:
    return RemoteError(f"the object store failed: {type(error).__name__}", hint="check the bucket and try again")
