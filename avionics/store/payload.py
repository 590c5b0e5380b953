"""Values as checked bytes: msgpack, compressed, after a checksum.

Damaged payloads are detected and never decoded. Text that UTF-8 cannot carry (bytes in an unknown encoding, kept as
surrogates) makes the payload an escaped one: every text in it is stored as its bytes, one character each.
"""

from __future__ import annotations

import functools
import zlib
from typing import Any, TypeVar

from msgspec import DecodeError, convert, msgpack, to_builtins

from avionics.model.errors import IndexStateError

PLAIN, ESCAPED, COMPRESSED = 0, 1, 2
"""Bits of a payload's first byte."""

_MIN_COMPRESSED_BYTES = 200
"""Shorter bodies hardly shrink."""

_MAX_BYTES = 1 << 28
"""The size of the largest value. Without a limit, a few bytes from an untrusted file could expand to any size."""

_T = TypeVar("_T")

encode = msgpack.Encoder().encode
_decode_plain = msgpack.Decoder().decode


def to_payload(value: object, *, compress: bool = True) -> bytes:
    """Pack a fact, or tuples, lists, dicts, texts, bytes, numbers and None."""
    form = PLAIN
    try:
        body = encode(value)
    except UnicodeEncodeError:
        form, body = ESCAPED, encode(_escape(to_builtins(value, builtin_types=(bytes,))))
    return wrap(body, form, compress=compress)


def wrap(body: bytes, form: int = PLAIN, *, compress: bool = True) -> bytes:
    """Make a payload of a packed body."""
    if compress and len(body) > _MIN_COMPRESSED_BYTES:
        form, body = form | COMPRESSED, zlib.compress(body, 1)
    body = bytes((form,)) + body
    return zlib.crc32(body).to_bytes(4, "little") + body


def from_payload(data: bytes, kind: Any = Any) -> Any:
    """Unpack a payload into a value of a type; without a type, tuples become lists.

    Raise `IndexStateError` if the payload is damaged, or is no such value.
    """
    body, is_escaped = open_payload(data)
    return unescape(body, kind) if is_escaped else decode(body, kind)


def open_payload(data: bytes) -> tuple[bytes, bool]:
    """Return a payload's packed body, and whether its texts are escaped. Raise `IndexStateError` if it is damaged."""
    if len(data) < 6 or zlib.crc32(data[4:]).to_bytes(4, "little") != data[:4]:
        raise IndexStateError("a stored value is damaged", hint="ask again: it will be rebuilt")
    form, body = data[4], data[5:]
    if form & COMPRESSED:
        try:
            inflate = zlib.decompressobj()
            body = inflate.decompress(body, _MAX_BYTES)
        except zlib.error as error:
            raise IndexStateError("a stored value is damaged", hint="ask again: it will be rebuilt") from error
        if not inflate.eof:
            raise IndexStateError("a stored value is too large", hint="ask again: it will be rebuilt")
    return body, bool(form & ESCAPED)


def decode(body: bytes, kind: type[_T]) -> _T:
    """Decode the body of a payload whose texts are not escaped, or a part of it.

    Raise `IndexStateError` if the body holds no value of that type.
    """
    try:
        value: _T = _build_decoder(kind).decode(body)  # type: ignore[arg-type]  # every type is hashable
    except DecodeError as error:
        raise IndexStateError("a stored value cannot be read", hint="ask again: it will be rebuilt") from error
    return value


def unescape(body: bytes, kind: type[_T]) -> _T:
    """Decode the body of a payload whose texts are escaped. Raises as `decode`."""
    try:
        return convert(_unescape(_decode_plain(body)), kind)
    except DecodeError as error:
        raise IndexStateError("a stored value cannot be read", hint="ask again: it will be rebuilt") from error


@functools.cache
def _build_decoder(kind: Any) -> msgpack.Decoder[Any]:
    return msgpack.Decoder(kind)


def _escape(value: Any) -> Any:
    """Return plain data with every text as its bytes, one character each."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("latin-1")
    if isinstance(value, dict):
        return {_escape(key): _escape(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_escape(item) for item in value]
    return value


def _unescape(value: Any) -> Any:
    """Return plain data that was escaped."""
    if isinstance(value, str):
        return value.encode("latin-1").decode("utf-8", "surrogatepass")
    if isinstance(value, dict):
        return {_unescape(key): _unescape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_unescape(item) for item in value]
    return value
