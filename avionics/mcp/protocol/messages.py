"""Read incoming messages, and answer those that cannot be served.

A client that sent an id waits for an answer, so the id is extracted even from a message that is truncated, too deep or
not JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from avionics.mcp.protocol.service import INVALID_REQUEST, PARSE_ERROR

_TOKEN = re.compile(rb'"(?>(?:[^"\\]++|\\.)*)"|[{}\[\]:,]|[^\s"{}\[\]:,]++', re.DOTALL)
_LAST_MEMBER = re.compile(rb'"id"\s*+:\s*+("(?>(?:[^"\\]++|\\.)*)"|-?\d++)\s*+\}\s*+\Z', re.DOTALL)
_ID_BYTES = 1_000
"""Characters; longer ids are not answered."""

_LOOKED_AT_BYTES = 16_384
"""The number of bytes at each end that are searched for the id, which clients write among the first members or last."""

_MAX_DEPTH = 200
"""The maximum nesting of a message, because code that reads it may recurse."""


class Incoming(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A message of a client: a request has a method and an id, a notification no id, a response no method."""

    jsonrpc: Literal["2.0"]
    id: str | int | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: dict[str, Any] | None = None
    result: dict[str, Any] | UnsetType = UNSET
    error: dict[str, Any] | UnsetType = UNSET

    def to_bytes(self) -> bytes:
        """Return the message as JSON."""
        return msgspec.json.encode(self)


_DECODER = msgspec.json.Decoder(Incoming)


class ErrorReply(Struct, frozen=True):
    """The response to a message that cannot be served."""

    id: str | int | float | None
    code: int
    reason: str

    def to_bytes(self) -> bytes:
        """Return the response as JSON in ASCII, so that an id that is not valid UTF-8 is returned unchanged."""
        error = {"code": self.code, "message": self.reason}
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}).encode()


def iter_messages(data: bytes) -> Iterator[Incoming | ErrorReply]:
    """Return the messages of a line: one, or the members of a batch, which are answered one by one."""
    if not data.lstrip().startswith(b"["):
        yield read_message(data)
        return
    try:
        batch = json.loads(data)
    except (ValueError, RecursionError):
        batch = []
    if not batch:
        yield ErrorReply(None, PARSE_ERROR, "the message is neither a JSON-RPC message nor a batch of them")
    for member in batch:
        yield read_message(json.dumps(member).encode())


def read_message(data: bytes) -> Incoming | ErrorReply:
    """Return the message; lone surrogates in it become question marks."""
    try:
        message = _DECODER.decode(data)
    except (ValueError, RecursionError):
        return _mend(data)
    return _mend(data) if _describe_fault(message) or _is_deep(data) else message


def refuse_long(data: bytes, limit_bytes: int) -> ErrorReply:
    """Return the response to a message that is too long; `data` is its beginning and its end."""
    half = min(len(data) // 2, _LOOKED_AT_BYTES)
    identity = get_id(data[:half], data[-half:])
    return ErrorReply(identity, INVALID_REQUEST, f"the message is longer than {limit_bytes} bytes")


def get_id(data: bytes, end: bytes | None = None) -> str | int | None:
    """Return the id of a request in bytes that are not a whole JSON document, or None.

    `end` is the end of the message, if there is a gap after its beginning.
    """
    depth, key, last = 0, b"", b""
    for match in _TOKEN.finditer(data):
        token = match[0]
        if token in b"{[":
            depth += 1
        elif token in b"}]":
            depth -= 1
        elif token == b":":
            key = last if depth == 1 else b""
            continue
        elif key == b'"id"' and depth == 1:
            return _read_id(token)
        key, last = b"", token
    member = _LAST_MEMBER.search(data if end is None else end)
    return _read_id(member[1]) if member else None


def _mend(data: bytes) -> Incoming | ErrorReply:
    """Return the message in JSON that the strict reader refused, or the error in it."""
    try:
        decoded = json.loads(data.decode("utf-8", "replace"))
        plain = json.dumps(decoded, ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError) as error:
        reason = "is nested too deep" if isinstance(error, RecursionError) else "is not JSON"
        return ErrorReply(get_id(data), PARSE_ERROR, f"the message {reason}")
    identity = decoded.get("id") if isinstance(decoded, dict) else None
    known = identity if isinstance(identity, (str, int, float)) and not isinstance(identity, bool) else None
    if identity is not None and not isinstance(known, (str, int)):
        return ErrorReply(known, INVALID_REQUEST, "an id is a string or an integer")
    if isinstance(known, str) and not _is_unicode(known):
        return ErrorReply(known, INVALID_REQUEST, "the id has a lone surrogate")
    try:
        message = _DECODER.decode(plain)
    except ValueError:
        return ErrorReply(known, INVALID_REQUEST, "the message is not a JSON-RPC request")
    fault = _describe_fault(message) or ("the message is nested too deep" if _is_deep(plain) else "")
    return ErrorReply(known, INVALID_REQUEST, fault) if fault else message


def _describe_fault(message: Incoming) -> str:
    """Return why a message is neither request, notification nor response, or ""."""
    if message.method is not UNSET:
        return "an id is a string or an integer" if message.id is None else ""
    is_response = message.result is not UNSET or message.error is not UNSET
    return "" if is_response else "the message is not a JSON-RPC request"


def _is_deep(data: bytes) -> bool:
    """Return whether valid JSON is nested deeper than messages may be."""
    if data.count(b"[") + data.count(b"{") <= _MAX_DEPTH:
        return False
    depth = deepest = 0
    for match in _TOKEN.finditer(data):
        depth += (match[0] in b"{[") - (match[0] in b"}]")
        deepest = max(deepest, depth)
    return deepest > _MAX_DEPTH


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_id(token: bytes) -> str | int | None:
    """Return the id in a token, or None."""
    try:
        identity = json.loads(token) if len(token) <= _ID_BYTES else None
    except ValueError:
        return None
    return identity if isinstance(identity, (str, int)) and not isinstance(identity, bool) else None
