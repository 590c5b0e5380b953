"""The history of some lines: the commits that changed them, back through renames and moves between files.

`git log -L` follows a renamed file, but stops where the lines were cut from one file and pasted into another. There
`git blame -C` over that one commit finds their former place, and the history continues from it.
"""

from __future__ import annotations

from msgspec import Struct

from avionics.history.blame import find_blame
from avionics.history.log import LineChange, find_line_changes
from avionics.history.repo import GitRepository
from avionics.model.mappings import group_pairs

_MAX_MOVES = 5
"""The number of moves followed; more are rare, and each costs two git commands."""


class LineStory(Struct, frozen=True):
    """The history of some lines.

    Attributes:
        changes: The commits that changed them, newest first.
        moves: The commits that moved them from another file, as (commit id, former path, path).
        is_whole: Whether the history reaches the commit that introduced them.
    """

    changes: tuple[LineChange, ...]
    moves: tuple[tuple[str, str, str], ...]
    is_whole: bool

    def __len__(self) -> int:
        return len(self.changes)


def get_line_story(
    repository: GitRepository, revision: str, path: str, start_line: int, end_line: int, *, limit: int
) -> LineStory:
    """Return at most `limit` commits of the history of some lines of a file at a revision."""
    changes: list[LineChange] = []
    moves: list[tuple[str, str, str]] = []
    place: tuple[str, str, int, int] | None = (revision, path, start_line, end_line)
    while place and len(changes) < limit and len(moves) <= _MAX_MOVES:
        found = find_line_changes(repository, *place, limit=limit - len(changes))
        changes += found
        place = _get_former_place(repository, found[-1]) if found else None
        if place:
            moves.append((found[-1].commit.oid, place[1], found[-1].path))
    return LineStory(tuple(changes), tuple(moves), is_whole=place is None and len(changes) < limit)


def _get_former_place(repository: GitRepository, change: LineChange) -> tuple[str, str, int, int] | None:
    """Return revision, path and lines that most of some introduced lines came from; None if they are new."""
    if not change.is_introduction or not change.commit.parents:
        return None
    parent = change.commit.parents[0]
    lines = find_blame(repository, f"{parent}..{change.commit.oid}", change.path, change.start_line, change.end_line)
    places = group_pairs((line.path, line.original_line) for line in lines if line.oid != change.commit.oid)
    if not places:
        return None
    path, numbers = max(places.items(), key=lambda place: len(place[1]))
    start, end = min(numbers), max(numbers)
    # Lines that match lines scattered over a file are similar by chance and were not moved.
    if 2 * len(numbers) < len(lines) or end - start > 2 * len(lines) + 10:
        return None
    return parent, path, start, end
