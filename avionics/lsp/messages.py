"""Messages: JSON-RPC over a stream, each with a header that says how long it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
REQUEST_CANCELLED = -32800
REQUEST_FAILED = -32803

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")

_MAX_BODY_BYTES = 64_000_000
"""A longer message is refused and skipped; no source file that is analysed is a hundredth as long."""
_MAX_LINE_BYTES = 1_000
"""A longer line of a header is read in pieces, which are ignored."""
_PIECE_BYTES = 1_000_000
"""The number of bytes skipped at a time."""


class LspError(Exception):
    """The error that answers a request in place of a result."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class RequestFailedError(LspError):
    """A request that is valid and cannot be answered; the message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(REQUEST_FAILED, message)


class LspMessage(Struct):
    """A request, a notification, or the answer to a request.

    Attributes:
        id: Of a request or an answer.
        method: Of a request or a notification.
        params: The parameters, not decoded yet.
    """

    id: int | str | UnsetType | None = UNSET
    method: str | UnsetType = UNSET
    params: Raw = Raw(b"null")

    def read_params(self, kind: Any) -> Any:
        """Return the decoded parameters. Raise `LspError` if they do not have the form that the method requires."""
        try:
            return msgspec.json.decode(self.params, type=kind)
        except msgspec.DecodeError as error:
            raise LspError(INVALID_PARAMS, f"{self.method}: {error}") from None


def iter_messages(stream: BinaryIO) -> Iterator[LspMessage | LspError]:
    """Yield the messages of a client until it closes the stream; an error for one that cannot be read."""
    while (length := _read_length(stream)) is not None:
        if length > _MAX_BODY_BYTES:
            yield LspError(INVALID_REQUEST, f"skipped a message of {length} bytes; the limit is {_MAX_BODY_BYTES}")
            while length and (piece := stream.read(min(length, _PIECE_BYTES))):
                length -= len(piece)
            continue
        body = stream.read(length)
        if len(body) < length:
            return
        try:
            yield msgspec.json.decode(_repair(body), type=LspMessage)
        except msgspec.ValidationError as error:
            yield LspError(INVALID_REQUEST, str(error))
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            yield LspError(PARSE_ERROR, str(error))


def encode_message(message: dict[str, Any]) -> bytes:
    """Return a message in its wire format."""
    message = {"jsonrpc": "2.0", **message}
    try:
        body = msgspec.json.encode(message)
    except UnicodeEncodeError:
        # Bytes that are not UTF-8 are decoded as lone surrogates, which only `json` can encode.
        body = json.dumps(msgspec.to_builtins(message)).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _read_length(stream: BinaryIO) -> int | None:
    """Return how long the next message is; None at the end of the stream."""
    length = 0
    while line := stream.readline(_MAX_LINE_BYTES):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
        elif not line.strip() and length:
            return length
    return None


def _repair(body: bytes) -> bytes:
    """Return JSON with each lone surrogate replaced, because it is no character that a file can have."""
    if not _ESCAPED_SURROGATE.search(body):
        return body
    return _SURROGATE.sub("\ufffd", json.dumps(json.loads(body), ensure_ascii=False)).encode()
