"""Print commits with git and parse them.

Fields are separated by null characters, which no name, subject or body can contain, and read by position, so that a
message cannot pose as another commit.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

from msgspec import Struct

FORMAT = "--format=%x00%H%x00%P%x00%an%x00%ae%x00%ad%x00%s%x00%b%x00"
LOG = ("log", "--no-mailmap", "--no-color", "--no-ext-diff", "--no-textconv", "--encoding=UTF-8", "--date=raw", FORMAT)
"""`git log` in the format that `parse_commits` reads."""

_FIELDS = FORMAT.count("%x00") - 1


class FileTouch(Struct, frozen=True):
    """A file of a commit: lines added and deleted (-1 for binary content), and its former path if renamed."""

    path: str
    added: int
    deleted: int
    previous: str = ""


class Commit(Struct, frozen=True):
    """A commit.

    Attributes:
        parents: The ids of its parents; two or more for a merge.
        time: The author date, ISO 8601 with the author's zone; "" if invalid.
        epoch: The same in seconds since 1970.
        subject: The first paragraph of the message in one line.
        files: The files it changed, if requested.
    """

    oid: str
    parents: tuple[str, ...]
    author: str
    email: str
    time: str
    epoch: int
    subject: str
    body: str = ""
    files: tuple[FileTouch, ...] = ()


def parse_commits(text: str) -> tuple[Commit, ...]:
    """Parse the output of `git log -z` with FORMAT, with or without `--numstat`."""
    return tuple(commit for commit, _ in iter_records(text))


def iter_records(text: str) -> Iterator[tuple[Commit, str]]:
    """Yield each commit with the output after it: its files (already part of the commit) or a patch."""
    position = 0
    while position < len(text):
        fields, position = _fields(text, position + 1)
        # One terminator follows the fields, and a newline before files or a patch.
        position += 1
        rest, files = "", tuple[FileTouch, ...]()
        if text.startswith("\n", position):
            if text.startswith("\ndiff ", position):
                end = text.find("\n\0", position)
                end = len(text) if end < 0 else end + 1
                rest, position = text[position + 1 : end], end
            else:
                files, position = _files(text, position + 1)
        oid, parents, author, email, raw_time, subject, body = fields
        epoch, time = parse_time(raw_time)
        commit = Commit(oid, tuple(parents.split()), author, email, time, epoch, subject, body.strip("\n"), files)
        yield commit, rest


def parse_time(raw: str) -> tuple[int, str]:
    """Parse git's raw date `1700000000 +0100` to epoch seconds and ISO 8601; (0, "") if invalid."""
    seconds, _, zone = raw.partition(" ")
    try:
        epoch = int(seconds)
        offset = timedelta(hours=int(zone[:3]), minutes=int(zone[0] + zone[3:]))
        return epoch, datetime.fromtimestamp(epoch, timezone(offset)).isoformat()
    except (ValueError, IndexError, OverflowError, OSError):
        return 0, ""


def _fields(text: str, position: int) -> tuple[list[str], int]:
    """Return the fields of a commit, and the position after the last separator."""
    fields = []
    for _ in range(_FIELDS):
        end = text.find("\0", position)
        end = len(text) if end < 0 else end
        fields.append(text[position:end])
        position = end + 1
    return fields, position


def _files(text: str, position: int) -> tuple[tuple[FileTouch, ...], int]:
    """Return the `--numstat -z` entries from a position on, and the position of the next commit."""
    files = []
    while position < len(text) and text[position] != "\0":
        (entry,), position = _take(text, position, 1)
        added, deleted, path = entry.split("\t", 2)
        previous = ""
        if not path:
            (previous, path), position = _take(text, position, 2)
        files.append(FileTouch(path, _count(added), _count(deleted), previous))
    return tuple(files), position


def _take(text: str, position: int, count: int) -> tuple[list[str], int]:
    """Return the next null-terminated texts."""
    taken = []
    for _ in range(count):
        end = text.index("\0", position)
        taken.append(text[position:end])
        position = end + 1
    return taken, position


def _count(text: str) -> int:
    """Return a number of lines; -1 for binary content."""
    return int(text) if text.isdigit() else -1
