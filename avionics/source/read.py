"""Read checked files up to a limit, and split bytes into lines of text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from avionics.cancellation import check_cancelled
from avionics.source.paths import RepoPath, SkipReason, open_directory, open_regular

BINARY_PROBE_BYTES = 8192
"""Git's own rule: a file with a NUL in its first 8 KiB is binary."""


BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Content(Struct, frozen=True):
    """The bytes of a file, or why they could not be read."""

    path: str
    data: bytes
    refused: SkipReason | None = None


def iter_contents(root: Path, paths: Iterable[str], limit: int) -> Iterator[Content]:
    """Yield the contents of clean relative paths in order; paths sorted by directory are the cheapest."""
    current: str | None = None
    directory: int | SkipReason = SkipReason.MISSING
    try:
        for path in paths:
            check_cancelled()
            folder, _, name = path.rpartition("/")
            if folder != current:
                if isinstance(directory, int):
                    os.close(directory)
                directory = SkipReason.MISSING
                directory = open_directory(root, folder.split("/") if folder else ())
                current = folder
            if isinstance(directory, int):
                yield _read_content(directory, name, path, limit)
            else:
                yield Content(path, b"", directory)
    finally:
        if isinstance(directory, int):
            os.close(directory)


def read_content(root: Path, path: RepoPath, limit: int) -> Content:
    """Return the content of one file."""
    if not path.parts:
        return Content(".", b"", SkipReason.DIRECTORY)
    return next(iter_contents(root, (str(path),), limit))


def read_regular(directory: int, name: str, limit: int) -> bytes | SkipReason:
    """Return all bytes of a regular file in a directory, if there are at most `limit`."""
    descriptor = open_regular(directory, name)
    if isinstance(descriptor, SkipReason):
        return descriptor
    try:
        size = os.fstat(descriptor).st_size
        return SkipReason.TOO_LARGE if size > limit else _read_all(descriptor, size, limit)
    except OSError:
        return SkipReason.UNREADABLE
    finally:
        os.close(descriptor)


def is_binary(data: bytes) -> bool:
    """Return whether the bytes are not text."""
    return b"\0" in data[:BINARY_PROBE_BYTES]


def decode(data: bytes) -> str:
    """Decode bytes as text; a byte that is not UTF-8 becomes a lone surrogate and can be encoded back."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Encode text as UTF-8; a lone surrogate that `decode` made becomes the byte that it stands for."""
    return text.encode("utf-8", "surrogateescape")


def split_lines(text: str) -> list[str]:
    """Split text at newlines only; the carriage return of a CRLF belongs to the separator."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if "\r" in text:
        return [line.removesuffix("\r") for line in lines]
    return lines


def lines_of(data: bytes) -> tuple[str, ...]:
    """Return the lines of a file for display, without a byte order mark."""
    return tuple(split_lines(decode(data.removeprefix(BYTE_ORDER_MARK))))


def count_lines(data: bytes) -> int:
    """Return the number of lines; 0 for binary data."""
    if not data or is_binary(data):
        return 0
    return data.count(b"\n") + (not data.endswith(b"\n"))


def clip_line(line: str, limit: int, column: int = 0) -> str:
    """Truncate a line for display to at most `limit` characters around the column."""
    if len(line) <= limit:
        return line
    start = max(0, min(column - limit // 4, len(line) - limit))
    end = start + limit
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"


def _read_content(directory: int, name: str, path: str, limit: int) -> Content:
    found = read_regular(directory, name, limit)
    return Content(path, b"", found) if isinstance(found, SkipReason) else Content(path, found)


def _read_all(descriptor: int, size: int, limit: int) -> bytes | SkipReason:
    """Read to the end of the file, even if it grows meanwhile, but never more than the limit."""
    data = os.read(descriptor, size + 1)
    while len(data) > size or len(data) < size:
        more = os.read(descriptor, min(limit + 1 - len(data), 65_536))
        data += more
        if len(data) > limit:
            return SkipReason.TOO_LARGE
        if not more:
            break
    return data
