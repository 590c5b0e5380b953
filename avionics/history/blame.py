"""Find the commit that last changed each line."""

from __future__ import annotations

import re

from msgspec import Struct

from avionics.history.commits import parse_time
from avionics.history.repo import GitRepository, require_argument

_MAX_COPIED, _MAX_MOVED = 1_500, 10_000
"""The maximum number of lines for which git looks for copies from other files, and for moves within the file. Both take
time proportional to the lines and to the size of the changes; together they take minutes for generated files."""

_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


class BlameLine(Struct, frozen=True):
    """A line and the commit that last changed more than its white space.

    Attributes:
        line: Its current number.
        oid: The id of the commit, forty zeros for lines that are only in the work tree.
        time: ISO 8601.
        path: The file it was in then.
        original_line: Its number then.
    """

    line: int
    text: str
    oid: str
    author: str
    time: str
    subject: str
    path: str
    original_line: int

    @property
    def is_committed(self) -> bool:
        """Return whether a commit contains the line."""
        return self.oid.strip("0") != ""


def find_blame(
    repository: GitRepository, revision: str, path: str, start_line: int, end_line: int, *, content: bytes | None = None
) -> tuple[BlameLine, ...]:
    """Return the lines of a file with their commits, following moves and copies within a commit, unless they are many.

    `revision` is the id of a commit or a range `a..b`; `content`, that of the work tree, is used instead if it is
    given.
    """
    count = end_line - start_line + 1
    options = ["-w", "--porcelain", "--encoding=UTF-8", f"-L{start_line},{end_line}"]
    options += ["-M"] if count <= _MAX_MOVED else []
    options += ["-C"] if count <= _MAX_COPIED else []
    options += ["--contents", "-"] if content is not None else [revision]
    text = repository.run_text("blame", *options, "--", require_argument(path), given=content or b"")
    return _parse(text)


def _parse(text: str) -> tuple[BlameLine, ...]:
    """Parse porcelain output, in which the details of a commit appear only once."""
    known: dict[str, dict[str, str]] = {}
    lines = []
    oid, original, final = "", 0, 0
    for row in text.split("\n"):
        if row.startswith("\t"):
            lines.append(_line(row[1:], oid, original, final, known[oid]))
            oid = ""
        elif not oid and row:
            oid, first, second, *_ = row.split(" ")
            original, final = int(first), int(second)
            known.setdefault(oid, {})
        else:
            key, _, value = row.partition(" ")
            known.setdefault(oid, {})[key] = value
    return tuple(lines)


def _line(text: str, oid: str, original: int, final: int, details: dict[str, str]) -> BlameLine:
    """Return a line with the details of its commit."""
    _, time = parse_time(f"{details.get('author-time', '')} {details.get('author-tz', '')}")
    path = details.get("filename", "")
    if path.startswith('"'):
        path = _unquote(path[1:-1])
    author, subject = details.get("author", ""), details.get("summary", "")
    return BlameLine(final, text, oid, author, time, subject, path, original)


def _unquote(text: str) -> str:
    """Decode a path from the inside of git's quotes."""

    def plain(match: re.Match[bytes]) -> bytes:
        escape = match[1].decode()
        return bytes([_ESCAPES[escape] if escape in _ESCAPES else int(escape, 8) & 255])

    quoted = text.encode("utf-8", "surrogateescape")
    return re.sub(rb'\\([abtnvfr"\\]|[0-7]{3})', plain, quoted).decode("utf-8", "surrogateescape")
