"""Read incoming messages, and answer those that cannot be served.

The SDK drops what it cannot decode. A client that sent an id would wait for ever, so the id is extracted even from a
message that is truncated, too deep or not JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import attrs
from mcp.types import INVALID_REQUEST, PARSE_ERROR, JSONRPCMessage, JSONRPCNotification, jsonrpc_message_adapter

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s"{}\[\]:,]++', re.DOTALL)
_LAST_MEMBER = re.compile(rb'"id"\s*+:\s*+("(?:[^"\\]|\\.)*+"|-?\d++)\s*+\}\s*+\Z', re.DOTALL)
_ID_BYTES = 1_000
"""Characters; longer ids are not answered."""

_LOOKED_AT_BYTES = 16_384
"""Bytes at either end that are searched for the id: clients write it among the first members or last."""


@attrs.frozen
class ErrorReply:
    """The response to a message that cannot be served."""

    id: str | int | float | None
    code: int
    reason: str

    def to_bytes(self) -> bytes:
        """Return the response as JSON in ASCII, so that an id that is not valid UTF-8 is returned unchanged."""
        error = {"code": self.code, "message": self.reason}
        return json.dumps({"jsonrpc": "2.0", "id": self.id, "error": error}).encode()


def iter_messages(data: bytes) -> Iterator[JSONRPCMessage | ErrorReply]:
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


def read_message(data: bytes) -> JSONRPCMessage | ErrorReply:
    """Return the message; lone surrogates in it become question marks."""
    try:
        message = jsonrpc_message_adapter.validate_json(data, by_name=False)
    except ValueError:
        return _mend(data)
    if isinstance(message, JSONRPCNotification) and b'"id"' in data:
        return _mend(data)
    return message


def refuse_long(data: bytes, limit_bytes: int) -> ErrorReply:
    """Return the response to a message that is too long; `data` is its beginning and its end."""
    half = min(len(data) // 2, _LOOKED_AT_BYTES)
    identity = get_id(data[:half], data[-half:])
    return ErrorReply(identity, INVALID_REQUEST, f"the message is longer than {limit_bytes} bytes")


def get_id(data: bytes, end: bytes | None = None) -> str | int | None:
    """Return the id of a request in bytes that are not a whole JSON document, or None.

    Args:
        data: The message, or its beginning.
        end: Its end, where there is a gap between the two.
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


def _mend(data: bytes) -> JSONRPCMessage | ErrorReply:
    """Return the message in JSON that the strict reader refused, or why it is none."""
    try:
        decoded = json.loads(data.decode("utf-8", "replace"))
        plain = json.dumps(decoded, ensure_ascii=False).encode("utf-8", "replace")
    except (ValueError, RecursionError) as error:
        reason = "is nested too deep" if isinstance(error, RecursionError) else "is no JSON"
        return ErrorReply(get_id(data), PARSE_ERROR, f"the message {reason}")
    try:
        return _judge(decoded, jsonrpc_message_adapter.validate_json(plain, by_name=False))
    except ValueError:
        return _judge(decoded, None)


def _judge(decoded: Any, message: JSONRPCMessage | None) -> JSONRPCMessage | ErrorReply:
    """Return the message, or an error if its id cannot be returned or makes it neither request nor notification."""
    identity = decoded.get("id") if isinstance(decoded, dict) else None
    known = identity if isinstance(identity, (str, int, float)) and not isinstance(identity, bool) else None
    if message is None:
        return ErrorReply(known, INVALID_REQUEST, "the message is no JSON-RPC request")
    if isinstance(message, JSONRPCNotification) and isinstance(decoded, dict) and "id" in decoded:
        return ErrorReply(known, INVALID_REQUEST, "an id is a string or an integer")
    if isinstance(known, str) and not _is_unicode(known):
        return ErrorReply(known, INVALID_REQUEST, "the id has a lone surrogate")
    return message


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_id(token: bytes) -> str | int | None:
    """Return the id that a token spells, or None."""
    try:
        identity = json.loads(token) if len(token) <= _ID_BYTES else None
    except ValueError:
        return None
    return identity if isinstance(identity, (str, int)) and not isinstance(identity, bool) else None
