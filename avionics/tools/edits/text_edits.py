"""Apply edits of bytes that may be nested, such as a call among the arguments of another call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

Piece = bytes | tuple[int, int]
"""New bytes, or the offsets of old ones that are kept, with the edits inside them."""


class TextEdit(Struct, frozen=True):
    """A replacement of the bytes from `start` to `end`."""

    start: int
    end: int
    pieces: tuple[Piece, ...]


def apply_edits(content: bytes, edits: Iterable[TextEdit]) -> bytes:
    """Return the content with every edit made; an edit inside another one is made where its bytes are kept."""
    ordered = sorted(dict.fromkeys(edits), key=lambda each: (each.start, -each.end))
    return _rewrite(content, 0, len(content), ordered)


def _rewrite(content: bytes, start: int, end: int, edits: Sequence[TextEdit]) -> bytes:
    """Return the bytes of a range, edited. The edits are sorted, an outer one before those inside it."""
    found, at = [], start
    for number, each in enumerate(edits):
        if each.start < at or each.end > end:
            continue
        inner = [other for other in edits[number + 1 :] if other.start < each.end]
        kept = (_rewrite(content, *piece, inner) if isinstance(piece, tuple) else piece for piece in each.pieces)
        found += [content[at : each.start], *kept]
        at = each.end
    return b"".join([*found, content[at:end]])
