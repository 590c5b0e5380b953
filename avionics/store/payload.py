"""Plain data as checked bytes: msgpack, squeezed, behind a checksum.

A payload that is not what was written is never decoded. Text that UTF-8 cannot carry (bytes of no encoding, kept
as surrogates) makes the payload a escaped one: in it every text stands as its bytes, one character each.

Knows: msgpack, checksums.
Does not know: what the data means.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, msgpack

from avionics.model.errors import IndexStateError

PLAIN, VEILED, SQUEEZED = 0, 1, 2
"""Bits of a payload's first byte."""

_WORTH_SQUEEZING = 200
"""Shorter bodies hardly shrink."""

_MAX_BYTES = 1 << 28
"""No value is larger: a few bytes of a stranger's could become any number."""

_encode = msgpack.Encoder().encode
decode_plain = msgpack.Decoder().decode


def to_payload(value: object, *, compress: bool = True) -> bytes:
    """Tuples, lists, mappings, texts, bytes, numbers and None as one payload."""
    form = PLAIN
    try:
        body = _encode(value)
    except UnicodeEncodeError:
        form, body = VEILED, _encode(_veil(value))
    if compress and len(body) > _WORTH_SQUEEZING:
        form, body = form | SQUEEZED, zlib.compress(body, 1)
    body = bytes((form,)) + body
    return zlib.crc32(body).to_bytes(4, "little") + body


def open_payload(data: bytes) -> tuple[bytes, bool]:
    """The packed body of a payload, and whether it is escaped.

    Raises:
        IndexStateError: It is not what was written.
    """
    if len(data) < 6 or zlib.crc32(data[4:]).to_bytes(4, "little") != data[:4]:
        raise IndexStateError("a stored value is damaged", hint="ask again: it will be rebuilt")
    form, body = data[4], data[5:]
    if form & SQUEEZED:
        try:
            inflate = zlib.decompressobj()
            body = inflate.decompress(body, _MAX_BYTES)
        except zlib.error as error:
            raise IndexStateError("a stored value is damaged", hint="ask again: it will be rebuilt") from error
        if not inflate.eof:
            raise IndexStateError("a stored value is too large", hint="ask again: it will be rebuilt")
    return body, bool(form & VEILED)


def from_payload(data: bytes) -> Any:
    """The value of a payload, tuples as lists.

    Raises:
        IndexStateError: It is not what was written.
    """
    body, escaped = open_payload(data)
    try:
        value = decode_plain(body)
    except DecodeError as error:
        raise IndexStateError("a stored value cannot be read", hint="ask again: it will be rebuilt") from error
    return unescape(value) if escaped else value


def _veil(value: Any) -> Any:
    """The value with every text as its bytes, one character each."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("latin-1")
    if isinstance(value, Mapping):
        return {_veil(key): _veil(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_veil(item) for item in value]
    return value


def unescape(value: Any) -> Any:
    """The value that was escaped."""
    if isinstance(value, str):
        return value.encode("latin-1").decode("utf-8", "surrogatepass")
    if isinstance(value, dict):
        return {unescape(key): unescape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [unescape(item) for item in value]
    return value
